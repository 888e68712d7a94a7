"""The grammars of single values in capacity-scheduler.xml: capacities in their modes, priority ACLs.

ValueError says what is wrong, in Hadoop's words where operators know them. Pure. Hadoop:
QueueCapacityConfigParser, AppPriorityACLConfigurationParser and the capacity getters of
CapacitySchedulerConfiguration.
"""

from __future__ import annotations

import re

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, CapacityValue, PriorityGroup, Unit
from yarnbox.yarn.configuration import values
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry, is_absolute
from yarnbox.yarn.security.acl import AccessControlList

MAXIMUM_WEIGHT = 10_000.0
_VECTOR = re.compile(r"\[.*\]", re.DOTALL)
_SHORT_NAMES = {"memory": "memory-mb"}
_PRIORITY_GROUP = re.compile(r"\[([^\]]*)\]")


def parse_capacity(
    text: str, types: ResourceTypeRegistry, *, is_legacy: bool, subject: str, is_maximum: bool = False
) -> CapacityValue:
    """A capacity: `12.5`, `4w`, `[memory=10240,vcores=12]`; without legacy mode also a vector.

    `subject` is the queue (and label) for messages.
    """
    if _VECTOR.fullmatch(text):
        if not is_legacy:
            return _vector(text, types)
        if not is_absolute(text):
            raise ValueError(f"Illegal capacity of {text} for {subject}: not of the form [type=amount,...]")
        return CapacityValue(CapacityMode.ABSOLUTE, resource=types.parse_absolute(text))
    if text.endswith("w"):
        weight = _number(text[:-1], f"Illegal weight={text} for {subject}")
        if weight != -1 and not 0 <= weight <= MAXIMUM_WEIGHT:
            raise ValueError(f"Illegal weight={weight:g} for {subject}, must be between 0 and 10000")
        if is_maximum:
            raise ValueError(
                f"Illegal maximum-capacity of {text} for {subject}: a maximum has no weight form"
            )
        return CapacityValue(CapacityMode.WEIGHT, weight) if weight != -1 else CapacityValue()
    kind = "maximum-capacity" if is_maximum else "capacity"
    percent = _number(text, f"Illegal {kind} of {text} for {subject}")
    if is_maximum and percent == -1:
        percent = 100.0
    if not 0 <= percent <= 100:
        raise ValueError(
            f"Illegal {kind} of {percent:g} for {subject}, valid capacity should in range of [0, 100]."
        )
    return CapacityValue(CapacityMode.PERCENT, percent)


def as_vector(value: CapacityValue, types: ResourceTypeRegistry) -> CapacityValue:
    """The same as a vector: a bare percent or weight holds for each type."""
    if value.mode is CapacityMode.VECTOR:
        return value
    if value.mode is CapacityMode.ABSOLUTE:
        entries = tuple((name, Unit.ABSOLUTE, float(value.resource.value(name))) for name in types.names)
    else:
        unit = Unit.WEIGHT if value.mode is CapacityMode.WEIGHT else Unit.PERCENT
        entries = tuple((name, unit, value.number) for name in types.names)
    return CapacityValue(CapacityMode.VECTOR, value.number, vector=entries)


def _vector(text: str, types: ResourceTypeRegistry) -> CapacityValue:
    found: dict[str, tuple[Unit, float]] = {}
    for part in text[1:-1].split(","):
        name, equals, amount = (piece.strip() for piece in part.partition("="))
        name = _SHORT_NAMES.get(name, name)
        if not equals or name not in types:
            raise ValueError(
                f"a vector of known resource types ({', '.join(types.names)}), not `{part.strip()}`"
            )
        if amount.endswith("%"):
            found[name] = (Unit.PERCENT, _number(amount[:-1], f"Illegal percent in `{part.strip()}`"))
        elif amount.endswith("w"):
            found[name] = (Unit.WEIGHT, _number(amount[:-1], f"Illegal weight in `{part.strip()}`"))
        else:
            # An amount may carry a unit of its own; memory is always read with it, to be there at all.
            whole = types.parse_absolute(
                f"[memory=1,{name}={amount}]" if name != "memory-mb" else f"[{part}]"
            )
            found[name] = (Unit.ABSOLUTE, float(whole.value(name)))
    entries = tuple((name, *found.get(name, (Unit.ABSOLUTE, 0.0))) for name in types.names)
    return CapacityValue(CapacityMode.VECTOR, vector=entries)


def _number(text: str, reason: str) -> float:
    try:
        return float32(values.number(text))
    except ValueError:
        raise ValueError(reason) from None


def parse_priority_groups(text: str, cluster_maximum: int) -> tuple[PriorityGroup, ...] | None:
    """`[user=u1,u2 group=g1 max_priority=7 default_priority=4] [...]`; None for `*`: any priority."""
    if text.strip() in ("", "*"):
        return None
    groups = []
    for body in _PRIORITY_GROUP.findall(text):
        pairs = [pair.partition("=") for pair in body.split()]
        fields = {key: value for key, _, value in pairs}
        unknown = [key for key in fields if key not in ("user", "group", "max_priority", "default_priority")]
        if unknown or not pairs or pairs[0][0] not in ("user", "group"):
            raise ValueError(
                f"groups of the form [user=... group=... max_priority=N default_priority=N], not [{body}]"
            )
        maximum = min(values.integer(fields.get("max_priority", str(cluster_maximum))), cluster_maximum)
        default = max(values.integer(fields.get("default_priority", "0")), 0)
        acl = AccessControlList.parse(f"{fields.get('user', '')} {fields.get('group', '')}")
        groups.append(PriorityGroup(acl, maximum, min(default, maximum)))
    # By ascending maximum: the first that lets a user through is the tightest.
    return tuple(sorted(groups, key=lambda group: group.max_priority))
