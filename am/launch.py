"""Launch contexts for Python programs in containers.

A container runs the interpreter that makes the context, with the same packages; its output goes to stdout and
stderr in the container's log directory. Answers for what YARNRunner, MapReduceChildJVM and the
DistributedShell's client put together for Java.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from am.connection import CONF_DIRS
from yarn.credentials import Credentials
from yarn.records.container import ContainerLaunchContext

LOG_DIR = "<LOG_DIR>"

_ROOT = Path(__file__).resolve().parent.parent


def python_path(first: Sequence[str] = ()) -> str:
    """The value of PYTHONPATH that lets a container import what this process can."""
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [*first, str(_ROOT), *(os.path.abspath(path) for path in inherited)]
    return os.pathsep.join(dict.fromkeys(paths))


def handed_on() -> dict[str, str]:
    """What a submitter hands on to its AM: where the configuration is, by a path that is good anywhere."""
    return {name: os.path.abspath(os.environ[name]) for name in CONF_DIRS if os.environ.get(name)}


def python_command(module: str, arguments: Sequence[str]) -> str:
    """The shell line that runs a module of ours."""
    words = [sys.executable, "-P", "-m", module, *arguments]
    return " ".join(map(shlex.quote, words)) + redirections()


def redirections() -> str:
    """What sends a command's output to the log directory."""
    return f" 1>{LOG_DIR}/stdout 2>{LOG_DIR}/stderr"


def python_context(
    module: str,
    arguments: Sequence[str] = (),
    *,
    environment: Mapping[str, str] | None = None,
    credentials: Credentials | None = None,
    service_data: Mapping[str, bytes] | None = None,
    paths: Sequence[str] = (),
) -> ContainerLaunchContext:
    """The context of a container that runs a module of ours."""
    return ContainerLaunchContext(
        tokens=(credentials or Credentials()).to_bytes(),
        service_data=service_data or {},
        environment={**handed_on(), "PYTHONPATH": python_path(paths), **(environment or {})},
        command=(python_command(module, arguments),),
    )
