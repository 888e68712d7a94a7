"""Random walks over the verbs of scenarios: a seed breaks a cluster, mends it, and demands its dues.

clusters   which cluster a seed begins with: scheduler, queues, nodes, properties
choices    one step at a time: which verbs make sense now, and with what
walker     a walk from seed to end, written down as the scenario that it is; playing one again
invariants what holds between two steps
shrink     the shortest walk that still fails in the same way, as a scenario file
"""
