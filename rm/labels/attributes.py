"""Node attributes: set by administrators and nodes, any number per host, without declaration before use.

Attributes of administrators have the prefix `rm.yarn.io`, those that NodeManagers report `nm.yarn.io`. Pure.
Hadoop: NodeAttributesManagerImpl.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from yarnbox.yarn.enums import AttributeMappingOperationType, NodeAttributeType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey

CENTRALIZED = "rm.yarn.io"
DISTRIBUTED = "nm.yarn.io"

_LONGEST = 255
_PREFIX = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z\-_.]*")
_NAME = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z\-_]*")
_VALUE = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z\-_.]*")

Record = Mapping[str, Any]


def check_attribute(attribute: NodeAttribute) -> None:
    """YarnError when prefix, name or value are not allowed."""
    key = attribute.attribute_key
    if not _matches(_PREFIX, key.attribute_prefix):
        raise YarnError(
            "attribute prefix should only contains {0-9, a-z, A-Z, -, _,.} and should not started with "
            f"{{-,_}}, now it is= {key.attribute_prefix}"
        )
    if not _matches(_NAME, key.attribute_name.strip()):
        raise YarnError(
            "attribute name should only contains {0-9, a-z, A-Z, -, _} and should not started with "
            f"{{-,_}}, now it is= {key.attribute_name}"
        )
    if attribute.attribute_value and not _matches(_VALUE, attribute.attribute_value):
        raise YarnError(
            "attribute value should only contains {0-9, a-z, A-Z, -, _,.} and should not started with "
            f"{{-,_}}, now it is= {attribute.attribute_value}"
        )


def _matches(pattern: re.Pattern[str], text: str) -> bool:
    return len(text) <= _LONGEST and pattern.fullmatch(text) is not None


class NodeAttributesManager:
    """Attributes by host."""

    def __init__(self) -> None:
        self.by_host: dict[str, dict[NodeAttributeKey, NodeAttribute]] = {}

    def types(self) -> dict[NodeAttributeKey, NodeAttributeType]:
        """Every attribute that some host has, sorted by prefix and name."""
        found = {key: one.attribute_type for of_host in self.by_host.values() for key, one in of_host.items()}
        return dict(
            sorted(found.items(), key=lambda entry: (entry[0].attribute_prefix, entry[0].attribute_name))
        )

    def of_host(self, host: str) -> tuple[NodeAttribute, ...]:
        """The attributes of the host, sorted by prefix and name."""
        found = self.by_host.get(host, {})
        return tuple(
            found[key] for key in sorted(found, key=lambda one: (one.attribute_prefix, one.attribute_name))
        )

    def check(self, attributes_of: Mapping[str, Iterable[NodeAttribute]]) -> None:
        """YarnError when an attribute is not allowed, or stands with another type already."""
        known = self.types()
        for attributes in attributes_of.values():
            for attribute in attributes:
                check_attribute(attribute)
                present = known.setdefault(attribute.attribute_key, attribute.attribute_type)
                if present is not attribute.attribute_type:
                    raise YarnError(
                        "Attribute name - type is not matching with already configured mapping for the "
                        f"attribute {attribute.attribute_key.attribute_name}"
                    )

    def change(
        self,
        operation: AttributeMappingOperationType,
        attributes_of: Mapping[str, Iterable[NodeAttribute]],
        prefix: str = CENTRALIZED,
    ) -> None:
        """Adds, removes or replaces; replacing drops all that the host has of the prefix first."""
        for host, attributes in attributes_of.items():
            found = self.by_host.setdefault(host, {})
            if operation is AttributeMappingOperationType.REPLACE:
                for key in [key for key in found if key.attribute_prefix == prefix]:
                    del found[key]
            for attribute in attributes:
                if operation is AttributeMappingOperationType.REMOVE:
                    found.pop(attribute.attribute_key, None)
                else:
                    found[attribute.attribute_key] = attribute
            if not found:
                del self.by_host[host]

    # Keeping and recovering: the administrators' attributes alone

    def snapshot(self) -> list[Record]:
        """Records that make the centralized attributes again."""
        kept = {
            host: [one for one in of_host.values() if one.attribute_key.attribute_prefix == CENTRALIZED]
            for host, of_host in self.by_host.items()
        }
        kept = {host: attributes for host, attributes in kept.items() if attributes}
        return [changed_record(AttributeMappingOperationType.REPLACE, kept)] if kept else []

    def replay(self, record: Record) -> None:
        """Makes a recorded change again."""
        attributes_of = {
            host: [
                NodeAttribute(
                    attribute_key=NodeAttributeKey(attribute_prefix=prefix, attribute_name=name),
                    attribute_value=value,
                )
                for prefix, name, value in attributes
            ]
            for host, attributes in record["attributes"].items()
        }
        self.change(AttributeMappingOperationType[record["operation"]], attributes_of)


def changed_record(
    operation: AttributeMappingOperationType, attributes_of: Mapping[str, Iterable[NodeAttribute]]
) -> Record:
    """One change, as plain data."""
    return {
        "operation": operation.name,
        "attributes": {
            host: [
                [one.attribute_key.attribute_prefix, one.attribute_key.attribute_name, one.attribute_value]
                for one in attributes
            ]
            for host, attributes in attributes_of.items()
        },
    }
