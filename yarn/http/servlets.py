"""What every daemon shows of itself over HTTP: its configuration, its stacks, the level of its loggers, the
directory of its logs.

Texts and values alone; the daemons' web servers say who may see them. Hadoop: ConfServlet,
ConfigRedactor, StackServlet, LogLevel.Servlet and the listing of HttpServer2's /logs.
"""

from __future__ import annotations

import asyncio
import html
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.log import LEVELS
from yarnbox.yarn.text.words import counted

REDACTED = "<redacted>"
_SECRETS = re.compile(
    r"secret$|password$|ssl\.keystore\.pass$|fs\.s3.*[Ss]ecret.?[Kk]ey|fs\.azure\.account\.key|credential$"
    r"|oauth.*secret|oauth.*password|oauth.*token|server-side-encryption\.key"
)
_HEAD = """<!DOCTYPE html>
<html lang='en'><head><meta charset='utf-8'><title>{0}</title>
<link rel='icon' href='data:,'></head><body><h1>{0}</h1>
"""
_MARK = "<!-- OUTPUT -->"
_FORMS = """<hr><h2>Get / Set</h2>
<form>Class Name: <input type='text' size='50' name='log'> <input type='submit' value='Get Log Level'></form>
</body></html>
"""

# Configuration


def configuration_page(shown: Configuration, name: str, accept: str) -> tuple[str, str] | None:
    """The type and the text of /conf: every property, or one; None when there is none of that name."""
    if name and shown.value(name) in (None, ""):
        return None
    found = [_property(shown, one) for one in ([name] if name else shown.names())]
    if "json" in accept:
        return "application/json", json.dumps({"property": found[0]} if name else {"properties": found})
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>'
    rows = "\n".join(["<configuration>", *map(_as_xml, found), "</configuration>\n"])
    return "text/xml", declaration + rows


def _property(shown: Configuration, name: str) -> dict[str, Any]:
    found = shown.property(name)
    source = str(shown.origin(name).source)
    return {
        "key": name,
        "value": REDACTED if _SECRETS.search(name) else shown.value(name) or "",
        "isFinal": found is not None and found.final,
        "resource": "yarn-default.xml" if source == "default" else Path(source).name,
    }


def _as_xml(one: dict[str, Any]) -> str:
    parts = (one["key"], one["value"], str(one["isFinal"]).lower(), one["resource"])
    pairs = zip(("name", "value", "final", "source"), parts, strict=True)
    inside = "".join(f"<{tag}>{escape(value)}</{tag}>" for tag, value in pairs)
    return f"<property>{inside}</property>"


# Stacks


def stacks() -> str:
    """What every thread and every task of the event loop is at."""
    return "\n".join(_stacks())


def _stacks() -> Iterator[str]:
    frames = sys._current_frames()
    threads = {thread.ident: thread for thread in threading.enumerate()}
    yield f"Process Thread Dump: \n{len(frames)} active threads"
    for ident, frame in frames.items():
        thread = threads.get(ident)
        yield f"Thread {ident} ({thread.name if thread is not None else 'unknown'}):\n  Stack:"
        yield "".join(f"    {line}" for line in traceback.format_stack(frame))
    tasks = asyncio.all_tasks()
    yield f"{counted(len(tasks), 'task')} of the event loop"
    for task in sorted(tasks, key=lambda one: one.get_name()):
        yield f"Task {task.get_name()}: {task.get_coro()}"
        for frame in task.get_stack():
            yield f"    {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"


# Logs


def log_level_page(name: str | None, level: str | None) -> str:
    """The page of /logLevel, after it has set the level if one is given."""
    lines = [] if name is None else [f"{_MARK}{line}<br>" for line in _level(name, level)]
    return "\n".join([_HEAD.format("Log Level"), *lines, _FORMS])


def _level(name: str, level: str | None) -> Iterator[str]:
    logger = logging.getLogger(name)
    yield f"Submitted Class Name: <b>{html.escape(name)}</b>"
    yield f"Log Class: <b>{type(logger).__name__}</b>"
    if level is not None:
        shown = html.escape(level)
        yield f"Submitted Level: <b>{shown}</b>"
        if level.lower() in LEVELS:
            logger.setLevel(LEVELS[level.lower()])
            yield f"Setting Level to {shown} ..."
        else:
            yield f"Bad Level : <b>{shown}</b>"
    yield f"Effective Level: <b>{logging.getLevelName(logger.getEffectiveLevel())}</b>"


def within(directory: Path, rest: str) -> Path | None:
    """The file or directory of that name below `directory`; None for one that is not there, or elsewhere."""
    root = directory.resolve()
    try:
        found = (root / rest.lstrip("/")).resolve()
        is_there = found.exists()
    except (OSError, ValueError):  # a name with a null character, or too long a one
        return None
    return found if is_there and found.is_relative_to(root) else None


def listing_page(directory: Path, path: str) -> str:
    """The files of a directory, as links."""
    rows = []
    for one in sorted(directory.iterdir()):
        name = one.name + ("/" if one.is_dir() else "")
        size = f"{one.stat().st_size} bytes" if one.is_file() else ""
        rows.append(f"<tr><td><a href='{quote(name)}'>{html.escape(name)}</a></td><td>{size}</td></tr>")
    title = f"Directory: {html.escape(path)}"
    return _HEAD.format(title) + "<table>" + "\n".join(rows) + "</table></body></html>\n"
