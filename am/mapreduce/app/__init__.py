"""The AM of a MapReduce job. Hadoop: the package mapreduce.v2.app.

events               everything that can happen to job, task, attempt
effects              everything that may be asked of the world
context              what a handler reaches
job, task, attempt   the three tables and their hooks
tables               the three as a page of the manual
core                 the turn: calls in, answers out
job_commit           the commit of a job, once and no more
job_counters         the counters of a job
recovery             what a next AM takes over
report               what is shown of a running job
client_service       what a job answers Hadoop's own MapReduce clients
uber_tasks           tasks as processes beside their AM
master               the AM's process
"""
