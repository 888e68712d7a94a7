"""What becomes of containers after their allocation, whatever the scheduler.

statuses        why the RM ended a container
completion      how a container ends: its state, then every book that it stands in
releases        containers that nobody wants any more
updates         containers that change while they run: what may, and when
resizing        a container takes its new size or type
overcommit      nodes that shrank below what is on them
opportunistic   containers that no queue pays for
node_loads      the nodes that those go to
recovery        containers reported after a restart of the RM
bookings        what a queue gained or lost by a container, for the event log
"""
