"""`yarn rmadmin`: what administrators do to a running ResourceManager. Success prints nothing.

Errors go to stderr behind the command's name without its dash. Hadoop: RMAdminCLI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from yarnbox.client.admin_client import AdminClient
from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import FAILED, OK, JavaError, NumberFormatError
from yarnbox.client.command_line.options import CommandLine, MissingArgumentError, Option, Options, parse
from yarnbox.client.commands import node_words
from yarnbox.client.commands.administration import rmadmin_ha
from yarnbox.client.commands.administration.rmadmin_help import HA_USAGES, USAGES, help_text, usage
from yarnbox.client.session import Session
from yarnbox.yarn.connection.rpc import ConnectionFailedError, RpcError
from yarnbox.yarn.enums import DecommissionType
from yarnbox.yarn.errors import IllegalArgumentError, YarnError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.text.words import did_you_mean

_REFRESHES: Mapping[str, Callable[[AdminClient], None]] = {
    "-refreshQueues": AdminClient.refresh_queues,
    "-refreshNodesResources": AdminClient.refresh_nodes_resources,
    "-refreshSuperUserGroupsConfiguration": AdminClient.refresh_super_user_groups,
    "-refreshUserToGroupsMappings": AdminClient.refresh_user_to_groups,
    "-refreshAdminAcls": AdminClient.refresh_admin_acls,
    "-refreshServiceAcl": AdminClient.refresh_service_acls,
    "-refreshClusterMaxPriority": AdminClient.refresh_cluster_max_priority,
}
"""The refreshes that take no arguments."""

_DIRECTLY = Option("directlyAccessNodeLabelStore", "Not offered.")
_REFRESH_NODES = Options(
    Option("refreshNodes", "The command."),
    Option("g", "Lets nodes finish first.", 1, long="graceful", optional=True),
    Option("client", "This command waits."),
    Option("server", "The ResourceManager waits."),
)
_ADD_LABELS = Options(Option("addToClusterNodeLabels", "The command.", 1), _DIRECTLY)
_REMOVE_LABELS = Options(Option("removeFromClusterNodeLabels", "The command.", 1), _DIRECTLY)
_REPLACE_LABELS = Options(
    Option("replaceLabelsOnNode", "The command.", 1),
    Option("failOnUnknownNodes", "An unknown node is an error."),
    _DIRECTLY,
)

_FOR_EVER = -1
_GRACE_S = 5
"""How much longer than its timeout this command waits for nodes that the RM itself decommissions by then."""

_AMOUNT = re.compile(r"[0-9]*", re.ASCII)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Runs the one command that the first word names."""
    if not arguments:
        return _usage(session, "")
    command, rest = arguments[0], arguments[1:]
    if command == "-help":
        if rest:
            session.console.error(usage(rest[0], session.settings.ha_enabled))
        else:
            session.console.print(help_text(session.settings.ha_enabled))
        return OK
    if command in HA_USAGES:
        return rmadmin_ha.run(session, command, rest)
    if command in _REFRESHES and rest:
        _usage(session, command)
        return OK  # surprising, but Hadoop's
    name = command[1:]
    try:
        return _run(session, command, list(arguments))
    except (IllegalArgumentError, NumberFormatError) as error:
        session.console.error(f"{name}: {error.message}")
        return _usage(session, command)
    except ConnectionFailedError:
        session.console.error(f"{name}: {session.unreachable}")
    except (YarnError, JavaError, RpcError) as error:
        session.console.error(f"{name}: {str(error).partition(chr(10))[0]}")
    return FAILED


def _run(session: Session, command: str, arguments: list[str]) -> int:
    if command in _REFRESHES:
        _REFRESHES[command](session.admin)
        return OK
    action = _ACTIONS.get(command)
    if action is not None:
        return action(session, arguments)
    session.console.error(f"{command[1:]}: Unknown command{did_you_mean(command, (*USAGES, *HA_USAGES))}")
    return _usage(session, "")


def _usage(session: Session, command: str) -> int:
    session.console.error(usage(command, session.settings.ha_enabled))
    return FAILED


# Nodes


def _refresh_nodes(session: Session, arguments: list[str]) -> int:
    line = parse(_REFRESH_NODES, arguments)
    if not line.has("g"):
        session.admin.refresh_nodes()
        return OK
    timeout_s = _timeout(line.value("g"))
    if line.has("client"):
        session.admin.refresh_nodes(DecommissionType.GRACEFUL, timeout_s)
        _wait_for_decommissioning(session, timeout_s)
        return OK
    if line.has("server"):
        session.admin.refresh_nodes(DecommissionType.GRACEFUL, timeout_s)
        return OK
    return _usage(session, "-refreshNodes")


def _timeout(word: str | None) -> int:
    if word is None:
        return _FOR_EVER
    try:
        timeout_s = words.integer(word)
    except NumberFormatError:
        raise IllegalArgumentError(f"Invalid timeout specified : {word}") from None
    if timeout_s < _FOR_EVER:
        raise IllegalArgumentError(f"Invalid timeout specified : {timeout_s}")
    return timeout_s


def _wait_for_decommissioning(session: Session, timeout_s: int) -> None:
    """Looks each second; the RM enforces the timeout itself, so what is left after it is forced only late."""
    console = session.console
    waited_s = 0
    while timeout_s == _FOR_EVER or waited_s < timeout_s + _GRACE_S:
        console.sleep(1)
        left = session.admin.decommissioning_nodes()
        if not left:
            console.print(f"Graceful decommissioning completed in {waited_s} seconds.")
            return
        console.print(f"Nodes '{','.join(map(str, left))}' are still decommissioning.")
        console.out.flush()
        waited_s += 1
    console.print(
        f"Graceful decommissioning not completed in {timeout_s} seconds, "
        "issuing forceful decommissioning command."
    )
    session.admin.refresh_nodes(DecommissionType.FORCEFUL)


def _update_node_resource(session: Session, arguments: list[str]) -> int:
    console = session.console
    if not 3 <= len(arguments) <= 5:
        console.error("Number of parameters specified for updateNodeResource is wrong.")
        return _usage(session, "-updateNodeResource")
    _, node, first, *rest = arguments
    if rest and _AMOUNT.fullmatch(first):
        memory_mb, vcores = words.integer(first), words.integer(rest.pop(0))
        if memory_mb < 0 or vcores < 0:
            raise IllegalArgumentError(
                f"Invalid resource value: ({memory_mb},{vcores}) for updateNodeResource."
            )
        resource = Resource(memory_mb, vcores)
    elif "=" in first:
        resource = node_words.resource(first, ResourceTypeRegistry.read(session.configuration))
    else:
        console.error(
            "Resource Types parameter specified for updateNodeResource is wrong. It should be "
            "comma-delimited key value pairs. "
            "For example, memory-mb=1024Mi,vcores=1,resource1=3Gi,resource2=2"
        )
        return _usage(session, "-updateNodeResource")
    timeout_ms = words.integer(rest[0]) if len(rest) == 1 else _FOR_EVER
    session.admin.update_node_resource(words.node_id(node), resource, timeout_ms)
    return OK


# Groups


def _get_groups(session: Session, arguments: list[str]) -> int:
    for user in arguments[1:] or [session.user]:
        session.console.print(f"{user} :" + "".join(f" {group}" for group in session.admin.groups(user)))
    return OK


# Labels


def _add_labels(session: Session, arguments: list[str]) -> int:
    line = _label_line(session, _ADD_LABELS, arguments, node_words.NO_LABELS)
    if line is None:
        return FAILED
    session.admin.add_labels(node_words.labels(line.value("addToClusterNodeLabels") or ""))
    return OK


def _remove_labels(session: Session, arguments: list[str]) -> int:
    line = _label_line(session, _REMOVE_LABELS, arguments, node_words.NO_LABELS)
    if line is None:
        return FAILED
    session.admin.remove_labels(node_words.label_names(line.value("removeFromClusterNodeLabels") or ""))
    return OK


def _replace_labels(session: Session, arguments: list[str]) -> int:
    line = _label_line(session, _REPLACE_LABELS, arguments, node_words.NO_LABEL_MAPPINGS)
    if line is None:
        return FAILED
    mapping = node_words.labels_of_nodes(line.value("replaceLabelsOnNode") or "")
    session.admin.replace_labels(mapping, fail_on_unknown_nodes=line.has("failOnUnknownNodes"))
    return OK


def _label_line(session: Session, options: Options, arguments: list[str], missing: str) -> CommandLine | None:
    """The line; None after a complaint that nothing was given to add, remove or replace."""
    try:
        line = parse(options, arguments)
    except MissingArgumentError:
        session.console.error(missing)
        _usage(session, arguments[0])
        return None
    if line.has(_DIRECTLY.name):
        session.console.error(
            f"{arguments[0][1:]}: -{_DIRECTLY.name} is not offered: the label store belongs to the "
            "ResourceManager; leave the option out"
        )
        return None
    return line


_ACTIONS: Mapping[str, Callable[[Session, list[str]], int]] = {
    "-refreshNodes": _refresh_nodes,
    "-updateNodeResource": _update_node_resource,
    "-getGroups": _get_groups,
    "-addToClusterNodeLabels": _add_labels,
    "-removeFromClusterNodeLabels": _remove_labels,
    "-replaceLabelsOnNode": _replace_labels,
}
