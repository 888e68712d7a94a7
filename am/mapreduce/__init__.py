"""MapReduce: the AM that runs a job's tasks as containers, the tasks themselves, and the jobs that come
along.

The AM's inside is the RM's shape once more: calls in, answers out, events drained in order, effects handed
out, no clock and no I/O. Edges around it carry the effects out.

ids          jobs, tasks and attempts, printed as Hadoop prints them
settings     the properties of a job
app/         the AM: tables of job, task and attempt, the core and its process
allocation/  which containers are asked for, and who gets which
speculation/ second attempts beside slow ones: estimators, Hadoop's speculator, LATE

splits       input files to splits, with the places of emulated blocks
input        input formats: files to records
api          what a user writes: mappers, reducers
counters     sums of counters
codecs       what compresses map output
output       the lines of results
shuffle/     from the records of maps to the sorted records of reduces
cache_files  files that a job takes along
streaming/   commands as mappers and reducers
skipping     records that kill tasks are left out, as an option
committers/  output under _temporary until it is whole, of a path and of a URL
umbilical    what a task and its AM say to one another: the task's side
client_protocol  MRClientProtocol, which the AM and the history server answer
edge/        the AM's side of it, its REST pages (the HTTP port), and whether its end is the application's
child        the process of a task
core_turns   tasks that compute take turns on the cores of their machine
history/     what happened, in Hadoop's form: what a next AM recovers from, and the history server
client       a job from its properties to the RM, and followed to its end
jobs/        wordcount, pi, and the other examples
"""
