"""Container logs, and what is known of them, as LogsCLI prints them. Hadoop: LogToolUtils and
LogCLIHelpers.

What comes from a NodeManager is framed there already; here are the frames of aggregated logs, and the lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from yarnbox.client.text import line

AGGREGATED = "AGGREGATED"

_FILES = "%30s\t%30s\t%30s\t%30s"
_TRAILER_SURPLUS = 50


class FileInfo(NamedTuple):
    """What is known of one log file; `kind` says where it was found, LOCAL or AGGREGATED."""

    name: str
    length: str
    modified: str
    kind: str


def container_on_node(container: str, node: str) -> str:
    """The line that names a container and where it ran."""
    return f"Container: {container} on {node}"


def header(container: str, node: str, name: str, modified: str, length: int) -> str:
    """What stands before the bytes of an aggregated log."""
    first = container_on_node(container, node)
    return (
        f"{first}\nLogAggregationType: {AGGREGATED}\n{'=' * len(first)}\n"
        f"LogType:{name}\nLogLastModifiedTime:{modified}\nLogLength:{length}\nLogContents:\n"
    )


def trailer(name: str) -> str:
    """What stands behind the bytes of an aggregated log, a line end first."""
    end = f"End of LogType:{name}"
    return f"\n{end}\n{'*' * (len(end) + _TRAILER_SURPLUS)}\n\n"


def file_table(container: str, node: str, files: Sequence[FileInfo]) -> str:
    """The answer of `-show_container_log_info` for one container."""
    first = container_on_node(container, node)
    heading = line(_FILES, "LogFile", "LogLength", "LastModificationTime", "LogAggregationType")
    rows = "".join(line(_FILES, *info) for info in files)
    return f"{first}\n{'=' * len(first)}\n{heading}{'=' * (2 * len(first))}\n{rows}"
