"""The FairScheduler: queues share by weight what their siblings do not use.

scheduler.py     events, node to allocation, submission, calls of AMs
settings.py      properties of yarn-site.xml
document.py      the allocation file as elements with lines
amounts.py       amounts and percentages as the allocation file writes them
allocations.py   the allocation file as a frozen tree, checked whole
loader.py        when the file is read again, and what becomes of a bad one
placement.py     rules that choose the queue of a submission
tree.py          the queues there are: declared, made on demand, removed when empty
queue.py         what parent and leaf have in common; the parent
leaf.py          the leaf: its applications in the order in which they are served
application.py   FSAppAttempt: delay for locality, reservations, starvation
order.py         those who want something, kept in order
policies.py      fair, fifo, drf and a user's own: who is served first; calculators
shares.py        fair shares of siblings
running.py       how many applications may run
plans.py         what plan reservations ask of the queues
moving.py        an application goes to another queue
preemption.py    which containers are taken for whom
reporting.py     what clients, pages and operators see
durations.py     how long its runs take
locality.py      how long an application waits for a near place
submission.py    whether an application, or an ask, is let in
convert.py       a capacity-scheduler.xml that comes near to it
convert_placement.py  its mapping rules
conversion.py    how to convert, and what came of it
"""

from rm.scheduler.fair.scheduler import FairScheduler

__all__ = ["FairScheduler"]
