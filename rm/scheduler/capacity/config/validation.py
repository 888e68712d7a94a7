"""Rules that tie queues together: modes of siblings, sums of capacities, states; and what a refresh may
change.

Every function collects faults in Hadoop's words; nothing here changes anything. Hadoop: the checks in
AbstractParentQueue.setChildQueues, QueueStateHelper and CapacitySchedulerConfigValidator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, DOMINANT_CALCULATOR, Calculator, float32
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.config.settings import (
    ROOT,
    CapacityMode,
    CapacitySettings,
    PartitionSettings,
    QueueKind,
    QueueSettings,
)
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource, total

if TYPE_CHECKING:
    from yarnbox.rm.scheduler.capacity.config.properties import Properties

PRECISION = 0.0005
"""0.05 percent: so far may a sum of children be off."""
_EMPTY = PartitionSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSize:
    """What the nodes have when a file is checked: amounts are compared by their shares of it."""

    total: Resource
    of_partition: Callable[[str], Resource]


NO_NODES = ClusterSize(total=NONE, of_partition=lambda label: NONE)
"""At a start."""


def check_tree(settings: CapacitySettings, cluster: ClusterSize) -> None:
    """Collects what is wrong between queues of one file: in the legacy queue mode between children, and in
    both modes which amount is above the maximum of its queue, or of the parent.
    """
    calculator = DOMINANT_CALCULATOR if settings.is_dominant else DEFAULT_CALCULATOR
    if settings.is_legacy:
        for queue in settings.root.subtree():
            if not queue.kind.is_leaf:
                check_children(settings.properties, queue, calculator, cluster)
    _check_all_maxima(settings, cluster)


def fits(settings: CapacitySettings, cluster: ClusterSize) -> bool:
    """Whether a file that is in effect would be accepted now that the cluster has this size."""
    check_tree(settings, cluster)
    try:
        settings.properties.raise_faults()
    except ConfigurationError:
        return False
    return True


def _check_all_maxima(settings: CapacitySettings, cluster: ClusterSize) -> None:
    calculator = DOMINANT_CALCULATOR if settings.is_dominant else DEFAULT_CALCULATOR
    limits: dict[tuple[str, str], Resource] = {}
    for parent in settings.root.subtree():
        for child in parent.children:
            _check_maxima(settings.properties, parent, child, calculator, cluster.total, limits)


def check_children(p: Properties, queue: QueueSettings, calculator: Calculator, cluster: ClusterSize) -> None:
    """One parent and its children: one mode, and sums that fit."""
    modes = modes_of(queue.children, queue)
    if len(modes) > 1:
        details = " ".join(
            f"{{Queue={child.path}, label={label} uses {value.capacity.mode.value} mode}}."
            for child in queue.children
            for label, value in child.partitions.items()
        )
        _fault(
            p,
            queue,
            "queues",
            f"Parent queue '{queue.path}' have children queue used mixed of weight mode, percentage and "
            "absolute "
            f"mode, it is not allowed, please double check, details:{details}",
        )
        return
    if not queue.children:
        return
    mode = modes[0] if modes else CapacityMode.PERCENT
    own = _mode_of(queue)
    if queue.path != ROOT and (mode is CapacityMode.ABSOLUTE) != (own is CapacityMode.ABSOLUTE):
        _fault(
            p,
            queue,
            "capacity",
            f"Parent={queue.path}: When absolute minResource is used, we must make sure both parent and "
            "child all "
            "use absolute minResource",
        )
        return
    for label in queue.partitions:
        if mode is CapacityMode.ABSOLUTE:
            _check_absolute_sum(p, queue, label, calculator, cluster.of_partition(label))
        elif mode is CapacityMode.PERCENT:
            _check_percent_sum(p, queue, label, own)


def modes_of(queues: Iterable[QueueSettings], parent: QueueSettings) -> list[CapacityMode]:
    """The modes that queues use; a capacity of zero percent is no sign of any."""
    found: dict[CapacityMode, None] = {}
    for queue in queues:
        for label in parent.partitions:
            capacity = queue.partitions.get(label, _EMPTY).capacity
            if capacity.mode is not CapacityMode.PERCENT or capacity.number > 0:
                found[capacity.mode] = None
    return list(found)


def _mode_of(queue: QueueSettings) -> CapacityMode:
    modes = modes_of((queue,), queue)
    return modes[0] if modes else CapacityMode.PERCENT


def _check_absolute_sum(
    p: Properties, queue: QueueSettings, label: str, calculator: Calculator, partition: Resource
) -> None:
    minimum = queue.partitions[label].capacity.resource
    needed = total(child.partitions.get(label, _EMPTY).capacity.resource for child in queue.children)
    if minimum and calculator.compare(partition, minimum, needed) < 0:
        _fault(
            p,
            queue,
            _capacity_key(label),
            f"Parent Queues capacity: {minimum} is less than to its children:{needed} for queue:{queue.name}",
        )


def _check_percent_sums(p: Properties, queue: QueueSettings) -> None:
    if queue.children and modes_of(queue.children, queue) in ([], [CapacityMode.PERCENT]):
        for label in queue.partitions:
            _check_percent_sum(p, queue, label, _mode_of(queue))


def _check_percent_sum(p: Properties, queue: QueueSettings, label: str, own: CapacityMode) -> None:
    found = 0.0
    for child in queue.children:
        percent = child.partitions.get(label, _EMPTY).capacity.number
        found = float32(found + float32(percent / 100))
    own_share = queue.partitions[label].capacity.number / 100 if own is CapacityMode.PERCENT else 1.0
    start = (
        f"Illegal capacity sum of {java_float(found)} for children of queue {queue.name} for label={label}."
    )
    reason = None
    if abs(1 - found) > PRECISION:
        if abs(found) > PRECISION:
            reason = f"{start} It should be either 0 or 1.0"
        elif own is CapacityMode.PERCENT and own_share > PRECISION and not queue.allow_zero_sum:
            reason = (
                f"{start} It is set to 0, but parent percent != 0, and doesn't allow children capacity to "
                "set "
                "to 0"
            )
    elif own is CapacityMode.PERCENT and own_share <= 0 and not queue.allow_zero_sum:
        reason = f"{start} queue={queue.name} has zero capacity, but child queues have positive capacities"
    if reason is not None:
        key = "queues" if label == DEFAULT_PARTITION else f"accessible-node-labels.{label}.capacity"
        _fault(p, queue, key, reason)


def _check_maxima(
    p: Properties,
    parent: QueueSettings,
    child: QueueSettings,
    calculator: Calculator,
    total: Resource,
    limits: dict[tuple[str, str], Resource],
) -> None:
    """`limits` gets the maximum of the child by its path and partition: who has none has its parent's."""
    for label, own in child.partitions.items():
        maximum, minimum = own.maximum.amounts, own.capacity.amounts
        limit = limits.get((parent.path, label), NONE)
        key = _capacity_key(label).replace("capacity", "maximum-capacity")
        if maximum and limit and calculator.compare(total, maximum, limit) > 0:
            _fault(
                p,
                child,
                key,
                f"Max resource configuration {maximum} is greater than parents max value:{limit} in "
                f"queue:{child.path}",
            )
        if minimum and not maximum:
            maximum = limit
        if minimum and maximum and calculator.compare(total, minimum, maximum) > 0:
            _fault(
                p,
                child,
                key,
                f"Min resource configuration {minimum} is greater than its max value:{maximum} in "
                f"queue:{child.path}",
            )
        limits[child.path, label] = maximum


def _capacity_key(label: str) -> str:
    return "capacity" if label == DEFAULT_PARTITION else f"accessible-node-labels.{label}.capacity"


def _fault(p: Properties, queue: QueueSettings, key: str, reason: str) -> None:
    p.fault(f"{PREFIX}{queue.path}.{key}", reason)


def java_float(value: float) -> str:
    """A 32-bit float as Java prints it: the shortest decimal that reads back as the same float."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if float32(float(text)) == value:
            break
    plain = repr(float(text))
    return plain if "e" not in plain else f"{float(text):f}"


def check_minimum(minimum: Resource, maximum: Resource) -> None:
    """YarnError when the least container is nothing, or larger than the largest (validateConf)."""
    for what, name, key in (("memory", MEMORY_MB, "mb"), ("vcores", VCORES, "vcores")):
        least, most = minimum.value(name), maximum.value(name)
        if least <= 0 or least > most:
            raise YarnError(
                f"Invalid resource scheduler {what} allocation configuration: "
                f"yarn.scheduler.minimum-allocation-{key}={least}, "
                f"yarn.scheduler.maximum-allocation-{key}={most}: min should equal greater than 0, max "
                "should "
                "be no smaller than min."
            )


# What a refresh may change


class LiveQueue:
    """An existing queue, as far as the rules of a refresh need it."""

    __slots__ = (
        "allows_zero_sum",
        "has_applications",
        "is_dynamic",
        "kind",
        "maximum_allocation",
        "path",
        "state",
    )

    def __init__(
        self,
        path: str,
        kind: QueueKind,
        state: str,
        maximum_allocation: Resource,
        *,
        is_dynamic: bool,
        has_applications: bool,
        allows_zero_sum: bool = False,
    ) -> None:
        self.path = path
        self.kind = kind
        self.state = state
        self.maximum_allocation = maximum_allocation
        self.is_dynamic = is_dynamic
        self.has_applications = has_applications
        self.allows_zero_sum = allows_zero_sum
        """Its allow-zero-capacity-sum as of its creation: a refresh does not change it."""


def check_refresh(live: Iterable[LiveQueue], new: CapacitySettings) -> None:
    """Collects why the running tree may not become the new one."""
    p = new.properties
    wanted = {queue.path: queue for queue in new.root.subtree()}
    stopped = dict.fromkeys(new.root.stopped())
    for old in live:
        queue = wanted.get(old.path)
        if queue is None:
            if not old.is_dynamic:
                _check_removal(p, old)
            continue
        _check_conversion(p, old, queue, is_stopped=queue.path in stopped)
        if queue.allow_zero_sum and not old.allows_zero_sum:
            _check_percent_sums(p, replace(queue, allow_zero_sum=False))
        lowered = [
            name
            for name, value in old.maximum_allocation.items()
            if queue.maximum_allocation.value(name) < value
        ]
        if lowered and old.kind.is_leaf and queue.kind.is_leaf:  # whose AMs have been told it
            key = f"{PREFIX}{old.path}.maximum-allocation"
            p.fault(
                key,
                "Try to reinitialize queue with new configuration: the maximum allocation size can not be "
                f"decreased! Current setting: {old.maximum_allocation}, trying to set it to: "
                f"{queue.maximum_allocation}, queue: {old.path}",
            )


def _check_removal(p: Properties, old: LiveQueue) -> None:
    configured = (p.text(f"{PREFIX}{old.path}.state") or "").upper()
    if old.state != "STOPPED" and configured != "STOPPED" and not _is_below_managed(old):
        p.fault(
            f"{PREFIX}{old.path}.state",
            f"{old.path} cannot be deleted from the capacity scheduler configuration, as the queue is not "
            "yet in "
            f"stopped state. Current State : {old.state}",
        )


def _is_below_managed(old: LiveQueue) -> bool:
    return old.kind is QueueKind.AUTO_LEAF


def _check_conversion(p: Properties, old: LiveQueue, queue: QueueSettings, *, is_stopped: bool) -> None:
    name = f"{PREFIX}{old.path}.queues"
    if old.kind is QueueKind.LEAF and queue.kind is QueueKind.PARENT:
        if old.has_applications or (old.state != "STOPPED" and not is_stopped):
            p.fault(
                name,
                f"Can not convert the leaf queue: {old.path} to parent queue since it is not yet in stopped "
                "state. "
                f"Current State : {old.state}",
            )
    elif old.kind is QueueKind.PARENT and queue.kind is QueueKind.MANAGED_PARENT:
        p.fault(
            name,
            f"Can not convert parent queue: {old.path} to auto create enabled parent queue: not supported",
        )
    elif old.kind is QueueKind.MANAGED_PARENT and queue.kind is not QueueKind.MANAGED_PARENT:
        p.fault(
            name,
            f"Cannot convert auto create enabled parent queue: {old.path} to "
            f"{'leaf' if queue.kind.is_leaf else 'parent'} queue: not supported",
        )


def check_states(new: CapacitySettings, live: Sequence[LiveQueue]) -> None:
    """Collects a RUNNING child below a parent that does not run.

    Nothing is `live` at the start; at a refresh a queue without a configured state keeps its own.
    """
    p, by_path = new.properties, {one.path: one for one in live}
    _check_states_below(p, new.root, new.root.state or "RUNNING", by_path)


def _check_states_below(
    p: Properties, queue: QueueSettings, listed: str, live: Mapping[str, LiveQueue]
) -> None:
    """`listed` is the queue's state by the file alone: its own, or that of the queue above. A leaf that is to
    have children, and the other way round, is made anew, and so need not be activated.
    """
    above = live.get(queue.path)
    for child in queue.children:
        name, old = f"{PREFIX}{child.path}.state", live.get(child.path)
        if listed == "STOPPED" and child.state == "RUNNING":
            p.fault(
                name,
                f"The parent queue:{queue.path} cannot be STOPPED as the child queue:{child.path} is in "
                "RUNNING state.",
            )
        elif (
            child.state == "RUNNING"
            and old is not None
            and old.state != "RUNNING"
            and old.kind.is_leaf is child.kind.is_leaf
            and above is not None
            and above.state != "RUNNING"
            and queue.state != "RUNNING"
        ):
            p.fault(
                name,
                f"The parent Queue:{queue.path} is not running. Please activate the parent queue first",
            )
        _check_states_below(p, child, child.state or listed, live)
