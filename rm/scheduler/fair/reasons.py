"""Why the FairScheduler refuses a container, each reason with the words for it."""

from __future__ import annotations

from yarnbox.rm.scheduler.checks import Reason

_ROOM_REMEDY = "containers of the queue end, or its maxResources are raised"


class FairReason(Reason):
    """In the order in which the allocator comes upon them."""

    RECOVERING = (
        "the ResourceManager has restarted and waits for nodes and applications to come back",
        "the ResourceManager has not just restarted",
        "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms is over",
    )
    NOT_RUNNABLE = (
        "too many applications run",
        "may run beside the others of its user and queues",
        "applications end, or maxRunningApps or userMaxAppsDefault are raised",
    )
    UPDATE_DUE = (
        "what it asks for counts from the next update of shares on",
        "its demand was seen by the last update of shares",
        "yarn.scheduler.fair.update-interval-ms goes by",
    )
    NODE_RESERVED = (
        "the node is reserved for another container",
        "the node is not reserved for another container",
        "the container that the node is reserved for gets its place",
    )
    QUEUE_OVER_MAXIMUM = (
        "the queue holds more than its maximum",
        "holds no more than its maximum",
        _ROOM_REMEDY,
    )
    BLACKLIST = (
        "the application has blacklisted the node or its rack",
        "the application has not blacklisted the node",
        "the application takes the node off its blacklist",
    )
    AM_SHARE = (
        "its ApplicationMaster would exceed what ApplicationMasters of the queue may use",
        "has room for one more ApplicationMaster",
        "ApplicationMasters of the queue end, or maxAMShare is raised",
    )
    NOTHING_ASKED = ("it has no pending requests", "it has pending requests")
    STRICT_LOCALITY = (
        "relaxLocality is false and the node is not one that was asked for",
        "the node is where the container was asked for",
        "a node that it asked for has enough free, or relaxLocality becomes true",
    )
    NODE_TOO_SMALL = (
        "the request is larger than the node's total resources",
        "the node is large enough",
        "a smaller container is asked for, or larger nodes are added",
    )
    QUEUE_HEADROOM = (
        "the request does not fit below the maximum of its queue or of a parent queue",
        "has room for the request below its maximum",
        _ROOM_REMEDY,
    )
    LOCALITY_DELAY = (
        "it waits for a node closer to where it asked",
        "the node is close enough",
        "more nodes are offered to it, or a node that it asked for has enough free",
    )
    NODE_FULL = (
        "the node has too little free, and is not reserved for the request either",
        "the node has enough free for the request",
        "containers on the node end, or nodes are added",
    )
    DECOMMISSIONING = (
        "the node is being decommissioned and has room for no more containers",
        "the node is not being decommissioned",
        "nodes are added, or the node is recommissioned",
    )
    OWN_RESERVATION = (
        "the node is reserved for this request and has too little free yet",
        "the node has enough free for the container that it is reserved for",
        "containers on the node end",
    )
    EARLIER_REQUEST = (
        "a more urgent request of the application comes first on the node",
        "no more urgent request of the application comes first",
        "the more urgent request is served or withdrawn",
    )
    NO_NODE = ("no node takes it", "a node takes it", "see the lines below")
    OTHERS_FIRST = (
        "others are served first",
        "no other is served before it",
        "the others get what they ask for, or more than their share",
    )
    HEARTBEAT = (
        "no node that can take it has sent a heartbeat since",
        "a node has sent its heartbeat",
        "the next heartbeat of such a node",
    )
