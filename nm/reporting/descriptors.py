"""What a node tells about itself: labels (its partition) and attributes, sent when they changed and now and
then.

Owns when to send and the check of what a provider said; asking a provider is the edge's. Hadoop:
CachedNodeDescriptorHandler, NMDistributedNodeLabelsHandler, NMDistributedNodeAttributesHandler and the
providers' parsing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from yarnbox.yarn.enums import NodeAttributeType
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey, NodeLabel

DISTRIBUTED_PREFIX = "nm.yarn.io"
LONGEST_NAME = 255

_NAME = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-_]*")
_VALUE = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z-_.]*")

D = TypeVar("D", NodeLabel, NodeAttribute)


class Descriptors(Generic[D]):
    """The last word of a provider, and when the RM was told.

    A word with something wrong in it is not sent: the RM keeps what it heard before.
    """

    __slots__ = ("_complaint", "_current", "_is_valid", "_resync_interval_ms", "_sent", "_sent_ms", "is_told")

    def __init__(self, complaint: Callable[[D], str | None], resync_interval_ms: int) -> None:
        self._complaint: Callable[[D], str | None] = complaint
        self._resync_interval_ms = resync_interval_ms
        self._current: tuple[D, ...] = ()
        self._is_valid = True
        self._sent: tuple[D, ...] | None = None
        self._sent_ms = 0
        self.is_told = False
        """Whether the last request to the RM had them: its answer is about them."""

    @property
    def current(self) -> tuple[D, ...]:
        """The provider's last word."""
        return self._current

    def fetched(self, descriptors: Iterable[D]) -> list[str]:
        """Takes a provider's word; what is wrong with it."""
        self._current = tuple(descriptors)
        complaints = [said for said in map(self._complaint, self._current) if said is not None]
        self._is_valid = not complaints
        return complaints

    def for_registration(self, now_ms: int) -> tuple[D, ...] | None:
        """What to register with: everything, unless something is wrong with it."""
        self._sent, self._sent_ms = self._current, now_ms
        self.is_told = self._is_valid
        return self._current if self._is_valid else None

    def for_heartbeat(self, now_ms: int) -> tuple[D, ...] | None:
        """What to tell now; None for no news."""
        interval = self._resync_interval_ms
        is_time = interval >= 0 and now_ms - self._sent_ms > interval
        if self._current == self._sent and not is_time:
            self.is_told = False
            return None
        return self.for_registration(now_ms)


def label_complaint(label: NodeLabel) -> str | None:
    """What is wrong with a label's name."""
    return name_complaint("label name", label.name or "")


def attribute_complaint(attribute: NodeAttribute) -> str | None:
    """What is wrong with an attribute."""
    complaint = name_complaint("attribute name", attribute.attribute_key.attribute_name)
    value = attribute.attribute_value
    if complaint is None and value and (len(value) > LONGEST_NAME or not _VALUE.fullmatch(value)):
        return f"attribute value {value!r} may have letters, digits, '-', '_' and '.', {LONGEST_NAME} at most"
    return complaint


def name_complaint(kind: str, name: str) -> str | None:
    """What is wrong with the name of a label or an attribute."""
    if not name or len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        return f"{kind} {name!r} may have letters, digits, '-' and '_', {LONGEST_NAME} at most"
    return None


def labels_of_script(output: str) -> tuple[NodeLabel, ...]:
    """The partition that a script prints: the last line that starts with NODE_PARTITION: counts."""
    lines = [line for line in map(str.strip, output.splitlines()) if line.startswith("NODE_PARTITION:")]
    return labels_of_text(lines[-1].partition(":")[2]) if lines else ()


def labels_of_text(partition: str | None) -> tuple[NodeLabel, ...]:
    """The partition that is named; an empty name is one, and a wrong one."""
    return () if partition is None else (NodeLabel(name=partition.strip()),)


def attributes_of_script(output: str) -> tuple[NodeAttribute, ...]:
    """Lines `NODE_ATTRIBUTE:name,type,value`; ValueError for a malformed one."""
    lines = [line for line in map(str.strip, output.splitlines()) if line.startswith("NODE_ATTRIBUTE:")]
    return _once(_attribute(line.partition(":")[2]) for line in lines)


def attributes_of_text(text: str | None) -> tuple[NodeAttribute, ...]:
    """`name,type,value:name,type,value`; ValueError for a malformed one."""
    return _once(_attribute(part) for part in (text or "").split(":") if part.strip())


def attributes_of_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[NodeAttribute, ...]:
    """Names and values, as a class says them."""
    return _once(_named(name, value) for name, value in pairs)


def _once(attributes: Iterable[NodeAttribute]) -> tuple[NodeAttribute, ...]:
    """The attributes; ValueError when one is said twice."""
    found: dict[NodeAttributeKey, NodeAttribute] = {}
    for attribute in attributes:
        if attribute.attribute_key in found:
            raise ValueError(f"ambiguous node attribute: {attribute.attribute_key.attribute_name}")
        found[attribute.attribute_key] = attribute
    return tuple(found.values())


def _attribute(text: str) -> NodeAttribute:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or parts[1] != "STRING":
        raise ValueError(f"{text!r} is not a node attribute; expected name,STRING,value")
    return _named(parts[0], parts[2])


def _named(name: str, value: str) -> NodeAttribute:
    if "/" in name:
        raise ValueError(f"{name!r}: a node's own attributes have no prefix but {DISTRIBUTED_PREFIX}")
    key = NodeAttributeKey(attribute_prefix=DISTRIBUTED_PREFIX, attribute_name=name)
    return NodeAttribute(attribute_key=key, attribute_type=NodeAttributeType.STRING, attribute_value=value)
