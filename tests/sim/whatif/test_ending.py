"""`yarnbox whatif` is ended by a signal: its workers end, and neither files nor words are left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.sim.whatif.conftest import CAPACITY
from tests.sim.whatif.policies import Halting
from tests.tree import ROOT
from tests.waiting import PATIENCE_S


class Busy:
    """The command, with two workers in the middle of their first plays."""

    def __init__(self, conf: Path, load: Path, place: Path) -> None:
        self.drafts = place / "drafts"
        self.drafts.mkdir()
        policy = f"{CAPACITY}root.etl.ordering-policy={Halting.__module__}.{Halting.__qualname__}"
        words = ["whatif", "--base", str(conf), "--load", str(load), "--seeds", "3"]
        words += ["--workers", "2", "--out", "out", "--change", "-D", policy]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "yarnbox.cluster.main", *words],
            env={**os.environ, "TMPDIR": str(self.drafts), "PYTHONPATH": str(ROOT)},
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        told = (self.process.stdout.readline() for _ in range(2))
        self.workers = [psutil.Process(int(line)) for line in told]

    def ended(self, number: signal.Signals) -> tuple[int, str]:
        """The status and the words after that signal; no worker is left."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert out == ""
        _, alive = psutil.wait_procs(self.workers, timeout=PATIENCE_S)
        assert not alive
        return self.process.returncode, err


@pytest.fixture
def busy(conf: Path, load: Path, tmp_path: Path) -> Iterator[Busy]:
    found = Busy(conf, load, tmp_path)
    yield found
    found.process.kill()
    found.process.communicate()
    for one in found.workers:
        if one.is_running():
            one.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left(busy: Busy, tmp_path: Path, number: signal.Signals) -> None:
    assert busy.ended(number) == (128 + number, "")
    assert list(busy.drafts.iterdir()) == []
    assert not (tmp_path / "out").exists()


def test_workers_do_not_outlive_a_killed_command(busy: Busy) -> None:
    assert busy.ended(signal.SIGKILL)[0] == -signal.SIGKILL
