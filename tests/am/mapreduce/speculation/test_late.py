"""LATE: slow attempts by the time that is left, and no slow nodes for the second ones."""

from __future__ import annotations

import pytest

from tests.am.mapreduce.rig import Cluster, Rig
from tests.am.mapreduce.speculation.test_speculator import attempt, second_attempts
from yarnbox.am.mapreduce.speculation.late import LARGEST_REFUSALS, percentile
from yarnbox.am.mapreduce.speculation.settings import SpeculationSettings

LATE = SpeculationSettings(speculator="LateSpeculator")


def job(maps: int, **cluster: object) -> Rig:
    nodes = Cluster(**{"memory_mb": 1 << 20, **cluster})  # type: ignore[arg-type]
    rig = Rig(maps=maps, reduces=0, cluster=nodes, speculation=LATE)
    rig.beat()
    return rig


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 25, 0), ([7], 25, 7), ([1, 10, 10, 10], 25, 7.75), ([4, 3, 2, 1, 0], 25, 1), ([1, 2], 100, 2)],
)
def test_a_percentile_lies_between_neighbours(values: list[float], percent: float, expected: float) -> None:
    assert percentile(values, percent) == expected


def test_the_one_that_ends_last_comes_first() -> None:
    rig = job(20)
    rig.beat(60)
    for number in range(20):
        rig.report(attempt(number), 0.6)
    rig.report(attempt(7), 0.6)
    assert second_attempts(rig) == []
    for number in range(20):
        rig.report(attempt(number), 0.9 if number not in (3, 7) else 0.6 + number / 100)
    rig.beat(2)
    assert second_attempts(rig) == [attempt(3, 1)]


def test_nobody_is_judged_within_a_minute() -> None:
    rig = job(8)
    rig.beat(40)
    for number in range(1, 8):
        rig.report(attempt(number), 0.9)
    rig.report(attempt(0), 0.1)
    rig.beat(19)
    assert second_attempts(rig) == []
    rig.beat(3)
    assert second_attempts(rig) == [attempt(0, 1)]


def test_a_tenth_of_the_containers_at_a_time() -> None:
    rig = job(30)
    for _ in range(120):
        for running in [*rig.running]:
            rig.report(running, 0.1 + running.task_id.number / 100)
        rig.beat()
    assert len(second_attempts(rig)) == 3


class TestNodes:
    def test_a_container_beside_the_first_attempt_is_given_back(self) -> None:
        """The only node is the one where the slow attempt runs: three refusals, then it is taken."""
        rig = job(4, memory_mb=8192, nodes={"n1": "/r1"})
        rig.beat(60)
        for number in range(1, 4):
            rig.finish(attempt(number))
        rig.beat(LARGEST_REFUSALS)
        assert attempt(0, 1) not in rig.running
        rig.beat(2)
        assert attempt(0, 1) in rig.running
        assert rig.cluster.granted == 4 + LARGEST_REFUSALS + 1

    def test_a_slow_node_gets_no_second_attempt(self) -> None:
        """Only n4 has room, where little was done; the second attempt waits until n3 has."""
        nodes = dict.fromkeys(("n1", "n2", "n3", "n4"), "/r1")
        rig = job(7, memory_mb=2048, nodes=nodes)
        rig.beat(60)
        slow, *rest = rig.running
        assert rig.node_of(slow) == "n1"
        rig.report(slow, 0.1)
        for running in rest:
            rig.report(running, 0.9 if rig.node_of(running) != "n4" else 0.3)
        rig.beat(2)
        assert len(second_attempts(rig)) == 1
        assert attempt(0, 1) not in rig.running
        rig.finish(next(running for running in rest if rig.node_of(running) == "n3"))
        rig.beat(2)
        assert rig.node_of(attempt(0, 1)) == "n3"
