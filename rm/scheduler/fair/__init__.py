"""The FairScheduler: queues share by weight what their siblings do not use.

scheduler.py     events, node to allocation, calls of AMs; ties the parts together
context.py       what queues and applications have in common
settings.py      properties of yarn-site.xml
document.py      the allocation file as elements with lines
grammar.py       which elements and attributes the allocation file may have
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
reasons.py       why a container may be refused
explanations.py  why an application waits: the answer to `yarnbox why`
plans.py         what plan reservations ask of the queues
moving.py        an application goes to another queue
preemption.py    which containers are taken for whom
reporting.py     what clients, pages and operators see
durations.py     how long its runs take
locality.py      how long an application waits for a near place
submission.py    which queue an application goes to; whether it, or an ask, is let in
"""

from yarnbox.rm.scheduler.fair.scheduler import FairScheduler

__all__ = ["FairScheduler"]
