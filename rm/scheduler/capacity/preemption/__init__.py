"""Preemption between and within the queues of the CapacityScheduler.

    settings     the policy's properties
    arithmetic   comparisons and roundings of this policy, for both calculators
    snapshot     what one pass looks at: queues, applications, containers, nodes
    ideal        what each queue should have, and what it should give
    selection    taking containers: first in, last out; satisfied queues; by reservation
    precedence   reservations of queues with a higher priority
    intra        between the users and applications of one queue
    policy       one pass after another: marks, waiting, kills

Pure: a pass reads a snapshot and tells its decisions to a port. How the CapacityScheduler makes the snapshot
and carries out the decisions is told in capacity/preempting.py.
"""
