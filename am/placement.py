"""The short form of placement constraints, as DistributedShell takes it.

    zk(3),NOTIN,NODE,zk:hbase(5),IN,RACK,zk:spark(7),CARDINALITY,NODE,hbase,1,3
    zk(5),AND(IN,RACK,hbase:NOTIN,NODE,zk)
    python!=3.11

Owns the grammar and what it means as records; which nodes satisfy a constraint is the RM's affair. Words of
the grammar may be written in any case. Hadoop: PlacementConstraintParser and PlacementSpec.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from yarnbox.yarn.enums import CompositePlacementType, NodeAttributeOpCode, PlacementTargetType
from yarnbox.yarn.records.request import (
    CompositePlacementConstraint,
    PlacementConstraint,
    PlacementConstraintTarget,
    SimplePlacementConstraint,
)

NAMESPACES = ("self", "not-self", "all", "app-id", "app-tag")
UNBOUNDED = 2**31 - 1
NOT_COUNTED = -1
"""Both bounds where an attribute is meant."""

_SOURCE = re.compile(r"(.*)\((.*)\)", re.DOTALL)
_ATTRIBUTE = re.compile(r"([^=!,:()]+)(!=|=)(.+)", re.DOTALL)


class PlacementConstraintParseError(ValueError):
    """Text that is no constraint; Hadoop's PlacementConstraintParseException."""


@dataclass(frozen=True, slots=True)
class PlacementSpec:
    """How many containers with which tag, under which constraint. Without a tag the count comes from
    elsewhere.
    """

    tag: str
    count: int | None
    constraint: PlacementConstraint | None


def parse_specs(text: str) -> list[PlacementSpec]:
    """Reads `-placement_spec`; PlacementConstraintParseError says what is wrong with it."""
    items = _split(text.strip(), ":")
    if len(items) == 1:
        attribute = _attribute(items[0])
        if attribute is not None:
            return [PlacementSpec("", None, attribute)]
    return [_item(item.strip()) for item in items]


def parse_constraint(text: str) -> PlacementConstraint:
    """Reads one expression: a target, a cardinality, a conjunction or an attribute, tried in this order."""
    readers: tuple[Callable[[str], PlacementConstraint | None], ...] = (
        _target,
        _cardinality,
        _conjunction,
        _attribute,
    )
    for read in readers:
        found = read(text.strip())
        if found is not None:
            return found
    raise PlacementConstraintParseError(f"Invalid constraint expression {text}")


def _item(text: str) -> PlacementSpec:
    source, *rest = _split(text, ",")
    match = _SOURCE.fullmatch(source.strip())
    if match is None:
        if _attribute(text) is not None:
            raise PlacementConstraintParseError(
                "Source allocation tags is required for a multi placement constraint expression."
            )
        raise PlacementConstraintParseError(
            "Expecting source allocation tag to be specified sourceTag(numOfAllocations) syntax, but met "
            f"{source}"
        )
    tag, count = match.group(1).strip(), match.group(2).strip()
    if not tag or not (count.isascii() and count.isdigit()):
        raise PlacementConstraintParseError(
            "Expecting source allocation tag to be specified sourceTag(numOfAllocations) syntax, but met "
            f"{source}"
        )
    return PlacementSpec(tag, int(count), parse_constraint(",".join(rest)) if rest else None)


def _target(text: str) -> PlacementConstraint | None:
    words = [word.strip() for word in text.split(",")]
    if len(words) < 3 or words[0].upper() not in ("IN", "NOTIN"):
        return None
    scope = _scope(words[1])
    if scope is None or not all(words[2:]):
        return None
    is_in = words[0].upper() == "IN"
    return PlacementConstraint(
        simple_constraint=SimplePlacementConstraint(
            scope=scope,
            target_expressions=_tag_targets(words[2:]),
            min_cardinality=1 if is_in else 0,
            max_cardinality=UNBOUNDED if is_in else 0,
        )
    )


def _cardinality(text: str) -> PlacementConstraint | None:
    words = [word.strip() for word in text.split(",")]
    if len(words) < 5 or words[0].upper() != "CARDINALITY":
        return None
    scope = _scope(words[1])
    low, high = words[-2:]
    if scope is None or not (low.isdigit() and high.isdigit()):
        return None
    return PlacementConstraint(
        simple_constraint=SimplePlacementConstraint(
            scope=scope,
            target_expressions=_tag_targets(words[2:-2]),
            min_cardinality=int(low),
            max_cardinality=int(high),
        )
    )


def _conjunction(text: str) -> PlacementConstraint | None:
    match = re.fullmatch(r"(AND|OR)\s*\((.*)\)", text, re.DOTALL | re.IGNORECASE)
    if match is None:
        return None
    parts = _split(match.group(2), ":")
    if len(parts) < 2:
        return None
    return PlacementConstraint(
        composite_constraint=CompositePlacementConstraint(
            composite_type=CompositePlacementType[match.group(1).upper()],
            child_constraints=tuple(parse_constraint(part) for part in parts),
        )
    )


def _attribute(text: str) -> PlacementConstraint | None:
    match = _ATTRIBUTE.fullmatch(text.strip())
    if match is None:
        return None
    values = tuple(sorted(dict.fromkeys(value.strip() for value in match.group(3).split(","))))
    if not all(values):
        return None
    target = PlacementConstraintTarget(
        target_type=PlacementTargetType.NODE_ATTRIBUTE,
        target_key=match.group(1).strip(),
        target_values=values,
    )
    is_equal = match.group(2) == "="
    return PlacementConstraint(
        simple_constraint=SimplePlacementConstraint(
            scope="node",
            target_expressions=(target,),
            min_cardinality=NOT_COUNTED,
            max_cardinality=NOT_COUNTED,
            attribute_op_code=NodeAttributeOpCode.EQ if is_equal else NodeAttributeOpCode.NE,
        )
    )


def _scope(word: str) -> str | None:
    return {"NODE": "node", "RACK": "rack"}.get(word.upper())


def _tag_targets(words: list[str]) -> tuple[PlacementConstraintTarget, ...]:
    """One target per tag: all of them have to hold."""
    targets: dict[PlacementConstraintTarget, None] = {}
    for word in words:
        namespace, slash, tag = word.rpartition("/")
        if slash and namespace not in NAMESPACES:
            raise PlacementConstraintParseError(f"Invalid namespace prefix: {namespace}")
        target = PlacementConstraintTarget(
            target_type=PlacementTargetType.ALLOCATION_TAG,
            target_key=namespace or "self",
            target_values=(tag,),
        )
        targets[target] = None
    return tuple(targets)


def _split(text: str, separator: str) -> list[str]:
    """Splits at the separators that are not within parentheses."""
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    if depth != 0:
        raise PlacementConstraintParseError(f"the parentheses do not match in {text}")
    return [*parts, text[start:]]
