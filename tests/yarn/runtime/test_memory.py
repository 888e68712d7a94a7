"""What the collector of cyclic garbage does once a process has settled."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import gc
from yarnbox.yarn.runtime.memory import MIDDLE, OLD, YOUNG, settle

class Node:
    def __init__(self):
        self.itself = self

settle()
assert gc.get_threshold() == (YOUNG, MIDDLE, OLD)
assert gc.get_freeze_count() > 1000
before = len(gc.get_objects())
for _ in range(20 * YOUNG):
    Node()
assert len(gc.get_objects()) < before + 4 * YOUNG
"""


def test_a_settled_process_looks_for_garbage_seldom_and_finds_it() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
