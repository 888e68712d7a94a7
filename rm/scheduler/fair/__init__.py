"""The FairScheduler: queues share by weight what their siblings do not use.

scheduler.py     events, node to allocation, calls of AMs; ties the parts together
context.py       what queues and applications have in common
settings.py      properties of yarn-site.xml
published.py     properties for what the published design does and Hadoop does not; off by default
allocation_file/ fair-scheduler.xml: read and checked
queues/          the queues: order, shares, limits, policies
application.py   FSAppAttempt: delay for locality, reservations, starvation
reasons.py       why a container may be refused
explanations.py  why an application waits: the answer to `yarnbox why`
moving.py        an application goes to another queue
preemption.py    which containers are taken for whom
views.py         what clients, pages and operators see
locality.py      how long an application waits for a near place
submission.py    which queue an application goes to; whether it, or an ask, is let in
"""

from yarnbox.rm.scheduler.fair.scheduler import FairScheduler

__all__ = ["FairScheduler"]
