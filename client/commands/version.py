"""`yarn version`: seven lines; scripts read the second word of the first. Hadoop: VersionInfo."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from yarnbox import SOURCES
from yarnbox.client.command_line.failures import OK
from yarnbox.client.session import Session
from yarnbox.yarn.version import HADOOP_VERSION, UNKNOWN, protobuf_version, yarnbox_version


def run(session: Session, _: Sequence[str]) -> int:
    """What this is, and which Hadoop it behaves like; nothing is compiled, so nobody compiled it."""
    lines = (
        f"Hadoop {HADOOP_VERSION} (yarnbox {yarnbox_version()})",
        f"Source code repository {UNKNOWN} -r {UNKNOWN}",
        f"Compiled by {UNKNOWN} on {UNKNOWN}",
        f"Compiled on platform {platform.system().lower()}-{platform.machine()}",
        f"Compiled with protoc {protobuf_version()}",
        f"From source with checksum {UNKNOWN}",
        f"This command was run using {SOURCES / 'yarnbox'}",
    )
    for text in lines:
        session.console.print(text)
    return OK
