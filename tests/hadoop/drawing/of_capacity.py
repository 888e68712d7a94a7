"""What walks may draw for the CapacityScheduler besides what clusters.py always draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.hadoop.drawing.clusters import LABEL, MONITOR, PREFIX, shares
from tests.hadoop.drawing.feature import OF_ALL, RESTARTS, Draw, Feature, in_steps
from yarnbox.sim.walk.choices import USERS
from yarnbox.sim.walk.clusters import Document

AUTO_CREATED = ".auto-queue-creation-v2.enabled"
_BY_USE = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
)


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


def _vectors(dice: Random, document: Document) -> bool:
    """Each type has a unit of its own, and nothing has to add up."""
    properties = _capacity(document)
    _set(document, "legacy-queue-mode.enabled", False)
    memory = sum(node["memory-mb"] for node in document["nodes"])
    vcores = sum(node["vcores"] for node in document["nodes"])
    for name in [name for name in properties if name.endswith((".capacity", ".maximum-capacity"))]:
        is_maximum = name.endswith(".maximum-capacity")
        if dice.random() < (0.6 if is_maximum else 0.2):
            continue  # as it was: one number for all types
        entries = [
            f"{kind}={_entry_of_a_vector(dice, amount, is_maximum)}"
            for kind, amount in (("memory", memory), ("vcores", vcores))
        ]
        properties[name] = f"[{','.join(entries)}]"
    return True


def _entry_of_a_vector(dice: Random, whole: int, is_maximum: bool) -> str:
    unit = dice.choice(("", "%") if is_maximum else ("", "%", "%", "w", "w"))
    if unit == "w":
        return f"{dice.randint(1, 4)}w"
    percent = dice.choice((10, 25, 33, 50, 66.6, 90))
    return f"{percent}%" if unit else str(max(int(whole * percent / 100), 1))


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


def _am_share_of_partition(dice: Random, document: Document) -> bool:
    if "labels" not in document:
        return False
    leaf = dice.choice(leaf_paths(_capacity(document)))
    name = f"{leaf}.accessible-node-labels.{LABEL}.maximum-am-resource-percent"
    return _set(document, name, dice.choice((0.1, 0.6, 1.0)))


def _more_labels(dice: Random, document: Document) -> bool:
    """Two or three partitions; each of the further ones reaches some of the queues."""
    properties = _capacity(document)
    if any(str(value).startswith("[") for value in properties.values()):
        return False
    document["conf"]["yarn.node-labels.enabled"] = True
    labels = document.setdefault("labels", {})
    added = [name for name in "xyz"[: dice.randint(2, 3)] if name not in labels]
    for label in added:
        labels[label] = {"exclusive": dice.random() < 0.5}
        properties[f"{PREFIX}root.accessible-node-labels.{label}.capacity"] = 100
        _reach(dice, properties, "root", label)
    for node in document["nodes"][1:]:
        if dice.random() < 0.6:
            node["labels"] = [dice.choice(list(labels))]
    return True


def _reach(dice: Random, properties: dict[str, Any], parent: str, label: str) -> None:
    """Some of the children may use the partition."""
    names = str(properties.get(f"{PREFIX}{parent}.queues", "")).split(",")
    names = [name for name in names if name and dice.random() < 0.7] or names[:1]
    for name, share in zip(names, shares(dice, len(names)), strict=True):
        if not name:
            return
        path = f"{PREFIX}{parent}.{name}"
        known = str(properties.get(f"{path}.accessible-node-labels", ""))
        properties[f"{path}.accessible-node-labels"] = ",".join([*filter(None, [known]), label])
        own = f"{path}.accessible-node-labels.{label}"
        is_weighted = str(properties[f"{path}.capacity"]).endswith("w")
        properties[f"{own}.capacity"] = f"{dice.randint(1, 4)}w" if is_weighted else share
        if dice.random() < 0.3:
            properties[f"{own}.maximum-capacity"] = dice.randint(share, 100)
        if dice.random() < 0.2:
            properties[f"{path}.default-node-label-expression"] = label
        _reach(dice, properties, f"{parent}.{name}", label)


QUEUE_CHANGES = "queues that refreshes change"

OF_CAPACITY = (
    *OF_ALL,
    Feature("three levels of queues", 0.25, _deepen),
    Feature("capacities in resources", 0.2, _in_resources),
    Feature("capacity vectors", 0.15, _vectors),
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
    Feature("several labels", 0.2, _more_labels),
    Feature(QUEUE_CHANGES, 0.25, in_steps),
    RESTARTS,
)
