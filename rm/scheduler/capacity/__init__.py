"""The CapacityScheduler: a tree of queues, each with a guarantee, a maximum and limits for its users.

settings.py rules.py        capacity-scheduler.xml as frozen values
properties.py values.py     its properties by name and type; the grammars of single values
reading.py queue_reading.py mappings.py     properties to settings
known.py                    which properties there are
checks.py                   rules between queues; what a refresh may change
frame.py                    what all queues have in common
shares.py vectors.py        what a queue is entitled to in each partition
limits.py users.py          user limits, AM limits, headroom; the users of a leaf
queue.py parent.py leaf.py tree.py          the live tree
ordering.py                 the order of a leaf's applications
application.py              an attempt's memory
assignment.py               what a look at a node comes to, and the reasons for nothing
allocator.py                one application against one node
commit.py rounds.py multi_node.py           a heartbeat, and other ways to give
constraints.py              scheduling requests, booked or placed already
placement.py                mapping rules to a queue
dynamic.py upkeep.py        queues that submissions make; what becomes of them
parallel.py                 max-parallel-apps
plans.py                    plan queues and what is below them
admission.py                letting applications in
changes.py mutation.py      refresh, move, relabelled nodes; the configuration changed by API
clients.py                  what others see
reasons.py route.py         why is it pending? the first reason, and all that is checked on the way
check.py                    what a configuration means, before any cluster runs
scheduler.py                events, and the interface to the RM
"""

from rm.scheduler.capacity.scheduler import CapacityScheduler

__all__ = ["CapacityScheduler"]
