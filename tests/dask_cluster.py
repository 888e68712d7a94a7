"""A real Dask cluster on this machine that leaves our environment as it was."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


@contextmanager
def dask_cluster(directory: Path, **options: Any) -> Iterator[Any]:
    """A `LocalCluster` of two workers, which keep their files in `directory`. What Dask sets for its workers,
    PYTHONHASHSEED among it, it sets in our environment too, and the template of the fork servers would then
    be of no use to any later test.
    """
    local_cluster: Any = importlib.import_module("distributed").LocalCluster
    before = dict(os.environ)
    try:
        with local_cluster(n_workers=2, local_directory=str(directory), **options) as found:
            _restore(before)
            yield found
    finally:
        _restore(before)  # a worker that was killed has been started again


def _restore(environment: dict[str, str]) -> None:
    for name in os.environ.keys() - environment.keys():
        del os.environ[name]
    os.environ.update(environment)
