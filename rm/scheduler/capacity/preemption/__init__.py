"""Preemption between and within the queues of the CapacityScheduler.

    settings     the policy's properties
    arithmetic   comparisons and roundings of this policy, for both calculators
    snapshot     what one pass looks at: queues, applications, containers, nodes
    ideal        what each queue should have, and what it should give
    selection    taking containers: first in, last out; satisfied queues; by reservation
    precedence   reservations of queues with a higher priority
    intra        between the users and applications of one queue
    policy       one pass after another: marks, waiting, kills

These are pure: a pass reads a snapshot and gives its decisions to a port. Beside them stand

    capture       the snapshot taken of the running scheduler
    proportional  the policy as the monitor runs it: decisions become events
    marks         what becomes of these events
    killable      lazy preemption: containers that may be killed by whoever needs their space
"""
