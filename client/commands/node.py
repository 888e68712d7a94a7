"""`yarn node`: list and show nodes. Hadoop: NodeCLI."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import UNLIMITED, CommandLine, Option, Options
from yarnbox.client.commands.reading import HELP, HELP_DESCRIPTION, invalid_usage, print_help, read_line
from yarnbox.client.printing.nodes import node_list, node_report, valid_node_states
from yarnbox.client.session import Session
from yarnbox.yarn.enums import NodeState

TITLE = "node"
_ALL = "-all"

OPTIONS = Options(
    Option("list", "Lists the running nodes; -states or -all choose others, -showDetails tells more."),
    Option("status", "Shows a node.", 1, argument_name="NodeId"),
    Option("states", f"With -list: {valid_node_states()}", UNLIMITED, separator=",", argument_name="States"),
    Option("all", "With -list: nodes in every state."),
    Option("showDetails", "With -list: resources, utilization and labels of each node."),
    Option(HELP, HELP_DESCRIPTION),
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: -status, -list, -help."""
    arguments = [_ALL if argument.lower() == _ALL else argument for argument in arguments]
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    if line.has("status"):
        if len(arguments) != 2:
            print_help(session, TITLE, OPTIONS)
            return FAILED
        _status(session, line.value("status") or "")
    elif line.has("list"):
        return _list(session, line)
    elif line.has(HELP):
        print_help(session, TITLE, OPTIONS)
    else:
        invalid_usage(session, TITLE, OPTIONS)
    return OK


def _list(session: Session, line: CommandLine) -> int:
    states = [NodeState.RUNNING]
    if line.has("all"):
        states = list(NodeState)
    elif line.has("states"):
        states = []
        for word in line.values("states"):
            name = word.strip().upper()
            if name and name not in NodeState.__members__:
                session.console.print(f"The node state {word} is invalid.")
                session.console.print(valid_node_states())
                return FAILED
            if name and NodeState[name] not in states:
                states.append(NodeState[name])
    reports = session.client.nodes(states)
    session.console.write(node_list(reports, details=line.has("showDetails")))
    return OK


def _status(session: Session, word: str) -> None:
    """An unknown node is no failure: exit status 0, as in Hadoop."""
    node_id = words.node_id(word)
    reports = [report for report in session.client.nodes() if report.node_id == node_id]
    if not reports:
        session.console.print(f"Could not find the node report for node id : {word}")
    for report in reports:
        session.console.write(node_report(report, session.console.zone))
