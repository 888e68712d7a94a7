"""A cluster in virtual time: AMs unchanged, faults, waiting, and a seed that repeats itself."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import replace
from typing import Any

import pytest

from tests.testing.masters import REQUEST, TASK, TASKS, blocking, patient, retrying
from yarnbox.am import Connection, ContainerEnvironment, FinalApplicationStatus, Resource
from yarnbox.testing import (
    Ends,
    Started,
    VirtualCluster,
    delay,
    drop_next,
    expire_token,
    fail_over,
    fill_disk,
    lose_node,
    lose_node_of,
    preempt,
    restart_rm,
    runs,
)
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.client import GetClusterNodesRequest


def statuses(cluster: VirtualCluster) -> list[int]:
    """What AMs were told, in the order of the containers."""
    return [one.exit_status for one in cluster.containers() if one.exit_status is not None]


@pytest.mark.parametrize("master", [retrying, blocking])
@pytest.mark.parametrize("scheduler", ["capacity", "fair", "fifo"])
def test_an_am_runs_unchanged(master: object, scheduler: str) -> None:
    with VirtualCluster(2, scheduler=scheduler) as cluster:
        app = cluster.submit(master)  # type: ignore[arg-type]
        app.succeeds(3600)
        cluster.assert_no_leaks()
        assert [one.is_am for one in cluster.containers(app)].count(True) == 1
        assert 1 < cluster.now_s < 60


def test_an_application_that_waits_is_told_with_the_reason() -> None:
    with VirtualCluster(1, conf={"yarn.scheduler.capacity.maximum-am-resource-percent": "0.1"}) as cluster:
        first, second = (cluster.submit(patient, resource=Resource(4096, 1)) for _ in range(2))
        first.succeeds()
        second.succeeds()
        cluster.submit(retrying, resource=Resource(6144, 1))
        waits = cluster.submit(retrying, resource=Resource(6144, 1))
        with pytest.raises(AssertionError, match=rf"\n{waits.id} is ACCEPTED: .*AM resource limit exceeded"):
            waits.wait(0)


def test_an_application_without_a_container_is_a_leak() -> None:
    with VirtualCluster(0) as cluster:
        app = cluster.submit(retrying)
        with pytest.raises(AssertionError, match=rf"this is left:\n  {app.id} is ACCEPTED"):
            cluster.assert_no_leaks()


def test_nodes_are_as_large_as_the_configuration_says() -> None:
    conf = {"yarn.nodemanager.resource.memory-mb": "3072", "yarn.nodemanager.resource.cpu-vcores": "5"}

    def size(cluster: VirtualCluster) -> Resource | None:
        stub = cluster.stub("ApplicationClientProtocolService")
        answer = cluster.run(stub.call("getClusterNodes", GetClusterNodesRequest()))
        capability: Resource | None = answer.node_reports[0].capability
        return capability

    for given, expected in ((conf, Resource(3072, 5)), (None, Resource(8192, 8))):
        with VirtualCluster(1, conf=given) as cluster:
            cluster.pass_time(2)
            assert size(cluster) == expected
    with VirtualCluster(1, conf=conf, resource=Resource(1024, 1)) as cluster:
        cluster.pass_time(2)
        assert size(cluster) == Resource(1024, 1)


@pytest.mark.parametrize(
    "asked, why",
    [
        ({"nodes": "many"}, "nodes='many': it has to be a whole number, at least 0"),
        ({"nodes": -1}, "nodes=-1: it has to be a whole number"),
        ({"racks": 0}, "racks=0: it has to be a whole number, at least 1"),
        ({"containers": 5}, "containers=5: it has to be a function, like runs"),
        ({"conf": "conf"}, "conf='conf': it has to be properties or the Path"),
        ({"conf": {"yarn.resourcemanager.am.max-attempts": 1}}, "max-attempts': 1: names and values of"),
        ({"scheduler": "fare"}, "there is no scheduler 'fare'"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(asked: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        VirtualCluster(**asked)


def test_a_configuration_that_is_refused_leaves_no_loop() -> None:
    with pytest.raises(ConfigurationError):
        VirtualCluster(conf={"yarn.resourcemanager.am.max-attempts": "x"})
    gc.collect()


def test_what_is_no_fault_and_what_is_no_am_is_refused(virtual_cluster: VirtualCluster) -> None:
    nothing: Any = "boom"
    with pytest.raises(ValueError, match="'boom' is no fault"):
        virtual_cluster.at("first allocate", nothing)
    with pytest.raises(ValueError, match="'boom' is no fault"):
        virtual_cluster.inject(nothing)
    with pytest.raises(ValueError, match="'boom' is no ApplicationMaster"):
        virtual_cluster.submit(nothing)


def test_a_container_can_do_no_other_than_end(virtual_cluster: VirtualCluster) -> None:
    virtual_cluster.behaviour = lambda started: "soon"  # type: ignore[assignment, return-value]
    with pytest.raises(AssertionError, match="containers returned 'soon': what a container does is Ends"):
        virtual_cluster.submit(blocking, max_attempts=1).succeeds()


def test_a_refused_am_sees_its_own_lines_and_not_those_of_the_peer(virtual_cluster: VirtualCluster) -> None:
    async def greedy(environment: ContainerEnvironment, connection: Connection) -> int:
        rm = connection.rm_client(environment.amrm_token)
        await rm.register(environment.node_id.host)
        rm.asks.add(replace(REQUEST, capability=Resource(10**6, 1)))
        await rm.allocate(0.5)
        return 0

    with pytest.raises(AssertionError, match="ended FAILED"):
        virtual_cluster.submit(greedy, max_attempts=1).succeeds()
    (master,) = virtual_cluster.containers()
    said = virtual_cluster.logs(master.id)
    assert said.startswith("Traceback")
    assert "await rm.allocate(0.5)" in said
    assert "InvalidResourceRequestError: Invalid resource request!" in said
    assert "rm/services" not in said


def test_the_story_shows_the_last_whole_lines_of_an_am(virtual_cluster: VirtualCluster) -> None:
    def talks(environment: ContainerEnvironment, connection: Connection) -> int:
        raise RuntimeError("".join(f"\nline {number:04}" for number in range(500)))

    with pytest.raises(AssertionError, match=r"wrote:\n\.\.\.\nline 0\d\d\d\n"):
        virtual_cluster.submit(talks, max_attempts=1).succeeds()


@pytest.mark.long
def test_a_day_of_retries_takes_a_moment(virtual_cluster: VirtualCluster) -> None:
    virtual_cluster.behaviour = lambda started: Ends(60_000, 0 if started.number > 24 else 1)
    app = virtual_cluster.submit(patient)
    app.succeeds(2 * 86_400)
    assert virtual_cluster.now_s > 86_400
    assert statuses(virtual_cluster) == [1] * 24 + [0]


def story_of(seed: int) -> str:
    def by_chance(started: Started) -> Ends:
        return Ends(started.chance.randrange(60_000), started.chance.choice([0, 0, 1]))

    with VirtualCluster(3, seed=seed, containers=by_chance) as cluster:
        cluster.at("next allocate after 2 containers", lose_node_of(1))
        cluster.submit(retrying).succeeds()
        return cluster.story(10_000)


def test_a_seed_repeats_its_story() -> None:
    assert story_of(7) == story_of(7)
    assert story_of(7) != story_of(8)


@pytest.mark.yarn(nodes=3, containers=runs(5))
class TestFaults:
    def test_a_lost_node_ends_its_containers(self, virtual_cluster: VirtualCluster) -> None:
        cluster = virtual_cluster
        cluster.at("first allocate after 3 containers", lose_node_of(2))
        app = cluster.submit(retrying)
        lost = cluster.wait_for_event("NODE_REMOVED").subject.partition(":")[0]
        app.succeeds()
        assert lost == next(one.node for one in cluster.containers() if one.id == cluster.faults.container(2))
        assert -100 in statuses(cluster) or any(
            one.is_am and one.node == lost for one in cluster.containers()
        )
        cluster.assert_faults_happened()

    def test_a_preempted_container_ends_with_its_status(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.at("first allocate after 3 containers", preempt(1))
        virtual_cluster.submit(retrying).succeeds()
        assert statuses(virtual_cluster).count(-102) == 1

    def test_an_am_is_asked_before_a_container_is_preempted(self, virtual_cluster: VirtualCluster) -> None:
        asked: list[object] = []

        async def master(environment: ContainerEnvironment, connection: Connection) -> int:
            rm = connection.rm_client(environment.amrm_token)
            await rm.register("h")
            nm = connection.nm_client(rm)
            rm.asks.add(REQUEST)
            async for answer in rm.responses(500, lambda: 0.0):
                for container in answer.allocated_containers:
                    rm.asks.remove(REQUEST)
                    await nm.start(container, TASK)
                if answer.preempt is not None and answer.preempt.strict_contract is not None:
                    asked.extend(one.id for one in answer.preempt.strict_contract.container)
                if answer.completed_container_statuses:
                    break
            await rm.finish(FinalApplicationStatus.SUCCEEDED)
            return 0

        virtual_cluster.at("next allocate after 1 containers", preempt(1, after_ms=2000))
        virtual_cluster.submit(master).succeeds()
        assert len(asked) >= 3
        assert statuses(virtual_cluster) == [-102]

    def test_a_restarted_rm_knows_its_applications(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.at("next allocate after 3 containers", restart_rm(3000))
        app = virtual_cluster.submit(retrying)
        app.succeeds()
        assert virtual_cluster.faults.so_far.calls["registerApplicationMaster"] > 1
        assert len(virtual_cluster.events("ResourceManagerStarted")) == 2
        assert len(virtual_cluster.containers(app)) == TASKS + 1

    def test_after_a_fail_over_the_next_rm_knows_its_applications(
        self, virtual_cluster: VirtualCluster
    ) -> None:
        virtual_cluster.at("next allocate after 3 containers", fail_over())
        app = virtual_cluster.submit(retrying)
        app.succeeds()
        assert len(virtual_cluster.events("ResourceManagerStarted")) == 2
        assert len(virtual_cluster.containers(app)) == TASKS + 1

    @pytest.mark.parametrize("answers", [False, True])
    def test_what_is_dropped_is_called_again(self, virtual_cluster: VirtualCluster, answers: bool) -> None:
        virtual_cluster.at("2nd allocate", drop_next("allocate", 2, answers=answers))
        app = virtual_cluster.submit(retrying)
        app.succeeds()
        assert len(virtual_cluster.containers(app)) == TASKS + 1

    def test_a_delayed_call_takes_virtual_time(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.inject(delay("registerApplicationMaster", 30_000))
        virtual_cluster.submit(retrying).succeeds()
        assert virtual_cluster.now_s > 30

    def test_a_container_whose_token_expired_is_not_started(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.at("first startContainers", expire_token(1))
        app = virtual_cluster.submit(retrying)
        app.succeeds()
        assert statuses(virtual_cluster)[0] == -100
        assert virtual_cluster.faults.so_far.calls["startContainers"] == TASKS + 1

    def test_an_am_whose_token_expired_is_followed_by_another(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.at("3rd allocate", expire_token("amrm"))
        app = virtual_cluster.submit(retrying)
        report = app.succeeds()
        assert report.current_application_attempt_id is not None
        assert report.current_application_attempt_id.attempt_id == 2
        (am, *_) = virtual_cluster.containers(app)
        assert "InvalidTokenError: Invalid AMRMToken from appattempt_" in virtual_cluster.logs(am.id)

    def test_a_node_whose_token_expired_starts_nothing(self, virtual_cluster: VirtualCluster) -> None:
        refused = NodeId("nm1", 1234)
        virtual_cluster.inject(expire_token(refused))
        app = virtual_cluster.submit(retrying)
        virtual_cluster.wait_until(lambda: virtual_cluster.faults.so_far.ended > TASKS, "ends to be told")
        run = [one.node for one in virtual_cluster.containers(app) if one.exit_status == 0]
        assert "nm1" not in run
        virtual_cluster.kill(app)

    def test_a_full_disk_makes_a_node_unhealthy(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.inject(fill_disk("nm2"))
        virtual_cluster.wait_for_event("NODE_REMOVED", node="nm2")

        async def ask() -> list[str | None]:
            answer = await virtual_cluster.stub("ApplicationClientProtocolService").call(
                "getClusterNodes", GetClusterNodesRequest()
            )
            return [one.health_report for one in answer.node_reports if one.node_id.host == "nm2"]

        (report,) = virtual_cluster.run(ask())
        assert "1/1 local-dirs usable space is below configured utilization percentage" in (report or "")
        app = virtual_cluster.submit(retrying)
        app.succeeds()
        assert "nm2" not in [one.node for one in virtual_cluster.containers(app)]


class TestWaiting:
    def test_what_does_not_happen_is_told_with_what_did(self, virtual_cluster: VirtualCluster) -> None:
        virtual_cluster.at("99th allocate", lose_node("nm1"))
        virtual_cluster.submit(retrying).succeeds()
        with pytest.raises(AssertionError) as failed:
            virtual_cluster.wait_for_event("NODE_REMOVED", node="nm3", timeout_s=60)
        told = str(failed.value)
        assert "waited 60 s of virtual time for NODE_REMOVED node=nm3" in told
        assert "APP_COMPLETED" in told
        assert "fault that did not happen: at '99th allocate': LoseNode(node='nm1'" in told
        with pytest.raises(AssertionError, match="faults that never happened"):
            virtual_cluster.assert_faults_happened()

    def test_an_event_that_there_is_not_is_told_at_once(self, virtual_cluster: VirtualCluster) -> None:
        with pytest.raises(LookupError, match=r"no event NODE_REMOVE \(did you mean NODE_REMOVED\?\)"):
            virtual_cluster.wait_for_event("NODE_REMOVE")

    def test_an_am_that_fails_is_told_with_its_diagnostics_and_its_traceback(
        self, virtual_cluster: VirtualCluster
    ) -> None:
        def broken(environment: ContainerEnvironment, connection: Connection) -> int:
            raise RuntimeError("out of ideas")

        app = virtual_cluster.submit(broken, max_attempts=1)
        with pytest.raises(AssertionError, match=r"(?s)ended FAILED: .* exitCode: 1.*out of ideas"):
            app.succeeds()
        assert "RuntimeError: out of ideas" in virtual_cluster.logs(virtual_cluster.containers(app)[0].id)

    def test_what_is_no_exit_status_is_told(self, virtual_cluster: VirtualCluster) -> None:
        async def wordy(environment: ContainerEnvironment, connection: Connection) -> str:
            return "done"

        app = virtual_cluster.submit(wordy, max_attempts=1)  # type: ignore[arg-type]
        with pytest.raises(AssertionError, match=r"(?s)exitCode: 1.*returned 'done': it has to return"):
            app.succeeds()

    def test_an_application_that_has_not_ended_is_a_leak(self, virtual_cluster: VirtualCluster) -> None:
        async def endless(environment: ContainerEnvironment, connection: Connection) -> int:
            rm = connection.rm_client(environment.amrm_token)
            await rm.register("h")
            async for _ in rm.responses(1000, lambda: 0.0):
                pass
            return 0

        app = virtual_cluster.submit(endless)
        virtual_cluster.wait_for_event("REGISTERED", app=app)
        with pytest.raises(AssertionError, match="is RUNNING: an application of a test has to end"):
            virtual_cluster.assert_no_leaks()
        virtual_cluster.kill(app)
        app.wait()
        virtual_cluster.assert_no_leaks()

    def test_who_waits_for_nothing_is_told(self, virtual_cluster: VirtualCluster) -> None:
        async def forever() -> None:
            await asyncio.get_running_loop().create_future()

        with pytest.raises(AssertionError, match="waited 5 s"):
            virtual_cluster.wait_until(lambda: False, "nothing", 5)


def test_a_blocking_am_is_ended_with_its_container(virtual_cluster: VirtualCluster) -> None:
    ended: list[BaseException] = []

    def endless(environment: ContainerEnvironment, connection: Connection) -> int:
        rm = connection.blocking_rm_client(environment.amrm_token)
        rm.register("h")
        try:
            while True:
                rm.allocate(0)
                rm.pause(1)
        except BaseException as error:
            ended.append(error)
            raise

    app = virtual_cluster.submit(endless)
    virtual_cluster.wait_for_event("REGISTERED", app=app)
    virtual_cluster.kill(app)
    app.wait()
    virtual_cluster.pass_time(10)
    assert [type(one).__name__ for one in ended] == ["KilledError"]


@pytest.mark.yarn(nodes=1, conf={"yarn.resourcemanager.am.max-attempts": "1"}, resource=Resource(2048, 2))
def test_the_marker_says_what_cluster_it_is(virtual_cluster: VirtualCluster) -> None:
    assert list(virtual_cluster.nodes) == ["nm1"]
    assert virtual_cluster.rm.context.settings.am_max_attempts == 1
    with pytest.raises(YarnError, match="maximum"):
        virtual_cluster.submit(retrying, resource=Resource(999_999, 1))


def test_a_test_may_be_a_coroutine(virtual_cluster: VirtualCluster) -> None:
    async def scene() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    assert virtual_cluster.run(scene()) == 3600
