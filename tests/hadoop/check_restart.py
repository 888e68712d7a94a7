"""The virtual machine is replaced in the middle of a comparison, and when it has ended."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hadoop import installed
from tests.hadoop.comparison import SAME, Comparison
from tests.hadoop.twin import Twin
from yarnbox.sim.scenario.reading.document import read_scenario

FILE = Path(__file__).parents[1] / "scenarios" / "fifo" / "fills-node-in-one-heartbeat.yaml"


def test_each_virtual_machine_serves_so_many_plays(tmp_path: Path) -> None:
    started = []

    def start() -> Twin:
        started.append(Twin(classes, installed.jars(), Path(os.devnull)))
        return started[-1]

    classes = installed.compiled(tmp_path / "classes")
    comparing = Comparison(start, tmp_path, most_plays=2)
    try:
        kinds = [comparing.compare(read_scenario(FILE), "one").kind for _ in range(3)]
        started[-1].close()
        kinds.append(comparing.compare(read_scenario(FILE), "one").kind)
    finally:
        comparing.close()
    assert kinds == [SAME] * 4
    assert [one.is_alive for one in started] == [False, False, False]
