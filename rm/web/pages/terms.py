"""What the words of the pages mean, one or two sentences each, and where the pages have such a word."""

from __future__ import annotations

import re

TERMS = {
    # Scheduling
    "scheduling opportunity": (
        "One heartbeat of a node on which an application could have been given a container."
    ),
    "skipped opportunities": (
        "How many scheduling opportunities the application has skipped since its last change of locality "
        "level, to wait for a node nearer to its data."
    ),
    "node-local": "The container runs on a host that was asked for: its data is on the same machine.",
    "rack-local": "The container runs in the rack of a host that was asked for, on another host.",
    "off-switch": (
        "The container runs in another rack than the hosts that were asked for: its data crosses the "
        "network between racks."
    ),
    "fair share": (
        "What the queue or application is entitled to now: the cluster divided by weights among those "
        "that are active."
    ),
    "steady fair share": "The fair share that the queue would have if all queues were active.",
    "dominant share": (
        "The largest of the shares of each resource: 3 of 9 vcores and 1 of 18 GiB are a dominant share "
        "of one third, of the vcores."
    ),
    "dominant resource": "The resource of which a queue or application has the largest share.",
    "demand": "What is used plus what is requested.",
    "makespan": "From the first submission to the end of the last application, or of the run.",
    "weight": "A queue of weight 2 gets twice as much of its parent's resources as one of weight 1.",
    # Capacity
    "guarantee": "The capacity of the queue. Others may use it while the queue does not need it.",
    "user limit": "The most that one user may use in the queue now. It falls when more users have requests.",
    "user-limit-factor": "How many times the capacity of the queue one user may use at most.",
    "minimum-user-limit-percent": (
        "Users with requests share the queue evenly, but no user's limit falls below this percentage of it."
    ),
    "used capacity": (
        "What the queue uses, divided by its guarantee; above 100 % it borrows. The queue with the lowest "
        "used capacity is served first."
    ),
    "absolute used capacity": "What the queue uses, as a share of the whole partition.",
    "configured capacity": "The share of its parent that the queue is guaranteed.",
    "configured max capacity": "The largest share of its parent that the queue may use.",
    "absolute configured capacity": (
        "The guarantee as a share of the whole partition: the product of the capacities from the root down."
    ),
    "absolute configured max capacity": "The most that the queue may use, as a share of the whole partition.",
    "effective capacity": "The guarantee in memory and vcores, on the nodes that there are now.",
    "effective max capacity": (
        "The most that the queue may use in memory and vcores, on the nodes that there are now."
    ),
    "max application master resources": (
        "The most that ApplicationMasters of the queue may have together: further applications stay ACCEPTED."
    ),
    "max application master resources per user": (
        "The most that ApplicationMasters of one user may have in this queue."
    ),
    "num schedulable applications": "Applications whose ApplicationMaster may run: they are served.",
    "num non-schedulable applications": (
        "Applications that wait because the limit for ApplicationMasters, or for parallel applications, "
        "is reached."
    ),
    "configured minimum user limit percent": (
        "minimum-user-limit-percent: no user's limit falls below this part of the queue, however many "
        "users have requests."
    ),
    "configured user limit factor": (
        "user-limit-factor: how many times the guarantee of the queue one user may use at most."
    ),
    "ordering policy": (
        "Who is served first: fifo by priority and age, fair the smallest use; of a parent, utilization: "
        "the least used capacity."
    ),
    "intra-queue preemption": "Between users or applications of one queue.",
    "accessible node labels": "The partitions that the queue may use; * is all of them.",
    "instantaneous fair share": "The fair share among the queues that are active now.",
    "min resources": "The queue is served first while it is below these.",
    "scheduling policy": "How siblings share: fair by memory, drf by dominant share, fifo by age.",
    "pending": "Requested and not allocated yet.",
    "reserved": (
        "Resources of a node that are held for a container that does not fit there yet: what becomes free "
        "on the node goes to this container."
    ),
    "reservation": (
        "Either a node held for a container that does not fit there yet, or capacity of a plan queue that "
        "is reserved for a period of time."
    ),
    "starvation": (
        "An application or queue below its share does not get what it requests, because others are always "
        "served first."
    ),
    # Preemption
    "preemption": "The scheduler takes containers from queues above their guarantee for queues below theirs.",
    "marked for preemption": (
        "Chosen by the preemption policy: the ApplicationMaster is asked to give the container up, and "
        "has until max_wait_before_kill."
    ),
    "killed": "Stopped by the ResourceManager; after preemption the exit status is -102.",
    "max_wait_before_kill": "How long a marked container may continue before it is killed, in ms.",
    "preempted": "Containers that were killed so that another queue or user gets its guarantee.",
    # Labels
    "partition": "The nodes that carry one label; those without a label are the default partition.",
    "default partition": "The nodes without a label.",
    "exclusive": (
        "Only requests that ask for the label run on nodes of the partition, even while these are idle."
    ),
    "lent": "Used, while it is idle, by requests without that label; preemption takes it back.",
    # Applications
    "applicationmaster": (
        "The first container of an application: it asks the ResourceManager for all the others."
    ),
    "attempt": "One run of the ApplicationMaster; when it fails, the application may get another one.",
    "keep-containers": (
        "The containers of an application go on running for the next attempt when its ApplicationMaster "
        "fails."
    ),
    "heartbeat": (
        "The regular report of a node to the ResourceManager, which allocates containers on the node then."
    ),
    "lost": (
        "A node that has not reported for longer than yarn.nm.liveness-monitor.expiry-interval-ms; its "
        "containers have ended."
    ),
    # Plans
    "plan queue": "A queue whose capacity can be reserved for periods of time (reservable).",
    "plan follower": (
        "The part of the ResourceManager that regularly gives each active reservation its queue and share."
    ),
    "default queue": "Of a plan queue: the part of it that no active reservation uses.",
    "window": "From the arrival to the deadline of a reservation.",
}
TERMS["guaranteed"] = TERMS["guarantee"]
TERMS["marked"] = TERMS["marked for preemption"]
_LONGEST_FIRST = "|".join(map(re.escape, sorted(TERMS, key=len, reverse=True)))
_ANY = re.compile(rf"(?<![\w.-])({_LONGEST_FIRST})(?![\w-]|\.\w)", re.IGNORECASE)


def meaning(word: object) -> str:
    """Nothing where the word explains itself."""
    return TERMS.get(word.lower(), "") if isinstance(word, str) else ""


def term(word: object) -> object:
    """The word, with its meaning where it has one."""
    means = meaning(word)
    return {"term": word, "means": means} if means else word


def explained(text: str) -> list[object]:
    """The text in pieces: each word is explained where it occurs first."""
    known: list[str] = []
    pieces: list[object] = []
    for piece in filter(None, _ANY.split(text)):
        means = meaning(piece)
        pieces.append(piece if means in known else term(piece))
        known.append(means)
    return pieces
