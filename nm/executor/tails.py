"""The ends of a container's error files, for the diagnostics of its failure.

Hadoop: ContainerLaunch.handleContainerExitWithFailure.
"""

from __future__ import annotations

import fnmatch
import os
import re
from pathlib import Path

from yarnbox.nm.executor.script import PRELAUNCH_ERR


def failure_text(exit_code: int, logs: Path, tail_bytes: int, pattern: str) -> str:
    """What is said of a process that ended with another code than 0."""
    parts = [f"Container exited with a non-zero exit code {exit_code}. "]
    prelaunch = logs / PRELAUNCH_ERR
    if prelaunch.is_file():
        parts.append(f"Error file: {PRELAUNCH_ERR}.\n{_tail_text(prelaunch, tail_bytes)}")
    found = [path for path in _listed(logs) if any(fnmatch.fnmatch(path.name, one) for one in globs(pattern))]
    if len(found) > 1:
        parts.append(f"Error files: {', '.join(path.name for path in found)}.\n")
    if found:
        latest = max(found, key=lambda path: path.stat().st_mtime_ns)
        parts.append(_tail_text(latest, tail_bytes) + "\n")
    return "".join(parts)


def globs(pattern: str) -> list[str]:
    """A glob of Hadoop's, whose `{a,b}` means either."""
    found = re.search(r"\{([^{}]*)\}", pattern)
    if found is None:
        return [pattern]
    before, after = pattern[: found.start()], pattern[found.end() :]
    return [one for choice in found.group(1).split(",") for one in globs(before + choice + after)]


def tail(path: Path, length: int) -> str:
    """The last bytes of a file as text."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - length))
            return file.read(length).decode("utf-8", "replace")
    except OSError:
        return ""


def _tail_text(path: Path, length: int) -> str:
    return f"Last {length} bytes of {path.name} :\n{tail(path, length)}"


def _listed(logs: Path) -> list[Path]:
    try:
        return sorted(path for path in logs.iterdir() if path.is_file())
    except OSError:
        return []
