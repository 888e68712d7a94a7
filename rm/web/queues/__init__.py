"""Queues and their users, as REST, metrics and the pages show them.

scheduler     the scheduler's queues, in the shape of whichever scheduler it is
capacity      the CapacityScheduler's queues
users         what each user holds and asks for
attempts      the attempts of a queue, by state
waiting       what waits, by queue and reason
queue_beans   the metrics of queues, users and partitions
tree          the queues as the rows of the scheduler's page, and the chosen one in full
row           one of these rows
facts         the figures of a queue, each with the numbers that it comes from
limits        the limits of users as formulas
words         amounts and shares in words
"""
