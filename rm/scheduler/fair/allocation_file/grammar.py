"""Which elements and attributes an allocation file may have; what is not among them has no effect.

Hadoop warns about unknown elements at the top alone and passes over all others without a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.rm.scheduler.fair.allocation_file.document import Element
from yarnbox.yarn.text.words import did_you_mean, on_lines

QUEUES = ("queue", "pool")
_ALIKE = {
    "pool": "queue",
    "schedulingMode": "schedulingPolicy",
    "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy",
}
"""Two names of one thing."""
TOP = (
    *QUEUES,
    "user",
    "userMaxAppsDefault",
    "queueMaxAppsDefault",
    "queueMaxResourcesDefault",
    "queueMaxAMShareDefault",
    "defaultMinSharePreemptionTimeout",
    "defaultFairSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "defaultFairSharePreemptionThreshold",
    "defaultQueueSchedulingPolicy",
    "defaultQueueSchedulingMode",
    "queuePlacementPolicy",
    "reservation-planner",
    "reservation-agent",
    "reservation-policy",
)
IN_QUEUE = (
    *QUEUES,
    "minResources",
    "maxResources",
    "maxChildResources",
    "maxContainerAllocation",
    "maxRunningApps",
    "maxAMShare",
    "weight",
    "schedulingPolicy",
    "schedulingMode",
    "aclSubmitApps",
    "aclAdministerApps",
    "aclSubmitReservations",
    "aclAdministerReservations",
    "aclListReservations",
    "minSharePreemptionTimeout",
    "fairSharePreemptionTimeout",
    "fairSharePreemptionThreshold",
    "allowPreemptionFrom",
    "reservation",
)
ATTRIBUTES = {
    "queue": ("name", "type"),
    "pool": ("name", "type"),
    "user": ("name",),
    "rule": ("name", "create", "queue"),
}
_CHILDREN = {
    "queue": IN_QUEUE,
    "pool": IN_QUEUE,
    "user": ("maxRunningApps",),
    "queuePlacementPolicy": ("rule",),
    "rule": ("rule",),
}


def bad_element(element: Element) -> str:
    """Hadoop's warning about an unknown element at the top."""
    return f"bad element in allocations file: {element.name}{did_you_mean(element.name, TOP)}"


def without_effect(top: Element) -> Iterator[tuple[Element, str]]:
    """Unknown elements below the top, unknown attributes, and values of attributes that mean nothing."""
    yield from _attributes(top)
    for element in top.children:
        yield from _below(element, element.attributes.get("name", ""))


def _below(element: Element, called: str) -> Iterator[tuple[Element, str]]:
    yield from _attributes(element)
    known = _CHILDREN.get(element.name)
    for child in element.children:
        if known is not None and child.name not in known:
            where = f"queue {called}" if element.name in QUEUES else element.name
            elsewhere = "; it belongs to the top of the file" if child.name in TOP else ""
            hint = "" if elsewhere else did_you_mean(child.name, known)
            yield child, f"unknown element {child.name}{hint} in {where}: it has no effect{elsewhere}"
        elif known is not None:
            name = child.attributes.get("name", "").strip()
            yield from _below(child, f"{called}.{name}" if element.name in QUEUES else name)


def written_twice(element: Element, called: str = "") -> Iterator[tuple[Element, str]]:
    """Elements that a file has several times where one counts, with the line of the one that counts."""
    places: dict[tuple[str, str], list[Element]] = {}
    for child in element.children:
        name = child.attributes.get("name", "").strip()
        if child.name in TOP or child.name in IN_QUEUE:
            places.setdefault((_ALIKE.get(child.name, child.name), name), []).append(child)
        if child.name in QUEUES:
            yield from written_twice(child, f"{called}.{name}".removeprefix("."))
        elif child.name == "user":
            yield from written_twice(child, name)
    where = f" in {element.name} {called}" if called else ""
    for (kind, name), several in places.items():
        if len(several) > 1:
            lines = on_lines([one.line for one in several])
            what = f"{kind} {name}".rstrip() + where
            yield several[-1], f"{what} is written {lines}: {_which(kind, several)}"


def _which(kind: str, several: Sequence[Element]) -> str:
    if kind in ("queue", "user"):
        return "their elements are put together, and of each the last counts; write it once"
    if kind == "reservation":
        return "once is enough"
    return f"that of line {several[-1].line} counts, the last; write it once"


def _attributes(element: Element) -> Iterator[tuple[Element, str]]:
    known = ATTRIBUTES.get(element.name, ())
    for name, value in element.attributes.items():
        if name not in known:
            hint = did_you_mean(name, known)
            yield element, f"unknown attribute {name}{hint} of {element.name}: it has no effect"
        elif name == "type" and value != "parent":
            yield element, f'type="{value}" of a queue has no effect: the only type is parent'
        elif name == "create" and value.lower() not in ("", "true", "false"):
            yield element, f'create="{value}" of a rule is taken for false: it is true or false'
        elif (element.name, name) == ("rule", "queue") and element.attributes.get("name") != "default":
            yield element, "the attribute queue of a rule has an effect in the rule default only"
