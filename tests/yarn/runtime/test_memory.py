"""What the collector of cyclic garbage does once a process collects seldom."""

from __future__ import annotations

import subprocess
import sys

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
