"""Node labels and node attributes: the partition of each node, and the attributes of each host.

partitions      the cluster's labels, hosts and nodes that carry them
    attributes      attributes of hosts
    administration  the calls of administrators and the reports of nodes; what is kept, and who is told

Placement by them is the schedulers' business.
"""

from yarnbox.rm.labels.partitions import NodeLabelsManager

__all__ = ["NodeLabelsManager"]
