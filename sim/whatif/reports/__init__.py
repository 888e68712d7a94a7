"""A comparison for people and programs.

table     at a terminal
summary   as Markdown, for a pull request
page      as an HTML page
files     as JSON and CSV
settings  what differs between the configurations
capacity  what queues used, lent and borrowed over time
"""
