"""Garbage is collected seldom, and what has to happen at the end of a process happens before it leaves."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from yarnbox.yarn.runtime.interpreter import YOUNG_OF_A_PLAY, rare_garbage_collection

PROGRAM = """
import atexit, sys, threading
from yarnbox.yarn.runtime.interpreter import leave
gate = threading.Event()
atexit.register(lambda: print("registered"))
threading.Thread(target=lambda: (gate.wait(), print("a thread"))).start()
threading.Thread(target=threading.Event().wait, daemon=True).start()
class Kept:
    def __del__(self):
        print("taken apart")
kept = Kept()
print("said", end=" ")
print("complained", file=sys.stderr)
gate.set()
leave(%d)
"""


@pytest.mark.parametrize("status", [0, 3])
def test_threads_end_and_streams_are_whole_but_nothing_is_taken_apart(status: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % status], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, "complained\n")
    assert done.stdout == "said a thread\nregistered\n"


def test_what_could_not_be_written_is_a_failure() -> None:
    program = """
import sys
from yarnbox.yarn.runtime.interpreter import leave
sys.stdout = open("/dev/full", "w")
print("lost")
leave(0)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 120


SCRIPT = """
import gc
from yarnbox.yarn.runtime.interpreter import MIDDLE, OLD, YOUNG, reduce_garbage_collection

class Node:
    def __init__(self):
        self.itself = self

reduce_garbage_collection()
assert gc.get_threshold() == (YOUNG, MIDDLE, OLD)
assert gc.get_freeze_count() > 1000
before = len(gc.get_objects())
for _ in range(20 * YOUNG):
    Node()
assert len(gc.get_objects()) < before + 4 * YOUNG
"""


def test_garbage_is_looked_for_seldom_and_found() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


def test_afterwards_garbage_is_looked_for_as_before() -> None:
    before = gc.get_threshold()
    with rare_garbage_collection():
        assert gc.get_threshold()[0] == YOUNG_OF_A_PLAY
    assert gc.get_threshold() == before
