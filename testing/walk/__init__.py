"""Walks: a whole cluster in virtual time under faults drawn from a seed; then all is calm and must be well.

world     the cluster: a ResourceManager that dies at any write or effect, stands still, and is replaced;
          NodeManagers that die and come back, with what they stored or without it
network   calls are lost, delayed, carried twice or too late, and never answered
master    the AMs: some fail, some change their minds, all insist on their tasks
administration  queues are refreshed; nodes leave, come back, change their size and their label
model     what was acknowledged, granted and seen, kept apart from the cores, and what must hold of it
reports   what nodes say and do, against what happened on their machines
oracles   books against machines, the scheduler against AMs, memory against disk
signs     signs of life: whom the ResourceManager may give up
journey   what is done in a walk, drawn from its seed; a shorter one that fails in the same way
command   `yarnbox walk`
"""
