"""Containers of an earlier NM that still run although nobody knows them any more: found, and ended.

A process of a container has the container's id and this node's local directories in its environment; what it
belongs to is its process group. Hadoop's NM leaves such processes alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Collection, Iterable, Sequence

import psutil

from yarnbox.nm.executor.group import end_group
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.processes import runs

log = logging.getLogger("nm.executor")


def running_groups(local_directories: Sequence[str]) -> dict[ContainerId, list[int]]:
    """The process groups of containers that run in these directories, by container."""
    found: dict[ContainerId, list[int]] = {}
    for process in psutil.process_iter():
        try:
            environment = process.environ()
            group = os.getpgid(process.pid)
            container_id = ContainerId.parse(environment.get("CONTAINER_ID", ""))
            if group == os.getpgid(0) or not runs(process):
                continue
        except (psutil.Error, OSError, ValueError):
            continue  # it is not ours to look at, no container's, or has ended
        if _is_inside(environment.get("LOCAL_DIRS", ""), local_directories):
            groups = found.setdefault(container_id, [])
            if group not in groups:
                groups.append(group)
    return found


def _is_inside(listed: str, directories: Sequence[str]) -> bool:
    return any(
        place.startswith(f"{directory.rstrip(os.sep)}{os.sep}")
        for place in listed.split(",")
        for directory in directories
    )


async def end_leftovers(
    local_directories: Iterable[str], known: Collection[ContainerId], sigkill_delay_ms: int
) -> list[ContainerId]:
    """Ends what runs for containers that are not known; whose it was."""
    running = await asyncio.to_thread(running_groups, list(local_directories))
    lost = {container_id: groups for container_id, groups in running.items() if container_id not in known}
    for container_id, groups in lost.items():
        log.warning("%s runs, and nobody knows it: it is ended", container_id)
        for group in groups:
            await end_group(group, sigkill_delay_ms)
    return list(lost)
