"""When the virtual machine of a comparison is replaced by another one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hadoop import installed
from tests.hadoop.comparison import SAME, Comparison
from tests.hadoop.twin import Twin
from yarnbox.sim.scenario.reading.document import read_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"
FILE = SCENARIOS / "fifo" / "fills-node-in-one-heartbeat.yaml"


@pytest.fixture
def started() -> list[Twin]:
    """All that were started."""
    return []


@pytest.fixture
def start(started: list[Twin], tmp_path: Path) -> Callable[[], Twin]:
    """Starts one."""
    classes = installed.compiled(tmp_path / "classes")

    def one() -> Twin:
        started.append(Twin(classes, installed.jars(), Path(os.devnull)))
        return started[-1]

    return one


def test_each_virtual_machine_serves_so_many_plays(
    started: list[Twin], start: Callable[[], Twin], tmp_path: Path
) -> None:
    comparing = Comparison(start, tmp_path, most_plays=2)
    try:
        kinds = [comparing.compare(read_scenario(FILE), "one").kind for _ in range(3)]
        started[-1].close()
        kinds.append(comparing.compare(read_scenario(FILE), "one").kind)
    finally:
        comparing.close()
    assert kinds == [SAME] * 4
    assert [one.is_alive for one in started] == [False, False, False]


def test_other_resource_types_get_a_virtual_machine_of_their_own(
    started: list[Twin], start: Callable[[], Twin], tmp_path: Path
) -> None:
    two, three = (SCENARIOS / "fair" / f"fair-drf-{name}.yaml" for name in ("queues", "three-types"))
    other = SCENARIOS / "fair" / "fair-maxima-of-further-types.yaml"
    comparing = Comparison(start, tmp_path)
    try:
        plays = [(file, comparing.compare(read_scenario(file), file.stem)) for file in (two, three, FILE)]
        assert len(started) == 2
        plays.append((other, comparing.compare(read_scenario(other), other.stem)))
        assert [one.is_alive for one in started] == [True, False, True]
    finally:
        comparing.close()
    assert [str(verdict) for file, verdict in plays] == [f"{SAME} {file.stem}" for file, _ in plays]
    assert [one.is_alive for one in started] == [False] * 3
