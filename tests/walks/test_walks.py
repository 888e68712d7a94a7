"""Random walks under each scheduler: no defect, and nothing that they could reach is left unreached.

A seed that fails is shrunk and written as a scenario to test-artifacts/walks; a person moves it to
tests/scenarios and names it after its rule.
"""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest

from tests.tables import cells
from yarnbox.rm.scheduler.capacity.lifecycle.monitor import AT_A_TIME_MS
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import VERBS
from yarnbox.sim.walk.shrink import shrink, write
from yarnbox.sim.walk.walker import Coverage, Walk, walk

ARTIFACTS = Path(__file__).parents[2] / "test-artifacts" / "walks"
SCHEDULERS = ("fifo", "capacity", "fair")
SEEDS = range(30)

UNUSED_VERBS = (
    *("add-labels", "remove-labels", "label-node"),
    *("reserve", "update-reservation", "delete-reservation", "restart-rm", "node-queue"),
)
"""Verbs that no walk here draws: labels, plan reservations, restarts and queues of nodes have cases, and
walks beside Hadoop's ResourceManager.
"""

STORE_IS_AT_ONCE = (
    *("RMApp NEW AppKill", "RMApp NEW AppRejected", "RMApp NEW AppNodeUpdate"),
    *("RMApp NEW_SAVING AppKill", "RMApp NEW_SAVING AppRejected", "RMApp NEW_SAVING AppSaveFailed"),
    *("RMApp NEW_SAVING AppNodeUpdate", "RMApp SUBMITTED AppKill", "RMApp SUBMITTED AppNodeUpdate"),
    *("RMApp FINAL_SAVING AppRunningOnNode", "RMApp KILLING AppAttemptUnregistered"),
    *("RMApp KILLING AppAttemptFinished", "RMApp KILLING AppAttemptFailed"),
    *("RMApp KILLING AppRunningOnNode", "RMAppAttempt NEW AttemptKill", "RMAppAttempt NEW AttemptRegistered"),
    *("RMAppAttempt SUBMITTED AttemptKill", "RMAppAttempt SUBMITTED AttemptRegistered"),
    *("RMAppAttempt SCHEDULED AttemptRetryAllocate", "RMAppAttempt SCHEDULED AttemptContainerFinished"),
    *("RMAppAttempt ALLOCATED_SAVING AttemptContainerFinished", "RMAppAttempt ALLOCATED_SAVING AttemptKill"),
    *("RMAppAttempt ALLOCATED AttemptRegistered", "RMAppAttempt ALLOCATED AttemptContainerFinished"),
    *("RMAppAttempt ALLOCATED AttemptKill", "RMAppAttempt LAUNCHED_UNMANAGED_SAVING AttemptRegistered"),
    *("RMAppAttempt LAUNCHED_UNMANAGED_SAVING AttemptKill", "RMAppAttempt FINAL_SAVING AttemptExpire"),
    *("RMContainer NEW ContainerKill", "RMNode NEW NodeDecommission", "RMNode NEW NodeExpire"),
    *("RMNode NEW NodeResourceUpdate", "RMNode NEW NodeFinishedContainersPulledByAM"),
)
"""A turn ends when all its events are handled; tests/rm hold the store back instead."""

NOT_DRAWN = (
    *(f"RMAppAttempt {state} AttemptFail" for state in ("NEW", "SUBMITTED", "SCHEDULED", "ALLOCATED_SAVING")),
    *(f"RMAppAttempt {state} AttemptFail" for state in ("ALLOCATED", "LAUNCHED", "RUNNING")),
    *("RMAppAttempt LAUNCHED_UNMANAGED_SAVING AttemptFail", "RMAppAttempt ALLOCATED AttemptLaunchFailed"),
    *("RMApp NEW AppRecover", "RMAppAttempt NEW AttemptRecover", "RMContainer NEW ContainerRecover"),
    *("RMApp ACCEPTED AppAttemptFinished", "RMApp ACCEPTED AppAttemptKilled"),
    *("RMApp RUNNING AppAttemptFinished", "RMApp SUBMITTED AppRejected"),
    *("RMAppAttempt FINISHING AttemptExpire", "RMContainer NEW ContainerAcquired"),
    *("RMContainer ACQUIRED ContainerAcquireUpdated", "RMContainer ALLOCATED ContainerExpire"),
    *(f"RMNode {state} NodeRebooting" for state in ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")),
    *(f"RMNode {state} NodeShutdown" for state in ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")),
    *(f"RMNode {state} NodeSignalContainer" for state in ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")),
    *("RMNode UNHEALTHY NodeReconnected", "RMNode UNHEALTHY NodeUpdateContainer"),
    "RMNode DECOMMISSIONING NodeUpdateContainer",
    *(f"RMNode {state} NodeResourceUpdate" for state in ("DECOMMISSIONED", "LOST", "REBOOTED", "SHUTDOWN")),
    *(f"RMNode {state} NodeFinishedContainersPulledByAM" for state in ("DECOMMISSIONED", "LOST")),
    *(f"RMNode {state} NodeFinishedContainersPulledByAM" for state in ("REBOOTED", "SHUTDOWN")),
)
"""No verb does it: attempts failed by users, signals, restarts, launches that fail, nodes that lie."""


@cache
def walked(scheduler: str, seed: int) -> Walk:
    """The walk of that seed; the tests of this file share it."""
    return walk(seed, scheduler)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_walk_meets_no_defect(scheduler: str, seed: int) -> None:
    result = walked(scheduler, seed)
    if result.defect is not None:
        shrunk = shrink(result)
        path = write(shrunk.document, ARTIFACTS, f"found by walk({seed}, {scheduler!r})")
        pytest.fail(f"seed {seed} under {scheduler}, written to {path}:\n{result.defect.text}")


@pytest.mark.parametrize("seed", range(100, 106))
def test_a_walk_in_which_passes_pause_meets_no_defect(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the process, a pass of the scheduling monitor pauses, and anything may happen meanwhile."""
    begin = Player.begin

    def begin_with_time_passing(player: Player) -> None:
        begin(player)
        looks = itertools.count()
        player.world.rm.context.stopwatch = lambda: next(looks) * AT_A_TIME_MS / 2

    monkeypatch.setattr(Player, "begin", begin_with_time_passing)
    defect = walk(seed, "capacity").defect
    assert defect is None, defect


def test_the_same_seed_is_the_same_walk() -> None:
    assert walk(3, "capacity").document == walked("capacity", 3).document


def test_walks_reach_every_verb_and_every_arc_that_is_within_reach() -> None:
    coverage = Coverage()
    for scheduler in SCHEDULERS:
        for seed in SEEDS:
            coverage.add(walked(scheduler, seed).coverage)
    assert [verb for verb in VERBS if verb not in coverage.verbs and verb not in UNUSED_VERBS] == []
    reached = {f"{kind} {before} {event}" for kind, before, event, _ in coverage.arcs}
    unreached = [cell for cell in cells() if cell not in reached]
    assert [cell for cell in unreached if cell not in (*STORE_IS_AT_ONCE, *NOT_DRAWN)] == []
