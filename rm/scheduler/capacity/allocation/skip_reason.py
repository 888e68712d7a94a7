"""Why an application is allocated nothing, what holds where it is, and what would help.

Hadoop: ActivityDiagnosticConstant and AMState.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.checks import Reason


class SkipReason(Reason):
    """Why an application was allocated nothing, or was not considered."""

    NOTHING_ASKED = "it has no pending requests"
    NOT_RUNNABLE = (
        "too many applications run: max-parallel-apps of its user, its queue or a parent queue is reached",
        "",
        "applications end, or max-parallel-apps is raised",
    )
    NOT_ACTIVATED = "it waits to be activated"
    AM_LIMIT = (
        "Queue's AM resource limit exceeded.",
        "has room for one more AM",
        "ApplicationMasters of the queue end, or maximum-am-resource-percent is raised",
    )
    USER_AM_LIMIT = (
        "User's AM resource limit exceeded.",
        "has room for one more AM",
        "ApplicationMasters of this user end, or maximum-am-resource-percent is raised",
    )
    CLUSTER_EMPTY = "Skipping AM assignment as cluster resource is empty."
    QUEUE_AT_MAXIMUM = (
        "Queue hits max-capacity limit",
        "uses less than its maximum",
        "containers of the queue end, or its maximum-capacity is raised",
    )
    PARENT_AT_MAXIMUM = (
        "a parent queue is at its maximum",
        "uses less than its maximum",
        "containers below this queue end, or its maximum-capacity is raised",
    )
    CLUSTER_FULL = (
        "the cluster is full: all resources of the partition are in use",
        "the cluster has free resources",
        "containers end, or nodes are added",
    )
    QUEUE_HEADROOM = (
        "Queue does not have enough headroom for the request",
        "has room for the request below its limits",
        "containers end, a smaller container is asked for, or a maximum is raised",
    )
    EARLIER_APPLICATION = (
        "an earlier application of the queue is stopped by the queue's limit, which ends the queue's turn"
    )
    SIBLING_QUEUE = "room is kept free for a sibling queue whose next request does not fit yet"
    USER_LIMIT = (
        "User capacity has reached its maximum limit.",
        "uses no more than the limit of each user",
        (
            "containers of this user in the queue end, or user-limit-factor, minimum-user-limit-percent or "
            "the queue's capacity are raised"
        ),
    )
    LABEL = "the node is in another partition than the request"
    CONSTRAINT = (
        "Node does not satisfy the placement constraint of the request",
        "",
        "containers with the tags that it names come or go",
    )
    IN_PLACEMENT = "the placement processor looks for a node that satisfies its constraint"
    PARTITION_ACCESS = (
        "Queue can not access the partition of the node",
        "may use the partition",
        "accessible-node-labels of the queue name the label",
    )
    EXCLUSIVITY = "ApplicationMasters may not borrow a partition"
    PARTITION_DELAY = "nodes without a label are preferred for some time yet"
    BLACKLIST = (
        "the application has blacklisted the node or its rack",
        "",
        "the application takes them off its blacklist",
    )
    LOCALITY_DELAY = (
        "it waits for a node closer to where it asked",
        "",
        "some more nodes are offered to it, or a node that it asked for has enough free",
    )
    STRICT_LOCALITY = (
        "relaxLocality is false and the node is not one that was asked for",
        "",
        "a node that it asked for has enough free, or relaxLocality becomes true",
    )
    NODE_TOO_SMALL = (
        "the request is larger than the node's total resources",
        "",
        "a smaller container is asked for, or larger nodes are added",
    )
    NODE_FULL = (
        "the node has too little free, and no further reservation may be made",
        "",
        "containers on these nodes end, or nodes are added",
    )
    NODE_BUSY = (
        "the node has too little free for the smallest container",
        "",
        "containers on these nodes end, or nodes are added",
    )
    DECOMMISSIONING = (
        "the node is being decommissioned and has room for no more containers",
        "",
        "nodes are added, or the node is recommissioned",
    )
    RESERVED = (
        "the node is reserved for a container that does not fit yet",
        "",
        "the container for which the nodes are reserved is allocated",
    )
    RESERVATIONS = (
        "it has reached the limit of its reservations",
        "",
        "one of its reservations is fulfilled or given up",
    )
    NO_NODE_SERVES = (
        "no node can take it",
        "a node can take it",
        "see the reasons of the nodes",
    )
