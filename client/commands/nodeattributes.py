"""`yarn nodeattributes`: attributes of nodes, mapped by administrators and shown to all. Hadoop:
NodeAttributesCLI.
"""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import (
    UNLIMITED,
    CommandLine,
    MissingArgumentError,
    Option,
    Options,
    OptionsError,
    parse,
)
from yarnbox.client.commands import node_words
from yarnbox.client.printing.nodes import attribute_list, attributes_by_node, nodes_by_attribute
from yarnbox.client.session import Session
from yarnbox.yarn.enums import AttributeMappingOperationType
from yarnbox.yarn.errors import IllegalArgumentError, YarnError

_MAPPING = (
    '"node1:attribute[(type)][=value],attribute1[=value],attribute2  node2:attribute2[=value],attribute3"'
)
_FAIL = "failOnUnknownNodes"
_FAIL_DESCRIPTION = "With -add, -remove or -replace: an unknown node is an error."
_OPERATIONS = ("add", "remove", "replace")

_ADMIN = (
    Option("replace", "Replaces all attributes of nodes.", 1, argument_name=_MAPPING),
    Option("add", "Adds attributes to nodes, or changes their values.", 1, argument_name=_MAPPING),
    Option(
        "remove",
        "Removes attributes from nodes.",
        1,
        argument_name='"node1:attribute,attribute1 node2:attribute2"',
    ),
    Option(_FAIL, _FAIL_DESCRIPTION),
)
_CLIENT = (
    Option("list", "Lists the attributes of the cluster."),
    Option("nodestoattributes", "Lists nodes with their attributes."),
    Option(
        "nodes", "With -nodestoattributes: which hosts.", UNLIMITED, separator=",", argument_name="Host Names"
    ),
    Option("attributestonodes", "Lists attributes with their nodes."),
    Option(
        "attributes",
        "With -attributestonodes: which attributes.",
        UNLIMITED,
        separator=",",
        argument_name="Attributes",
    ),
)
Group = tuple[str, Sequence[Option]]
_GROUPS: Sequence[Group] = (("Admin Commands:", _ADMIN), ("Client Commands:", _CLIENT))
OPTIONS = Options(*_ADMIN, *_CLIENT)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: -add, -remove, -replace; then -list, -nodestoattributes, -attributestonodes."""
    console = session.console
    if not arguments:
        console.error(_usage())
        return FAILED
    if arguments[0] == "-help":
        named = OPTIONS.find(arguments[1]) if len(arguments) == 2 else None
        groups = [("", [named])] if named else _GROUPS
        console.error(_usage(groups, described=True))
        return OK
    try:
        line = parse(OPTIONS, arguments)
    except MissingArgumentError:
        console.error("Missing argument for command")
        console.error(_usage(described=True))
        return FAILED
    except OptionsError:
        return _invalid(session)
    administers = any(line.has(option.name) for option in _ADMIN)
    if not administers and not any(line.has(option.name) for option in _CLIENT):
        return _invalid(session)
    try:
        return _administer(session, line) if administers else _show(session, line)
    except IllegalArgumentError as error:
        console.error(error.message)
        console.error(_usage([_GROUPS[0] if administers else _GROUPS[1]], described=True))
    except YarnError as error:
        console.error(f"{error.java_class}: {error.message}")
    return FAILED


def _invalid(session: Session) -> int:
    session.console.error("Invalid Command Usage : ")
    session.console.error(_usage())
    return FAILED


def _administer(session: Session, line: CommandLine) -> int:
    operation = next((name for name in _OPERATIONS if line.has(name)), None)
    if operation is None:
        raise IllegalArgumentError(_FAIL_DESCRIPTION)
    mapping = node_words.attributes_of_nodes(line.value(operation) or "", operation)
    session.admin.map_attributes(
        AttributeMappingOperationType[operation.upper()], mapping, fail_on_unknown_nodes=line.has(_FAIL)
    )
    return OK


def _show(session: Session, line: CommandLine) -> int:
    """`-nodes` or `-attributes` alone shows nothing and is no failure."""
    console, client = session.console, session.client
    if line.has("list"):
        console.write(attribute_list(client.node_attributes()))
    elif line.has("nodestoattributes"):
        console.write(attributes_by_node(client.nodes_to_attributes(line.values("nodes"))))
    elif line.has("attributestonodes"):
        keys = node_words.attribute_keys(line.values("attributes"))
        console.write(nodes_by_attribute(client.attributes_to_nodes(keys)))
    return OK


def _usage(groups: Sequence[Group] = _GROUPS, described: bool = False) -> str:
    """The usage of these groups of options, or of one option alone, which has no header."""
    lines = ["Usage: yarn nodeattributes "]
    for header, members in groups:
        lines += ["", header] if header else []
        for option in members:
            lines.append(f" -{option.name}" + (f" <{option.argument_name}>" if option.arguments else ""))
            lines += [f"\t{option.description}"] if described else []
    return "\n".join([*lines, " -help [cmd] List help of commands" if groups[0][0] else ""])
