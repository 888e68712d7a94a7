"""What the collector of cyclic garbage does once a process collects seldom."""

from __future__ import annotations

import gc
import subprocess
import sys

from yarnbox.yarn.runtime.memory import YOUNG, rare_garbage_collection

SCRIPT = """
import gc
from yarnbox.yarn.runtime.memory import MIDDLE, OLD, YOUNG, reduce_garbage_collection

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
        assert gc.get_threshold()[0] == YOUNG
    assert gc.get_threshold() == before
