"""What walks may draw for the CapacityScheduler besides what clusters.py always draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.hadoop.drawing.capacity_file import capacity_file, leaf_paths, put
from tests.hadoop.drawing.clusters import MONITOR, PREFIX
from tests.hadoop.drawing.feature import OF_ALL, RESTARTS, Draw, Feature, in_steps
from tests.hadoop.drawing.of_labels import OF_LABELS
from yarnbox.sim.walk.choices import USERS
from yarnbox.sim.walk.clusters import Document

AUTO_CREATED = ".auto-queue-creation-v2.enabled"
_BY_USE = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
)


def _of_a_leaf(name: str, values: Sequence[object]) -> Draw:
    def draw(dice: Random, document: Document) -> bool:
        leaf = dice.choice(leaf_paths(capacity_file(document)))
        return put(document, f"{leaf}.{name}", dice.choice(values))

    return draw


def _global(name: str, values: Sequence[object]) -> Draw:
    return lambda dice, document: put(document, name, dice.choice(values))


def _monitor(name: str, values: Sequence[object]) -> Draw:
    def draw(dice: Random, document: Document) -> bool:
        if not document["conf"].get("yarn.resourcemanager.scheduler.monitor.enable"):
            return False
        document["conf"][MONITOR + name] = dice.choice(values)
        return True

    return draw


def _deepen(dice: Random, document: Document) -> bool:
    """A leaf becomes the parent of a leaf and of another parent."""
    properties = capacity_file(document)
    if "labels" in document:
        return False
    leaf = dice.choice(leaf_paths(properties))
    is_weighted = str(properties[f"{PREFIX}{leaf}.capacity"]).endswith("w")
    share = dice.choice((25, 50, 80))
    put(document, f"{leaf}.queues", "d,e")
    put(document, f"{leaf}.d.queues", "u,v")
    for parent, (one, other) in ((leaf, "de"), (f"{leaf}.d", "uv")):
        put(document, f"{parent}.{one}.capacity", "2w" if is_weighted else share)
        put(document, f"{parent}.{other}.capacity", "1w" if is_weighted else 100 - share)
    properties.pop(f"{PREFIX}{leaf}.ordering-policy", None)
    return True


def _in_resources(dice: Random, document: Document) -> bool:
    """Capacities are amounts instead of percentages, in each partition of what its nodes have."""
    properties = capacity_file(document)
    if any(str(value).endswith("w") or str(value).startswith("[") for value in properties.values()):
        return False
    for label in ("", *document.get("labels", ())):
        nodes = [node for node in document["nodes"] if node.get("labels", []) == [label] * bool(label)]
        _in_amounts(
            dice, properties, f".accessible-node-labels.{label}" * bool(label), nodes or document["nodes"]
        )
    return True


def _below_root(properties: Mapping[str, Any]) -> list[str]:
    """The paths of all queues but the root, parents first."""
    found = ["root"]
    for path in found:  # which grows meanwhile
        children = str(properties.get(f"{PREFIX}{path}.queues", "")).split(",")
        found += [f"{path}.{child}" for child in children if child]
    return found[1:]


def _in_amounts(
    dice: Random, properties: dict[str, Any], of_label: str, nodes: Sequence[Mapping[str, Any]]
) -> None:
    memory, vcores = (sum(node[kind] for node in nodes) for kind in ("memory-mb", "vcores"))
    own = {"root": 1.0}
    for path in _below_root(properties):
        name = f"{PREFIX}{path}{of_label}.capacity"
        if name not in properties:
            continue
        own[path] = own[path.rpartition(".")[0]] * int(properties[name]) / 100
        properties[name] = _amount(memory, vcores, own[path])
        maximum = name.removesuffix("capacity") + "maximum-capacity"
        if properties.pop(maximum, None) is not None and dice.random() < 0.5:
            properties[maximum] = _amount(memory, vcores, min(own[path] * dice.choice((1, 1.5, 3)), 1))


def _amount(memory: int, vcores: int, share: float) -> str:
    return f"[memory={int(memory * share)},vcores={max(int(vcores * share), 1)}]"


def _vectors(dice: Random, document: Document) -> bool:
    """Each type has a unit of its own, and nothing has to add up."""
    properties = capacity_file(document)
    if any(str(value).startswith("[") for value in properties.values()):
        return False
    put(document, "legacy-queue-mode.enabled", False)
    memory = sum(node["memory-mb"] for node in document["nodes"])
    vcores = sum(node["vcores"] for node in document["nodes"])
    for name in [name for name in properties if name.endswith((".capacity", ".maximum-capacity"))]:
        is_maximum = name.endswith(".maximum-capacity")
        if dice.random() < (0.6 if is_maximum else 0.2):
            continue  # as it was: one number for all types
        if is_maximum and _is_bounded(properties, name):
            continue  # amounts may not be above those of a parent
        entries = [
            f"{kind}={_entry_of_a_vector(dice, amount, is_maximum)}"
            for kind, amount in (("memory", memory), ("vcores", vcores))
        ]
        properties[name] = f"[{','.join(entries)}]"
    return True


def _is_bounded(properties: Mapping[str, Any], maximum: str) -> bool:
    """Whether a queue above that of the maximum has amounts for one, or one below it."""
    path, _, key = maximum.removeprefix(PREFIX).partition(".accessible-node-labels")
    own = path.removesuffix(".maximum-capacity")
    for name, value in properties.items():
        other, _, other_key = name.removeprefix(PREFIX).partition(".accessible-node-labels")
        other = other.removesuffix(".maximum-capacity")
        is_kin = own.startswith(f"{other}.") or other.startswith(f"{own}.")
        if is_kin and other_key == key and name.endswith(".maximum-capacity") and str(value).startswith("["):
            return True
    return False


def _entry_of_a_vector(dice: Random, whole: int, is_maximum: bool) -> str:
    unit = dice.choice(("", "%") if is_maximum else ("", "%", "%", "w", "w"))
    if unit == "w":
        return f"{dice.randint(1, 4)}w"
    percent = dice.choice((10, 25, 33, 50, 66.6, 90))
    return f"{percent}%" if unit else str(max(int(whole * percent / 100), 1))


def _user_weight(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    return put(document, f"{leaf}.user-settings.{dice.choice(USERS)}.weight", dice.choice((0.1, 0.5, 0.7)))


def _size_based(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    put(document, f"{leaf}.ordering-policy", "fair")
    return put(document, f"{leaf}.ordering-policy.fair.enable-size-based-weight", True)


def _mapping(dice: Random, document: Document) -> bool:
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    put(document, "queue-mappings", f"u:{dice.choice(USERS)}:{leaf}")
    return put(document, "queue-mappings-override.enable", dice.random() < 0.7)


def _acls(dice: Random, document: Document) -> bool:
    document["conf"]["yarn.acl.enable"] = True
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    put(document, "root.acl_submit_applications", " ")
    for path in leaf_paths(capacity_file(document)):
        put(document, f"{path}.acl_submit_applications", "*")
    return put(document, f"{leaf}.acl_submit_applications", ",".join(dice.sample(USERS, 2)))


def _multi_node(dice: Random, document: Document) -> bool:
    """A heartbeat of one node offers all of its partition."""
    put(document, "multi-node-placement-enabled", True)
    put(document, "multi-node-sorting.policy.names", "default")
    put(document, "multi-node-sorting.policy.default.class", _BY_USE)
    put(document, "multi-node-sorting.policy.default.sorting-interval.ms", 0)
    return put(document, "multi-node-sorting.policy", "default")


def _limits_of_all(dice: Random, document: Document) -> bool:
    """What holds where a queue says nothing of its own."""
    limits: dict[str, tuple[object, ...]] = {
        "global-queue-max-application": (2, 5),
        "max-parallel-apps": (2, 4),
        "minimum-user-limit-percent": (25, 50),
        "user-limit-factor": (-1, 0.5, 2),
    }
    for name in dice.sample(list(limits), dice.randint(1, 2)):
        put(document, name, dice.choice(limits[name]))
    return True


def _priority_acl(dice: Random, document: Document) -> bool:
    document["conf"]["yarn.acl.enable"] = True
    document["conf"]["yarn.cluster.max-application-priority"] = 5
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    # Without a default Hadoop's ResourceManager breaks over a submission that has no priority.
    groups = " ".join(
        f"[user={user} max_priority={dice.randint(1, 4)} default_priority={dice.randint(0, 1)}]"
        for user in dice.sample(USERS, 2)
    )
    return put(document, f"{leaf}.acl_application_max_priority", groups)


def _own_partitions(dice: Random, document: Document) -> bool:
    """Applications of a label of their own are served in its partition alone."""
    if "labels" not in document:
        return False
    leaf = dice.choice(leaf_paths(capacity_file(document)))
    put(document, f"{leaf}.ordering-policy", "fifo-with-partitions")
    label = dice.choice(list(document["labels"]))
    return put(document, f"{leaf}.ordering-policy.exclusive-enforced-partitions", label)


def _nothing_below(dice: Random, document: Document) -> bool:
    """A parent with a capacity, and children without any."""
    properties = capacity_file(document)
    if "labels" in document or any(str(value).endswith(("w", "]")) for value in properties.values()):
        return False
    leaves = leaf_paths(properties)
    parents = list(dict.fromkeys(leaf.rpartition(".")[0] for leaf in leaves))
    parents = [path for path in parents if path != "root" and _has_leaves_only(properties, path)]
    if not parents:
        return False
    parent = dice.choice(parents)
    put(document, f"{parent}.allow-zero-capacity-sum", True)
    for leaf in leaves:
        if leaf.startswith(f"{parent}."):
            put(document, f"{leaf}.capacity", 0)
    return True


def _has_leaves_only(properties: Mapping[str, Any], parent: str) -> bool:
    children = str(properties[f"{PREFIX}{parent}.queues"]).split(",")
    return not any(f"{PREFIX}{parent}.{child}.queues" in properties for child in children)


def _limits_of_created(dice: Random, document: Document) -> bool:
    makers = [name for name in capacity_file(document) if name.endswith(AUTO_CREATED)]
    if not makers:
        return False
    name, values = dice.choice((("max-queues", (1, 2)), ("maximum-queue-depth", (1, 3))))
    capacity_file(document)[makers[0].removesuffix("enabled") + name] = dice.choice(values)
    return True


def _by_priority(dice: Random, document: Document) -> bool:
    """Queues that are served first are preempted for by their priority."""
    if not document["conf"].get("yarn.resourcemanager.scheduler.monitor.enable"):
        return False
    prefix = "ordering-policy.priority-utilization.underutilized-preemption."
    put(document, prefix + "enabled", True)
    put(document, prefix + "reserved-container-delay-ms", dice.choice((0, 10_000)))
    return put(document, prefix + "allow-move-reservation", dice.random() < 0.5)


def _lazy(dice: Random, document: Document) -> bool:
    if not document["conf"].get("yarn.resourcemanager.scheduler.monitor.enable"):
        return False
    return put(document, "lazy-preemption-enabled", True)


def _auto_created(dice: Random, document: Document) -> bool:
    """Applications may name queues that are not there yet (choices.py)."""
    properties = capacity_file(document)
    if "labels" in document or not any(str(value).endswith("w") for value in properties.values()):
        return False
    parents = [name for name in properties if name.startswith(PREFIX + "root.") and name.endswith(".queues")]
    parent = dice.choice(parents).removesuffix(".queues") if parents else PREFIX + "root"
    properties[parent + AUTO_CREATED] = True
    properties[parent + ".auto-queue-creation-v2.template.capacity"] = dice.choice(("1w", "3w"))
    return True


QUEUE_CHANGES = "queues that refreshes change"

OF_CAPACITY = (
    *OF_ALL,
    Feature("three levels of queues", 0.25, _deepen),
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
    *OF_LABELS,
    Feature("capacities in resources", 0.2, _in_resources),
    Feature("capacity vectors", 0.15, _vectors),
    Feature("limits of all queues", 0.15, _limits_of_all),
    Feature(
        "parallel applications of one user",
        0.1,
        lambda dice, document: put(
            document, f"user.{dice.choice(USERS)}.max-parallel-apps", dice.choice((1, 2))
        ),
    ),
    Feature("reserved nodes", 0.1, _global("skip-allocate-on-nodes-with-reserved-containers", (True,))),
    Feature("most vcores of a container", 0.1, _of_a_leaf("maximum-allocation-vcores", (1, 2))),
    Feature("largest container by type", 0.1, _of_a_leaf("maximum-allocation", ("memory-mb=3072,vcores=2",))),
    Feature("priorities of users", 0.1, _priority_acl),
    Feature("order by partitions", 0.2, _own_partitions),
    Feature("parent of queues without capacity", 0.15, _nothing_below),
    Feature("limits of created queues", 0.6, _limits_of_created),
    Feature("preemption by queues' priority", 0.3, _by_priority),
    Feature(
        "no preemption within a queue",
        0.1,
        _of_a_leaf("intra-queue-preemption.disable_preemption", (True, False)),
    ),
    Feature("eager DRF within a queue", 0.2, _monitor("intra-queue-preemption.conservative-drf", (False,))),
    Feature("preemption is only observed", 0.1, _monitor("observe_only", (True,))),
    Feature(
        "wait before balancing",
        0.2,
        _monitor("preemption-to-balance-queue-after-satisfied.max-wait-before-kill", (0, 20_000)),
    ),
    Feature(QUEUE_CHANGES, 0.25, in_steps),
    RESTARTS,
)
