"""Which ordering policies there are, by the names that capacity-scheduler.xml gives them.

A new policy of ours is a file beside this one and a line here; a user's own is named by its dotted path.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from yarnbox.rm.scheduler.capacity.queues.ordering.policy import OrderingPolicy

_HERE = "yarnbox.rm.scheduler.capacity.queues.ordering."
DEFAULT = "fifo"
POLICIES = {
    "fifo": _HERE + "fifo.FifoOrderingPolicy",
    "fair": _HERE + "fair.FairOrderingPolicy",
    "fifo-with-partitions": _HERE + "fifo.FifoOrderingPolicyWithExclusivePartitions",
    "fifo-for-pending-apps": _HERE + "fifo.FifoOrderingPolicyForPendingApps",
}


def name_of(text: str) -> str | None:
    """The name of the policy that a configuration means: one of ours, also by the name of Hadoop's class, or
    the dotted path of a user's own; None where there is none.
    """
    if text in POLICIES:
        return text
    if "." not in text:
        return None
    for name, path in POLICIES.items():
        if text.rpartition(".")[2] == path.rpartition(".")[2]:
            return name
    try:
        policy_class(text)
    except LookupError:
        return None
    return text


def policy_class(name: str) -> type[OrderingPolicy]:
    """The class of a name of ours or of a dotted path; LookupError where there is none."""
    module, _, attribute = POLICIES.get(name, name).rpartition(".")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise LookupError(name) from error
    if not (isinstance(found, type) and hasattr(found, "key")):
        raise LookupError(name)
    return cast("type[OrderingPolicy]", found)
