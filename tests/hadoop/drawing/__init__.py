"""What walks over both ResourceManagers are drawn from.

clusters.py      random clusters of the CapacityScheduler
constraints.py   the same, with scheduling requests
plans.py         the same, with reservations
feature.py       what a feature is; those of all schedulers
capacity_file.py what a capacity-scheduler.xml says, and how it is changed
of_labels.py     features of node labels
of_capacity.py   features of the CapacityScheduler
of_fair.py       features of the FairScheduler
fair_trees.py    allocation files of the FairScheduler
types.py         GPUs and disks
opportunistic.py containers that no queue pays for, and queues of nodes
features.py      the tables by kind of walk, and how they are drawn
undrawn.py       properties that no walk draws, with reasons
refreshes.py     what a refresh changes in queues
choices.py       the steps
"""
