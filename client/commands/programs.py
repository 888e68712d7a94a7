"""Commands that become another process: `yarn jar` and the daemons. Hadoop: RunJar and bin/yarn.

The new process finds the cluster by YARN_CONF_DIR, whichever way this one had found it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from yarnbox.client.command_line.failures import FAILED
from yarnbox.client.session import Session

_ARCHIVES = (".jar", ".war", ".zip")


def run_jar(session: Session, arguments: Sequence[str]) -> int:
    """Runs a client program written in Python, in place of this process."""
    if not arguments:
        session.console.error("jar: usage: yarn jar app.py [args...]")
        return FAILED
    program = Path(arguments[0])
    if program.suffix.lower() in _ARCHIVES:
        session.console.error(
            f"jar: {program} is a Java archive; yarnbox runs clients written in Python, *.py"
        )
        return FAILED
    if not program.is_file():
        session.console.error(f"jar: {program} does not exist or is not a normal file")
        return FAILED
    return _become(session, [str(program), *arguments[1:]])


def run_resourcemanager(session: Session, arguments: Sequence[str]) -> int:
    """Becomes a ResourceManager."""
    return _become_daemon(session, "resourcemanager", "yarnbox.rm", arguments)


def run_nodemanager(session: Session, arguments: Sequence[str]) -> int:
    """Becomes a NodeManager."""
    return _become_daemon(session, "nodemanager", "yarnbox.nm", arguments)


def _become_daemon(session: Session, command: str, module: str, arguments: Sequence[str]) -> int:
    """The daemon gets the configuration directory by its own option, unless the words name one."""
    named = any(word == "--conf" or word.startswith("--conf=") for word in arguments)
    asks_help = any(word in ("-h", "--help") for word in arguments)
    if session.directory is None and not named and not asks_help:
        session.console.error(
            f"{command}: name a configuration directory with --config or YARN_CONF_DIR; "
            "`yarnbox up` starts a whole cluster with one of its own"
        )
        return FAILED
    found = [] if session.directory is None or named else ["--conf", str(session.directory)]
    return _become(session, ["-P", "-m", module, *found, *arguments])


def _become(session: Session, arguments: Sequence[str]) -> int:
    environment = dict(session.console.environment)
    if session.directory is not None:
        environment["YARN_CONF_DIR"] = str(session.directory.resolve())
    session.console.out.flush()
    session.console.err.flush()
    os.execve(sys.executable, [sys.executable, *arguments], environment)
