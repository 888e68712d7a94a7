"""Functions that run inside a Dask worker: they start its NodeManagers, look at them and end them.

A NodeManager is a child of the worker's process, and ends with it. The functions are sent by name, so this
package must be installed on the worker, too.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox import __version__
from yarnbox.cluster import processes
from yarnbox.cluster.hosts import mirror
from yarnbox.cluster.hosts.mirror import Known, Piece, SharedFile
from yarnbox.cluster.processes import ProcessId


@dataclass(frozen=True, slots=True)
class Facts:
    """What a worker says of itself."""

    version: str
    directory: str
    memory_bytes: int | None
    """What Dask lets it use; None: there is no limit."""
    threads: int
    sees_the_run: bool
    """Whether the run directory is here, too."""


def facts(mark: str, dask_worker: Any) -> Facts:
    """Of this worker; `mark` is a file in the run directory."""
    return Facts(
        __version__,
        str(dask_worker.local_directory),
        dask_worker.memory_manager.memory_limit,
        dask_worker.state.nthreads,
        Path(mark).exists(),
    )


def start(
    arguments: Sequence[str],
    directory: str,
    output: Path,
    variables: Mapping[str, str],
    copy: str,
    files: Mapping[str, SharedFile],
) -> ProcessId | None:
    """Starts a NodeManager; None when it has ended at once. The files go first into the copy of the run
    directory, where there is one.
    """
    mirror.write(copy, files)
    own = Path(directory)
    own.mkdir(parents=True, exist_ok=True)
    return ProcessId.of(processes.start([*arguments, "--exit-with-parent"], own, output, variables))


async def write(copy: str, files: Mapping[str, SharedFile]) -> None:
    """Brings the copy of the run directory up to date."""
    await asyncio.to_thread(mirror.write, copy, files)


async def written(copy: str, folders: Sequence[str], known: Known) -> dict[str, Piece]:
    """What is new in the copy of the run directory."""
    return await asyncio.to_thread(mirror.written, copy, folders, known)


def running(asked: Mapping[str, Mapping[str, ProcessId]], dask_worker: Any) -> list[str]:
    """The names of those of this worker's nodes that run."""
    own = asked.get(dask_worker.address, {})
    return [name for name, process in own.items() if process.is_alive()]


async def send(process: ProcessId, directory: str, number: signal.Signals) -> bool:
    """Signals a NodeManager and, but for SIGTERM, its containers."""
    return await asyncio.to_thread(processes.send_to_node, process, Path(directory), number)


async def end(asked: Mapping[str, Mapping[str, ProcessId]], dask_worker: Any) -> None:
    """Ends the NodeManagers of this worker, each known by its directory."""
    own = {Path(directory): process for directory, process in asked.get(dask_worker.address, {}).items()}
    await asyncio.to_thread(processes.end_nodes, own)


async def forget(asked: Mapping[str, Mapping[str, ProcessId]], dask_worker: Any) -> None:
    """Removes the directories of nodes that have ended, and what holds nothing any more."""
    for directory in map(Path, asked.get(dask_worker.address, ())):
        await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)
        with suppress(OSError):
            if [one.name for one in directory.parent.iterdir()] == [mirror.FOLDER]:
                await asyncio.to_thread(shutil.rmtree, directory.parent / mirror.FOLDER)
            directory.parent.rmdir()
