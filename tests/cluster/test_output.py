"""What cannot be printed: a full disk is one line and a status, a closed pipe is nobody's fault."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT

SIM = ("sim", "run", "--tracelocation", str(ROOT / "examples/loads/small.tsv"), "--jobs", "2")
FULL = "cannot write: No space left on device"


def run(words: tuple[str, ...], out: int, unbuffered: str = "") -> tuple[int, str]:
    command = "yarnbox.client.main" if words == ("version",) else "yarnbox.cluster.main"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    command_line = [sys.executable, "-m", command, *words]
    done = subprocess.run(
        command_line, stdout=out, stderr=subprocess.PIPE, env=environment, text=True, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words, told",
    [
        (("examples",), (1, f"yarnbox: {FULL}\n")),
        (("check-conf", str(ROOT / "conf")), (1, f"yarnbox: {FULL}\n")),
        (SIM, (1, f"yarnbox: {FULL}\n")),
        (("version",), (1, f"yarn: {FULL}\n")),
    ],
)
def test_a_full_disk_is_told(words: tuple[str, ...], told: tuple[int, str], unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        assert run(words, full.fileno(), unbuffered) == told


@pytest.mark.parametrize("words", [("examples",), SIM])
def test_whoever_reads_may_have_enough(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert run(words, writing) == (0, "")
    os.close(writing)
