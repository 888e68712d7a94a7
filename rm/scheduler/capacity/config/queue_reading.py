"""One queue's properties to its settings, with what it inherits from its parent.

Hadoop: AbstractCSQueue.setupQueueConfigs, AbstractLeafQueue.setupQueueConfigs, QueueNodeLabelsSettings
and QueueAllocationSettings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX, Properties, QueueProperties
from yarnbox.rm.scheduler.capacity.config.settings import (
    ALL_LABELS,
    NO_CAPACITY,
    NO_VECTOR,
    ROOT,
    UNLIMITED,
    WHOLE,
    AutoCreationV1,
    AutoCreationV2,
    CapacityMode,
    CapacityValue,
    ParentOrder,
    PartitionSettings,
    QueueKind,
    QueueSettings,
)
from yarnbox.rm.scheduler.capacity.config.values import as_vector, parse_capacity, parse_priority_groups
from yarnbox.rm.scheduler.capacity.queues.ordering import registry
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import QueueOrderingPolicy, queue_ordering
from yarnbox.rm.scheduler.custom import class_named
from yarnbox.yarn.configuration import values
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.security.acl import AccessControlList

LABELS = "accessible-node-labels"
V1 = "auto-create-child-queue."
V2 = "auto-queue-creation-v2."


class QueueReader:
    """Reads queues from one set of properties."""

    def __init__(
        self, properties: Properties, types: ResourceTypeRegistry, *, is_legacy: bool, max_priority: int
    ) -> None:
        self.properties = properties
        self.types = types
        self.is_legacy = is_legacy
        self.max_priority = max_priority
        p = properties
        self.user_limit_percent = p.number(PREFIX + "minimum-user-limit-percent", 100.0)
        self.user_limit_factor = p.number(PREFIX + "user-limit-factor", 1.0)
        self.am_percent = p.number(PREFIX + "maximum-am-resource-percent", 0.1)
        self.max_parallel = p.integer(PREFIX + "max-parallel-apps", UNLIMITED)
        self.multi_node_policy = p.text(PREFIX + "multi-node-sorting.policy")
        self.max_depth = p.integer(PREFIX + "auto-queue-creation-v2.maximum-queue-depth", 2)

    def read_tree(self, path: str, parent: QueueSettings | None = None) -> QueueSettings:
        """The queue and, if it has any, the queues below it."""
        own = QueueProperties(self.properties, path)
        names = own.strings("queues")
        kind = self._kind(own, names)
        if path == ROOT and kind is QueueKind.LEAF:
            nowhere = "" if own.text("queues") else " (no capacity-scheduler.xml names them)"
            own.fault("queues", f"Queue configuration missing child queue names for root{nowhere}")
        queue = self._read(own, parent, kind)
        seen: dict[str, None] = {}
        children = []
        for name in names:
            if "." in name or name in seen:
                own.fault(
                    "queues", f"Illegal queue name {name}: a name must be unique and must not contain a dot"
                )
                continue
            seen[name] = None
            children.append(self.read_tree(f"{path}.{name}", queue))
        return with_children(queue, tuple(children))

    def read_dynamic(
        self, own: QueueProperties, parent: QueueSettings, *, is_leaf: bool, is_managed: bool
    ) -> QueueSettings:
        """A queue made by a submission below `parent`."""
        kind = QueueKind.AUTO_LEAF if is_managed else QueueKind.LEAF if is_leaf else QueueKind.PARENT
        return self._read(own, parent, kind, is_dynamic=True)

    def _kind(self, own: QueueProperties, names: tuple[str, ...]) -> QueueKind:
        if names:
            return QueueKind.PARENT
        if own.boolean("reservable", False):
            return QueueKind.PLAN
        if own.boolean(V1 + "enabled", False):
            return QueueKind.MANAGED_PARENT
        return QueueKind.PARENT if own.boolean(V2 + "enabled", False) else QueueKind.LEAF

    def _read(
        self, own: QueueProperties, parent: QueueSettings | None, kind: QueueKind, is_dynamic: bool = False
    ) -> QueueSettings:
        labels = self._accessible_labels(own, parent)
        user_limit_percent = own.number("minimum-user-limit-percent", self.user_limit_percent)
        if not 0 <= user_limit_percent <= 100:
            own.fault("minimum-user-limit-percent", "must be a percentage from 0 to 100")
        lifetimes = self._lifetimes(own, parent)
        state = (own.text("state") or "").upper() or None
        if state not in (None, "RUNNING", "STOPPED"):
            own.fault(
                "state", "Invalid queue state configuration. We can only use the states RUNNING and STOPPED"
            )
        return QueueSettings(
            path=own.path,
            kind=kind,
            is_dynamic=is_dynamic,
            partitions=self._partitions(own, parent, is_dynamic=is_dynamic),
            accessible_labels=labels,
            default_label=self._default_label(own, parent, labels, kind),
            user_limit_percent=user_limit_percent,
            user_limit_factor=own.number("user-limit-factor", self.user_limit_factor),
            user_weights=self._user_weights(own, parent, user_limit_percent, kind),
            maximum_applications=self._maximum_applications(own),
            max_parallel_apps=own.integer("max-parallel-apps", self.max_parallel),
            maximum_allocation=self._maximum_allocation(own, parent),
            state=state,
            submit_acl=self._acl(own, "acl_submit_applications"),
            administer_acl=self._acl(own, "acl_administer_queue"),
            priority_groups=own.read(
                "acl_application_max_priority",
                lambda text: parse_priority_groups(text, self.max_priority),
                None,
            ),
            default_priority=own.integer("default-application-priority", 0),
            priority=own.integer("priority", 0),
            leaf_order=self._leaf_order(own) if kind.is_leaf else registry.DEFAULT,
            size_based_weight=own.boolean("ordering-policy.fair.enable-size-based-weight", False),
            exclusive_partitions=own.strings("ordering-policy.exclusive-enforced-partitions"),
            parent_order=ParentOrder.UTILIZATION if kind.is_leaf else self._parent_order(own, parent),
            parent_policy="" if kind.is_leaf else self._parent_policy(own, parent),
            maximum_lifetime_s=lifetimes[0],
            default_lifetime_s=lifetimes[1],
            is_lifetime_given=lifetimes[2],
            multi_node_policy=own.text("multi-node-sorting.policy") or self.multi_node_policy,
            allow_zero_sum=own.boolean("allow-zero-capacity-sum", False),
            v1=self._v1(own) if kind is QueueKind.MANAGED_PARENT else None,
            v2=self._v2(own),
            is_preemption_disabled=own.optional_boolean("disable_preemption"),
            is_intra_queue_preemption_disabled=own.optional_boolean(
                "intra-queue-preemption.disable_preemption"
            ),
        )

    # Capacities

    def _partitions(
        self, own: QueueProperties, parent: QueueSettings | None, *, is_dynamic: bool
    ) -> dict[str, PartitionSettings]:
        am_percent = own.number("maximum-am-resource-percent", self.am_percent)
        if not 0 <= am_percent <= 1:
            own.fault("maximum-am-resource-percent", "must be a fraction from 0 to 1")
        found = {DEFAULT_PARTITION: self._partition(own, "", f"queue {own.path}", am_percent)}
        if own.path == ROOT:
            given, value = own.text("capacity"), found[DEFAULT_PARTITION].capacity
            # A weight there means the whole, too: fs2cs writes one.
            is_percent = value.mode is not CapacityMode.WEIGHT
            if given is not None and is_percent and value not in (WHOLE, as_vector(WHOLE, self.types)):
                own.fault("capacity", f"Illegal capacity of {given} for queue root. Must be 100.0")
            found[DEFAULT_PARTITION] = PartitionSettings(capacity=WHOLE, maximum=WHOLE, am_percent=am_percent)
        for key in own.keys(LABELS + "."):
            label = key.partition(".")[0]
            if label and "." in key and label not in found:
                subject = f"node-label={label} in queue={own.path}"
                found[label] = self._partition(own, f"{LABELS}.{label}.", subject, am_percent)
        if self.is_legacy and own.path != ROOT:
            is_absolute = [each.capacity.mode is CapacityMode.ABSOLUTE for each in found.values()]
            if any(is_absolute) and not all(is_absolute):
                own.fault(
                    "capacity",
                    f"Queue '{own.path}' should use either percentage based capacity configuration or "
                    "absolute resource.",
                )
        if is_dynamic and parent is not None and parent.kind is QueueKind.PARENT and self.is_legacy:
            # A weight in every partition that its parent has; what it may use comes from the template alone.
            weight = CapacityValue(CapacityMode.WEIGHT, 1.0)
            inherited = PartitionSettings(
                capacity=weight, maximum=NO_CAPACITY, am_percent=0.0, is_inherited=True
            )
            for label in parent.partitions:
                found.setdefault(label, inherited)
        return found

    def _partition(
        self, own: QueueProperties, prefix: str, subject: str, am_percent: float
    ) -> PartitionSettings:
        capacity = own.read(
            prefix + "capacity",
            lambda text: self._capacity(text, subject),
            NO_CAPACITY if self.is_legacy else NO_VECTOR,
        )
        maximum = own.read(
            prefix + "maximum-capacity",
            lambda text: self._capacity(text, subject, is_maximum=True),
            # Without one a vector is cut to the parent's, which 100 percent of it, rounded, may not be.
            WHOLE if self.is_legacy else as_vector(CapacityValue(CapacityMode.ABSOLUTE), self.types),
        )
        percent = own.number(prefix + "maximum-am-resource-percent", am_percent) if prefix else am_percent
        if not 0 <= percent <= 1:
            own.fault(prefix + "maximum-am-resource-percent", "must be a fraction from 0 to 1")
        return PartitionSettings(capacity=capacity, maximum=maximum, am_percent=percent)

    def _capacity(self, text: str, subject: str, is_maximum: bool = False) -> CapacityValue:
        return self._as_is(
            parse_capacity(text, self.types, is_legacy=self.is_legacy, subject=subject, is_maximum=is_maximum)
        )

    def _as_is(self, value: CapacityValue) -> CapacityValue:
        return value if self.is_legacy else as_vector(value, self.types)

    # Labels

    def _accessible_labels(self, own: QueueProperties, parent: QueueSettings | None) -> tuple[str, ...]:
        if parent is None:
            return ALL_LABELS
        given = own.untrimmed(LABELS)
        if given is None:
            return parent.accessible_labels
        names = tuple(dict.fromkeys(name for name in values.strings(given) if name))
        labels = ALL_LABELS if "*" in names else names
        if parent.accessible_labels != ALL_LABELS:
            if labels == ALL_LABELS:
                own.fault(
                    LABELS, "Parent's accessible queue is not ANY(*), but child's accessible queue is *"
                )
            extra = [name for name in labels if name not in parent.accessible_labels and name != "*"]
            if extra:
                own.fault(
                    LABELS,
                    "Some labels of child queue is not a subset of parent queue, these labels="
                    f"[{', '.join(extra)}]",
                )
        return labels

    def _default_label(
        self, own: QueueProperties, parent: QueueSettings | None, labels: tuple[str, ...], kind: QueueKind
    ) -> str:
        given = own.text("default-node-label-expression")
        if given is None:
            if parent is None:
                return ""
            covers = labels == ALL_LABELS or (
                parent.accessible_labels != ALL_LABELS
                and all(label in labels for label in parent.accessible_labels)
            )
            return parent.default_label if covers else ""
        if kind.is_leaf and given and labels != ALL_LABELS and given not in labels:
            own.fault(
                "default-node-label-expression",
                f"Invalid default label expression of queue={own.path} doesn't have permission to access all "
                f"labels in default label expression. labelExpression of resource request={given}. Queue "
                f"labels={','.join(labels)}",
            )
        return given

    # Limits

    def _user_weights(
        self, own: QueueProperties, parent: QueueSettings | None, percent: float, kind: QueueKind
    ) -> Mapping[str, float]:
        weights = dict(parent.user_weights) if parent is not None else {}
        suffix = ".weight"
        for key in own.keys("user-settings."):
            if key.endswith(suffix):
                weights[key[: -len(suffix)]] = own.number(f"user-settings.{key}", 1.0)
        if kind.is_leaf:
            highest = float32(100.0 / percent) if percent else float("inf")
            for user, weight in weights.items():
                if not 0 <= weight <= highest:
                    own.fault(
                        f"user-settings.{user}{suffix}",
                        f"Weight ({weight:g}) for user {user} must be between 0 and 100 / {percent:g} (= "
                        f"{highest:g})",
                    )
        return weights

    def _maximum_applications(self, own: QueueProperties) -> int | None:
        given = own.optional_integer("maximum-applications")
        return given if given is not None and given >= 0 else None

    def _maximum_allocation(self, own: QueueProperties, parent: QueueSettings | None) -> Resource:
        cluster = self.types.maximum_allocation
        amounts = (parent.maximum_allocation if parent is not None else cluster).as_dict()
        text = own.text("maximum-allocation")
        if text:
            keys = ["maximum-allocation"]
            nothing: dict[str, int] = {}
            given = own.read("maximum-allocation", self._amounts, nothing)
        else:
            pairs = ((MEMORY_MB, "maximum-allocation-mb"), (VCORES, "maximum-allocation-vcores"))
            read = {name: own.optional_integer(key) for name, key in pairs}
            given = {name: value for name, value in read.items() if value is not None}
            keys = [key for name, key in pairs if name in given]
        amounts.update(given)
        if any(value > cluster.value(name) for name, value in given.items()):
            own.fault(
                keys[0],
                f"Queue maximum allocation cannot be larger than the cluster setting for queue {own.path} "
                "max "
                f"allocation per queue: {Resource.of(amounts)} cluster setting: {cluster}",
            )
        return Resource.of(amounts)

    def _amounts(self, text: str) -> dict[str, int]:
        """Of every type: nothing of those that are not named.

        See tests/scenarios/queues/largest-container-of-named-types.yaml.
        """
        parsed = self.types.parse(text)
        return {name: parsed.value(name) for name in self.types.names}

    def _lifetimes(self, own: QueueProperties, parent: QueueSettings | None) -> tuple[int, int, bool]:
        """Maximum, default, and whether a default is given here or above."""
        maximum = own.integer("maximum-application-lifetime", -1)
        default = own.integer("default-application-lifetime", -1)
        if parent is None:
            return maximum, default, default >= 0
        if maximum < 0:
            maximum = parent.maximum_lifetime_s
        is_given = default >= 0 or parent.is_lifetime_given
        if default < 0:
            default = min(parent.default_lifetime_s, maximum) if is_given else maximum
        if 0 < maximum < default:
            own.fault(
                "default-application-lifetime",
                f"Default lifetime {default} can't exceed maximum lifetime {maximum}",
            )
        return maximum, default if default > 0 else maximum, is_given

    def _acl(self, own: QueueProperties, key: str) -> AccessControlList:
        text = own.untrimmed(key)
        if text is None:
            text = "*" if own.path == ROOT else " "
        return AccessControlList.parse(text)

    # Order

    def _leaf_order(self, own: QueueProperties) -> str:
        text = own.text("ordering-policy")
        if not text:
            return registry.DEFAULT
        try:
            return registry.name_of(text)
        except LookupError as why:
            own.fault("ordering-policy", f"Unable to construct ordering policy for value: {text} ({why})")
        return registry.DEFAULT

    def _parent_order(self, own: QueueProperties, parent: QueueSettings | None) -> ParentOrder:
        text = own.text("ordering-policy")
        if not text:
            return parent.parent_order if parent is not None else ParentOrder.UTILIZATION
        for order in ParentOrder:
            if text == order.value:
                return order
        if "." in text and text.endswith("PriorityUtilizationQueueOrderingPolicy"):
            return ParentOrder.UTILIZATION
        try:
            class_named(text, QueueOrderingPolicy)  # type: ignore[type-abstract]
        except LookupError as why:
            own.fault(
                "ordering-policy", f"Unable to construct queue ordering policy for value: {text} ({why})"
            )
        return ParentOrder.UTILIZATION

    def _parent_policy(self, own: QueueProperties, parent: QueueSettings | None) -> str:
        text = own.text("ordering-policy")
        if not text:
            return parent.parent_policy if parent is not None else ""
        return text if queue_ordering(text) is not None else ""

    # Automatic creation

    def _v1(self, own: QueueProperties) -> AutoCreationV1:
        return AutoCreationV1(
            max_queues=own.integer(V1 + "max-queues", 1000),
            fail_on_exceeding=own.boolean(V1 + "fail-on-exceeding-parent-capacity", False),
            policy=own.text(V1 + "management-policy") or "",
        )

    def _v2(self, own: QueueProperties) -> AutoCreationV2:
        return AutoCreationV2(
            is_enabled=own.boolean(V2 + "enabled", False),
            max_queues=own.integer(V2 + "max-queues", 1000),
            max_depth=own.integer(V2 + "maximum-queue-depth", self.max_depth),
            removes_idle=own.boolean(V2 + "queue-auto-removal.enable", True),
        )


def with_children(queue: QueueSettings, children: tuple[QueueSettings, ...]) -> QueueSettings:
    """The same queue with these children."""
    return replace(queue, children=children)
