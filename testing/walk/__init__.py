"""Walks: a whole cluster in virtual time under faults drawn from a seed; then all is calm and must be well.

world     the cluster: a ResourceManager that dies at any write or effect, NodeManagers that die and come
          back, a network that loses, delays and parts
master    the AMs: some fail, all insist on their tasks
model     what was acknowledged, granted and seen, kept apart from the cores, and what must hold of it
journey   what is done in a walk, drawn from its seed; a shorter one that fails in the same way
command   `yarnbox walk`
"""
