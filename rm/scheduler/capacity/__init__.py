"""The CapacityScheduler: a tree of queues, each with a guarantee, a maximum and limits for its users.

scheduler.py    what happens on which event, and the interface to the rest of the RM
config/         capacity-scheduler.xml: properties, values, rules between queues, queue mappings
queues/         the live tree: shares, users and limits of queues, the order of a leaf's applications
allocation/     a node's heartbeat: from the root to one application, and what is booked
lifecycle/      applications enter, move and leave; queues are made, changed and removed
preemption/     what is taken back from whom: the policy, its snapshot, its decisions carried out
diagnostics/    why an application waits; recorded activities; what a configuration means
views.py        what clients, pages and scenarios see
queue_view.py   a queue with all that REST shows of it; queue_details.py makes these
"""

from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler

__all__ = ["CapacityScheduler"]
