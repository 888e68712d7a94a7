"""Two RMs and a real ZooKeeper: one is active, and what it acknowledged is there whatever becomes of it."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import io
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import zookeeper
from tests.daemons import Daemon
from tests.rm.edge.ha.rms import HA, IDS, SHORT_MS, Machine, eventually, is_refused, machines, properties
from tests.rm.edge.test_hadoop import Client
from tests.waiting import PATIENCE_S
from yarnbox.am.asks import ContainerRequest
from yarnbox.am.blocking import BlockingAMRMClient
from yarnbox.am.connection import Connection
from yarnbox.am.submit import Submitter
from yarnbox.am.unmanaged import UnmanagedAttempt, launch_unmanaged
from yarnbox.client.command_line.console import Console
from yarnbox.client.main import main as yarn
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto
from yarnbox.rm.edge.hadoop import ADMIN_PROTOCOL, HA_PROTOCOL
from yarnbox.rm.edge.process import main
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import BlockingStub, RpcError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import AccessControlError, NotReadyError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.admin import RefreshQueuesRequest
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.ha import (
    GetServiceStatusRequest,
    GetServiceStatusResponse,
    HARequestSource,
    HAServiceState,
    HAStateChangeRequestInfo,
    MonitorHealthRequest,
    MonitorHealthResponse,
    TransitionToActiveRequest,
    TransitionToObserverRequest,
    TransitionToStandbyRequest,
)
from yarnbox.yarn.resources.resource import Resource

pytestmark = zookeeper.MARKS

ACTIVE, STANDBY = HAServiceState.ACTIVE, HAServiceState.STANDBY
MANUAL = {"yarn.resourcemanager.ha.automatic-failover.enabled": "false"}


def ask(machine: Machine, rpc: str, request: Any) -> Any:
    with BlockingStub(machine.address, HA, timeout_s=PATIENCE_S) as stub:
        return stub.call(rpc, request)


def info(source: HARequestSource) -> HAStateChangeRequestInfo:
    return HAStateChangeRequestInfo(req_source=source)


FORCED = info(HARequestSource.REQUEST_BY_USER_FORCED)
BY_USER = info(HARequestSource.REQUEST_BY_USER)


def get(machine: Machine, path: str) -> tuple[int, dict[str, str], str]:
    host, _, port = machine.web.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE_S)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def is_sent_away(machine: Machine, path: str) -> bool:
    """Whether it answers as a standby; one that is about to be closes its connections."""
    try:
        return get(machine, path)[0] == 307
    except OSError:
        return False


def submitted_to(both: tuple[Machine, Machine], acknowledged: list[ApplicationId]) -> bool:
    """Whether one of them took an application, which is noted."""
    for machine in both:
        with contextlib.suppress(NotReadyError, RpcError):
            acknowledged.append(machine.submit())
            return True
    return False


def has_all(both: tuple[Machine, Machine], acknowledged: list[ApplicationId]) -> bool:
    """Whether the active one has them; it may have more, that were stored and never acknowledged."""
    return any(set(acknowledged) <= set(seen_by(machine)) for machine in both)


def seen_by(machine: Machine) -> list[ApplicationId]:
    """What it shows; nothing if it is not active."""
    try:
        return machine.applications()
    except (NotReadyError, RpcError):
        return []


def test_an_active_that_is_killed_is_followed_by_the_standby_and_nothing_is_lost(
    tree: str, tmp_path: Path
) -> None:
    with machines(tree, tmp_path, SHORT_MS) as (first, second):
        acknowledged = [first.submit(), first.submit()]
        with pytest.raises(NotReadyError, match="ResourceManager rm2 is not Active!"):
            second.applications()
        first.process.kill()
        second.wait_for(ACTIVE)
        assert second.applications() == acknowledged
        later = second.submit()
        assert later.cluster_timestamp > acknowledged[0].cluster_timestamp
        assert get(second, "/ws/v1/cluster/info")[2].count('"haState":"ACTIVE"') == 1


def test_nodes_applications_and_commands_find_the_new_active(tree: str, tmp_path: Path) -> None:
    quick = {"yarn.client.failover-sleep-base-ms": "100", "yarn.client.failover-sleep-max-ms": "500"}
    quick |= {"yarn.resourcemanager.connect.max-wait.ms": "600000"}
    with machines(tree, tmp_path, SHORT_MS) as (first, second), node(first.given, tmp_path):
        configuration = Configuration.of({**first.given, **quick})
        connection = Connection.of(configuration)
        attempt = unmanaged(connection)
        master = connection.blocking_rm_client(attempt.token)
        master.register("here")
        containers = granted(master)
        first.process.kill()
        containers += granted(master)
        assert len({one.id for one in containers}) == 2
        assert containers[1].id.epoch == containers[0].id.epoch + 1
        said = io.StringIO()
        words = [f"-D{name}={value}" for name, value in {**first.given, **quick}.items()]
        command = Console(said, said, {"HADOOP_USER_NAME": "ann"})
        assert yarn(["node", *words, "-list"], command) == 0
        assert "Total Nodes:1" in said.getvalue()
        assert yarn(["rmadmin", *words, "-getServiceState", second.rm_id], command) == 0
        assert said.getvalue().endswith("active\n")
        master.finish(FinalApplicationStatus.SUCCEEDED)


@contextlib.contextmanager
def node(given: dict[str, str], tmp_path: Path) -> Iterator[None]:
    """A NodeManager without real containers."""
    more = {"yarn.nodemanager.address": "127.0.0.1:0", "yarnbox.address-book": str(tmp_path / "hosts")}
    more |= {"yarn.nodemanager.bind-host": "127.0.0.1"}
    words = [word for one in {**given, **more}.items() for word in ("-D", "=".join(one))]
    line = ["--conf", str(tmp_path / "conf"), "--virtual", "1", *words]
    process = Daemon("yarnbox.nm", line, tmp_path / "nm.said")
    try:
        yield
    finally:
        process.kill()
        process.wait()


def unmanaged(connection: Connection) -> UnmanagedAttempt:
    with connection.client_stub("ann") as stub:
        return launch_unmanaged(Submitter(stub), ApplicationSubmissionContext(application_name="unmanaged"))


def granted(master: BlockingAMRMClient) -> list[Container]:
    """One container more."""
    request = ContainerRequest(capability=Resource(1024, 1), priority=1)
    master.asks.add(request)
    while True:
        response = master.allocate(0.5)
        if response.allocated_containers:
            master.asks.remove(request)
            return list(response.allocated_containers)
        master.pause(0.1)


def test_an_active_that_stood_still_answers_nobody_when_it_wakes_up(tree: str, tmp_path: Path) -> None:
    with machines(tree, tmp_path, SHORT_MS) as (first, second), first.client():
        acknowledged = [first.submit()]
        first.process.send_signal(signal.SIGSTOP)
        try:
            second.wait_for(ACTIVE)
            acknowledged.append(second.submit())
        finally:
            first.process.send_signal(signal.SIGCONT)
        eventually(lambda: is_refused(first), first)
        first.wait_for(STANDBY)
        assert second.applications() == sorted(acknowledged)
        second.process.kill()
        first.wait_for(ACTIVE)
        assert first.applications() == sorted(acknowledged)


def test_zookeeper_may_be_started_again(server: zookeeper.Server, tree: str, tmp_path: Path) -> None:
    with machines(tree, tmp_path, SHORT_MS) as (first, second):
        acknowledged = [first.submit()]
        server.stop()
        server.start()
        eventually(lambda: submitted_to((first, second), acknowledged), first, second)
        eventually(lambda: has_all((first, second), acknowledged), first, second)


def test_zookeeper_lost_for_longer_than_the_session_leaves_nobody_active(
    server: zookeeper.Server, tree: str, tmp_path: Path
) -> None:
    with machines(tree, tmp_path, SHORT_MS) as (first, second):
        acknowledged = [first.submit()]
        server.stop()
        try:
            eventually(lambda: is_refused(first), first)
            first.wait_for(STANDBY)
            assert second.state() is STANDBY
            eventually(lambda: is_sent_away(first, "/ws/v1/cluster/apps"), first)
            _, headers, text = get(first, "/ws/v1/cluster/apps")
            assert "Location" not in headers
            assert "next.refresh.interval=1" in headers["Refresh"]
            assert "DISCONNECTED" in text
        finally:
            server.start()
        eventually(lambda: has_all((first, second), acknowledged), first, second)


def test_a_standby_shows_itself_and_the_way_to_the_active(tree: str, tmp_path: Path) -> None:
    with machines(tree, tmp_path) as (first, second):
        path = "/ws/v1/cluster/apps?limit=1&x=<"
        status, headers, text = eventually(
            lambda: found if "Location" in (found := get(second, path))[1] else None
        )
        assert status == 307
        assert headers["Location"] == f"http://{first.web}/ws/v1/cluster/apps?limit=1&x=%3C"
        assert text == "This is standby RM. The redirect url is: /ws/v1/cluster/apps?limit=1&amp;x=%3C\n"
        assert get(second, "/")[1]["Location"] == f"http://{first.web}/"
        shown = json.loads(get(second, "/ws/v1/cluster/info")[2])["clusterInfo"]
        assert (shown["haState"], shown["haZooKeeperConnectionState"]) == ("STANDBY", "CONNECTED")
        assert shown["rmStateStoreName"].endswith(".ZKRMStateStore")
        about = get(second, "/cluster/cluster")[2]
        assert first.web in about
        assert "rel='icon'" in about
        assert [get(one, "/isActive")[0] for one in (first, second)] == [200, 405]
        assert get(second, "/logs")[0] == 503


def test_a_change_of_roles_has_to_be_forced_where_the_rms_elect(tree: str, tmp_path: Path) -> None:
    with machines(tree, tmp_path) as (first, second):
        acknowledged = first.submit()
        for machine, rpc, request in (
            (first, "transitionToStandby", TransitionToStandbyRequest(req_info=BY_USER)),
            (second, "transitionToActive", TransitionToActiveRequest(req_info=BY_USER)),
        ):
            with pytest.raises(AccessControlError, match="Manual failover for this ResourceManager"):
                ask(machine, rpc, request)
        ask(first, "transitionToStandby", TransitionToStandbyRequest(req_info=FORCED))
        second.wait_for(ACTIVE)
        assert second.applications() == [acknowledged]
        ask(first, "transitionToActive", TransitionToActiveRequest(req_info=FORCED))
        assert first.state() is ACTIVE
        assert first.applications() == [acknowledged]
        second.wait_for(STANDBY)
        assert is_refused(second)


def test_without_elections_an_administrator_says_who_is_active(tree: str, tmp_path: Path) -> None:
    with machines(tree, tmp_path, more={**MANUAL, "yarn.acl.enable": "true"}) as (first, second):
        ask(first, "transitionToActive", TransitionToActiveRequest(req_info=BY_USER))
        acknowledged = first.submit()
        assert (first.state(), second.state()) == (ACTIVE, STANDBY)
        ask(second, "transitionToActive", TransitionToActiveRequest(req_info=BY_USER))
        first.wait_for(STANDBY)
        assert second.applications() == [acknowledged]
        ask(second, "transitionToActive", TransitionToActiveRequest(req_info=BY_USER))
        ask(second, "transitionToStandby", TransitionToStandbyRequest(req_info=BY_USER))
        assert second.state() is STANDBY
        by_controller = info(HARequestSource.REQUEST_BY_ZKFC)
        with pytest.raises(AccessControlError, match="automatic failover is disabled"):
            ask(second, "transitionToActive", TransitionToActiveRequest(req_info=by_controller))


def test_hadoops_wire_tells_the_role_and_refuses_the_rest(tree: str, tmp_path: Path) -> None:
    async def scene(machine: Machine) -> None:
        address = machine.given["yarn.resourcemanager.admin.address." + machine.rm_id]
        role, admin = Client(address, HA_PROTOCOL), Client(address, ADMIN_PROTOCOL)
        status = await role.answer("getServiceStatus", GetServiceStatusRequest(), GetServiceStatusResponse)
        assert (status.state, status.ready_to_become_active) == (machine.state(), True)
        await role.answer("monitorHealth", MonitorHealthRequest(), MonitorHealthResponse)
        head, _ = await role.ask("transitionToObserver", TransitionToObserverRequest(req_info=FORCED))
        assert head.exceptionClassName == "org.apache.hadoop.ha.ServiceFailedException"
        head, _ = await admin.ask("refreshQueues", RefreshQueuesRequest())
        if status.state is STANDBY:
            assert head.exceptionClassName == "org.apache.hadoop.ipc.StandbyException"
            assert head.errorMsg == "ResourceManager rm2 is not Active!"
        else:
            assert head.status == RpcResponseHeaderProto.SUCCESS

    with machines(tree, tmp_path) as both:
        for machine in both:
            asyncio.run(scene(machine))


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"yarn.resourcemanager.ha.rm-ids": "rm1"}, "at least two ids"),
        ({"yarn.resourcemanager.ha.rm-ids": "rm1,other"}, "yarn.resourcemanager.hostname.other or"),
        ({"yarn.resourcemanager.ha.id": "rm9"}, "one of yarn.resourcemanager.ha.rm-ids, which are rm1, rm2"),
        ({"yarn.resourcemanager.cluster-id": ""}, "yarn.resourcemanager.cluster-id is not set"),
        ({"hadoop.zk.address": ""}, "yarn.resourcemanager.zk-address is not set"),
        ({"yarn.resourcemanager.store.class": "file"}, "ZKRMStateStore with several RMs"),
    ],
)
def test_a_wrong_configuration_is_told_in_a_line(
    tmp_path: Path, changed: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {**properties("127.0.0.1:1", tmp_path), "yarn.resourcemanager.ha.id": IDS[0], **changed}
    words = [word for one in given.items() for word in ("-D", "=".join(one))]
    assert main(["--conf", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


def test_without_zookeeper_an_rm_does_not_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = {**properties("127.0.0.1:1", tmp_path, SHORT_MS), "yarn.resourcemanager.ha.id": IDS[0]}
    words = [word for one in given.items() for word in ("-D", "=".join(one))]
    assert main(["--conf", str(tmp_path), *words]) == 1
    assert "ZooKeeper at 127.0.0.1:1 does not answer" in capsys.readouterr().err.splitlines()[-1]
