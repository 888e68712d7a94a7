"""Looking for containers that nobody knows, while processes come and go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import psutil
import pytest

from yarnbox.nm.executor.leftovers import running_groups


def test_a_process_that_ends_while_it_is_looked_at_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ending(psutil.Process):
        """Gone as soon as its environment has been read."""

        def environ(self) -> dict[str, str]:
            return {"CONTAINER_ID": "container_1_0001_01_000001", "LOCAL_DIRS": str(tmp_path / "local")}

        def status(self) -> NoReturn:
            raise psutil.NoSuchProcess(self.pid)

    monkeypatch.setattr(psutil, "process_iter", lambda: [Ending()])
    monkeypatch.setattr(os, "getpgid", lambda pid: pid)
    assert running_groups([str(tmp_path)]) == {}
