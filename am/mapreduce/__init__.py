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
waiting      who waits for a container, by priority and place
allocator    which containers are asked for, and who gets which
preemption   what is given up when the RM asks for it
core         the turn: calls in, answers out

splits       input files to splits, with the places of emulated blocks
api          what a user writes: mappers, reducers
records      keys and values as bytes
map_output   partitioned, sorted, combined, spilled, merged
fetch        map output fetched over HTTP
committer    output under _temporary until it is whole
umbilical, umbilical_server    what a task and its AM say to one another
child        the process of a task
recovery     what a next AM takes over
report       what is shown of a job: REST pages, and the report at its end
history      what happened, a line each: the job's report, and what a next AM recovers from
http         a small server, for the umbilical and the REST pages
master       the AM's process
client       a job from its properties to the RM, and followed to its end
jobs/        wordcount and pi
"""
