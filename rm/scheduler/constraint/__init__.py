"""Placement constraints: affinity, anti-affinity, cardinality, node attributes.

tags          how many containers carry which tag, on each node and rack, by application
namespaces    whose containers a tag in a constraint means
registry      the constraints that an application registered for its tags, and those of the cluster
satisfaction  whether a node satisfies a constraint, and which part of it it does not
text          a constraint as people read it
asking        scheduling requests in the books of an application (handler `scheduler`)
algorithm     the requests of one call placed together (handler `placement-processor`)
processor     from that placement to the scheduler: commits, retries, rejections
constraints   all of it, as the rest of the RM reaches it
context       what constraints can reach

Hadoop: the package scheduler.constraint of Hadoop's ResourceManager.
"""

from yarnbox.rm.scheduler.constraint.constraints import PlacementConstraints

__all__ = ["PlacementConstraints"]
