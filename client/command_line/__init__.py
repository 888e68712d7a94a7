"""The command line of Hadoop's tools: words, options, refusals, and the terminal.

options     Commons CLI's grammar
arguments   words of the command line to ids and numbers
failures    exit statuses, and the errors that end a command
console     outputs, time, time zone and environment of a command
terminal    a terminal for full-screen commands
"""
