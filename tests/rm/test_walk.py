"""Random lives: whatever users, AMs and nodes do, the books stay right and nothing is lost.

Hypothesis picks calls; after each one every sum is recounted (the core does so itself), no node holds more
than it has, and every application is somewhere on its way. In the end everybody behaves, and everything ends.
"""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.rig import PORT, Rig, ask
from yarnbox.rm.app import RMAppState
from yarnbox.rm.container import RMContainerState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, NodeId

NODES = ("n1", "n2", "n3")
PLACES = ("*", "n1", "n2", "/default-rack")
FAST = {
    "yarn.nm.liveness-monitor.expiry-interval-ms": "30000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "60000",
    "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "20000",
}


class Walk(RuleBasedStateMachine):
    """One RM, three nodes that come and go, and applications."""

    rig: Rig
    ids: list[ApplicationId]

    @initialize(recovers=st.booleans())
    def begin(self, recovers: bool) -> None:
        """A cluster, with a state store or without."""
        self.rig = Rig({**FAST, "yarn.resourcemanager.recovery.enabled": str(recovers).lower()})
        for name in NODES:
            self.rig.add_node(name)
        self.ids = []

    def tried(self, call: Any) -> None:
        """A call that may be refused, and then does no harm."""
        with contextlib.suppress(YarnError):
            call()

    def has_am(self, application_id: ApplicationId) -> bool:
        """Whether there is somebody to make its calls: a process on a node, or an unmanaged AM."""
        app = self.rig.app(application_id)
        if app.current is None:
            return False
        am_id = app.current.master_container_id
        return app.is_unmanaged or any(am_id in node.running for node in self.rig.nodes.values())

    @rule(
        unmanaged=st.booleans(),
        keep=st.booleans(),
        attempts=st.integers(0, 3),
        memory_mb=st.sampled_from((512, 1024, 9000)),
    )
    def submit(self, unmanaged: bool, keep: bool, attempts: int, memory_mb: int) -> None:
        """A user submits."""

        def call() -> None:
            fields: dict[str, Any] = {
                "keep_containers_across_application_attempts": keep,
                "max_app_attempts": attempts,
            }
            self.ids.append(self.rig.submit(unmanaged_am=unmanaged, memory_mb=memory_mb, **fields))

        self.tried(call)

    @precondition(lambda self: self.ids)
    @rule(data=st.data())
    def call_as_am(self, data: st.DataObject) -> None:
        """An AM registers, asks, releases or finishes."""
        rig, application_id = self.rig, data.draw(st.sampled_from(self.ids))
        if not self.has_am(application_id):
            return
        what = data.draw(st.sampled_from(("register", "ask", "release", "finish")))
        if what == "register":
            self.tried(lambda: rig.register(application_id))
        elif what == "finish":
            self.tried(lambda: rig.finish(application_id))
        elif what == "ask":
            place, count = data.draw(st.sampled_from(PLACES)), data.draw(st.integers(0, 4))
            memory_mb = data.draw(st.sampled_from((512, 1024, 3000)))
            requests = [ask(memory_mb, count, place), ask(memory_mb, count)]
            self.tried(lambda: rig.allocate(application_id, *requests))
        else:
            live = rig.context.scheduler.live_containers(rig.attempt(application_id).attempt_id)
            some = tuple(one.container_id for one in live[:2])
            self.tried(lambda: rig.allocate(application_id, release=some))

    @precondition(lambda self: self.ids)
    @rule(data=st.data())
    def end_something(self, data: st.DataObject) -> None:
        """A user kills an application, or a process ends."""
        rig, application_id = self.rig, data.draw(st.sampled_from(self.ids))
        if data.draw(st.booleans()):
            self.tried(lambda: rig.kill(application_id))
            return
        node = rig.nodes[data.draw(st.sampled_from(NODES))]
        if node.running:
            node.end(
                data.draw(st.sampled_from(sorted(node.running))), data.draw(st.sampled_from((0, 1, -104)))
            )

    @rule(name=st.sampled_from(NODES))
    def heartbeat(self, name: str) -> None:
        """A node heartbeats, or comes back."""
        node = self.rig.nodes[name]
        if not node.is_live:
            self.rig.add_node(name)
            return
        self.rig.heartbeat(name)
        if node.must_resync:
            self.rig.add_node(name, keep=True)

    @rule(name=st.sampled_from(NODES), what=st.sampled_from(("vanish", "sick", "well", "anew", "resize")))
    def trouble(self, name: str, what: str) -> None:
        """A node fails, recovers, begins anew, or changes its size."""
        node = self.rig.nodes[name]
        if what == "vanish":
            node.vanish()
        elif what == "anew":
            self.rig.add_node(name)
        elif what == "resize":
            self.rig.add_node(name, 4096, keep=True)
        else:
            node.health_report = "disks" if what == "sick" else ""

    @rule(ms=st.sampled_from((1_000, 11_000, 40_000)))
    def wait(self, ms: int) -> None:
        """Time passes."""
        self.rig.advance(ms)

    @invariant()
    def no_node_holds_more_than_it_has(self) -> None:
        """FIFO counts memory; a node that shrank is the exception."""
        for node in self.rig.context.scheduler.tracker.nodes.values():
            shrank = self.rig.nodes[node.host].resource.memory_mb < 8192
            assert shrank or node.available.memory_mb >= 0

    @invariant()
    def no_container_leaks(self) -> None:
        """What lives is on its node and counts for its application; what does not has ended."""
        scheduler = self.rig.context.scheduler
        for application in scheduler.applications.values():
            attempt = application.attempt
            for container in attempt.live.values() if attempt is not None else ():
                assert not container.is_finished
                assert container.node.containers[container.container_id] is container
                assert container.node_id in scheduler.tracker.nodes
            if attempt is not None:
                assert attempt.usage.of().containers == len(attempt.live)

    @invariant()
    def no_application_is_lost(self) -> None:
        """Each is known; one that has ended holds nothing."""
        for application_id in self.ids:
            app = self.rig.app(application_id)
            has_ended = app.state in (RMAppState.FINISHED, RMAppState.FAILED, RMAppState.KILLED)
            assert has_ended == (application_id not in self.rig.context.scheduler.applications)

    def teardown(self) -> None:
        """Everybody behaves: nodes are well, users kill what they began, and an AM that has finished goes.
        Then nothing is left anywhere.
        """
        rig = self.rig
        for application_id in self.ids:
            rig.kill(application_id)
            if rig.app(application_id).state is RMAppState.FINISHING:
                rig.end_am(application_id)
        for _ in range(3):
            for name in NODES:
                rig.nodes[name].health_report = ""
                self.heartbeat(name)
        scheduler = rig.context.scheduler
        assert not scheduler.applications
        assert not any(rig.nodes[name].running for name in NODES)
        for name in NODES:
            node = scheduler.tracker.nodes[NodeId(name, PORT)]
            assert not node.containers
            assert node.available == node.total
        ended = {line.after for line in rig.story if line.kind == "RMContainer"}
        assert RMContainerState.RESERVED.name not in ended
        assert not rig.context.am_sessions
        assert not rig.tokens.live


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=60, stateful_step_count=50, suppress_health_check=list(HealthCheck))
