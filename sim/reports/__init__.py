"""What a play came to: figures per job and by groups of them; as a table, JSON, CSV, Parquet and SLS's files.

result     the values, and how they are worked out
rows       the rows of jobs, beyond the first ones in a file
collector  listens to a play and collects them
table      for people
files      files that take their names when they are whole; JSON
tables     the results as tables, and CSV
parquet    tables as Parquet, by a package that may be missing
report     a page of HTML
sls        the output directory of Hadoop's Scheduler Load Simulator
progress   how far a long run has come; the only part with a clock
html/      parts of the pages that reports are: elements, tables, charts
play       a load on a configuration, as a function
refusal    how a command ends whose input is of no use
"""
