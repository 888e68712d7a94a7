"""The schedulers, and the parts that they share.

base         what a scheduler is; completion, launch, nodes
application  an application and its attempt: containers, reservations, delay counters
asks         what is asked and not given
node         a node's books; nodes by host, rack and partition
usage        the sums, and the one door to them
calculator   how resources compare
checks       why a request is refused: reasons, checks and their numbers
requests     validation and normalization
statuses     why the RM ended a container
recovery     containers reported after a restart of the RM
plan_queues  what a scheduler does for plan reservations
constraint   placement constraints and the tags of containers
releases     containers that nobody wants any more
updates      containers that change while they run: what may, and when
resizing     a container takes its new size or type
overcommit   nodes that shrank below what is on them
opportunistic  containers that no queue pays for
views        what is shown of queues and applications
fifo         the smallest scheduler; read it first
"""
