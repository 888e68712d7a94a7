"""Launch contexts for Python programs in containers.

A container runs the interpreter of its node, with this project as the node has it; where the node tells none,
those that make the context. Its output goes to stdout and stderr in the container's log directory. Hadoop:
what YARNRunner, MapReduceChildJVM and the DistributedShell's client put together for Java.

A NodeManager evaluates what a launch context says: it replaces `{{NAME}}`, `<LOG_DIR>`, `<CPS>` and
`<ADD_OPENS>`, puts the command into `exec /bin/bash -c "..."`, so that two shells read it in turn, and each
value of the environment into `export NAME="..."`. `command_line` and `exact_environment` write what comes out
of that as it was given, on Hadoop's NodeManagers too.
"""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Mapping, Sequence

from yarnbox import SOURCES
from yarnbox.am.connection import CONF_DIRS
from yarnbox.yarn.connection.hosting import NM_PYTHON, NM_PYTHONPATH
from yarnbox.yarn.records.container import ContainerLaunchContext, LocalResource
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.wire import from_bytes, to_bytes

LOG_DIR = "<LOG_DIR>"


def python_path(first: Sequence[str] = ()) -> str:
    """The value of PYTHONPATH that lets a container on this host import what this process can."""
    inherited = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    paths = [*first, str(SOURCES), *(os.path.abspath(path) for path in inherited)]
    return os.pathsep.join(dict.fromkeys(paths))


def handed_on() -> dict[str, str]:
    """What a submitter hands on to its AM: where the configuration is on this host. `configuration_of` takes
    the node's own where there is no such directory.
    """
    return {name: os.path.abspath(os.environ[name]) for name in CONF_DIRS if os.environ.get(name)}


def command_line(arguments: Sequence[str]) -> str:
    """The string of a launch context that runs a program with exactly these arguments; the first is its name.
    Bytes that are no UTF-8 are given as the surrogates that os.fsdecode makes of them.
    """
    dashes = "-- " if arguments[0].startswith("-") else ""
    return _DOUBLE_QUOTED.sub(r"\\\g<0>", f"exec {dashes}{' '.join(map(_quoted, arguments))}")


def exact_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """The environment of a launch context that gives a process exactly these values; ValueError for a name
    that no shell takes.
    """
    for name in variables:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of an environment variable: letters, digits and _")
    return {name: _exact_value(value) for name, value in variables.items()}


def python_command(module: str, arguments: Sequence[str]) -> str:
    """The string of a launch context that runs a module of ours."""
    default = re.sub(r"[\\\"$`}]", r"\\\g<0>", sys.executable)
    interpreter = f'exec "${{{NM_PYTHON}:-{default}}}" '
    behind = command_line(["-P", "-m", module, *arguments]).removeprefix("exec -- ")
    return _DOUBLE_QUOTED.sub(r"\\\g<0>", interpreter) + behind + redirections()


def redirections() -> str:
    """What sends a command's output to the log directory."""
    return f" 1>'{LOG_DIR}/stdout' 2>'{LOG_DIR}/stderr'"


_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_PLAIN = re.compile(r"[A-Za-z0-9_@%+:,./-]+")
_DOUBLE_QUOTED = re.compile(r"[\\\"$`]")
"""What has a meaning between double quotes."""
_EVALUATED = re.compile(r"[{}<]")
"""What begins or ends something that the NodeManager replaces."""
_NO_UTF8 = re.compile("[\udc80-\udcff]")


def _quoted(word: str) -> str:
    """The word for the inner shell. The NodeManager finds nothing to replace: empty quotes are in between."""
    if _PLAIN.fullmatch(word):
        return word
    if _NO_UTF8.search(word):
        return "$'" + "".join(f"\\x{byte:02x}" for byte in os.fsencode(word)) + "'"
    return "'" + _EVALUATED.sub(r"\g<0>''", word.replace("'", r"'\''")) + "'"


def _exact_value(value: str) -> str:
    escaped = _EVALUATED.sub(r'\g<0>""', _DOUBLE_QUOTED.sub(r"\\\g<0>", value))
    return _NO_UTF8.sub(lambda found: f"$(printf '\\{os.fsencode(found[0])[0]:03o}')", escaped)


def _path_on_node(first: Sequence[str]) -> str:
    """PYTHONPATH as the node is to write it: its own copy of this project comes before the submitter's."""
    before = "".join(f"{_exact_value(path)}{os.pathsep}" for path in first)
    nodes = f"${{{NM_PYTHONPATH}:+${NM_PYTHONPATH}{os.pathsep}}}"
    return before + nodes + _exact_value(python_path())


def python_context(
    module: str,
    arguments: Sequence[str] = (),
    *,
    environment: Mapping[str, str] | None = None,
    credentials: Credentials | None = None,
    service_data: Mapping[str, bytes] | None = None,
    paths: Sequence[str] = (),
    local_resources: Mapping[str, LocalResource] | None = None,
    linked_paths: Sequence[str] = (),
) -> ContainerLaunchContext:
    """The context of a container that runs a module of ours. `paths` are directories of Python modules, and
    `linked_paths` those among its resources, by the names of their links.
    """
    return ContainerLaunchContext(
        local_resources=local_resources or {},
        tokens=(credentials or Credentials()).to_bytes(),
        service_data=service_data or {},
        environment={
            **exact_environment(handed_on()),
            "PYTHONPATH": "".join(f"$PWD/{link}{os.pathsep}" for link in linked_paths) + _path_on_node(paths),
            **exact_environment(environment or {}),
        },
        command=(python_command(module, arguments),),
    )


def resource_text(resource: LocalResource) -> str:
    """A resource as one word, without a comma."""
    return base64.urlsafe_b64encode(to_bytes(resource)).decode()


def resource_of(text: str) -> LocalResource:
    return from_bytes(LocalResource, base64.urlsafe_b64decode(text))
