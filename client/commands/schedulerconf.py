"""`yarn schedulerconf`: reads and changes the scheduler's configuration by REST. Hadoop: SchedConfCLI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import defusedxml.ElementTree

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import CommandLine, MissingArgumentError, Option, Options, parse
from yarnbox.client.commands.node_words import java_split
from yarnbox.client.session import Session
from yarnbox.client.web import CLUSTER
from yarnbox.yarn.errors import IllegalArgumentError

_PATH = f"{CLUSTER}/scheduler-conf"
_COMMA = re.compile(r"(?<!\\),")

OPTIONS = Options(
    Option("add", "Adds queues with their settings.", 1, long="addQueues"),
    Option("remove", "Removes queues.", 1, long="removeQueues"),
    Option("update", "Changes settings of queues.", 1, long="updateQueues"),
    Option("global", "Changes settings of the scheduler.", 1, long="globalUpdates"),
    Option("getconf", "Shows the configuration.", long="getConf"),
    Option("format", "Goes back to the configuration file.", long="formatConfig"),
    Option("h", "Shows this help.", long="help"),
)

_USAGE = "\n".join(
    [
        'yarn schedulerconf [-add "queue:key=value,key=value;queue:key=value"] [-remove "queue;queue"]',
        '    [-update "queue:key=value"] [-global key=value,key=value] [-format] [-getconf]',
        "Semicolons separate queues, a colon a queue from its settings, commas settings; \\, is a comma",
        "inside a value, and key= takes a setting away. For example:",
        '  yarn schedulerconf -add "root.a.a1:capacity=100,maximum-capacity=100;root.a.a2:capacity=0"',
        '  yarn schedulerconf -remove "root.a.a1;root.a.a2"',
        '  yarn schedulerconf -update "root.default:acl_administer_queue=user1\\,user2 group1\\,group2"',
        "  yarn schedulerconf -global yarn.scheduler.capacity.maximum-applications=10000",
    ]
)


def run(session: Session, arguments: Sequence[str]) -> int:
    """-format, else -getconf, else all changes in one request."""
    console = session.console
    try:
        line = parse(OPTIONS, arguments)
    except MissingArgumentError:
        console.error("Missing argument for options")
        console.print(_USAGE)
        return FAILED
    if line.has("h"):
        console.print(_USAGE)
        return OK
    try:
        changes = _update_info(line)
    except IllegalArgumentError as error:
        console.error(error.message)
        return FAILED
    if line.has("format"):
        return _format(session)
    if line.has("getconf"):
        return _show(session)
    if changes:
        return _change(session, changes)
    console.error("Invalid Command Usage: ")
    console.print(_USAGE)
    return FAILED


def _format(session: Session) -> int:
    answer = session.web().get(
        session.web_address, f"{_PATH}/format", accept="application/xml, application/json"
    )
    if answer.is_ok:
        session.console.print(answer.text)
        return OK
    session.console.error(f"Failed to format scheduler configuration: {answer.text}")
    return FAILED


def _show(session: Session) -> int:
    answer = session.web().get(session.web_address, _PATH, accept="application/xml")
    if not answer.is_ok:
        session.console.error(f"Failed to get scheduler configuration: {answer.text}")
        return FAILED
    tree = defusedxml.ElementTree.fromstring(answer.body)
    ElementTree.indent(tree)
    session.console.print('<?xml version="1.0" encoding="UTF-8"?>')
    session.console.print(ElementTree.tostring(tree, encoding="unicode"))
    return OK


def _change(session: Session, changes: dict[str, Any]) -> int:
    answer = session.web().put_json(session.web_address, _PATH, changes)
    if answer.is_ok:
        session.console.print("Configuration changed successfully.")
        return OK
    session.console.error(f"Configuration change unsuccessful: {answer.text}")
    return FAILED


def _update_info(line: CommandLine) -> dict[str, Any]:
    """The body of the request: SchedConfUpdateInfo in Hadoop's JSON."""
    body: dict[str, Any] = {}
    if line.has("add"):
        body["add-queue"] = [_queue(part) for part in java_split(line.value("add") or "", ";")]
    if line.has("remove"):
        body["remove-queue"] = java_split(line.value("remove") or "", ";")
    if line.has("update"):
        body["update-queue"] = [_queue(part) for part in java_split(line.value("update") or "", ";")]
    if line.has("global"):
        body["global-updates"] = {"entry": _entries(line.value("global") or "")}
    return body


def _queue(text: str) -> dict[str, Any]:
    name, *rest = java_split(text, ":") or [""]
    return {"queue-name": name, "params": {"entry": _entries(rest[0]) if rest else []}}


def _entries(text: str) -> list[dict[str, str]]:
    parts = _COMMA.split(text)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    pairs = dict(_pair(part.replace("\\", "")) for part in parts)
    return [{"key": key} if value is None else {"key": key, "value": value} for key, value in pairs.items()]


def _pair(text: str) -> tuple[str, str | None]:
    """`key=value`, or `key=` to take the setting away; no value can hold an equals sign."""
    parts = java_split(text, "=")
    if not parts or not parts[0] or "=" not in text or len(parts) > 2:
        raise IllegalArgumentError("Specify configuration key value as confKey=confVal.")
    return parts[0], parts[1] if len(parts) == 2 else None
