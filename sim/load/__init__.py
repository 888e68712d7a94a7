"""Loads: jobs as every format has them, read, checked and written.

jobs      jobs, tasks and nodes as values
text      files plain or compressed; sequences of JSON objects
fields    typed reading of a JSON object
reading   what readers share: defaults, complaints
yarnbox_format  yarnbox's own format, JSON lines
sls       SLS's jobs and its nodes file
rumen     traces of a job history server
synth     jobs that are drawn
swim      the Statistical Workload Injector for MapReduce
runner    sls-runner.xml
data      where the data lies, for loads that do not say
arguments what says which load is read, on a command line
formats   which file is read how; a load as a whole
command   `yarnbox load`
"""
