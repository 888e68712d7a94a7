"""Recordings: what a run in virtual time looked like, moment by moment, for pages and for programs.

archive     documents that nobody will note again, outside memory
tracks      documents over time: the answers of the REST API, each field with the moments at which it changed
fairness    how evenly a cluster is shared: progressive filling, and Jain's index
sharing     that index between the queues and the applications of a ResourceManager
figures     what a run comes to: makespan, waiting by queue, preemptions
limits      how a recording stays small: moments dropped, containers thinned out
containers  the containers of a run, from the story
nodes       the rows of nodes, looked at when something was told of them
details     what only a run of modest size can afford to have recorded
recorder    listens to a run and writes all of this down
document    a whole recording: written, read again, and refused with the reason
shape       the types of its parts
"""
