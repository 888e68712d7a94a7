"""The explanation names the reason by which the FIFO scheduler refused, look by look, in random clusters.

Before each heartbeat `refusal_on` and `request_checks` are asked for every request; the allocator's looks are
noted, and what it gave or refused has to be what was said. Asking may change nothing.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, cast

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.checks import NODES
from yarnbox.rm.scheduler.fifo import FifoReason, FifoScheduler, FifoViews
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.enums import DecommissionType
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.admin import RefreshNodesRequest

SEEDS = range(24)
STEPS = 80
HOSTS = ("n1", "n2", "n3")
ADMIN = Caller(user="yarn")

Said = dict[RequestKey, FifoReason | None]


class Watch:
    """Compares each heartbeat of one cluster with what was said before it."""

    def __init__(self, patch: pytest.MonkeyPatch, compared: Counter[FifoReason | None]) -> None:
        self.compared = compared
        self.looked_at: list[ApplicationId] = []
        """Whom the heartbeat at hand was offered to."""
        self.is_offered = False
        self._given: Counter[RequestKey] = Counter()
        self._tried: dict[RequestKey, None] = {}
        around_each = {"allocate_on": self._offer, "_serve": self._serve, "_serve_key": self._serve_key}
        for name, around in around_each.items():
            patch.setattr(FifoScheduler, name, _wrapped(getattr(FifoScheduler, name), around))

    def _offer(self, allocate_on: Any, scheduler: FifoScheduler, node: SchedulerNode) -> None:
        self.is_offered = True
        allocate_on(scheduler, node)

    def _serve(self, serve: Any, scheduler: FifoScheduler, attempt: Attempt, node: SchedulerNode) -> None:
        """One application is offered the node."""
        self.looked_at.append(attempt.application_id)
        said = self.said(scheduler, attempt, node)
        room = {key: _room(scheduler, attempt, key, node) for key in said}
        self._given.clear()
        self._tried.clear()
        serve(scheduler, attempt, node)
        is_stopped = False
        for key, reason in said.items():
            where = f"{attempt.application_id}, {key} on {node}: {reason}"
            assert (key in self._tried) is not is_stopped, where
            expected = FifoReason.EARLIER_REQUEST if is_stopped else room[key]
            is_taken = any(self._given[one] for one in said if one < key)
            if not is_taken:
                assert (expected is None) == (self._given[key] > 0), where
            # Of what earlier requests of the application leave of the node nothing is said.
            if not (is_taken and is_stopped):
                assert reason is expected, where
                self.compared[reason] += 1
            is_stopped = is_stopped or not self._given[key]

    def _serve_key(self, serve: Any, scheduler: Any, attempt: Any, node: SchedulerNode, key_asks: Any) -> int:
        count: int = serve(scheduler, attempt, node, key_asks)
        self._given[key_asks.key] += count
        self._tried[key_asks.key] = None
        return count

    def said(self, scheduler: FifoScheduler, attempt: Attempt, node: SchedulerNode) -> Said:
        """The reason for each key, which is also what `yarnbox why` says."""
        views = cast(FifoViews, scheduler.views)
        said = {key: views.refusal_on(attempt, key, node) for key in attempt.asks.active_keys}
        requests = {one.key: one for one in views.request_checks(attempt.application_id)}
        assert set(said) == set(requests)
        for key, reason in said.items():
            failing = requests[key].failing
            where = f"{attempt.application_id}, {key} on {node}: {reason}, said {requests[key].lines}"
            if failing[0].reason is FifoReason.RECOVERING:
                assert scheduler.is_waiting_for_recovery(), where
            elif failing[0].level == NODES:
                assert reason in [one.reason for one in failing if one.nodes], where
            else:  # a node serves it
                turn = turn_of(scheduler, attempt)
                assert [one.reason for one in failing] == [turn], where
                self.compared[turn] += 1
        return said


def _wrapped(method: Any, around: Any) -> Any:
    return lambda *words: around(method, *words)


def _room(
    scheduler: FifoScheduler, attempt: Attempt, key: RequestKey, node: SchedulerNode
) -> FifoReason | None:
    """What the numbers say, worked out in another way than the scheduler's."""
    memory_mb = attempt.asks[key].any.capability.memory_mb
    if memory_mb <= node.available.memory_mb:
        return None
    if not node.is_schedulable:
        return FifoReason.DECOMMISSIONING
    return FifoReason.NODE_FULL if memory_mb <= node.total.memory_mb else FifoReason.NODE_TOO_SMALL


def turn_of(scheduler: FifoScheduler, attempt: Attempt) -> FifoReason:
    """Whether an application that came earlier wants something."""
    earlier = [
        one
        for one in scheduler.applications.values()
        if one.application_id < attempt.application_id
        and one.attempt is not None
        and one.attempt.asks.active_keys
    ]
    return FifoReason.OTHERS_FIRST if earlier else FifoReason.HEARTBEAT


class Cluster:
    """Three nodes, three applications without AMs."""

    def __init__(self, dice: Random, watch: Watch) -> None:
        self.dice = dice
        self.watch = watch
        self.rig = rig = Rig({"yarn.resourcemanager.nodes.exclude-path": "exclude"})
        scheduler = rig.context.scheduler
        assert isinstance(scheduler, FifoScheduler)
        self.scheduler = scheduler
        for name in HOSTS:
            rig.add_node(name, dice.choice((2048, 4096)), 4)
        self.ids = [rig.submit(unmanaged_am=True) for _ in range(3)]
        for one in self.ids:
            rig.register(one)
        rig.context.has_recovered = dice.random() < 0.2

    def attempts(self) -> list[Attempt]:
        found = (self.scheduler.applications[one].attempt for one in self.ids)
        return [one for one in found if one is not None]

    def step(self) -> None:
        """An application asks, bars a node or gives back; or a node drains, or is offered."""
        dice, rig = self.dice, self.rig
        chosen, name = dice.choice(self.ids), dice.choice(HOSTS)
        verb = dice.choices(("ask", "bar", "release", "drain", "wait", "beat"), (4, 1, 2, 0.3, 1, 8))[0]
        if verb == "ask":
            size = min(dice.choice((512, 1024, 2048, 3072)), self.scheduler.maximum_allocation().memory_mb)
            rig.allocate(chosen, ask(count=dice.randint(0, 4), memory_mb=size, priority=dice.randint(1, 3)))
        elif verb == "bar":
            rig.allocate(chosen, blacklist=(name,))
        elif verb == "release":
            held = list(dict(zip(self.ids, self.attempts(), strict=True))[chosen].live)
            rig.allocate(chosen, release=tuple(held[: dice.randint(0, 2)]))
        elif verb == "drain":
            rig.files.texts["exclude"] = "" if rig.files.texts.get("exclude") else name
            request = RefreshNodesRequest(decommission_type=DecommissionType.GRACEFUL)
            rig.turn(lambda: rig.core.admin.refresh_nodes(request, ADMIN))
            if not rig.files.texts["exclude"]:
                there = [one.host for one in self.scheduler.tracker.nodes]
                for gone in [one for one in HOSTS if one not in there]:
                    rig.add_node(gone, 4096, 4)
        elif verb == "wait":
            rig.advance(dice.choice((100, 2000)))
        else:
            self.beat(name)

    def beat(self, name: str) -> None:
        """What is said before a heartbeat, and whom it was offered to."""
        watch, scheduler = self.watch, self.scheduler
        node = next((one for one in scheduler.tracker.nodes.values() if one.node_id.host == name), None)
        watch.looked_at, watch.is_offered = [], False
        self.rig.heartbeat(name)
        if node is None or node.node_id not in scheduler.tracker.nodes:  # it has drained
            return
        offered = list(watch.looked_at)
        for attempt in self.attempts():
            said = watch.said(scheduler, attempt, node)
            if not watch.is_offered:
                assert scheduler.is_waiting_for_recovery()
                watch.compared[FifoReason.RECOVERING] += len(said)
            elif attempt.application_id not in offered:
                for reason in said.values():
                    expected = FifoReason.BLACKLIST
                    if node.available.memory_mb < scheduler.minimum_allocation.memory_mb:
                        expected = FifoReason.NODE_BUSY
                        if not node.is_schedulable:
                            expected = FifoReason.DECOMMISSIONING
                    assert reason is expected
                    watch.compared[reason] += 1


@pytest.mark.replaces_methods
def test_explanation_and_allocator_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: Counter[FifoReason | None] = Counter()
    watch = Watch(monkeypatch, compared)
    for seed in SEEDS:
        cluster = Cluster(Random(seed), watch)
        for _ in range(STEPS):
            cluster.step()
    expected = {*FifoReason, None} - {FifoReason.NO_NODE, FifoReason.NOTHING_ASKED}
    assert {one for one in expected if not compared[one]} == set(), compared
