"""What is said of why an application waits is what the allocator does: compared at each of its looks.

Before each look in a random cluster the explanation is asked for; then the allocator looks, and the reason by
which it refuses, or that it allocates, has to be the one that was named. Asking may change nothing.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.rig import Rig as WholeRig
from tests.rig import ask
from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import RMContainerState, SchedulerNode
from yarnbox.rm.context import RMContext
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.explanations import refusal_on
from yarnbox.rm.scheduler.fair.preemption import Preemption
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.reasons import FairReason
from yarnbox.rm.scheduler.fifo import FifoReason, FifoScheduler
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

SEEDS = range(16)
HOSTS = {"n0": "/r0", "n1": "/r0", "n2": "/r1", "n3": "/r1"}
AM = Resource(1024, 1)
_TOO_FAR = (FairReason.LOCALITY_DELAY, FairReason.STRICT_LOCALITY)


class Watch:
    """Compares each look of the FairScheduler's allocator with what was said before it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: Counter[FairReason | None] = Counter()
        self._looks: list[tuple[RequestKey, FairReason | None]] | None = None
        self._is_handing_out = False
        self._patch(patch)

    def _patch(self, patch: pytest.MonkeyPatch) -> None:
        assign, refusal, choose, take = (
            getattr(FSAppAttempt, name) for name in ("assign", "refusal", "_choose", "_take")
        )
        serve, leaf_assign = FSAppAttempt.assign_reserved, LeafQueue.assign
        assign_preempted = Preemption.assign_preempted_containers

        def noted(method: Any, outcome: Any) -> Any:
            def wrapped(app: FSAppAttempt, key_asks: Any, *more: Any) -> Any:
                looks, self._looks = self._looks, None
                found = method(app, key_asks, *more)
                self._looks = looks
                if looks is not None and outcome(found) is not ...:
                    looks.append((key_asks.key, outcome(found)))
                return found

            return wrapped

        def handing_out(preemption: Preemption, node: SchedulerNode) -> None:
            self._is_handing_out = True
            assign_preempted(preemption, node)
            self._is_handing_out = False

        def is_reason(found: Any) -> Any:
            return found if isinstance(found, FairReason) else ...

        patch.setattr(FSAppAttempt, "refusal", noted(refusal, is_reason))
        patch.setattr(FSAppAttempt, "_choose", noted(choose, is_reason))
        patch.setattr(
            FSAppAttempt, "_take", noted(take, lambda given: FairReason.NODE_FULL if given is None else None)
        )
        patch.setattr(FSAppAttempt, "assign", lambda app, node: self._assigned(assign, app, node))
        patch.setattr(FSAppAttempt, "assign_reserved", lambda *words: self._served(serve, *words))
        patch.setattr(LeafQueue, "assign", lambda leaf, node: self._offered(leaf_assign, leaf, node))
        patch.setattr(Preemption, "assign_preempted_containers", handing_out)

    def _assigned(self, assign: Any, app: FSAppAttempt, node: SchedulerNode) -> Any:
        if self._is_handing_out:  # space put aside: neither order nor maxima are looked at
            return assign(app, node)
        said = _said(app, node)
        self._looks = []
        given = assign(app, node)
        looks, self._looks = self._looks, None
        if not looks:
            assert all(one is FairReason.AM_SHARE for one in said.values()), said
        for key, outcome in looks:
            assert said.pop(key) is outcome, (app, key, node)
            self.seen[outcome] += 1
        for left in said.values():  # nobody came to look at these
            assert left in (FairReason.EARLIER_REQUEST, FairReason.AM_SHARE)
            self.seen[left] += 1
        return given

    def _served(self, serve: Any, app: FSAppAttempt, node: SchedulerNode, reserved: Any) -> Any:
        said = refusal_on(app, reserved.key, node)
        self._looks = []
        is_valid = serve(app, node, reserved)
        looks, self._looks = self._looks, None
        assert self._looks is None
        if is_valid and reserved.state is RMContainerState.RESERVED:
            outcome = next((one for _, one in looks if one in _TOO_FAR), FairReason.OWN_RESERVATION)
            assert said is outcome
        elif looks:
            assert [said] == [outcome for _, outcome in looks]
        else:
            assert said in (FairReason.AM_SHARE, FairReason.NOTHING_ASKED)
        self.seen[said] += 1
        return is_valid

    def _offered(self, assign: Any, leaf: LeafQueue, node: SchedulerNode) -> Any:
        """Applications that the leaf passes by without a look of their own."""
        skips = leaf.fair.may_skip_offers
        for app in list(leaf.line.members()):
            said = _said(app, node)
            if not leaf.is_within_max():
                assert all(one is FairReason.QUEUE_OVER_MAXIMUM for one in said.values())
            elif app.is_blacklisted(node):
                assert all(one is FairReason.BLACKLIST for one in said.values())
            elif not (skips and (app.bounds.exclude(node.available) or leaf.bounds.exclude(node.available))):
                continue
            assert None not in said.values()
            self.seen.update(said.values())
        return assign(leaf, node)


def _said(app: FSAppAttempt, node: SchedulerNode) -> dict[RequestKey, FairReason | None]:
    """The explanation for each key; asking for it leaves no trace."""
    before = (dict(app.opportunities), dict(app.levels), dict(app.level_since_ms), app.am_obstacle)
    said = {key: refusal_on(app, key, node) for key in app.asks.active_keys}
    assert isinstance(app.context, RMContext)
    for request in app.context.scheduler.request_checks(app.application_id):
        assert len(request.failing) == len(request.lines)
        assert request.failing, "an application that asks is told of something"
    assert before == (dict(app.opportunities), dict(app.levels), dict(app.level_since_ms), app.am_obstacle)
    return said


def random_cluster(dice: Random) -> Rig:
    delay = dice.choice((-1, 0.3, 0.9))
    conf = {
        "yarn.scheduler.fair.locality.threshold.node": delay,
        "yarn.scheduler.fair.locality.threshold.rack": delay,
        "yarn.scheduler.fair.assignmultiple": dice.random() < 0.5,
        "yarn.scheduler.fair.preemption": dice.random() < 0.3,
    }
    rig = Rig(
        "<allocations><queueMaxAMShareDefault>0.4</queueMaxAMShareDefault>"
        '<queue name="a"><maxResources>5000 mb, 9 vcores</maxResources></queue>'
        '<queue name="p"><maxResources>9000 mb, 9 vcores</maxResources>'
        '<queue name="b"/><queue name="c"/></queue>'
        "</allocations>",
        conf,
    )
    for name, rack in HOSTS.items():
        rig.add_node(name, dice.choice((3072, 4096, 8192)), 8, rack)
    return rig


def asked(dice: Random) -> list[ResourceRequest]:
    """One key: anywhere, or at a host and its rack, strictly or not."""
    size, count = Resource(dice.choice((512, 1024, 2048, 5000)), 1), dice.randint(0, 6)
    priority = dice.randint(1, 3)

    def request(place: str, relax: bool = True) -> ResourceRequest:
        return ResourceRequest(
            priority=priority,
            resource_name=place,
            capability=size,
            num_containers=count,
            relax_locality=relax,
        )

    if dice.random() < 0.5:
        return [request("*")]
    host = dice.choice(list(HOSTS))
    relax = dice.random() < 0.6
    return [request(host), request(HOSTS[host], relax), request("*", relax)]


def play(dice: Random, rig: Rig, steps: int = 120) -> None:
    names: list[str] = []
    for step in range(steps):
        verb = dice.choices(("submit", "ask", "beat", "update", "bar", "end"), (1, 5, 12, 3, 1, 4))[0]
        name = dice.choice(names) if names else ""
        if verb == "submit" and len(names) < 6:
            names.append(f"app{step}")
            queue = dice.choice(("a", "p.b", "p.c"))
            rig.submit(names[-1], queue, am=AM if dice.random() < 0.5 else None)
        elif verb == "beat":
            rig.heartbeat(dice.choice(list(HOSTS)))
        elif verb == "update":
            rig.advance(dice.choice((100, 1_000)))
            rig.update()
            rig.scheduler.preempt()
        elif name and verb == "ask" and not rig.app(name).is_waiting_for_am:
            rig.call(name, asked(dice))
        elif name and verb == "bar" and not rig.app(name).is_waiting_for_am:
            rig.call(name, (), [dice.choice(list(HOSTS))], [dice.choice(list(HOSTS))])
        elif name and verb == "end":
            running = [one for one in rig.app(name).live.values() if one.state is RMContainerState.RUNNING]
            if running:
                rig.end(dice.choice(running).container_id)


@pytest.mark.replaces_methods
def test_the_fair_schedulers_explanation_names_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)
    for seed in SEEDS:
        dice = Random(seed)
        play(dice, random_cluster(dice))
    missing = [
        reason.name
        for reason in (
            FairReason.AM_SHARE,
            FairReason.BLACKLIST,
            FairReason.STRICT_LOCALITY,
            FairReason.NODE_TOO_SMALL,
            FairReason.QUEUE_HEADROOM,
            FairReason.LOCALITY_DELAY,
            FairReason.NODE_FULL,
            FairReason.OWN_RESERVATION,
            FairReason.EARLIER_REQUEST,
        )
        if not watch.seen[reason]
    ]
    assert not missing, watch.seen
    assert watch.seen[None] > 100


@pytest.mark.replaces_methods
def test_the_fifo_schedulers_explanation_names_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[FifoReason | None] = Counter()
    serve, give = FifoScheduler._serve, FifoScheduler._give
    given: Counter[RequestKey] = Counter()

    def served(scheduler: FifoScheduler, attempt: Attempt, node: SchedulerNode) -> None:
        said = {key: scheduler.refusal_on(attempt, key, node) for key in attempt.asks.active_keys}
        first = next(iter(said), None)
        given.clear()
        serve(scheduler, attempt, node)
        for key, reason in said.items():
            if key == first or reason is not None:
                assert (reason is None) == (given[key] > 0), (attempt, key, node, reason)
            assert reason is not FifoReason.EARLIER_REQUEST or key not in given
            seen[reason] += 1

    def gave(
        scheduler: FifoScheduler, attempt: Attempt, node: SchedulerNode, key_asks: Any, *more: Any
    ) -> int:
        count = give(scheduler, attempt, node, key_asks, *more)
        given[key_asks.key] += count
        return count

    monkeypatch.setattr(FifoScheduler, "_serve", served)
    monkeypatch.setattr(FifoScheduler, "_give", gave)
    for seed in SEEDS:
        walk_fifo(Random(seed), seen)
    for reason in (None, FifoReason.NODE_FULL, FifoReason.NODE_TOO_SMALL, FifoReason.EARLIER_REQUEST):
        assert seen[reason], seen
    assert seen[FifoReason.NODE_BUSY]
    assert seen[FifoReason.BLACKLIST]


def walk_fifo(dice: Random, seen: Counter[FifoReason | None]) -> None:
    rig = WholeRig({"yarn.resourcemanager.scheduler.class": "fifo"})
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, FifoScheduler)
    names = ("n1", "n2", "n3")
    for name in names:
        rig.add_node(name, dice.choice((2048, 4096)), 4)
    ids = [rig.submit(unmanaged_am=True) for _ in range(3)]
    for one in ids:
        rig.register(one)
    for _ in range(60):
        chosen = dice.choice(ids)
        if dice.random() < 0.3:
            size = dice.choice((512, 1024, 2048, 3072))
            rig.allocate(chosen, ask(count=dice.randint(0, 4), memory_mb=size, priority=dice.randint(1, 3)))
        elif dice.random() < 0.1:
            attempt = scheduler.applications[chosen].attempt
            assert attempt is not None
            attempt.blacklist[dice.choice(names)] = None
        else:
            name = dice.choice(names)
            node = next(one for one in scheduler.tracker.nodes.values() if one.node_id.host == name)
            before = {
                (one, key): scheduler.refusal_on(attempt, key, node)
                for one in ids
                if (attempt := scheduler.applications[one].attempt) is not None
                for key in attempt.asks.active_keys
            }
            held = {one: len(scheduler.applications[one].attempt.live) for one in ids}  # type: ignore[union-attr]
            rig.heartbeat(name)
            for (one, _), reason in before.items():
                if reason in (FifoReason.NODE_BUSY, FifoReason.BLACKLIST):
                    attempt = scheduler.applications[one].attempt
                    assert attempt is not None
                    assert len(attempt.live) == held[one]
                    seen[reason] += 1
