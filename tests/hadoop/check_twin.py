"""Scenarios and loads played by ours and by Hadoop's own ResourceManager: not a decision differs.

A part of what `make compare` does, short enough for every run.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hadoop.comparison import SAME, Comparison, comparison
from tests.hadoop.workloads import SHORT, Workload, compare_workload
from yarnbox.sim.scenario.reading.document import read_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios"
AREAS = ("capacity", "fifo", "labels")


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Comparison]:
    """The virtual machine for all of them."""
    with comparison(tmp_path_factory.mktemp("twin") / "twin.log") as comparing:
        yield comparing


@pytest.mark.parametrize("area", AREAS)
def test_every_scenario_goes_the_same_way(twin: Comparison, area: str) -> None:
    verdicts = [
        twin.compare(read_scenario(file), file.stem) for file in sorted((SCENARIOS / area).glob("*.yaml"))
    ]
    assert [str(verdict) for verdict in verdicts if verdict.kind != SAME] == []


@pytest.mark.parametrize("workload", SHORT, ids=lambda workload: workload.name)
def test_every_short_load_goes_the_same_way(twin: Comparison, workload: Workload) -> None:
    assert str(compare_workload(twin, workload)) == f"{SAME} workload {workload.name}"
