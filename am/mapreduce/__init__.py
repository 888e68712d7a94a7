"""MapReduce: the AM that runs a job's tasks as containers, the tasks themselves, and the jobs that come
along.

The AM's inside is the RM's shape once more: calls in, answers out, events drained in order, effects handed
out, no clock and no I/O. Edges around it carry the effects out.

ids          jobs, tasks and attempts, printed as Hadoop prints them
settings     the properties of a job
events       everything that can happen to job, task, attempt
effects      everything that may be asked of the world
context      what a handler reaches
job, task, attempt    the three tables and their hooks
tables       the three as a page of the manual
rampup       how many reduces to ask for while maps run
compute_slots  reduces that copy in small containers and compute in large ones, as an option
waiting      who waits for a container, by priority and place
allocator    which containers are asked for, and who gets which
uber         which jobs run in their AM's container, and in which order
preemption   what is given up when the RM asks for it
speculation/ second attempts beside slow ones: estimators, Hadoop's speculator, LATE
core         the turn: calls in, answers out

splits       input files to splits, with the places of emulated blocks
input        input formats: files to records
api          what a user writes: mappers, reducers
records      keys and values as bytes
codecs       what compresses map output
segments     sorted records in a file or in memory, some thousand at a time
merging      many segments to one, in passes, combined on the way
map_output   partitioned, sorted, combined, spilled
output       the lines of results
fetch        map output fetched over HTTP
fetched      what of it is in memory, what in files
cache_files  files that a job takes along
streaming/   commands as mappers and reducers
committer    output under _temporary until it is whole
job_commit   the commit of a job, once and no more
umbilical, umbilical_server    what a task and its AM say to one another
child        the process of a task
recovery     what a next AM takes over
report       what is shown of a running job: REST pages
history/     what happened, in Hadoop's form: what a next AM recovers from, and the history server
job_counters the counters of a job
web          the HTTP port, for the umbilical and the REST pages
uber_tasks   tasks as processes beside their AM
master       the AM's process
client       a job from its properties to the RM, and followed to its end
jobs/        wordcount, pi, and the other examples
"""
