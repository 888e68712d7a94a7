"""`yarn container`: list, show and signal containers. Hadoop: ApplicationCLI."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import UNLIMITED, CommandLine, Option, Options
from yarnbox.client.commands.application import CLUSTER_ID
from yarnbox.client.commands.reading import HELP, HELP_DESCRIPTION, invalid_usage, print_help, read_line
from yarnbox.client.printing.applications import container_list, container_report
from yarnbox.client.session import Session
from yarnbox.yarn.enums import SignalContainerCommand
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    IllegalArgumentError,
)

TITLE = "container"

_SIGNALS = ", ".join(signal.name for signal in SignalContainerCommand)
_SIGNAL_CLASS = "org.apache.hadoop.yarn.api.records.SignalContainerCommand"
_FILTERS = ("appTypes", "version", "components", "states")  # of the instances of a YARN service

OPTIONS = Options(
    Option("list", "Lists the containers of an attempt.", 1, argument_name="Application Name or Attempt ID"),
    Option("status", "Shows a container.", 1, argument_name="Container ID"),
    Option(
        "signal",
        f"Signals a container: {_SIGNALS}; the first of them if none is named.",
        3,
        argument_name="container ID [signal command]",
    ),
    Option("shell", "Not supported: a shell in a container.", 3, argument_name="Container ID [bash|sh]"),
    Option("appTypes", "Belongs to YARN services.", UNLIMITED, separator=",", argument_name="Types"),
    Option("version", "Belongs to YARN services.", 1),
    Option("components", "Belongs to YARN services.", UNLIMITED, separator=","),
    Option("states", "Belongs to YARN services.", UNLIMITED, separator=","),
    Option(HELP, HELP_DESCRIPTION),
    Option(CLUSTER_ID, "Accepted and ignored: there is one cluster.", 1, argument_name="Cluster ID"),
)

_ALONE = {"status": ("appTypes",), "list": _FILTERS, "signal": (), "shell": ()}
"""What may stand beside an action."""


def run(session: Session, arguments: Sequence[str]) -> int:
    """Precedence: -status, -list, -signal, -shell, -help."""
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    action = next((name for name in _ALONE if line.has(name)), None)
    if line.words or (action and line.has_other_than(action, CLUSTER_ID, *_ALONE[action])):
        print_help(session, TITLE, OPTIONS)
        return FAILED
    if action == "status":
        return _status(session, line.value("status") or "")
    if action == "list":
        return _list(session, line.value("list") or "")
    if action == "signal":
        return _signal(session, line)
    if action == "shell":
        session.console.error("-shell needs a terminal in the NodeManager, which yarnbox does not have")
        return FAILED
    if line.has(HELP):
        print_help(session, TITLE, OPTIONS)
    else:
        invalid_usage(session, TITLE, OPTIONS)
    return OK


def _list(session: Session, word: str) -> int:
    try:
        attempt_id = words.attempt_id(word)
    except IllegalArgumentError:
        # A word that is no id names a YARN service; there are none here.
        session.console.error(f"Application with name '{word}' doesn't exist in RM or Timeline Server.")
        return FAILED
    reports = session.client.containers(attempt_id)
    session.console.write(container_list(reports, session.console.zone))
    return OK


def _status(session: Session, word: str) -> int:
    container_id = words.container_id(word)
    try:
        session.console.write(container_report(session.client.container_report(container_id)))
        return OK
    except ApplicationNotFoundError:
        missing = "Application for Container"
    except ApplicationAttemptNotFoundError:
        missing = "Application Attempt for Container"
    except ContainerNotFoundError:
        missing = "Container"
    session.console.print(f"{missing} with id '{word}' doesn't exist in RM or Timeline Server.")
    return FAILED


def _signal(session: Session, line: CommandLine) -> int:
    """The signal counts only as the second of exactly two words, as in Hadoop."""
    word, *rest = line.values("signal")
    command = SignalContainerCommand.OUTPUT_THREAD_DUMP
    if len(rest) == 1:
        if rest[0] not in SignalContainerCommand.__members__:
            raise IllegalArgumentError(f"No enum constant {_SIGNAL_CLASS}.{rest[0]}")
        command = SignalContainerCommand[rest[0]]
    container_id = words.container_id(word)
    session.console.print(f"Signalling container {word}")
    session.client.signal_container(container_id, command)
    return OK
