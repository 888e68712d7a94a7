"""How much containers write into their log directories, against two limits.

A container's logs are those of one directory with all below it, counted in every log directory of the node
that has some. The first limit is for one directory, the second for all of a container's together. Hadoop:
ContainersMonitorImpl's LogMonitorThread.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from yarnbox.nm.logs import EXCESS_LOGS
from yarnbox.nm.monitor import Verdict, amount
from yarnbox.nm.settings.monitoring import LogMonitorSettings
from yarnbox.yarn.ids import ContainerId


def look(
    directories: Mapping[ContainerId, Iterable[Path]], settings: LogMonitorSettings
) -> dict[ContainerId, Verdict]:
    """The containers that have to go, and why."""
    verdicts: dict[ContainerId, Verdict] = {}
    for container_id, paths in directories.items():
        sizes = {path: size_of(path) for path in paths}
        verdict = judge(container_id, sizes, settings)
        if verdict is not None:
            verdicts[container_id] = verdict
    return verdicts


def judge(
    container_id: ContainerId, sizes: Mapping[Path, int], settings: LogMonitorSettings
) -> Verdict | None:
    """What these sizes mean."""
    total, limit = sum(sizes.values()), settings.total_limit_bytes
    what = f"Container [containerID={container_id}] has written too much log"
    for path, size in sizes.items():
        if size > settings.directory_limit_bytes:
            allowed = amount(settings.directory_limit_bytes)
            return Verdict(
                EXCESS_LOGS, f"{what}: {amount(size)} of {allowed} allowed in {path}. Killing container."
            )
    if total > limit:
        return Verdict(
            EXCESS_LOGS, f"{what}: {amount(total)} of {amount(limit)} allowed in all. Killing container."
        )
    return None


def size_of(path: Path) -> int:
    """The bytes in the files below; what vanishes meanwhile does not count."""
    total = 0
    for directory, _, names in os.walk(path):
        for name in names:
            try:
                total += os.lstat(os.path.join(directory, name)).st_size
            except OSError:
                continue
    return total
