"""Directories of tests go with them, however these end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.testing.temporary import TemporaryDirectory

TEST = """
import time
from yarnbox.testing.fakes.fake_rm import FakeResourceManager

def test_that_takes_long(yarn_cluster):
    with FakeResourceManager():
        print("both are there", flush=True)
        time.sleep(3600)
"""


def test_what_is_closed_is_gone() -> None:
    directory = TemporaryDirectory("yarnbox-test-")
    (directory.path / "below").mkdir()
    directory.close()
    assert not directory.path.exists()
    directory.close()


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT), (signal.SIGKILL,)])
def test_a_test_run_that_is_ended_leaves_nothing(tmp_path: Path, signals: tuple[signal.Signals, ...]) -> None:
    (tmp_path / "test_it.py").write_text(TEST, encoding="utf-8")
    place = tmp_path / "tmp"
    place.mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )
    with running:
        assert running.stdout is not None
        assert any("both are there" in line for line in running.stdout)
        assert len(left(place)) == 2
        for number in signals:
            running.send_signal(number)
        running.communicate(timeout=PATIENCE_S)
    assert wait_until(lambda: not left(place), PATIENCE_S)


def left(place: Path) -> list[Path]:
    return [*place.glob("yarnbox-test-*"), *place.glob("yarnbox-fake-rm-*")]
