"""How often a cluster is looked at by those who wait for it or show it."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from yarnbox.cluster import cluster, watch
from yarnbox.cluster.view import Row
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


class Terminal(io.StringIO):
    """Where somebody looks at what is printed."""

    def isatty(self) -> bool:
        return True


class Looks:
    """An ending that is asked for when there is nothing left to see."""

    def __init__(self, rows: list[list[Row]]) -> None:
        self.rows = rows

    def wait(self, _timeout_s: float) -> bool:
        return not self.rows

    def look(self, _cluster: Any) -> tuple[Any, list[Row]]:
        return SimpleNamespace(rm=None), self.rows.pop(0)


def test_a_table_is_printed_again_when_something_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    running, stopped = (Row("rm", state, 1, "127.0.0.1:1") for state in ("RUNNING", "STOPPED"))
    looks = Looks([[running], [running], [running], [stopped], [stopped]])
    monkeypatch.setattr(watch, "look", looks.look)
    monkeypatch.setattr(sys, "stdout", screen := Terminal())
    steady: Any = SimpleNamespace(is_running=lambda _: True)
    ending: Any = looks
    assert watch.watch(steady, ending) is None
    assert screen.getvalue().count("RUNNING") == 1
    assert screen.getvalue().count("STOPPED") == 2  # what is there when it ends stays
