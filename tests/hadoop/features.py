"""What walks may draw besides what clusters.py always draws: one row for each feature of a scheduler.

A feature changes the document of a walk before it begins. Each has its own chance, by dice other than those
that draw the cluster. A test finds out that none of them is never drawn, and that every document is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.hadoop.clusters import LABEL, MONITOR, PREFIX
from yarnbox.sim.walk.choices import USERS
from yarnbox.sim.walk.clusters import Document

Draw = Callable[[Random, Document], bool]
"""Changes the document; False where the feature does not go with what is drawn already."""

LONG = "long walk"
RESTART = "restart of the ResourceManager"
RECURRING = "recurring reservations"
CONTAINERS = "containers in plans"
PLANS = "plans"
"""The kind of walk: the CapacityScheduler, with reservations."""
AUTO_CREATED = ".auto-queue-creation-v2.enabled"
_FAIR = "yarn.scheduler.fair."
_BY_USE = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
)
_NONE_IN = 0.3
"""So many walks draw no feature at all."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One row."""

    name: str
    chance: float
    draw: Draw


def draw_features(
    dice: Random, scheduler: str, document: Document, wanted: str | None = None
) -> tuple[str, ...]:
    """Changes the document; the names of what was drawn. The wanted one is drawn wherever it can be."""
    features: Sequence[Feature] = FEATURES.get(scheduler, ())
    if dice.random() < _NONE_IN:
        features = [feature for feature in features if feature.name == wanted]
    return tuple(
        feature.name
        for feature in features
        if (dice.random() < feature.chance or feature.name == wanted) and feature.draw(dice, document)
    )


# ---- the CapacityScheduler


def _capacity(document: Document) -> dict[str, Any]:
    found: dict[str, Any] = document["capacity-scheduler"]
    return found


def leaf_paths(properties: Mapping[str, Any]) -> list[str]:
    """The paths of the leaf queues of a capacity-scheduler.xml."""
    names = [
        name.removeprefix(PREFIX).removesuffix(".queues") for name in properties if name.endswith(".queues")
    ]
    children = [
        f"{parent}.{child}"
        for parent in sorted(names)
        for child in str(properties[f"{PREFIX}{parent}.queues"]).split(",")
    ]
    return [path for path in children if path not in names]


def _set(document: Document, name: str, value: object) -> bool:
    _capacity(document)[PREFIX + name] = value
    return True


def _of_a_leaf(name: str, values: Sequence[object]) -> Draw:
    def draw(dice: Random, document: Document) -> bool:
        leaf = dice.choice(leaf_paths(_capacity(document)))
        return _set(document, f"{leaf}.{name}", dice.choice(values))

    return draw


def _global(name: str, values: Sequence[object]) -> Draw:
    return lambda dice, document: _set(document, name, dice.choice(values))


def _conf(name: str, values: Sequence[object]) -> Draw:
    def draw(dice: Random, document: Document) -> bool:
        document["conf"][name] = dice.choice(values)
        return True

    return draw


def _monitor(name: str, values: Sequence[object]) -> Draw:
    def draw(dice: Random, document: Document) -> bool:
        if not document["conf"].get("yarn.resourcemanager.scheduler.monitor.enable"):
            return False
        document["conf"][MONITOR + name] = dice.choice(values)
        return True

    return draw


def _deepen(dice: Random, document: Document) -> bool:
    """A leaf becomes the parent of a leaf and of another parent."""
    properties = _capacity(document)
    if "labels" in document:
        return False
    leaf = dice.choice(leaf_paths(properties))
    is_weighted = str(properties[f"{PREFIX}{leaf}.capacity"]).endswith("w")
    share = dice.choice((25, 50, 80))
    _set(document, f"{leaf}.queues", "d,e")
    _set(document, f"{leaf}.d.queues", "u,v")
    for parent, (one, other) in ((leaf, "de"), (f"{leaf}.d", "uv")):
        _set(document, f"{parent}.{one}.capacity", "2w" if is_weighted else share)
        _set(document, f"{parent}.{other}.capacity", "1w" if is_weighted else 100 - share)
    properties.pop(f"{PREFIX}{leaf}.ordering-policy", None)
    return True


def _in_resources(dice: Random, document: Document) -> bool:
    """Capacities are amounts instead of percentages."""
    properties = _capacity(document)
    if "labels" in document or any(str(value).endswith("w") for value in properties.values()):
        return False
    memory = sum(node["memory-mb"] for node in document["nodes"])
    vcores = sum(node["vcores"] for node in document["nodes"])
    own = {"root": 1.0}
    names = sorted(
        (name for name in properties if name.endswith(".capacity")), key=lambda name: name.count(".")
    )
    for name in names:
        path = name.removeprefix(PREFIX).removesuffix(".capacity")
        own[path] = own[path.rpartition(".")[0]] * int(properties[name]) / 100
        amount = f"[memory={int(memory * own[path])},vcores={max(int(vcores * own[path]), 1)}]"
        properties[name] = amount
        properties.pop(f"{PREFIX}{path}.maximum-capacity", None)
    return True


def _user_weight(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(_capacity(document)))
    return _set(document, f"{leaf}.user-settings.{dice.choice(USERS)}.weight", dice.choice((0.1, 0.5, 0.7)))


def _size_based(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(_capacity(document)))
    _set(document, f"{leaf}.ordering-policy", "fair")
    return _set(document, f"{leaf}.ordering-policy.fair.enable-size-based-weight", True)


def _mapping(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(_capacity(document)))
    _set(document, "queue-mappings", f"u:{dice.choice(USERS)}:{leaf}")
    return _set(document, "queue-mappings-override.enable", dice.random() < 0.7)


def _acls(dice: Random, document: Document) -> bool:
    document["conf"]["yarn.acl.enable"] = True
    leaf = dice.choice(leaf_paths(_capacity(document)))
    _set(document, "root.acl_submit_applications", " ")
    for path in leaf_paths(_capacity(document)):
        _set(document, f"{path}.acl_submit_applications", "*")
    return _set(document, f"{leaf}.acl_submit_applications", ",".join(dice.sample(USERS, 2)))


def _more_nodes(dice: Random, document: Document) -> bool:
    """Up to a dozen; the first ones are what was drawn."""
    nodes = document["nodes"]
    for number in range(len(nodes) + 1, dice.randint(8, 12) + 1):
        nodes.append({**dice.choice(nodes), "name": f"n{number}"})
    return True


def _multi_node(dice: Random, document: Document) -> bool:
    """A heartbeat of one node offers all of its partition."""
    _set(document, "multi-node-placement-enabled", True)
    _set(document, "multi-node-sorting.policy.names", "default")
    _set(document, "multi-node-sorting.policy.default.class", _BY_USE)
    _set(document, "multi-node-sorting.policy.default.sorting-interval.ms", 0)
    return _set(document, "multi-node-sorting.policy", "default")


def _lazy(dice: Random, document: Document) -> bool:
    if not document["conf"].get("yarn.resourcemanager.scheduler.monitor.enable"):
        return False
    return _set(document, "lazy-preemption-enabled", True)


def _auto_created(dice: Random, document: Document) -> bool:
    """Applications may name queues that are not there yet (choices.py)."""
    properties = _capacity(document)
    if "labels" in document or not any(str(value).endswith("w") for value in properties.values()):
        return False
    parents = [name for name in properties if name.startswith(PREFIX + "root.") and name.endswith(".queues")]
    parent = dice.choice(parents).removesuffix(".queues") if parents else PREFIX + "root"
    properties[parent + AUTO_CREATED] = True
    properties[parent + ".auto-queue-creation-v2.template.capacity"] = dice.choice(("1w", "3w"))
    return True


def _long(dice: Random, document: Document) -> bool:
    """The walk is three times as long (walks.py)."""
    return True


def _am_share_of_partition(dice: Random, document: Document) -> bool:
    if "labels" not in document:
        return False
    leaf = dice.choice(leaf_paths(_capacity(document)))
    name = f"{leaf}.accessible-node-labels.{LABEL}.maximum-am-resource-percent"
    return _set(document, name, dice.choice((0.1, 0.6, 1.0)))


def _in_steps(dice: Random, document: Document) -> bool:
    """The cluster is as it is: bookings may come again, or applications want containers (plans.py)."""
    return True


def _restart(dice: Random, document: Document) -> bool:
    """Steps may restart it (choices.py, plans.py)."""
    document["conf"]["yarn.resourcemanager.recovery.enabled"] = True
    wait_ms = dice.choice((0, 2000, 10_000, 10_000))
    document["conf"]["yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms"] = wait_ms
    return True


_RESTART = Feature(RESTART, 0.1, _restart)
"""The last row of each table."""

_EXPIRY = (
    Feature("expiry of nodes", 0.2, _conf("yarn.nm.liveness-monitor.expiry-interval-ms", (20_000, 60_000))),
    Feature("expiry of AMs", 0.2, _conf("yarn.am.liveness-monitor.expiry-interval-ms", (20_000, 60_000))),
    Feature(
        "expiry of containers",
        0.2,
        _conf("yarn.resourcemanager.rm.container-allocation.expiry-interval-ms", (10_000, 30_000)),
    ),
    Feature("smaller allocations", 0.2, _conf("yarn.scheduler.minimum-allocation-mb", (256, 512))),
    Feature("larger allocations", 0.1, _conf("yarn.scheduler.minimum-allocation-mb", (1536, 2048))),
    Feature("more nodes", 0.2, _more_nodes),
    Feature(LONG, 0.15, _long),
)

_CAPACITY = (
    *_EXPIRY,
    Feature("three levels of queues", 0.25, _deepen),
    Feature("capacities in resources", 0.2, _in_resources),
    Feature("weights of users", 0.2, _user_weight),
    Feature("size-based weight", 0.15, _size_based),
    Feature("queue mappings", 0.15, _mapping),
    Feature("ACLs", 0.1, _acls),
    Feature("stopped queue", 0.1, _of_a_leaf("state", ("STOPPED",))),
    Feature("largest container of a queue", 0.15, _of_a_leaf("maximum-allocation-mb", (2048, 3072, 4096))),
    Feature("priority of a queue's applications", 0.1, _of_a_leaf("default-application-priority", (1, 3))),
    Feature("lifetime in a queue", 0.1, _of_a_leaf("default-application-lifetime", (20, 60))),
    Feature("most applications", 0.1, _global("maximum-applications", (3, 6, 20))),
    Feature("full reset of the rack delay", 0.1, _global("rack-locality-full-reset", (False,))),
    Feature(
        "most containers in a heartbeat",
        0.15,
        _global("per-node-heartbeat.maximum-container-assignments", (1, 2, 4)),
    ),
    Feature("parallel applications of users", 0.1, _global("user.max-parallel-apps", (1, 2))),
    Feature("AM share of a partition", 0.3, _am_share_of_partition),
    Feature("multi-node placement", 0.1, _multi_node),
    Feature("queues created by submissions", 0.3, _auto_created),
    Feature("lazy preemption", 0.3, _lazy),
    Feature("dead zone", 0.4, _monitor("max_ignored_over_capacity", (0.0, 0.05, 0.3, 1.0))),
    Feature("balancing", 0.2, _monitor("preemption-to-balance-queue-after-satisfied.enabled", (True,))),
    Feature(
        "preemption for reserved containers", 0.2, _monitor("select_based_on_reserved_containers", (True,))
    ),
    Feature(
        "reserved counts as demand",
        0.2,
        _monitor("additional_res_balance_based_on_reserved_containers", (True,)),
    ),
    Feature("conservative DRF", 0.2, _monitor("conservative-drf", (True,))),
    Feature(
        "intra-queue threshold", 0.3, _monitor("intra-queue-preemption.minimum-threshold", (0.0, 0.2, 0.9))
    ),
    Feature(
        "intra-queue limit", 0.3, _monitor("intra-queue-preemption.max-allowable-limit", (0.05, 0.5, 1.0))
    ),
    Feature(
        "intra-queue order",
        0.3,
        _monitor("intra-queue-preemption.preemption-order-policy", ("priority_first", "userlimit_first")),
    ),
    _RESTART,
)


# ---- the FairScheduler


def _in_file(*changes: tuple[str, str]) -> Draw:
    """Puts one of the texts behind what is named in the allocation file."""

    def draw(dice: Random, document: Document) -> bool:
        place, text = dice.choice(changes)
        before = document["fair-scheduler"]
        document["fair-scheduler"] = before.replace(place, place + text, 1)
        return place in before

    return draw


_ROOT, _A, _X, _B = "<allocations>", '<queue name="a">', '<queue name="x">', '<queue name="b">'


def _open_leaf(dice: Random, document: Document) -> bool:
    """Leaf x gets room for properties of its own."""
    document["fair-scheduler"] = document["fair-scheduler"].replace(
        '<queue name="x"/>', '<queue name="x"><weight>1.5</weight></queue>'
    )
    return True


_FAIR_FEATURES = (
    *_EXPIRY,
    Feature("leaf with properties", 0.6, _open_leaf),
    Feature(
        "policies",
        0.5,
        _in_file(
            *(
                (place, f"<schedulingPolicy>{policy}</schedulingPolicy>")
                for place in (_X, _B)
                for policy in ("fifo", "drf")
            ),
            (_ROOT, "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>"),
        ),
    ),
    Feature(
        "largest shares",
        0.4,
        _in_file(
            (_A, "<maxResources>6144 mb, 8 vcores</maxResources>"),
            (_B, "<maxResources>50.0%</maxResources>"),
            (_ROOT, "<queueMaxResourcesDefault>8192 mb, 12 vcores</queueMaxResourcesDefault>"),
        ),
    ),
    Feature(
        "running applications",
        0.3,
        _in_file(
            (_A, "<maxRunningApps>2</maxRunningApps>"),
            (_B, "<maxRunningApps>1</maxRunningApps>"),
            (_ROOT, "<userMaxAppsDefault>1</userMaxAppsDefault>"),
            (_ROOT, "<queueMaxAppsDefault>2</queueMaxAppsDefault>"),
        ),
    ),
    Feature(
        "AM shares",
        0.4,
        _in_file(
            (_B, "<maxAMShare>0.2</maxAMShare>"),
            (_X, "<maxAMShare>0.7</maxAMShare>"),
            (_ROOT, "<queueMaxAMShareDefault>0.3</queueMaxAMShareDefault>"),
            (_ROOT, "<queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault>"),
        ),
    ),
    Feature(
        "thresholds and timeouts",
        0.4,
        _in_file(
            (_A, "<fairSharePreemptionThreshold>0.8</fairSharePreemptionThreshold>"),
            (_ROOT, "<defaultFairSharePreemptionThreshold>1.0</defaultFairSharePreemptionThreshold>"),
            (_B, "<minSharePreemptionTimeout>3</minSharePreemptionTimeout>"),
            (_ROOT, "<defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>"),
        ),
    ),
    Feature("protected queue", 0.2, _in_file((_B, "<allowPreemptionFrom>false</allowPreemptionFrom>"))),
    Feature(
        "largest container of a queue",
        0.2,
        _in_file((_B, "<maxContainerAllocation>2048 mb, 2 vcores</maxContainerAllocation>")),
    ),
    Feature("size-based weight", 0.2, _conf(_FAIR + "sizebasedweight", (True,))),
    Feature("one container in a heartbeat", 0.2, _conf(_FAIR + "assignmultiple", (False,))),
    Feature("half of what is free", 0.2, _conf(_FAIR + "dynamic.max.assign", (False,))),
    Feature("most containers in a heartbeat", 0.2, _conf(_FAIR + "max.assign", (1, 2))),
    Feature("delay for hosts", 0.3, _conf(_FAIR + "locality.threshold.node", (0.0, 0.3, 1.0))),
    Feature("delay for racks", 0.3, _conf(_FAIR + "locality.threshold.rack", (0.0, 0.5, 1.0))),
    Feature("shorter warnings", 0.2, _conf(_FAIR + "waitTimeBeforeKill", (0, 2000))),
    Feature("reservable nodes", 0.2, _conf(_FAIR + "reservable-nodes", (0.3, 1.0))),
    Feature("larger steps", 0.2, _conf("yarn.resource-types.memory-mb.increment-allocation", ("512M",))),
    _RESTART,
)

FEATURES: Mapping[str, Sequence[Feature]] = {
    "capacity": _CAPACITY,
    "constraints": _CAPACITY,
    "fair": _FAIR_FEATURES,
    "fifo": (*_EXPIRY, _RESTART),
    PLANS: (
        Feature(RECURRING, 0.25, _in_steps),
        Feature(RESTART, 0.25, _restart),
        Feature(CONTAINERS, 0.5, _in_steps),
    ),
}
"""By the kind of walk."""
