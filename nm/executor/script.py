"""launch_container.sh: the environment, the links and the command of a container as a shell script.

Nothing in values and commands is escaped: clients write them for exactly this evaluation, and am.launch has
what they write when they mean a text as it is. Pure text. Hadoop: ContainerExecutor.writeLaunchEnv,
ContainerLaunch.ShellScriptBuilder, expandEnvironment and sanitizeEnv.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

LAUNCH_SCRIPT = "launch_container.sh"
PRELAUNCH_OUT = "prelaunch.out"
PRELAUNCH_ERR = "prelaunch.err"
DIRECTORY_LISTING = "directory.info"

_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_]\w*)|([A-Za-z_]\w*))")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def expand(text: str, log_directory: str, java_options: str = "") -> str:
    """`<LOG_DIR>`, `<CPS>`, `<ADD_OPENS>` and `{{NAME}}` replaced; all else is left to the shell."""
    text = text.replace("<LOG_DIR>", log_directory).replace("<CPS>", ":").replace("<ADD_OPENS>", java_options)
    return text.replace("{{", "$").replace("}}", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptInput:
    """What a launch script is made of; environment and command not yet expanded."""

    environment: Mapping[str, str]
    """The application's own."""
    inherited: Mapping[str, str]
    """The node's, as far as the whitelist lets them through."""
    fixed: Mapping[str, str]
    """The node's for every container, which the application cannot change."""
    forced: str = ""
    """yarn.nodemanager.admin-env: `NAME=value,NAME=value`."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Path by link name, relative to the working directory."""
    command: Sequence[str] = ()
    log_directory: str
    java_options: str = ""
    """What the node's Java needs."""
    has_debug_information: bool = True


def launch_script(given: ScriptInput) -> str:
    """The text of launch_container.sh."""
    logs = given.log_directory
    expanded = partial(expand, log_directory=logs, java_options=given.java_options)
    own = {name: expanded(value) for name, value in given.environment.items() if _NAME.fullmatch(name)}
    own = {**own, **_forced(given.forced, own)}
    lines = [
        "#!/bin/bash",
        "",
        "set -o pipefail -e",
        f'export PRELAUNCH_OUT="{logs}/{PRELAUNCH_OUT}"',
        'exec >"${PRELAUNCH_OUT}"',
        f'export PRELAUNCH_ERR="{logs}/{PRELAUNCH_ERR}"',
        'exec 2>"${PRELAUNCH_ERR}"',
        'echo "Setting up env variables"',
    ]
    for name, value in given.inherited.items():
        if name not in own:
            lines.append(f'export {name}=${{{name}:-"{value}"}}')
    lines += [f'export {name}="{value}"' for name, value in given.fixed.items()]
    for name in by_dependency({name: value for name, value in own.items() if name not in given.fixed}):
        lines.append(f'export {name}="{own[name]}"')
    lines.append('echo "Setting up job resources"')
    for link, path in given.links.items():
        if "/" in link:
            lines.append(f'mkdir -p "{Path(link).parent}"')
        lines.append(f'ln -sfn -- "{path}" "{link}"')
    if given.has_debug_information:
        lines += _debug_information(logs)
    command = " ".join(expanded(word) for word in given.command)
    lines += ['echo "Launching container"', f'exec /bin/bash -c "{command}"']
    return "\n".join(lines) + "\n"


def by_dependency(environment: Mapping[str, str]) -> list[str]:
    """The names, each behind those that its value refers to; of a circle, in the order given."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in ordered or name in above:
            return
        for braced, plain in _REFERENCE.findall(environment[name]):
            if (braced or plain) in environment:
                visit(braced or plain, (*above, name))
        ordered[name] = None

    for name in environment:
        visit(name, ())
    return list(ordered)


def auxiliary_variables(services: Mapping[str, bytes]) -> dict[str, str]:
    """NM_AUX_SERVICE_<name>: what each auxiliary service tells, in base64."""
    return {
        f"NM_AUX_SERVICE_{name}": base64.b64encode(data).decode("ascii") for name, data in services.items()
    }


def wrapper_scripts(work: Path, pid_file: Path, *, has_setsid: bool) -> dict[str, str]:
    """The two scripts around it, by file name: the outer keeps the exit code, the inner the pid.

    Much as DefaultContainerExecutor writes them, so that an NM that was restarted can find both. The pid is
    written when the process leads a group of its own, not before: whoever reads it may signal the group.
    """
    session = work / "default_container_executor_session.sh"
    leader = "setsid " if has_setsid else ""
    return {
        "default_container_executor.sh": "\n".join(
            [
                "#!/bin/bash",
                f'{leader}/bin/bash "{session}"',
                "rc=$?",
                f'echo $rc > "{pid_file}.exitcode.tmp"',
                f'/bin/mv -f "{pid_file}.exitcode.tmp" "{pid_file}.exitcode"',
                "exit $rc",
                "",
            ]
        ),
        session.name: "\n".join(
            [
                "#!/bin/bash",
                f'echo $$ > "{pid_file}.tmp"',
                f'/bin/mv -f "{pid_file}.tmp" "{pid_file}"',
                f'exec /bin/bash "{work / LAUNCH_SCRIPT}"',
                "",
            ]
        ),
    }


def _forced(text: str, own: Mapping[str, str]) -> dict[str, str]:
    """Variables merged into every container's; `NAME=$NAME` leaves what the application set."""
    forced: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if equals and _NAME.fullmatch(name) and not (name in own and value == f"${name}"):
            forced[name] = value
    return forced


def _debug_information(logs: str) -> list[str]:
    listing = f'1>>"{logs}/{DIRECTORY_LISTING}"'
    return [
        'echo "Copying debugging information"',
        f'cp "{LAUNCH_SCRIPT}" "{logs}/{LAUNCH_SCRIPT}"',
        f'chmod 640 "{logs}/{LAUNCH_SCRIPT}"',
        f'echo "ls -l:" 1>"{logs}/{DIRECTORY_LISTING}"',
        f"ls -l {listing}",
        f'echo "find -L . -maxdepth 5 -ls:" {listing}',
        f"find -L . -maxdepth 5 -ls {listing}",
        f'echo "broken symlinks(find -L . -maxdepth 5 -type l -ls):" {listing}',
        f"find -L . -maxdepth 5 -type l -ls {listing}",
    ]


_SINCE_17 = (
    "--add-opens=java.base/java.lang=ALL-UNNAMED "
    "--add-exports=java.base/sun.net.dns=ALL-UNNAMED "
    "--add-exports=java.base/sun.net.util=ALL-UNNAMED"
)
_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


def additional_options(environment: Mapping[str, str]) -> str:
    """What `<ADD_OPENS>` in a command stands for: options that Java 17 and later need for Hadoop's code.

    Hadoop's NodeManager looks at the Java that it runs in. Ours looks at the one in JAVA_HOME, which is what
    containers start. Hadoop: ContainerLaunch's ADDITIONAL_JDK17_PLUS_OPTIONS.
    """
    home = environment.get("JAVA_HOME")
    version = java_version(Path(home)) if home else None
    return _SINCE_17 if version is not None and version >= 17 else ""


def java_version(home: Path) -> int | None:
    """The feature release of the Java there, as its `release` file says."""
    try:
        found = _VERSION.search((home / "release").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return int(found[1]) if found else None
