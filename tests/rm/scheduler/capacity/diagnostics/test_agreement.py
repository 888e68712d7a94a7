"""The explanation names the reason by which the allocator refused, in random clusters."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.asks import ANY, RequestKey
from yarnbox.rm.scheduler.activities import AppAllocation, QueueActivity
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.checks import Reason

P = "yarn.scheduler.capacity."
SEEDS = 12
STEPS = 80
HOSTS = 4


class Cluster:
    """A few nodes and queues with tight limits; who is refused where is compared with what is explained."""

    def __init__(self, seed: int) -> None:
        self.dice = dice = Random(seed)
        self.rig = CapacityRig(
            {
                P + "maximum-am-resource-percent": "1.0",
                P + "root.queues": "a,b",
                P + "root.a.capacity": "50",
                P + "root.a.maximum-capacity": dice.choice(("50", "75", "100")),
                P + "root.a.user-limit-factor": dice.choice(("0.5", "1", "4")),
                P + "root.b.capacity": "50",
                P + "root.b.user-limit-factor": "4",
                P + "node-locality-delay": dice.choice(("1", "2", "40")),
                P + "rack-locality-additional-delay": dice.choice(("-1", "2")),
                P + "reservations-continue-look-all-nodes": dice.choice(("true", "false")),
                P + "per-node-heartbeat.multiple-assignments-enabled": "false",
            },
            site={"yarn.scheduler.maximum-allocation-mb": "8192"},
        )
        for number in range(HOSTS):
            self.rig.add_node(f"n{number}", dice.choice((2048, 4096, 8192)), rack=f"/r{number % 2}")
        for number in range(4):
            self.rig.submit(f"app{number}", dice.choice(("root.a", "root.b")), dice.choice(("ann", "bob")))
        self.compared: dict[Reason, int] = {}

    def step(self) -> None:
        """Something is asked, ends, or is barred; then a node is offered and its refusals are looked at."""
        dice, rig = self.dice, self.rig
        name = f"app{dice.randrange(4)}"
        action = dice.randrange(6)
        if action < 3:
            self.ask(name)
        elif action == 3 and (containers := rig.pull(name)):
            rig.complete(dice.choice(containers))
        elif action == 4:
            rig.attempt(name).blacklist = dict.fromkeys(dice.sample(("n0", "n1", "/r1"), dice.randrange(2)))
        self.offer(f"n{dice.randrange(HOSTS)}")

    def ask(self, name: str) -> None:
        """At `*` alone, or at a host and its rack, too."""
        dice, number = self.dice, self.dice.randrange(HOSTS)
        count, memory_mb = dice.randrange(1, 4), dice.choice((512, 1024, 3072, 6144))
        priority, relax = dice.randrange(1, 4), dice.random() < 0.7
        if dice.random() < 0.6:
            self.rig.ask(name, count, memory_mb, priority=priority, at=f"n{number}")
            rack = f"/r{number % 2}"
            self.rig.ask(
                name, count, memory_mb, priority=priority, at=rack, relax=relax or dice.random() < 0.5
            )
            self.rig.ask(name, count, memory_mb, priority=priority, at=ANY, relax=relax)
        else:
            self.rig.ask(name, count, memory_mb, priority=priority)

    def offer(self, host: str) -> None:
        """A heartbeat, recorded. Where something was given the books are others than those that refused."""
        node_id = self.rig.node(host).node_id
        activities = self.rig.scheduler.activities
        activities.record_node(node_id)
        self.rig.heartbeat(host)
        for one in activities.of_node(node_id) or ():
            if one.state != "SKIPPED":
                continue
            seen = list(looks(one.root))
            # What a leaf's headroom leaves is kept free for it, which lowers its siblings' limits for this
            # pass alone: that is explained as SIBLING_QUEUE, where nothing else is in the way.
            blocked = {
                look.queue for look in seen for it in look.remarks if it.reason is SkipReason.QUEUE_HEADROOM
            }
            for look in seen:
                if not blocked or look.queue in blocked:
                    self.compare(look)

    def compare(self, look: AppAllocation) -> None:
        """The last reason of each request, and of the application where no request was looked at."""
        if look.reason in (SkipReason.USER_LIMIT, SkipReason.QUEUE_AT_MAXIMUM):
            self.compare_queue(look, look.reason)
        last: dict[RequestKey, Reason] = {}
        for remark in look.remarks:
            if remark.reason is not None:
                last[remark.key] = remark.reason
                node_id = remark.node_id or look.node_id
        for key, reason in last.items():
            if reason is SkipReason.QUEUE_HEADROOM:
                self.compare_queue(look, reason)
                continue
            assert node_id is not None
            explained = self.rig.scheduler.explanations.refusal_on(look.application_id, key, node_id)
            assert explained is not None, (
                f"{look.application_id} {key}: {reason} on {node_id} is not explained"
            )
            assert explained[0] is reason, f"{look.application_id} {key} on {node_id}"
            self.note(reason)

    def compare_queue(self, look: AppAllocation, reason: Reason) -> None:
        """What stops the application on every node is the first that is explained."""
        attempt = self.rig.scheduler.applications[look.application_id].attempt
        if attempt is None or not attempt.is_asking:
            return  # the first of a leaf at its maximum, whatever it asks for
        found = self.rig.scheduler.explain(look.application_id)
        explained = [check.reason for one in found for check in one.failing]
        assert reason in explained, f"{look.application_id}: {reason}, explained {explained}"
        self.note(reason)

    def note(self, reason: Reason) -> None:
        """Which reasons were compared."""
        self.compared[reason] = self.compared.get(reason, 0) + 1


def looks(queue: QueueActivity) -> Iterator[AppAllocation]:
    yield from queue.applications
    for child in queue.queues:
        yield from looks(child)


def test_explanation_and_allocator_agree() -> None:
    reached: dict[Reason, None] = {}
    for seed in range(SEEDS):
        cluster = Cluster(seed)
        for _ in range(STEPS):
            cluster.step()
        reached |= dict.fromkeys(cluster.compared)
    expected = {
        SkipReason.LOCALITY_DELAY,
        SkipReason.STRICT_LOCALITY,
        SkipReason.NODE_TOO_SMALL,
        SkipReason.NODE_FULL,
        SkipReason.RESERVATIONS,
        SkipReason.BLACKLIST,
        SkipReason.USER_LIMIT,
        SkipReason.QUEUE_AT_MAXIMUM,
        SkipReason.QUEUE_HEADROOM,
    }
    assert expected - set(reached) == set()
