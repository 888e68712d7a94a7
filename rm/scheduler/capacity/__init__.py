"""The CapacityScheduler: a tree of queues, each with a guarantee, a maximum and limits for its users.

settings.py      capacity-scheduler.xml as frozen values
properties.py    its properties, found and read by type
values.py        the grammars of single values
reading.py       properties to settings: the scheduler's own, the tree
known.py         which properties there are
checks.py        rules between queues; what a refresh may change
"""
