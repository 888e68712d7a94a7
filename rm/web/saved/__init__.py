"""What a page shows, as a file: the rows of its lists, and the values of its charts.

files   from an answer and what was asked to a file
table   rows as CSV and JSON, by the columns of a list
chart   the values of a chart as CSV, and the chart as a picture
stream  containers over time as a picture
lanes   on which lane each of them lies, and which bars are seen
shapes  what pictures consist of, and their colours
"""
