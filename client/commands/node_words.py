"""What administrators write about nodes: labels, attributes and resources, read into records.

Splits as Java's String.split does, empty parts at the end dropped. Raises IllegalArgumentError with Hadoop's
text. Hadoop: the parsing halves of RMAdminCLI, NodeAttributesCLI and YarnClientUtils.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yarnbox.client.command_line import arguments as words
from yarnbox.yarn.enums import NodeAttributeType
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey, NodeLabel, NodeToAttributes
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.resources.units import convert

NO_LABELS = "No cluster node-labels are specified"
NO_LABEL_MAPPINGS = "No node-to-labels mappings are specified"
NO_ATTRIBUTE_MAPPINGS = "No node-to-attributes mappings are specified"
LABEL_FORMAT = (
    "Input format for adding node-labels is not correct, it should be "
    "labelName1[(exclusive=true/false)],LabelName2[] .."
)

_EXCLUSIVE = {"true": True, "false": False}
_FIRST_LETTER = re.compile(r"[^\W\d_]")
_INT_MAX = (1 << 31) - 1


def java_split(text: str, separator: str) -> list[str]:
    """String.split by one character: empty parts at the end are dropped, but not from an unsplit text."""
    parts = text.split(separator)
    if len(parts) == 1:
        return parts
    while parts and not parts[-1]:
        parts.pop()
    return parts


def _entries(text: str) -> Iterator[str]:
    """The parts between blanks and line ends, but for comments."""
    for part in re.split(r"[ \n]", text):
        word = part.strip()
        if word and not word.startswith("#"):
            yield word


# Labels


def labels(text: str) -> list[NodeLabel]:
    """`gpu(exclusive=true),ssd(exclusive=false),x`."""
    found = [_label(part) for part in text.split(",") if part.strip()]
    if not found:
        raise IllegalArgumentError(NO_LABELS)
    return found


def _label(part: str) -> NodeLabel:
    left, right = part.find("("), part.find(")")
    if (left == -1) != (right == -1) or left > right:
        raise IllegalArgumentError(LABEL_FORMAT)
    name = part if left == -1 else part[:left]
    setting = part[left + 1 : right] if left > 0 else ""
    if not setting.strip():
        return NodeLabel(name=name.strip(), is_exclusive=True)
    key, equals, value = setting.partition("=")
    if not equals or key.strip() != "exclusive" or value.strip() not in _EXCLUSIVE:
        raise IllegalArgumentError(LABEL_FORMAT)
    return NodeLabel(name=name.strip(), is_exclusive=_EXCLUSIVE[value.strip()])


def label_names(text: str) -> list[str]:
    """`gpu,ssd`."""
    found = list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise IllegalArgumentError(NO_LABELS)
    return found


def labels_of_nodes(text: str) -> dict[NodeId, tuple[str, ...]]:
    """`n1:1234=gpu n2=ssd n3=`, or the old form `n1,gpu`."""
    found: dict[NodeId, tuple[str, ...]] = {}
    for entry in _entries(text):
        parts = java_split(entry, "=")
        if len(parts) == 2:
            node, names = parts[0], java_split(parts[1], ",")
        elif entry.endswith("="):
            node, names = next(iter(parts), ""), []
        else:
            node, *names = java_split(entry, ",") or [""]
        if not node.strip():
            raise IllegalArgumentError("node name cannot be empty")
        given = tuple(dict.fromkeys(name.strip() for name in names if name.strip()))
        if len(given) > 1:
            raise IllegalArgumentError(
                f"{len(given)} labels specified on host={node}, please note that we do not support "
                "specifying multiple labels on a single host for now."
            )
        found[words.node_id_or_host(node)] = given
    if not found:
        raise IllegalArgumentError(NO_LABEL_MAPPINGS)
    return found


# Attributes


def attributes_of_nodes(text: str, operation: str) -> list[NodeToAttributes]:
    """`n1:os=linux,gpu(STRING)=a100 n2:os`; only `replace` takes a node without attributes, to clear it."""
    found: dict[str, NodeToAttributes] = {}
    for entry in _entries(text):
        if ":" not in entry:
            raise IllegalArgumentError(f"Invalid Node to attribute mapping : {entry}")
        node, *rest = java_split(entry, ":") or [""]
        if not node.strip():
            raise IllegalArgumentError("Node name cannot be empty")
        attributes = _attributes(node, entry, rest[0]) if len(rest) == 1 else ()
        if not attributes and operation != "replace":
            raise IllegalArgumentError(
                f"Attributes cannot be null or empty for Operation [{operation}] on the node {node}"
            )
        found[node] = NodeToAttributes(node=node, node_attributes=attributes)
    if not found:
        raise IllegalArgumentError(NO_ATTRIBUTE_MAPPINGS)
    return list(found.values())


def _attributes(node: str, entry: str, text: str) -> tuple[NodeAttribute, ...]:
    found: dict[str, NodeAttribute] = {}
    for part in java_split(text, ","):
        parts = java_split(part, "=")
        if not parts or not parts[0]:
            raise IllegalArgumentError("Attribute name cannot be null or empty")
        name, kind = _name_and_type(node, part, parts[0])
        if name in found:
            raise IllegalArgumentError(f"Attribute {name} has been mapped more than once in  : {entry}")
        found[name] = NodeAttribute(
            attribute_key=NodeAttributeKey(attribute_name=name.strip()),
            attribute_type=kind,
            attribute_value=parts[1].strip() if len(parts) > 1 else "",
        )
    return tuple(found.values())


def _name_and_type(node: str, part: str, text: str) -> tuple[str, NodeAttributeType]:
    left, right = text.find("("), text.find(")")
    if left == -1:
        return text, NodeAttributeType.STRING
    if left == 0:
        raise IllegalArgumentError(f"Attribute for node {node} is not properly configured : {part}")
    if right < left:
        raise IllegalArgumentError(f"Attribute for node {node} is not properly Configured : {part}")
    kind = text[left + 1 : right]
    if kind.strip().upper() not in NodeAttributeType.__members__:
        raise IllegalArgumentError(f"Invalid Attribute type configuration : {kind} in {part}")
    return text[:left], NodeAttributeType[kind.strip().upper()]


def attribute_keys(names: list[str]) -> list[NodeAttributeKey]:
    """`os` or `rm.yarn.io/os`."""
    found = []
    for name in names:
        parts = java_split(name, "/")
        if len(parts) == 1:
            found.append(NodeAttributeKey(attribute_name=parts[0]))
        elif len(parts) == 2:
            found.append(NodeAttributeKey(attribute_prefix=parts[0], attribute_name=parts[1]))
        else:
            raise IllegalArgumentError(f" Attribute format not correct. Should be <[prefix]/[name]> :{name}")
    return found


# Resources


def resource(text: str, types: ResourceTypeRegistry) -> Resource:
    """`memory-mb=4Gi,vcores=4`: amounts in any unit, which without one are single units, as in Hadoop."""
    amounts: dict[str, int] = {}
    for pair in java_split(text, ","):
        parts = java_split(pair, "=")
        if len(parts) != 2:
            raise IllegalArgumentError(
                f"Invalid resource type value: ({pair}) for updateNodeResource. "
                "It should be key value pairs separated using '=' symbol."
            )
        name, value = parts[0].strip(), parts[1].strip()
        if name not in types:
            raise IllegalArgumentError(f"Invalid resource type: {name}. Not allowed.")
        amounts[name] = _amount(value, types[name].units)
    for name in (MEMORY_MB, VCORES):
        if amounts.get(name, 0) == 0:
            raise IllegalArgumentError(f"Invalid value for resource '{name}'. Value cannot be 0(zero).")
        if amounts[name] > _INT_MAX:
            raise IllegalArgumentError(
                f"Value '{amounts[name]}' for resource {name} is more than the maximum for an integer."
            )
    return Resource.of(amounts)


def _amount(value: str, to: str) -> int:
    letter = _FIRST_LETTER.search(value)
    digits, unit = (value, "") if letter is None else (value[: letter.start()], value[letter.start() :])
    if unit and not unit.isalpha():
        raise IllegalArgumentError(f"Units '{unit}' contains non alphabet characters, which is not allowed.")
    try:
        return convert(words.long(digits), unit, to)
    except ValueError as error:
        raise IllegalArgumentError(f"Unknown unit '{unit}', or too much of it: needs {error}") from None
