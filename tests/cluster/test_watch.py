"""How often a cluster is looked at by those who wait for it or show it."""

from __future__ import annotations

from types import SimpleNamespace
from unittest import mock

from yarnbox.cluster import cluster
from yarnbox.cluster.watch import Pace


def test_a_cluster_that_takes_long_to_look_at_is_looked_at_for_a_tenth_of_the_time() -> None:
    now = [16.0]
    pace = Pace(lambda: now[0])
    assert pace.pause_s() == 0.5
    for takes_s, pause_s in ((2**-8, 0.5), (2.0, 18.0), (0.0, 0.5)):
        with pace.looking():
            now[0] += takes_s
        assert pace.pause_s() == pause_s


def test_who_waits_pauses_for_as_long_as_the_answer_took() -> None:
    now, looked = [0.0], []

    def is_so() -> bool:
        looked.append(now[0])
        now[0] += 2.0
        return len(looked) == 3

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with mock.patch.object(cluster, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)):
        assert cluster.wait_until(is_so, 10.0)
        assert looked == [0.0, 4.0, 8.0]
        assert not cluster.wait_until(lambda: False, 1.0)
