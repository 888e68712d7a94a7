"""A real Dask cluster on this machine that leaves our environment as it was."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from tests.waiting import PATIENCE_S


@contextmanager
def dask_cluster(directory: Path, workers: int = 2, **options: Any) -> Iterator[Any]:
    """A `LocalCluster` of so many workers, which keep their files in `directory`. What Dask sets for its
    workers, PYTHONHASHSEED among it, it sets in our environment too, and the template of the fork servers
    would then be of no use to any later test.
    """
    local_cluster: Any = importlib.import_module("distributed").LocalCluster
    before = dict(os.environ)
    try:
        with local_cluster(n_workers=workers, local_directory=str(directory), **options) as found:
            _restore(before)
            yield found
    finally:
        _restore(before)  # a worker that was killed has been started again


HIDE = 'mount -t tmpfs none "$0" && exec "$@"'
"""A shell's line: a command that sees an empty directory at that path."""


def _apart() -> list[str]:
    """What gives a command a view of the filesystem of its own here, as root or as anybody; nothing if that
    is not allowed.
    """
    if shutil.which("unshare") is None:
        return []
    for words in (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"]):
        tried = [*words, "sh", "-c", HIDE, gettempdir(), "true"]
        if not subprocess.run(tried, stderr=subprocess.DEVNULL, check=False).returncode:
            return words
    return []


def can_hide_directories() -> bool:
    """Whether a process may have a view of the filesystem of its own here."""
    return bool(_apart())


@contextmanager
def workers_apart(hidden: Path, directory: Path, **options: Any) -> Iterator[Any]:
    """A Dask cluster whose two workers see an empty directory where `hidden` is, as on another machine; they
    keep their files in `directory`.
    """
    hidden.mkdir()
    begun: list[subprocess.Popen[bytes]] = []
    with dask_cluster(directory, workers=0, **options) as found:
        words = [sys.executable, "-m", "distributed.cli.dask_worker", found.scheduler_address]
        words += ["--local-directory", str(directory), "--nthreads", "2", "--memory-limit", "2GiB"]
        words += ["--no-nanny", "--no-dashboard"]
        try:
            for _ in range(2):
                own = [*_apart(), "sh", "-c", HIDE, str(hidden), *words]
                begun.append(subprocess.Popen(own, stderr=subprocess.DEVNULL))
            with importlib.import_module("distributed").Client(found.scheduler_address) as client:
                client.wait_for_workers(2, timeout=PATIENCE_S)
            yield found
        finally:
            for one in begun:
                one.terminate()
            for one in begun:
                one.wait(PATIENCE_S)


def _restore(environment: dict[str, str]) -> None:
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
