"""Which ordering policies there are, by the names that capacity-scheduler.xml gives them.

A new policy of ours is a file beside this one and a line here; a user's own is named by its dotted path.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.queues.ordering.policy import OrderingPolicy
from yarnbox.rm.scheduler.custom import class_named

_HERE = "yarnbox.rm.scheduler.capacity.queues.ordering."
DEFAULT = "fifo"
POLICIES = {
    "fifo": _HERE + "fifo.FifoOrderingPolicy",
    "fair": _HERE + "fair.FairOrderingPolicy",
    "fifo-with-partitions": _HERE + "fifo_with_partitions.FifoOrderingPolicyWithExclusivePartitions",
    "fifo-for-pending-apps": _HERE + "fifo_for_pending_apps.FifoOrderingPolicyForPendingApps",
}


def name_of(text: str) -> str:
    """The name of the policy that a configuration means: one of ours, also by the name of Hadoop's class, or
    the dotted path of a user's own; LookupError says why there is none.
    """
    if text in POLICIES:
        return text
    for name, path in POLICIES.items():
        if "." in text and text.rpartition(".")[2] == path.rpartition(".")[2]:
            return name
    policy_class(text)
    return text


def policy_class(name: str) -> type[OrderingPolicy]:
    """The class of a name of ours or of a dotted path; LookupError says why there is none."""
    return class_named(POLICIES.get(name, name), OrderingPolicy)  # type: ignore[type-abstract]
