"""A process that is to end with the one that started it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.tree import ROOT

WAITING = """
import asyncio, os, sys
from yarnbox.yarn.runtime import tasks
if sys.argv[1] == "looks":
    del os.pidfd_open
else:
    tasks.PARENT_LOOK_S = 3600.0
async def body():
    waiting = asyncio.ensure_future(tasks.end_of_parent(os.getppid()))
    await asyncio.wait([waiting], timeout=0.1)
    print(os.getpid(), waiting.done(), flush=True)
    await waiting
    print("the parent has ended", flush=True)
asyncio.run(body())
"""
STARTING = """
import subprocess, sys, time
subprocess.Popen([sys.executable, *sys.argv[1:]])
time.sleep(3600)
"""


@pytest.mark.parametrize("way", ["is told", "looks"])
def test_the_end_of_the_parent_is_noticed(way: str) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTING, "-c", WAITING, way],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        text=True,
    )
    with starter:
        assert starter.stdout is not None
        assert starter.stdout.readline().endswith(" False\n")
        starter.kill()
        assert starter.stdout.readline() == "the parent has ended\n"


def test_who_has_another_parent_already_does_not_wait() -> None:
    script = "import asyncio\nfrom yarnbox.yarn.runtime import tasks\nasyncio.run(tasks.end_of_parent({}))"
    for pid in (os.getppid(), 0):  # one that runs, and what is nobody's pid
        subprocess.run(
            [sys.executable, "-c", script.format(pid)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            check=True,
            timeout=30,
        )
