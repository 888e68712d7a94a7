"""When an RM that ended is started again, and when it is not."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.directory import ClusterRecord, RunDirectory
from yarnbox.cluster.processes import ProcessId
from yarnbox.cluster.restarting import LONGEST_DELAY_S, STEADY_S, RMRestarts

ENDED = ProcessId(2**22 + 1, 0.0)  # above the largest pid there can be
FULL = "rm: state store: database or disk is full"
CANNOT_OPEN = "rm: the state store /s/rm-state.sqlite cannot be opened: database or disk is full"


class Restarted(Cluster):
    """A cluster that only counts how often its RM is started again."""

    def __init__(self, run: RunDirectory) -> None:
        super().__init__(run)
        self.count = 0

    def restart_rm(self, number: signal.Signals = signal.SIGTERM, name: str | None = None) -> None:
        self.count += 1


class Desk:
    """A watcher, its clock, and what the RM said last."""

    def __init__(self, tmp_path: Path) -> None:
        run = RunDirectory(tmp_path / "run")
        run.create()
        self.now = 0.0
        self.out = run.logs / "rm.out"
        self.cluster = Restarted(run)
        self.restarts = RMRestarts(self.cluster, lambda: self.now)

    def look(self, rm: ProcessId | None = ENDED) -> str | None:
        return self.restarts.look(ClusterRecord("id", "h:1", "h:2", "fifo", rm=rm))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def ourselves() -> ProcessId:
    found = ProcessId.of(os.getpid())
    assert found is not None
    return found


def test_each_failure_makes_the_next_attempt_wait_twice_as_long(desk: Desk) -> None:
    waited = []
    for said in (FULL, *[CANNOT_OPEN] * 8):
        desk.out.write_text(f"{said}\n")
        told = desk.look() or ""
        assert said.removeprefix("rm: ") in told
        seconds = float(told.rsplit(" ", 2)[1])
        desk.now += seconds - 0.5
        assert desk.look() is None
        desk.now += 0.5
        assert desk.look() == "rm: started again"
        waited.append(seconds)
    assert waited == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert desk.cluster.count == len(waited)


def test_an_rm_that_has_run_for_long_begins_anew(desk: Desk) -> None:
    desk.out.write_text(FULL)
    for _ in range(3):
        desk.look()
        desk.now += LONGEST_DELAY_S
        desk.look()
    desk.look(ourselves())
    desk.now += STEADY_S + 1
    desk.look(ourselves())
    assert (desk.look() or "").endswith("in 1 s")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "rm: ended by SIGTERM",
        "rm: the state store /s is missing; it was that of cluster c, epoch 1",
        "rm: the state store /s is that of cluster a, and this is cluster b",
        "rm: the state store /s cannot be opened: another ResourceManager is using it",
    ],
)
def test_what_waiting_does_not_change_is_left_as_it_is(desk: Desk, said: str) -> None:
    desk.out.write_text(said)
    for _ in range(3):
        assert desk.look() is None
        desk.now += LONGEST_DELAY_S
    assert desk.cluster.count == 0


def test_an_rm_that_was_ended_by_a_command_is_left_as_it_is(desk: Desk) -> None:
    desk.out.write_text(FULL)
    assert desk.look(None) is None
    desk.now += LONGEST_DELAY_S
    assert desk.look(None) is None
