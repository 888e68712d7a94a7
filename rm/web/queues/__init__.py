"""Queues and their users, as REST, metrics and the pages show them.

scheduler     the scheduler's queues, in the shape of whichever scheduler it is
capacity      the CapacityScheduler's queues
users         what each user holds and asks for
attempts      the attempts of a queue, by state
waiting       what waits, by queue and reason
queue_beans   the metrics of queues, users and partitions
"""
