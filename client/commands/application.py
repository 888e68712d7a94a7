"""`yarn application`, `yarn app`: list, show, kill, move, change applications. Hadoop: ApplicationCLI."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import UNLIMITED, CommandLine, Option, Options
from yarnbox.client.commands.reading import (
    HELP,
    HELP_DESCRIPTION,
    invalid_usage,
    print_help,
    read_line,
    words_of,
)
from yarnbox.client.printing.applications import application_list, application_report
from yarnbox.client.session import Session
from yarnbox.client.text import iso8601
from yarnbox.client.yarn_client import FINAL_STATES
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.enums import ApplicationTimeoutType, YarnApplicationState
from yarnbox.yarn.errors import ApplicationNotFoundError, IllegalArgumentError
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

TITLE = "application"
CLUSTER_ID = "clusterId"

DEFAULT_STATES = (
    YarnApplicationState.SUBMITTED,
    YarnApplicationState.ACCEPTED,
    YarnApplicationState.RUNNING,
)
ALL_STATES = "ALL"

_APPLICATION_ID = "Application ID"
_STATES = ",".join([ALL_STATES, *(state.name for state in YarnApplicationState)])

# The actions of YARN services, which run on a framework of their own, in the order of their precedence.
_SERVICE_ACTIONS_FIRST = ("launch", "stop", "start", "save", "destroy", "flex", "enableFastLaunch")
_SERVICE_ACTIONS_LAST = ("upgrade", "decommission")


def _service(name: str, arguments: int = 1, separator: str | None = None, optional: bool = False) -> Option:
    return Option(name, "Belongs to YARN services.", arguments, separator=separator, optional=optional)


OPTIONS = Options(
    Option("list", "Lists applications; -appStates, -appTypes and -appTags choose which."),
    Option("status", "Shows an application.", 1, argument_name="Application Name or ID"),
    Option("kill", "Kills applications.", UNLIMITED, separator=" ", argument_name=_APPLICATION_ID),
    Option("movetoqueue", "Moves an application; -queue says where.", 1, argument_name=_APPLICATION_ID),
    Option("queue", "The target of -movetoqueue.", 1, argument_name="Queue Name"),
    Option(
        "appStates", f"With -list: states, of {_STATES}.", UNLIMITED, separator=",", argument_name="States"
    ),
    Option("appTypes", "With -list: application types.", UNLIMITED, separator=",", argument_name="Types"),
    Option(
        "appTags",
        "With -list: tags; one matching tag suffices.",
        UNLIMITED,
        separator=",",
        argument_name="Tags",
    ),
    Option("appId", "The application to change.", 1, argument_name=_APPLICATION_ID),
    Option("updatePriority", "Changes the priority of -appId.", 1, argument_name="Priority"),
    Option("updateLifetime", "Ends -appId after this many seconds.", 1, argument_name="Timeout"),
    Option("changeQueue", "Moves -appId to another queue.", 1, argument_name="Queue Name"),
    Option(HELP, HELP_DESCRIPTION),
    Option(CLUSTER_ID, "Accepted and ignored: there is one cluster.", 1, argument_name="Cluster ID"),
    _service("launch", 2),
    _service("stop"),
    _service("start"),
    _service("save", 2),
    _service("destroy"),
    _service("flex"),
    _service("component", 2),
    _service("decommission"),
    _service("enableFastLaunch", optional=True),
    _service("upgrade"),
    _service("express"),
    _service("initiate"),
    _service("instances", UNLIMITED, separator=","),
    _service("components", UNLIMITED, separator=","),
    _service("finalize", 0),
    _service("autoFinalize", 0),
    _service("cancel", 0),
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """Runs the action that comes first in the order of precedence, whatever the order of the words."""
    line = read_line(session, TITLE, OPTIONS, arguments)
    if line is None:
        return FAILED
    if line.words:
        return _usage(session)
    for name, action in _ACTIONS.items():
        if line.has(name):
            return action(session, line)
    invalid_usage(session, TITLE, OPTIONS)
    return OK


def _usage(session: Session) -> int:
    print_help(session, TITLE, OPTIONS)
    return FAILED


def _list(session: Session, line: CommandLine) -> int:
    states: list[YarnApplicationState] = []
    for word in line.values("appStates"):
        name = word.strip().upper()
        if name == ALL_STATES:
            states = list(YarnApplicationState)
            break
        if name and name not in YarnApplicationState.__members__:
            session.console.print(f"The application state {word} is invalid.")
            session.console.print(f"The valid application state can be one of the following: {_STATES}")
            return FAILED
        if name:
            states.append(YarnApplicationState[name])
    chosen = [state for state in YarnApplicationState if state in (states or DEFAULT_STATES)]
    types = sorted({word.upper() for word in words_of(line.values("appTypes"))})
    tags = sorted(set(words_of(line.values("appTags"))))
    reports = session.client.applications(types=types, states=chosen, tags=tags)
    ordered = sorted(reports, key=lambda report: report.application_id or ())
    session.console.write(application_list(ordered, types, chosen, tags))
    return OK


def _status(session: Session, line: CommandLine) -> int:
    if line.has_other_than("status", "appTypes", CLUSTER_ID):
        return _usage(session)
    word = line.value("status") or ""
    try:
        application_id = words.application_id(word)
    except IllegalArgumentError:
        # A word that is no id names a YARN service; there are none here.
        session.console.error(f"Application with name '{word}' doesn't exist in RM or Timeline Server.")
        return FAILED
    try:
        report = session.client.application_report(application_id)
    except ApplicationNotFoundError:
        session.console.print(f"Application with id '{word}' doesn't exist in RM or Timeline Server.")
        return FAILED
    session.console.write(application_report(report, _units(session)))
    return OK


def _units(session: Session) -> dict[str, str]:
    """The units of resource types as this client's configuration has them; a faulty one has none."""
    try:
        return {kind.name: kind.units for kind in ResourceTypeRegistry.read(session.configuration)}
    except ConfigurationError:
        return {}


def _kill(session: Session, line: CommandLine) -> int:
    """Each id by itself; it is enough if one of them is known."""
    if line.has_other_than("kill", CLUSTER_ID):
        return _usage(session)
    status = FAILED
    for word in line.values("kill"):
        application_id = words.application_id(word)
        try:
            report = session.client.application_report(application_id)
        except ApplicationNotFoundError:
            session.console.print(f"Application with id '{word}' doesn't exist in RM.")
            continue
        if _has_finished(session, word, report):
            status = OK
            continue
        session.console.print(f"Killing application {word}")
        try:
            session.client.kill_application(application_id)
            status = OK
        except ApplicationNotFoundError:
            continue  # it was forgotten in between
    return status


def _has_finished(session: Session, word: str, report: ApplicationReport) -> bool:
    finished = report.yarn_application_state in FINAL_STATES
    if finished:
        session.console.print(f"Application {word} has already finished ")
    return finished


def _move_to_queue(session: Session, line: CommandLine) -> int:
    return _move(session, line.value("movetoqueue"), line.value("queue"))


def _change_queue(session: Session, line: CommandLine) -> int:
    return _move(session, line.value("appId"), line.value("changeQueue"))


def _move(session: Session, word: str | None, queue: str | None) -> int:
    if word is None or queue is None:
        return _usage(session)
    application_id = words.application_id(word)
    report = session.client.application_report(application_id)
    if not _has_finished(session, word, report):
        session.console.print(f"Moving application {word} to queue {queue}")
        session.client.move_application(application_id, queue)
        session.console.print("Successfully completed move.")
    return OK


def _update_priority(session: Session, line: CommandLine) -> int:
    word, asked = line.value("appId"), line.value("updatePriority") or ""
    if word is None:
        return _usage(session)
    application_id, priority = words.application_id(word), words.integer(asked)
    session.console.print(f"Updating priority of an application {word}")
    if session.client.update_priority(application_id, priority) == priority:
        session.console.print(f"Successfully updated the application {word} with priority '{asked}'")
    else:
        session.console.print(
            f"Updated priority of an application  {word} to cluster max priority "
            "OR keeping old priority as application is in final states"
        )
    return OK


def _update_lifetime(session: Session, line: CommandLine) -> int:
    word = line.value("appId")
    if word is None:
        return _usage(session)
    seconds = words.long(line.value("updateLifetime") or "")
    application_id = words.application_id(word)
    console = session.console
    asked = iso8601(console.clock.now_ms() + seconds * 1000, console.zone)
    console.print(f"Updating timeout for given timeoutType: LIFETIME of an application {word}")
    in_force = session.client.update_timeouts(application_id, {ApplicationTimeoutType.LIFETIME: asked})
    expiry = in_force.get(ApplicationTimeoutType.LIFETIME)
    if expiry == asked:
        console.print(f"Successfully updated LIFETIME of an application {word}. New expiry time is {expiry}")
    else:
        console.print(
            f"Updated lifetime of an application  {word} to queue max/default lifetime."
            f" New expiry time is {expiry}"
        )
    return OK


def _help(session: Session, _: CommandLine) -> int:
    print_help(session, TITLE, OPTIONS)
    return OK


def _refuse_service(name: str) -> Callable[[Session, CommandLine], int]:
    def refuse(session: Session, _: CommandLine) -> int:
        session.console.error(f"-{name} belongs to YARN services, which yarnbox does not have")
        return FAILED

    return refuse


_ACTIONS: dict[str, Callable[[Session, CommandLine], int]] = {
    "status": _status,
    "list": _list,
    "kill": _kill,
    "movetoqueue": _move_to_queue,
    "updatePriority": _update_priority,
    **{name: _refuse_service(name) for name in _SERVICE_ACTIONS_FIRST},
    "updateLifetime": _update_lifetime,
    "changeQueue": _change_queue,
    **{name: _refuse_service(name) for name in _SERVICE_ACTIONS_LAST},
    HELP: _help,
}
