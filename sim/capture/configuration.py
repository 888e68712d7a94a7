"""yarn-site.xml and the scheduler's file of a captured cluster.

Of /conf what schedulers look at is kept. The scheduler's own file is what /scheduler-conf answers, where the
cluster allows it; else it is made from the queues that /scheduler shows, which leaves out what it does not
show: ACLs, mapping rules, limits of applications.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from yarnbox.sim.capture.nodes import labels_of_node
from yarnbox.sim.capture.source import CONF, NODES, SCHEDULER, SCHEDULER_CONF, Source, listed
from yarnbox.sim.load.jobs import InvalidTraceError

YARN_SITE, CAPACITY, FAIR = "yarn-site.xml", "capacity-scheduler.xml", "fair-scheduler.xml"
_CLASS = "yarn.resourcemanager.scheduler.class"
_CLASSES = {"capacityScheduler": "capacity", "fairScheduler": "fair", "fifoScheduler": "fifo"}
_KEPT = (
    "yarn.scheduler.",
    "yarn.resourcemanager.scheduler.",
    "yarn.resourcemanager.monitor.capacity.",
    "yarn.resource-types",
    "yarn.node-labels.enabled",
    "yarn.cluster.max-application-priority",
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
)
_CAPACITY = "yarn.scheduler.capacity."
_LEFT_OUT = (_CAPACITY, "yarn.scheduler.configuration.")
_NOBODYS = ("acl_", "acl.", "queue-mappings", "mapping-rule", "workflow-priority")
"""Parts of properties that name users: an anonymous capture leaves them out."""


def files_of(source: Source, *, is_anonymous: bool) -> dict[str, str]:
    """The texts of the files by name."""
    scheduler = source.answer(SCHEDULER, is_needed=True)
    info = scheduler.get("scheduler", {}).get("schedulerInfo", {}) if isinstance(scheduler, dict) else {}
    kind = _CLASSES.get(info.get("type", ""))
    if kind is None:
        raise InvalidTraceError(f"{source.name}: scheduler: is not an answer of /ws/v1/cluster/scheduler")
    site = {
        name: value
        for name, value in _properties(source.answer(CONF))
        if name.startswith(_KEPT) and not name.startswith(_LEFT_OUT) and not name.endswith("address")
    }
    site[_CLASS] = kind
    nodes = listed(source.answer(NODES), "nodes", "node")
    if any(_labels(info)) or any(map(labels_of_node, nodes)):
        site["yarn.node-labels.enabled"] = "true"
    files = {YARN_SITE: as_xml(site)}
    if kind == "capacity":
        known = dict(_properties(source.answer(SCHEDULER_CONF), "property"))
        known = {name: value for name, value in known.items() if name.startswith(_CAPACITY)}
        if is_anonymous:
            known = {
                name: value for name, value in known.items() if not any(part in name for part in _NOBODYS)
            }
        files[CAPACITY] = as_xml(known or dict(_queues(info)))
    elif kind == "fair":
        files[FAIR] = "\n".join(["<allocations>", *_fair(info.get("rootQueue", {}), 1), "</allocations>", ""])
    return files


def _properties(answer: Any, key: str = "properties") -> Iterator[tuple[str, str]]:
    for one in listed(answer, key):
        name = one.get("key", one.get("name"))
        if isinstance(name, str) and one.get("value") is not None:
            yield name, str(one["value"])


def as_xml(properties: Mapping[str, str]) -> str:
    """A file of properties."""
    rows = [
        f"  <property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in properties.items()
    ]
    return "\n".join(["<configuration>", *rows, "</configuration>", ""])


def _labels(info: Mapping[str, Any]) -> Iterator[str]:
    for part in listed(info, "capacities", "queueCapacitiesByPartition"):
        yield str(part.get("partitionName", ""))
    for child in listed(info, "queues", "queue"):
        yield from _labels(child)


def _queues(info: Mapping[str, Any], path: str = "root") -> Iterator[tuple[str, str]]:
    """What the queues below one show, as properties."""
    prefix = f"{_CAPACITY}{path}."
    children = listed(info, "queues", "queue")
    names = [str(child.get("queueName")) for child in children]
    if names:
        yield f"{prefix}queues", ",".join(names)
    if path != "root":
        yield from _own(info, prefix)
    yield from _of_labels(info, prefix, is_root=path == "root")
    for name, child in zip(names, children, strict=True):
        yield from _queues(child, f"{path}.{name}")


def _own(info: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    weight = info.get("weight", -1)
    is_weight = isinstance(weight, int | float) and weight >= 0
    yield f"{prefix}capacity", f"{weight}w" if is_weight else str(info.get("capacity", 0))
    yield f"{prefix}maximum-capacity", str(info.get("maxCapacity", 100))
    for key, name in (
        ("userLimit", "minimum-user-limit-percent"),
        ("userLimitFactor", "user-limit-factor"),
        ("configuredMaxAMResourceLimit", "maximum-am-resource-percent"),
        ("orderingPolicyInfo", "ordering-policy"),
        ("queuePriority", "priority"),
        ("defaultNodeLabelExpression", "default-node-label-expression"),
    ):
        value = info.get(key)
        is_leafs = name in ("ordering-policy", "default-node-label-expression")
        if value not in (None, "") and not (is_leafs and "queues" in info):
            yield f"{prefix}{name}", str(int(value) if key == "userLimit" else value)
    if info.get("preemptionDisabled") is True:
        yield f"{prefix}disable_preemption", "true"
    if info.get("state") == "STOPPED":
        yield f"{prefix}state", "STOPPED"


def _of_labels(info: Mapping[str, Any], prefix: str, *, is_root: bool) -> Iterator[tuple[str, str]]:
    parts = [
        part for part in listed(info, "capacities", "queueCapacitiesByPartition") if part.get("partitionName")
    ]
    if parts and not is_root:
        yield f"{prefix}accessible-node-labels", ",".join(str(part["partitionName"]) for part in parts)
    for part in parts:
        below = f"{prefix}accessible-node-labels.{part['partitionName']}."
        yield f"{below}capacity", str(100 if is_root else part.get("capacity", 0))
        if not is_root:
            yield f"{below}maximum-capacity", str(part.get("maxCapacity", 100))


def _fair(info: Mapping[str, Any], depth: int) -> Iterator[str]:
    """A queue of the FairScheduler and those below it; its steady share stands for its weight."""
    space = "  " * depth
    name = str(info.get("queueName", "root")).rpartition(".")[2]
    children = listed(info, "childQueues", "queue")
    share = info.get("steadyFairResources", {}).get("memory", 1)
    yield f"{space}<queue name={quoteattr(name)}>"
    if depth > 1:
        yield f"{space}  <weight>{max(int(share), 1)}</weight>"
    policy = info.get("schedulingPolicy")
    if policy and not (policy == "fifo" and children):
        yield f"{space}  <schedulingPolicy>{escape(str(policy))}</schedulingPolicy>"
    for child in children:
        yield from _fair(child, depth + 1)
    yield f"{space}</queue>"
