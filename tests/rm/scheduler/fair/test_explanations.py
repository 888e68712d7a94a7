"""The explanation names the reason by which the allocator refused, look by look, in random clusters.

Before each look `refusal_on` and `request_checks` are asked; then the allocator looks. The reason by which it
refuses, or that it allocates, has to be the one that was named. Asking may change nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import RMContainer, RMContainerState, SchedulerNode
from yarnbox.rm.events.scheduler import SchedulerNodeResourceUpdate
from yarnbox.rm.scheduler.checks import NODES, Reason, RequestChecks
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.explanations import refusal_on
from yarnbox.rm.scheduler.fair.preemption import Preemption
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue, ParentQueue
from yarnbox.rm.scheduler.fair.reasons import FairReason
from yarnbox.rm.scheduler.fair.scheduler import FairScheduler
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

SEEDS = range(24)
STEPS = 120
HOSTS = {"n0": "/r0", "n1": "/r0", "n2": "/r1", "n3": "/r1"}
AM = Resource(1024, 1)
_BY_DISTANCE = (FairReason.LOCALITY_DELAY, FairReason.STRICT_LOCALITY)
_BY_QUEUE = (FairReason.QUEUE_OVER_MAXIMUM, FairReason.QUEUE_HEADROOM, FairReason.AM_SHARE)
_WITHOUT_ROOM = (FairReason.NODE_TOO_SMALL, FairReason.NODE_FULL)
_TURN = (FairReason.OTHERS_FIRST, FairReason.HEARTBEAT)
_APPLICATION = (FairReason.RECOVERING, FairReason.NOT_RUNNABLE, FairReason.UPDATE_DUE)

Said = dict[RequestKey, FairReason | None]


class Watch:
    """Compares each look of one scheduler's allocator with what was said before it."""

    def __init__(self, patch: pytest.MonkeyPatch, compared: Counter[Reason | None]) -> None:
        self.compared = compared
        self.scheduler: FairScheduler
        self._looks: list[tuple[RequestKey, FairReason | None]] | None = None
        self._is_handing_out = False
        self._is_offered = False
        self._visited: list[FairQueue | FSAppAttempt] = []
        """Whom the pass at hand has come to, in order."""
        self._patch(patch)

    def _patch(self, patch: pytest.MonkeyPatch) -> None:
        """The allocator's methods, each with a comparison around it."""
        for owner, name, around in (
            (FairScheduler, "allocate_on", self._offer),
            (FairScheduler, "_serve_reservation", self._serve_reservation),
            (ParentQueue, "assign", self._assign_in_parent),
            (LeafQueue, "assign", self._assign_in_leaf),
            (FSAppAttempt, "assign", self._assign),
            (FSAppAttempt, "assign_reserved", self._assign_reserved),
            (Preemption, "assign_preempted_containers", self._hand_out),
        ):
            patch.setattr(owner, name, _wrapped(getattr(owner, name), around))
        for name, outcome in (
            ("refusal", _reason),
            ("_choose", _reason),
            ("_take", lambda given: FairReason.NODE_FULL if given is None else None),
        ):
            patch.setattr(FSAppAttempt, name, self._noted(getattr(FSAppAttempt, name), outcome))

    def _noted(self, method: Any, outcome: Any) -> Any:
        """The method, which notes its outcome for the key."""

        def noted(app: FSAppAttempt, key_asks: Any, *more: Any) -> Any:
            looks, self._looks = self._looks, None
            found = method(app, key_asks, *more)
            self._looks = looks
            if looks is not None and outcome(found) is not ...:
                looks.append((key_asks.key, outcome(found)))
            return found

        return noted

    def heartbeat(self, rig: Rig, name: str) -> None:
        """A node that is not offered is not for a reason."""
        self.scheduler = rig.scheduler
        self._is_offered = False
        node = self.scheduler.tracker.nodes[rig.nodes[name].node_id]
        capability = node.allocated
        rig.heartbeat(name)
        if not self._is_offered:
            assert self.scheduler.is_waiting_for_recovery()
            for app in self._asking():
                (request,) = self.scheduler.views.request_checks(app.application_id)
                assert request.failing[0].reason is FairReason.RECOVERING
                self.compared[FairReason.RECOVERING] += 1
        if not node.is_schedulable:
            shrunk = SchedulerNodeResourceUpdate(
                node_id=node.node_id, capability=capability, overcommit_timeout_ms=0
            )
            rig.handle(shrunk)

    # The allocator's methods

    def _offer(self, allocate_on: Any, scheduler: FairScheduler, node: SchedulerNode) -> None:
        self._is_offered = True
        allocate_on(scheduler, node)

    def _hand_out(self, assign: Any, preemption: Preemption, node: SchedulerNode) -> None:
        """Space that was put aside: neither order nor maxima are looked at."""
        self._is_handing_out = True
        assign(preemption, node)
        self._is_handing_out = False

    def _serve_reservation(self, serve: Any, scheduler: FairScheduler, node: SchedulerNode) -> bool:
        """A node that is reserved for one is of no use to all others."""
        reserved = node.reserved_container
        assert reserved is not None
        for app in self._asking():
            for key, reason in self._said(app, node).items():
                if (app.attempt_id, key) != (reserved.attempt_id, reserved.key):
                    assert reason is FairReason.NODE_RESERVED
                    self.compared[reason] += 1
        is_valid: bool = serve(scheduler, node)
        return is_valid

    def _assign_in_parent(self, assign: Any, queue: ParentQueue, node: SchedulerNode) -> Resource | None:
        self._visited.append(queue)
        if queue.parent is None:
            return self._assign_from_root(assign, queue, node)
        self._compare_passed_by(queue, node)
        given: Resource | None = assign(queue, node)
        return given

    def _assign_from_root(self, assign: Any, root: ParentQueue, node: SchedulerNode) -> Resource | None:
        """Who is served is the one that was said to be next among those who can be; others were told so."""
        self._compare_not_offered(node)
        self._visited = []
        self._compare_passed_by(root, node)
        turns = {app: turn for app in self._asking() if (turn := self._turn(app, node)) is not None}
        given: Resource | None = assign(root, node)
        visited, served = self._visited, self._visited[-1] if self._visited else None
        if given is None:
            assert not turns, f"{turns} on {node.node_id}, and nothing was allocated"
            return None
        assert isinstance(served, FSAppAttempt)
        for app, turn in turns.items():
            self.compared[turn[0]] += 1
            if app is served:
                above = served.leaf.ancestry  # type: ignore[attr-defined]
                passed_by = [one for one in visited[:-1] if one not in above and _owner(one) in above]
                assert turn[1] == [_name(one) for one in passed_by][:5], f"{app.application_id}: {turn}"
            else:
                assert app not in visited, f"{app.application_id} was said to be served"
                names = [_name(served), *(_name(one) for one in served.leaf.ancestry)]  # type: ignore[attr-defined]
                assert len(turn[1]) == 5 or set(turn[1]) & set(names), f"{app.application_id}: {turn}"
        return given

    def _assign_in_leaf(self, assign: Any, leaf: LeafQueue, node: SchedulerNode) -> Resource | None:
        self._visited.append(leaf)
        self._compare_passed_by(leaf, node)
        line = list(leaf.line.members())
        if leaf.is_within_max():
            for app in line:
                if app.is_blacklisted(node):
                    self._all_refused(app, node, FairReason.BLACKLIST)
                elif leaf.fair.may_skip_offers and app.bounds.exclude(node.available):
                    self._compare_skipped(app, node)
        given: Resource | None = assign(leaf, node)
        served = self._visited.pop() if given is not None else None
        assert served is None or served in line
        self._visited = [one for one in self._visited if one not in line]
        passed_by = line if served is None else line[: line.index(served)]
        self._visited += [*passed_by, *([] if served is None else [served])]
        return given

    def _assign(self, assign: Any, app: FSAppAttempt, node: SchedulerNode) -> Resource | None:
        if self._is_handing_out:
            given: Resource | None = assign(app, node)
            return given
        self._visited.append(app)
        said = self._said(app, node)
        self._looks = []
        given = assign(app, node)
        looks, self._looks = self._looks, None
        if not looks:
            assert set(said.values()) <= {FairReason.AM_SHARE}, said
            self.compared[FairReason.AM_SHARE] += len(said)
            return given
        for key, outcome in looks:
            expected = _as_said(outcome, node)
            assert said.pop(key) is expected, (app, key, node)
            self.compared[expected] += 1
        for left in said.values():  # the attempt ended before it came to these
            assert left is FairReason.EARLIER_REQUEST
            self.compared[left] += 1
        return given

    def _assign_reserved(
        self, assign: Any, app: FSAppAttempt, node: SchedulerNode, reserved: RMContainer
    ) -> bool:
        said = refusal_on(app, reserved.key, node)
        self._looks = []
        is_valid: bool = assign(app, node, reserved)
        looks, self._looks = self._looks, None
        expected: FairReason | None
        if is_valid and reserved.state is RMContainerState.RESERVED:
            expected = next((one for _, one in looks if one in _BY_DISTANCE), FairReason.OWN_RESERVATION)
        elif looks:
            ((_, outcome),) = looks
            expected = _as_said(outcome, node)
        elif app.asks.key_asks(reserved.key) is None:
            expected = FairReason.NOTHING_ASKED
        else:
            expected = FairReason.AM_SHARE
        assert said is expected
        self.compared[said] += 1
        return is_valid

    # Those that the allocator does not look at

    def _asking(self) -> Iterator[FSAppAttempt]:
        for application in self.scheduler.applications.values():
            if application.attempt is not None and application.attempt.asks.active_keys:
                yield application.attempt

    def _all_refused(self, app: FSAppAttempt, node: SchedulerNode, reason: FairReason) -> None:
        said = self._said(app, node)
        assert set(said.values()) <= {reason}, (app.application_id, said)
        self.compared[reason] += len(said)

    def _compare_not_offered(self, node: SchedulerNode) -> None:
        """Whoever is in no queue's order is told what it waits for before it is."""
        for app in self._asking():
            leaf = app.queue
            if app not in leaf.line.members():
                (request,) = self.scheduler.views.request_checks(app.application_id)
                expected = FairReason.NOT_RUNNABLE if app in leaf.waiting else FairReason.UPDATE_DUE
                assert [one.reason for one in request.failing] == [expected]
                self.compared[expected] += 1

    def _compare_passed_by(self, queue: FairQueue, node: SchedulerNode) -> None:
        """A queue that is over its maximum, or of whose requests the node is too small for the least."""
        for leaf in queue.queues():
            for app in list(leaf.line.members()) if isinstance(leaf, LeafQueue) else ():
                if not queue.is_within_max():
                    self._all_refused(app, node, FairReason.QUEUE_OVER_MAXIMUM)
                    levels = {one.failing[0].level for one in self._requests(app).values()}
                    assert levels <= {queue.path}
                elif queue.fair.may_skip_offers and queue.bounds.exclude(node.available):
                    self._compare_skipped(app, node)

    def _compare_skipped(self, app: FSAppAttempt, node: SchedulerNode) -> None:
        """A shortcut passed it by: had the allocator looked, it would have refused for the reasons said."""
        obstacle, visited = app.am_obstacle, list(self._visited)
        is_passed_by = app.is_blacklisted(node) or not all(one.is_within_max() for one in app.queue.ancestry)
        if is_passed_by:
            assert None not in self._said(app, node).values()
        else:
            assert app.assign(node) is None
        app.am_obstacle, self._visited = obstacle, visited

    # What is said

    def _requests(self, app: FSAppAttempt) -> dict[RequestKey | None, RequestChecks]:
        found = self.scheduler.views.request_checks(app.application_id)
        for request in found:  # "see the lines below" is never the last line
            assert request.checks[-1].holds or request.checks[-1].reason is not FairReason.NO_NODE, request
        return {one.key: one for one in found}

    def _turn(self, app: FSAppAttempt, node: SchedulerNode) -> tuple[Reason, list[str]] | None:
        """Where one of its requests could be served on the node: whether somebody comes first, and who."""
        requests = self._requests(app)
        for key in app.asks.active_keys:
            if key in requests and refusal_on(app, key, node) is None:
                (check,) = requests[key].failing
                assert check.reason in _TURN
                names = check.numbers.split(" and ")[0].split(", ") if check.numbers else []
                return check.reason, names
        return None

    def _said(self, app: FSAppAttempt, node: SchedulerNode) -> Said:
        """The reason for each key, which is also what `yarnbox why` says; asking for it leaves no trace."""
        before = _traces(app)
        said = {key: refusal_on(app, key, node) for key in app.asks.active_keys}
        requests = self._requests(app)
        assert _traces(app) == before
        if None in requests:
            (request,) = requests.values()
            assert request.failing[0].reason in _APPLICATION
            return said
        is_reserved_for_it = node.reserved_container is not None
        for key, reason in said.items():
            where = f"{app.application_id}, {key} on {node.node_id}: {reason}, said {requests[key].lines}"
            failing = requests[key].failing
            assert len(failing) == len(requests[key].lines)
            if reason is None:
                assert is_reserved_for_it or [one.reason in _TURN for one in failing] == [True], where
            elif reason in _BY_QUEUE:
                assert is_reserved_for_it or failing[0].reason is reason, where
            elif failing[0].level == NODES:
                assert reason in [one.reason for one in failing if one.nodes], where
            else:  # the queue refuses the request on all nodes, or another node serves it
                assert failing[0].reason in (*_BY_QUEUE, *_TURN), where
        return said


def _wrapped(method: Any, around: Any) -> Any:
    return lambda *words: around(method, *words)


def _as_said(outcome: FairReason | None, node: SchedulerNode) -> FairReason | None:
    """The allocator knows no more than that there is no room."""
    is_draining = outcome in _WITHOUT_ROOM and not node.is_schedulable
    return FairReason.DECOMMISSIONING if is_draining else outcome


def _reason(found: Any) -> Any:
    return found if isinstance(found, FairReason) else ...


def _owner(one: FairQueue | FSAppAttempt) -> object:
    return one.parent if isinstance(one, FairQueue) else one.leaf


def _name(one: FairQueue | FSAppAttempt) -> str:
    return one.path if isinstance(one, FairQueue) else str(one.application_id)


def _traces(app: FSAppAttempt) -> tuple[object, ...]:
    """All that it remembers of having been looked at."""
    return dict(app.opportunities), dict(app.levels), dict(app.level_since_ms), app.am_obstacle


def random_cluster(dice: Random) -> Rig:
    """Four nodes, three leaves below limits; delays and preemption or none."""
    delay = dice.choice((-1, 0.3, 0.9))
    conf = {
        "yarn.scheduler.fair.locality.threshold.node": delay,
        "yarn.scheduler.fair.locality.threshold.rack": delay,
        "yarn.scheduler.fair.assignmultiple": dice.random() < 0.5,
        "yarn.scheduler.fair.preemption": dice.random() < 0.3,
    }
    rig = Rig(
        "<allocations><queueMaxAMShareDefault>0.4</queueMaxAMShareDefault>"
        '<queue name="a"><maxResources>5000 mb, 9 vcores</maxResources>'
        "<maxRunningApps>1</maxRunningApps></queue>"
        '<queue name="p"><maxResources>9000 mb, 9 vcores</maxResources>'
        '<queue name="b"/><queue name="c"><maxResources>6000 mb, 9 vcores</maxResources></queue></queue>'
        "</allocations>",
        conf,
    )
    for name, rack in HOSTS.items():
        rig.add_node(name, dice.choice((3072, 4096, 8192)), 8, rack)
    rig.context.has_recovered = dice.random() < 0.2
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


def play(dice: Random, rig: Rig, watch: Watch) -> None:
    """Applications come, ask and end; nodes drain, and hold less than before."""
    names: list[str] = []
    verbs = ("submit", "ask", "beat", "update", "bar", "end", "drain", "limit")
    for step in range(STEPS):
        verb = dice.choices(verbs, (1, 5, 12, 3, 1, 4, 0.3, 0.2))[0]
        name = dice.choice(names) if names else ""
        if verb == "submit" and len(names) < 6:
            names.append(f"app{step}")
            queue = dice.choice(("a", "p.b", "p.c"))
            rig.submit(names[-1], queue, am=AM if dice.random() < 0.5 else None)
        elif verb == "beat":
            watch.heartbeat(rig, dice.choice(list(HOSTS)))
        elif verb == "update":
            rig.advance(dice.choice((100, 1_000)))
            rig.update()
            rig.scheduler.preempt()
        elif verb == "drain":
            node = rig.nodes[dice.choice(list(HOSTS))]
            is_draining = node.state is NodeState.DECOMMISSIONING
            node.state = NodeState.RUNNING if is_draining else NodeState.DECOMMISSIONING
            if is_draining:
                total = SchedulerNodeResourceUpdate(node_id=node.node_id, capability=Resource(8192, 8))
                rig.handle(total)
        elif verb == "limit":
            shrink(dice, rig)
        elif name and verb == "ask" and not rig.app(name).is_waiting_for_am:
            rig.call(name, asked(dice))
        elif name and verb == "bar" and not rig.app(name).is_waiting_for_am:
            rig.call(name, (), [dice.choice(list(HOSTS))], [dice.choice(list(HOSTS))])
        elif name and verb == "end":
            running = [one for one in rig.app(name).live.values() if one.state is RMContainerState.RUNNING]
            if running:
                rig.end(dice.choice(running).container_id)


def shrink(dice: Random, rig: Rig) -> None:
    """A queue's maximum becomes another one, perhaps less than the queue holds."""
    queue = dice.choice([one for one in rig.scheduler.root.queues() if one.parent is not None])
    queue.max_share = Resource(dice.choice((1024, 3000, 9000)), 9)
    queue.has_max = True


@pytest.mark.replaces_methods
def test_explanation_and_allocator_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: Counter[Reason | None] = Counter()
    watch = Watch(monkeypatch, compared)
    for seed in SEEDS:
        dice = Random(seed)
        play(dice, random_cluster(dice), watch)
    expected = {*FairReason, None} - {FairReason.NO_NODE, FairReason.NOTHING_ASKED}
    assert {one for one in expected if not compared[one]} == set(), compared
