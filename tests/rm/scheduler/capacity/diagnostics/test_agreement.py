"""The explanation names the reason by which the allocator refused, pass by pass, in random clusters.

An observer looks on: when a pass has decided and nothing of it is booked, each refusal is asked about again.
Asking may change nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.asks import ANY, KeyAsks, RequestKey
from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.events.scheduler import SchedulerNodeLabelsUpdate
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Assignment
from yarnbox.rm.scheduler.capacity.allocation.heartbeat import AllocationObserver, NodeObserver
from yarnbox.rm.scheduler.capacity.allocation.observer import PassObserver
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue, leaves_below
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.checks import Check
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.records.node import NodeLabel

P = "yarn.scheduler.capacity."
SEEDS = range(24)
STEPS = 80
HOSTS = 5
LABEL = "x"
LEAVES = ("root.a", "root.p.b", "root.p.q.c", "root.p.q.d")
BY_LIMIT = (SkipReason.PARENT_AT_MAXIMUM, SkipReason.QUEUE_AT_MAXIMUM, SkipReason.QUEUE_HEADROOM)
"""Refused by a limit of the pass, which SIBLING_QUEUE says is lower for the sake of another queue."""
PASSING = (
    SkipReason.PARTITION_DELAY,
    SkipReason.LOCALITY_DELAY,
    SkipReason.NODE_TOO_SMALL,
    SkipReason.NODE_FULL,
)
"""What would end with time: but for a node that is being decommissioned, which says that it is."""
USERS = ("ann", "bob")


class Notes(PassObserver):
    """What the allocator says in one pass."""

    def __init__(self) -> None:
        self.queues: list[tuple[str, SkipReason]] = []
        self.applications: list[tuple[CapacityAttempt, SkipReason]] = []
        """Refused before any of their requests was looked at."""
        self.requests: dict[tuple[CapacityAttempt, RequestKey], tuple[SchedulerNode, SkipReason]] = {}
        """The reason that came last for the request."""
        self.is_room_kept = False
        """Whether a leaf was stopped by its limit, which lowers the limits of those that come after it."""
        self._looked_at: tuple[CapacityAttempt, RequestKey, SchedulerNode] | None = None

    def refuse(self, path: str, reason: SkipReason) -> None:
        self.queues.append((path, reason))

    def refuse_leaf(self, path: str, reason: SkipReason, applications: Iterable[CapacityAttempt]) -> None:
        self.queues.append((path, reason))

    def try_request(self, attempt: CapacityAttempt, key: RequestKey, node: SchedulerNode) -> None:
        self._looked_at = (attempt, key, node)

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        if self._looked_at is None or self._looked_at[0] is not attempt:
            self.applications.append((attempt, reason))
            return
        _, key, node = self._looked_at
        self.requests[attempt, key] = (node, reason)
        self.is_room_kept = self.is_room_kept or reason is SkipReason.QUEUE_HEADROOM


class Watch(AllocationObserver):
    """Asks about each refusal of a pass."""

    def __init__(self, rig: CapacityRig, compared: Counter[SkipReason]) -> None:
        self._rig = rig
        self._compared = compared

    def begin(self, node: SchedulerNode) -> NodeObserver:
        return NodeWatch(self._rig, self._compared)

    def refuse(self, node: SchedulerNode, reason: SkipReason) -> None:
        NodeWatch(self._rig, self._compared).refuse(node, reason)


class NodeWatch(NodeObserver):
    """Asks about each refusal of the passes for a node."""

    def __init__(self, rig: CapacityRig, compared: Counter[SkipReason]) -> None:
        self.rig = rig
        self.compared = compared
        self._is_room_kept = False

    def refuse(self, node: SchedulerNode, reason: SkipReason) -> None:
        for attempt in self._activated():
            for asks in open_requests(attempt, node.partition):
                self._agree(attempt, asks, node, reason)

    def observe(self, pass_: AllocationPass) -> None:
        pass_.observer = Notes()

    def decided(self, pass_: AllocationPass, start: CapacityQueue, assignment: Assignment) -> None:
        notes = pass_.observer
        assert isinstance(notes, Notes)
        self._is_room_kept = notes.is_room_kept
        before = traces(self._activated())
        given = (assignment.attempt, assignment.key) if assignment.gives else None
        if assignment.gives and assignment.node is not None and not assignment.node.is_schedulable:
            self._compare_dropped(assignment)
        for path, reason in notes.queues:
            self._compare_queue(pass_, path, reason)
        for attempt, reason in notes.applications:
            if reason is not SkipReason.NOTHING_ASKED:
                for asks in open_requests(attempt, pass_.pending_in):
                    self._agree(attempt, asks, pass_.node, reason)
        for (attempt, key), (node, reason) in notes.requests.items():
            wanted = attempt.asks.key_asks(key)
            assert wanted is not None
            if (attempt, key) == given and node.is_schedulable:
                continue  # a nearer place was refused first
            if reason is SkipReason.LABEL:
                assert wanted.label != pass_.pending_in
            else:
                self._agree(attempt, wanted, node, reason)
        assert traces(self._activated()) == before

    # Comparing

    def _activated(self) -> Iterator[CapacityAttempt]:
        for application in self.rig.scheduler.applications.values():
            attempt = application.attempt
            if attempt is not None and attempt.is_activated:
                yield attempt

    def _offered(self) -> int:
        """How many nodes are offered to a queue, or are reserved."""
        scheduler = self.rig.scheduler
        minimum = scheduler.tree.root.context.minimum
        nodes = scheduler.tracker.nodes.values()
        return sum(minimum.fits_in(one.available) or one.reserved_container is not None for one in nodes)

    def _compare_queue(self, pass_: AllocationPass, path: str, reason: SkipReason) -> None:
        """No application below the queue was looked at."""
        queue = self.rig.scheduler.tree.at(path)
        assert queue is not None
        if reason is SkipReason.QUEUE_AT_MAXIMUM and queue.parent is None:
            reason = SkipReason.CLUSTER_FULL
        elif reason is SkipReason.QUEUE_AT_MAXIMUM and not isinstance(queue, LeafQueue):
            reason = SkipReason.PARENT_AT_MAXIMUM
        for leaf in leaves_below(queue):
            for attempt in leaf.order:
                for asks in open_requests(attempt, pass_.pending_in):
                    self._agree(attempt, asks, pass_.node, reason, level=path)

    def _compare_dropped(self, assignment: Assignment) -> None:
        """The commit drops what is proposed on a node that is being decommissioned."""
        attempt, key, node = assignment.attempt, assignment.key, assignment.node
        assert attempt is not None
        assert key is not None
        assert node is not None
        wanted = attempt.asks.key_asks(key)
        assert wanted is not None
        self._agree(attempt, wanted, node, SkipReason.DECOMMISSIONING)

    def _agree(
        self,
        attempt: CapacityAttempt,
        asks: KeyAsks,
        node: SchedulerNode,
        reason: SkipReason,
        level: str = "",
    ) -> None:
        """The node refuses the request for that reason, and it is what people read."""
        if reason in PASSING and not node.is_schedulable:
            reason = SkipReason.DECOMMISSIONING
        found = self.rig.scheduler.explanations.refusal_on(attempt.application_id, asks.key, node.node_id)
        where = f"{attempt.application_id} in {attempt.queue.path}, {asks.key} on {node.node_id}: {reason}"
        assert found is not None, f"{where} is not explained"
        if found.reason is SkipReason.SIBLING_QUEUE:
            assert self._is_room_kept, where
            assert reason in BY_LIMIT, where
        else:
            assert found.reason is reason, f"{where}, explained {found}"
        assert level in ("", found.level), f"{where} of {level}, explained {found}"
        self.compared[found.reason] += 1
        if asks.label == node.partition:
            self._agree_with_why(attempt, asks, found, where)

    def _agree_with_why(self, attempt: CapacityAttempt, asks: KeyAsks, found: Check, where: str) -> None:
        """`yarnbox why` says the same: the one queue that refuses, or this node among the nodes."""
        explained = self.rig.scheduler.explanations.explain(attempt.application_id)
        (said,) = (one for one in explained if one.key == asks.key)
        if SkipReason.SIBLING_QUEUE in (found.reason, said.failing[0].reason) and self._offered() > 1:
            return  # what is kept free differs from node to node, and it is said of one of them
        if found.level == "nodes":
            reasons = [one.reason for one in said.failing if one.nodes]
            assert found.reason in reasons or not said.failing[0].nodes, f"{where}, said {said.lines}"
        else:
            assert (said.failing[0].reason, said.failing[0].level) == (found.reason, found.level), (
                f"{where}, said {said.lines}"
            )


def open_requests(attempt: CapacityAttempt, partition: str) -> Iterator[KeyAsks]:
    for key in attempt.asks.active_keys:
        asks = attempt.asks.key_asks(key)
        if asks is not None and asks.label == partition:
            yield asks


def traces(attempts: Iterable[CapacityAttempt]) -> list[object]:
    """All that an attempt remembers of having been looked at."""
    return [
        (dict(one.opportunities), dict(one.missed_unlabelled), dict(one.re_reservations), one.is_reached)
        for one in attempts
    ]


class Cluster:
    """A few nodes, a tree of queues with tight limits, a partition, two users."""

    def __init__(self, seed: int, compared: Counter[SkipReason]) -> None:
        self.dice = dice = Random(seed)
        properties = {
            "maximum-am-resource-percent": "1.0",
            "root.queues": "a,p",
            "root.p.queues": "b,q",
            "root.p.q.queues": "c,d",
            "node-locality-delay": dice.choice(("1", "2", "40")),
            "rack-locality-additional-delay": dice.choice(("-1", "2")),
            "reservations-continue-look-all-nodes": dice.choice(("true", "false")),
            "per-node-heartbeat.multiple-assignments-enabled": "true",
            "per-node-heartbeat.maximum-container-assignments": dice.choice(("-1", "2", "100")),
            "per-node-heartbeat.maximum-offswitch-assignments": dice.choice(("1", "10")),
            "root.accessible-node-labels": LABEL,
            f"root.accessible-node-labels.{LABEL}.capacity": "100",
        }
        for path in ("root.a", "root.p", "root.p.b", "root.p.q", "root.p.q.c", "root.p.q.d"):
            properties[path + ".capacity"] = "50"
            properties[path + ".maximum-capacity"] = dice.choice(("50", "75", "100"))
            properties[path + ".user-limit-factor"] = dice.choice(("0.5", "1", "4"))
            properties[path + ".minimum-user-limit-percent"] = dice.choice(("25", "50", "100"))
            properties[f"{path}.accessible-node-labels"] = LABEL
            properties[f"{path}.accessible-node-labels.{LABEL}.capacity"] = "50"
            properties[f"{path}.accessible-node-labels.{LABEL}.maximum-capacity"] = dice.choice(("50", "100"))
        if dice.random() < 0.5:  # whose applications may not use the partition
            properties["root.a.accessible-node-labels"] = " "
            properties[f"root.p.accessible-node-labels.{LABEL}.capacity"] = "100"
            properties[f"root.p.accessible-node-labels.{LABEL}.maximum-capacity"] = "100"
            del properties[f"root.a.accessible-node-labels.{LABEL}.capacity"]
            del properties[f"root.a.accessible-node-labels.{LABEL}.maximum-capacity"]
        self.rig = rig = CapacityRig(
            {P + name: value for name, value in properties.items()},
            site={
                "yarn.scheduler.maximum-allocation-mb": "8192",
                "yarn.node-labels.enabled": "true",
            },
        )
        rig.context.labels.add([NodeLabel(name=LABEL, is_exclusive=dice.random() < 0.5)])
        for number in range(HOSTS):
            node_id = rig.add_node(f"n{number}", dice.choice((2048, 4096, 8192)), rack=f"/r{number % 2}")
            if number >= HOSTS - dice.randrange(1, 3):
                rig.context.labels.replace({node_id: LABEL})
                rig.scheduler.handle(SchedulerNodeLabelsUpdate(labels_of_nodes={node_id: (LABEL,)}))
        self.sizes = {name.host: node.capability for name, node in rig.context.nodes.items()}
        self.names = [f"app{number}" for number in range(6)]
        for name in self.names:
            rig.submit(name, dice.choice(LEAVES), dice.choice(USERS))
        rig.scheduler.node_allocator.observe(Watch(rig, compared))

    def step(self) -> None:
        """Something is asked, ends, or is barred; then a node is offered."""
        dice, rig = self.dice, self.rig
        name = dice.choice(self.names)
        action = dice.randrange(8)
        if action < 4:
            self.ask(name)
        elif action == 4 and (containers := rig.pull(name)):
            for container in containers[: dice.randrange(1, 4)]:
                rig.complete(container)
        elif action == 5:
            rig.attempt(name).blacklist = dict.fromkeys(dice.sample(("n0", "n1", "/r1"), dice.randrange(2)))
        elif action == 7 and dice.random() < 0.3:
            self.drain(f"n{dice.randrange(HOSTS)}")
        self.heartbeat(f"n{dice.randrange(HOSTS)}")

    def drain(self, host: str) -> None:
        """The node is decommissioned gracefully; one that drains already is recommissioned."""
        node = self.rig.node(host)
        if node.is_decommissioning:
            node.state = NodeState.RUNNING
            self.rig.resize_node(host, self.sizes[host])
        else:
            node.state = NodeState.DECOMMISSIONING

    def heartbeat(self, host: str) -> None:
        """A node is offered; one that drains has shrunk after it, unless that is still under way."""
        rig, node = self.rig, self.rig.node(host)
        rig.heartbeat(host)
        if node.is_decommissioning and self.dice.random() < 0.5:
            rig.resize_node(host, rig.scheduler.tracker.nodes[node.node_id].allocated)

    def ask(self, name: str) -> None:
        """At `*` alone, or at a host and its rack, too; in the default partition or in the other."""
        dice, number = self.dice, self.dice.randrange(HOSTS)
        count, memory_mb = dice.randrange(0, 5), dice.choice((512, 1024, 3072, 6144))
        priority, relax = dice.randrange(1, 4), dice.random() < 0.7
        if dice.random() < 0.3:
            self.rig.ask(name, count, memory_mb, priority=priority + 3, label=LABEL)
        elif dice.random() < 0.6:
            self.rig.ask(name, count, memory_mb, priority=priority, at=f"n{number}")
            rack = f"/r{number % 2}"
            self.rig.ask(
                name, count, memory_mb, priority=priority, at=rack, relax=relax or dice.random() < 0.5
            )
            self.rig.ask(name, count, memory_mb, priority=priority, at=ANY, relax=relax)
        else:
            self.rig.ask(name, count, memory_mb, priority=priority)


def test_explanation_and_allocator_agree() -> None:
    compared: Counter[SkipReason] = Counter()
    for seed in SEEDS:
        cluster = Cluster(seed, compared)
        for _ in range(STEPS):
            cluster.step()
    expected = {
        SkipReason.PARTITION_ACCESS,
        SkipReason.CLUSTER_FULL,
        SkipReason.PARENT_AT_MAXIMUM,
        SkipReason.QUEUE_AT_MAXIMUM,
        SkipReason.USER_LIMIT,
        SkipReason.QUEUE_HEADROOM,
        SkipReason.SIBLING_QUEUE,
        SkipReason.PARTITION_DELAY,
        SkipReason.LOCALITY_DELAY,
        SkipReason.STRICT_LOCALITY,
        SkipReason.NODE_TOO_SMALL,
        SkipReason.NODE_FULL,
        SkipReason.NODE_BUSY,
        SkipReason.RESERVATIONS,
        SkipReason.BLACKLIST,
        SkipReason.DECOMMISSIONING,
    }
    assert expected - set(compared) == set()
