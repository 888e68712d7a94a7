"""Random trees, users and events: what must hold whatever happens.

Usage never passes a maximum on the path, children add up to their parent, no node holds more than it has, a
queue below its guarantee does not starve while there is room, and the same input gives the same decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.booking import Booking
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import NONE, Resource

GB = 1024
DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"


@dataclass(frozen=True)
class World:
    """A tree, nodes, and what happens."""

    properties: Mapping[str, object]
    leaves: tuple[str, ...]
    nodes: tuple[tuple[int, int, str], ...]
    events: tuple[tuple[Any, ...], ...]


def shares(count: int, draw: st.DrawFn) -> list[int]:
    """Percents that add up to 100."""
    cuts = sorted(draw(st.lists(st.integers(0, 100), min_size=count - 1, max_size=count - 1)))
    return [high - low for low, high in zip([0, *cuts], [*cuts, 100], strict=True)]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Two levels at most, percents or weights, either calculator, all kinds of limits."""
    properties: dict[str, object] = {PREFIX + "maximum-am-resource-percent": "1.0"}
    properties[PREFIX + "per-node-heartbeat.maximum-offswitch-assignments"] = draw(st.integers(1, 5))
    properties[PREFIX + "reservations-continue-look-all-nodes"] = draw(st.sampled_from(["true", "false"]))
    properties[PREFIX + "node-locality-delay"] = draw(st.integers(-1, 3))
    if draw(st.booleans()):
        properties[PREFIX + "resource-calculator"] = DOMINANT
    leaves: list[str] = []
    parents = ["root"]
    while parents:
        path = parents.pop()
        count = draw(st.integers(1, 3))
        names = [f"q{len(leaves) + len(parents)}{place}" for place in range(count)]
        properties[f"{PREFIX}{path}.queues"] = ",".join(names)
        properties[f"{PREFIX}{path}.ordering-policy"] = draw(
            st.sampled_from(["utilization", "priority-utilization"])
        )
        is_weighted = draw(st.booleans())
        allows_zero = {f"{PREFIX}{path}.allow-zero-capacity-sum": "true"}
        properties.update(allows_zero)
        for name, share in zip(names, shares(count, draw), strict=True):
            child = f"{path}.{name}"
            prefix = f"{PREFIX}{child}."
            properties[prefix + "capacity"] = f"{share + 1}w" if is_weighted else share
            properties[prefix + "maximum-capacity"] = draw(st.sampled_from([100, 100, 60, 30]))
            properties[prefix + "priority"] = draw(st.integers(0, 2))
            if path == "root" and draw(st.booleans()) and count < 3:
                parents.append(child)
                continue
            properties[prefix + "user-limit-factor"] = draw(st.sampled_from(["1", "-1", "0.5", "10"]))
            properties[prefix + "minimum-user-limit-percent"] = draw(st.sampled_from([100, 50, 25]))
            properties[prefix + "ordering-policy"] = draw(st.sampled_from(["fifo", "fair"]))
            leaves.append(child)
    nodes = draw(
        st.lists(
            st.tuples(st.integers(1, 16), st.integers(1, 16), st.sampled_from(["/r1", "/r2"])),
            min_size=1,
            max_size=4,
        )
    )
    start: list[tuple[Any, ...]] = [("submit", number, number % 3) for number in range(6)]
    start += [("ask", number, 4, 1 + number % 3, 1, 1, "*") for number in range(6)]
    what = draw(st.lists(events(), min_size=30, max_size=80))
    return World(properties, tuple(leaves), tuple(nodes), (*start, *what))


def events() -> st.SearchStrategy[tuple[Any, ...]]:
    """One thing that happens; numbers are taken modulo what there is."""
    number = st.integers(0, 30)
    return st.one_of(
        st.tuples(st.just("submit"), number, st.integers(0, 2)),
        st.tuples(
            st.just("ask"),
            number,
            st.integers(0, 6),
            st.integers(1, 6),
            st.integers(1, 4),
            st.integers(1, 2),
            st.sampled_from(["*", "*", "n0", "/r1"]),
        ),
        st.tuples(st.just("beat"), number),
        st.tuples(st.just("beat"), number),
        st.tuples(st.just("beat"), number),
        st.tuples(st.just("pull"), number),
        st.tuples(st.just("complete"), number, number),
        st.tuples(st.just("release"), number, number),
        st.tuples(st.just("finish"), number),
        st.tuples(st.just("move"), number, number),
        st.tuples(st.just("lose"), number),
        st.tuples(st.just("join"), st.integers(1, 16)),
    )


class Play:
    """Plays a world, looking after every event."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rig = CapacityRig(world.properties)
        self.hosts: list[str] = []
        self.alive: list[str] = []
        self.decisions: list[str] = []
        self.held: dict[str, Resource] = {}
        """What the leaves hold by what the event log is told."""
        self.rig.context.bookings.append(self.note)
        for memory_gb, vcores, rack in world.nodes:
            self.join(memory_gb, vcores, rack)

    def note(self, booking: Booking) -> None:
        """A container entered or left the books of a leaf."""
        self.held[booking.queue] = self.held.get(booking.queue, NONE) + booking.resource

    def join(self, memory_gb: int, vcores: int = 8, rack: str = "/r1") -> None:
        """Another node."""
        host = f"n{len(self.hosts)}"
        self.hosts.append(host)
        self.rig.add_node(host, memory_gb * GB, vcores, rack)

    def run(self) -> list[str]:
        """All events; the decisions that were taken."""
        for event in self.world.events:
            getattr(self, "do_" + event[0])(*event[1:])
            self.look()
        return self.decisions

    def do_submit(self, leaf: int, user: int) -> None:
        name = f"a{len(self.rig.attempts)}"
        path = self.world.leaves[leaf % len(self.world.leaves)]
        if self.rig.submit(name, path, f"u{user}") is None:
            self.alive.append(name)

    def pick(self, number: int) -> str | None:
        return self.alive[number % len(self.alive)] if self.alive else None

    def do_ask(self, app: int, count: int, gb: int, vcores: int, priority: int, at: str) -> None:
        name = self.pick(app)
        if name is None:
            return
        self.rig.ask(name, count, gb * GB, vcores, priority=priority)
        if at != "*":
            self.rig.ask(name, count, gb * GB, vcores, priority=priority, at=at)
            if at.startswith("n"):
                self.rig.ask(name, count, gb * GB, vcores, priority=priority, at="/r1")

    def do_beat(self, node: int) -> None:
        host = self.hosts[node % len(self.hosts)]
        if host not in [node_id.host for node_id in self.rig.scheduler.tracker.nodes]:
            return
        scheduler = self.rig.scheduler
        before = {queue.path: self.allocated(queue) for queue in scheduler.tree.all_queues()}
        reserved = self.reservation_on(host)
        size = NONE if reserved is None else reserved.resource
        self.rig.heartbeat(host)
        if reserved is not None and not reserved.resource.fits_in(size):
            # The request grew while the node was reserved for it: no limit is checked any more.
            assert reserved.state is RMContainerState.ALLOCATED
            return
        for queue in scheduler.tree.all_queues():
            self.check_maximum(queue, before[queue.path])
        self.decisions.append(host + repr(sorted(self.counts().items())))

    def reservation_on(self, host: str) -> RMContainer | None:
        nodes = self.rig.scheduler.tracker.nodes
        return next(node.reserved_container for node_id, node in nodes.items() if node_id.host == host)

    def counts(self) -> dict[str, tuple[int, int]]:
        """Containers and reservations of each application."""
        found = {}
        for name in self.alive:
            attempt = self.rig.attempt(name)
            found[name] = (len(attempt.live), len(attempt.reserved_containers()))
        return found

    def do_pull(self, app: int) -> None:
        name = self.pick(app)
        if name is not None:
            self.rig.pull(name)

    def do_complete(self, app: int, container: int) -> None:
        name = self.pick(app)
        live = list(self.rig.attempt(name).live.values()) if name else []
        running = [one for one in live if one.container_id in one.node.launched]
        if running:
            self.rig.complete(running[container % len(running)])

    def do_release(self, app: int, container: int) -> None:
        name = self.pick(app)
        live = list(self.rig.attempt(name).live) if name else []
        if live and name:
            self.rig.call(name, [], (live[container % len(live)],))

    def do_finish(self, app: int) -> None:
        name = self.pick(app)
        if name is not None:
            self.alive.remove(name)
            self.rig.finish(name)

    def do_move(self, app: int, leaf: int) -> None:
        name = self.pick(app)
        if name is None:
            return
        path = self.world.leaves[leaf % len(self.world.leaves)]
        try:
            self.rig.scheduler.move_application(self.rig.attempts[name].application_id, path)
        except YarnError as refusal:
            self.decisions.append(refusal.message)
        self.rig.posted.take()

    def do_lose(self, node: int) -> None:
        alive = [node_id.host for node_id in self.rig.scheduler.tracker.nodes]
        if len(alive) > 1:
            self.rig.remove_node(alive[node % len(alive)])

    def do_join(self, memory_gb: int) -> None:
        if len(self.hosts) < 8:
            self.join(memory_gb)

    # What must hold

    @staticmethod
    def allocated(queue: CapacityQueue) -> Resource:
        return queue.usage.used("")

    def check_maximum(self, queue: CapacityQueue, before: Resource) -> None:
        """What a heartbeat gave does not take a queue above its maximum."""
        after = queue.usage.used("")
        calculator = queue.context.calculator
        grew = after != before and before.fits_in(after)
        if grew:
            ceiling = queue.share("").effective_maximum
            assert calculator.fits_in(after, ceiling), f"{queue}: {after} above {ceiling}"

    def look(self) -> None:
        scheduler = self.rig.scheduler
        scheduler.tree.update_shares()
        scheduler.check_books()
        for leaf in scheduler.tree.leaves():
            assert self.held.get(leaf.path, NONE) == leaf.usage.used(), f"{leaf}: the log differs"
        is_dominant = scheduler.queue_context.calculator.is_multi_dimensional
        for node in scheduler.tracker.nodes.values():
            assert node.available.memory_mb >= 0
            assert node.available.vcores >= 0 or not is_dominant
            reserved = node.reserved_container
            assert reserved is None or scheduler.container(reserved.container_id) is reserved

    def settle_demand(self) -> None:
        """Beats until nothing changes: then nobody below its guarantee is refused what would fit."""
        quiet = 0
        while quiet < 10:  # so many, for delays to pass
            before = self.counts()
            for node_id in list(self.rig.scheduler.tracker.nodes):
                self.rig.heartbeat(node_id.host)
            quiet = quiet + 1 if self.counts() == before else 0
        leaves = self.rig.scheduler.tree.leaves()
        # A request that does not fit in what a queue has left stops all behind it and keeps that from others.
        stopped = [leaf for leaf in leaves if self.is_stopped_by_a_queue(leaf)]
        kept = sum((max(self.room(leaf), 0) for leaf in stopped), 0)
        for leaf in leaves:
            if leaf not in stopped:
                self.check_fed(leaf, kept)

    def is_stopped_by_a_queue(self, leaf: LeafQueue) -> bool:
        found = []
        for attempt in leaf.order.asking():
            views = self.rig.scheduler.explanations.explain(attempt.application_id)
            reasons = [check.reason for view in views for check in view.failing]
            assert reasons, f"{attempt} asks and nothing keeps it from a container"
            found += reasons
        return SkipReason.QUEUE_HEADROOM in found or SkipReason.SIBLING_QUEUE in found

    @staticmethod
    def room(leaf: LeafQueue) -> int:
        """The memory that it and those above it may still have."""
        path = (leaf, *leaf.ancestors())
        return min(
            queue.share("").effective_maximum.memory_mb - queue.usage.used("").memory_mb for queue in path
        )

    def check_fed(self, leaf: LeafQueue, kept_mb: int) -> None:
        frame = leaf.context
        share = leaf.share("")
        largest = max(
            (
                key_asks.any.capability.memory_mb
                for attempt in leaf.order.asking()
                for key_asks in attempt.asks.all_keys()
                if key_asks.any.count and len(key_asks.by_location) == 1
            ),
            default=0,
        )
        if not largest or frame.calculator.is_multi_dimensional:
            return
        room = share.effective_minimum.memory_mb - share.amounts.used.memory_mb
        users = {attempt.queue_user for attempt in leaf.order.asking()}
        limited = all(user.usage.used("") != Resource() for user in users)
        free = [
            node
            for node in frame.tracker.nodes.values()
            if node.reserved_container is None and node.available.memory_mb >= largest
        ]
        if room >= 2 * largest + GB and free and not limited:
            parents = list(leaf.ancestors())
            assert any(
                not frame.calculator.fits_in(
                    queue.usage.used("") + Resource(largest + kept_mb, 1), queue.share("").effective_maximum
                )
                for queue in parents
            ), f"{leaf} is below its guarantee by {room} MB, {free} have room, and it starves"


SLOW = settings(max_examples=60, suppress_health_check=list(HealthCheck))


@SLOW
@given(worlds())
def test_whatever_happens_the_books_and_the_limits_hold(world: World) -> None:
    play = Play(world)
    play.run()
    play.settle_demand()
    play.look()


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(worlds())
def test_the_same_input_gives_the_same_decisions(world: World) -> None:
    assert Play(world).run() == Play(world).run()
