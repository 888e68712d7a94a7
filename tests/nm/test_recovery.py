"""A NodeManager that is started again: what it kept, what it finds, and whole processes that survive."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from nm.core import Core
from nm.edge.store import StateStore
from nm.effects import (
    CleanUpContainer,
    FetchResource,
    Forget,
    Keep,
    LaunchContainer,
    ReacquireContainer,
    StartAuxiliaryApplication,
)
from nm.settings import NMSettings
from tests.nm.fake_rm import FakeRM, command, start_nm, until
from tests.nm.rig import APPLICATION, NODE, OTHER_ATTEMPT, Rig, container_id, resource
from tests.nm.test_executor import is_running
from yarn.address import Address
from yarn.enums import ContainerState, LocalResourceVisibility
from yarn.errors import InvalidTokenError
from yarn.records.container import ContainerLaunchContext
from yarn.records.management import ContainerUpdateRequest, GetContainerStatusesRequest
from yarn.resource import Resource

SETTINGS = NMSettings(recovery_enabled=True, address=Address("nm1", 4321))


class Life:
    """A rig whose node can end and begin again with what it kept."""

    def __init__(self) -> None:
        self.rig = Rig(SETTINGS)
        self.kept: dict[str, bytes] = {}

    def settle(self) -> None:
        """What the node wants remembered is."""
        effects = self.rig.effects + self.rig.core.take_effects()
        self.rig.effects = [one for one in effects if not isinstance(one, Keep | Forget)]
        for effect in effects:
            if isinstance(effect, Forget):
                for key in [key for key in self.kept if key.startswith(effect.prefix)]:
                    del self.kept[key]
            elif isinstance(effect, Keep) and effect.value is None:
                self.kept.pop(effect.key, None)
            elif isinstance(effect, Keep):
                assert effect.value is not None
                self.kept[effect.key] = effect.value

    def restart(self) -> Rig:
        """The node ends as if by SIGKILL, and begins again."""
        self.settle()
        old = self.rig
        rig = Rig.__new__(Rig)
        rig.clock, rig.keys, rig.effects, rig.response_id = old.clock, old.keys, [], 0
        rig.core = Core(NODE, SETTINGS, Resource(4096, 4), rig.clock, is_strict=True)
        rig.context, rig.status = rig.core.context, rig.core.status
        rig.services, rig.world = rig.core.management, rig.core.world
        rig.core.recover(dict(sorted(self.kept.items())))
        self.rig = rig
        return rig


def test_what_ran_is_found_again_and_keeps_its_room() -> None:
    life = Life()
    life.rig.run(1)
    rig = life.restart()
    (order,) = rig.take(ReacquireContainer)
    assert order.launch.container_id == container_id(1)
    assert rig.take(LaunchContainer) == []
    assert rig.core.scheduler.used == Resource(1024, 1)
    rig.launched(1)
    request = rig.register()
    assert [one.container_state for one in request.container_statuses] == [ContainerState.RUNNING]
    assert request.running_applications == (APPLICATION,)
    rig.exited(1, 154)
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", 154)


def test_what_had_ended_is_told_with_its_code() -> None:
    life = Life()
    life.rig.run(1)
    life.rig.exited(1, 9, "nine")
    rig = life.restart()
    assert rig.take(ReacquireContainer) == []
    (status,) = rig.register().container_statuses
    assert (status.container_state, status.container_exit_status) == (ContainerState.COMPLETE, 9)
    assert "nine" in status.diagnostics
    assert rig.core.scheduler.used == Resource()


def test_what_had_not_begun_begins() -> None:
    life = Life()
    life.rig.start(1, ContainerLaunchContext(command=("x",), local_resources={"a": resource()}))
    rig = life.restart()
    rig.localized(rig.take(FetchResource)[0])
    assert rig.launches() == [1]


def test_a_kill_is_not_forgotten() -> None:
    life = Life()
    life.rig.run(1)
    life.rig.start(2, ContainerLaunchContext(local_resources={"a": resource()}))
    life.rig.stop(1)
    life.settle()
    life.kept[f"ContainerManager/containers/{container_id(2)}/killed"] = b"1"
    rig = life.restart()
    assert (rig.state(2), rig.container(2).exit_code) == ("DONE", -105)
    rig.launched(1)
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(1))]
    rig.exited(1, 143)
    assert rig.state(1) == "DONE"


def test_resources_on_disk_are_not_fetched_again() -> None:
    life = Life()
    shared = resource("/data/x", LocalResourceVisibility.PUBLIC)
    context = ContainerLaunchContext(command=("x",), local_resources={"a": shared})
    life.rig.run(1, context)
    rig = life.restart()
    assert rig.take(FetchResource) == []
    assert rig.take(ReacquireContainer)[0].launch.links == {"a": "/cache/10"}
    rig.register()
    other = resource("/y", LocalResourceVisibility.PUBLIC)
    rig.start(2, ContainerLaunchContext(local_resources={"b": other}))
    assert rig.take(FetchResource)[0].directory == "11", "numbers go on where they were"


def test_tokens_stay_good_and_used_up() -> None:
    life = Life()
    token, nm_token = life.rig.token(1), life.rig.nm_token()
    life.rig.start_all([(token, None)])
    rig = life.restart()
    ask = GetContainerStatusesRequest(container_id=(container_id(1),))
    assert rig.turn(lambda: rig.services.get_container_statuses(ask, nm_token)).status
    rig.register()
    (failed,) = rig.start_all([(token, None)]).failed_requests
    assert failed.exception is not None
    assert "Attempt to relaunch the same container" in (failed.exception.message or "")
    other = rig.nm_token(OTHER_ATTEMPT)
    answer = rig.turn(lambda: rig.services.get_container_statuses(ask, other))
    assert answer.failed_requests
    with pytest.raises(InvalidTokenError):
        rig.turn(lambda: rig.services.get_container_statuses(ask, None))


def test_an_update_is_not_forgotten() -> None:
    life = Life()
    life.rig.run(1)
    update = ContainerUpdateRequest(
        update_container_token=(life.rig.token(1, version=3, resource=Resource(2048, 1)),)
    )
    life.rig.turn(lambda: life.rig.services.update_container(update, life.rig.nm_token()))
    rig = life.restart()
    assert (rig.container(1).token.version, rig.container(1).resource) == (3, Resource(2048, 1))
    assert rig.core.scheduler.used == Resource(2048, 1)


def test_auxiliary_services_hear_of_their_applications_again() -> None:
    life = Life()
    life.rig.context.auxiliary_services = {"mapreduce_shuffle": b"\0\0\0\1"}
    life.rig.run(1, ContainerLaunchContext(service_data={"mapreduce_shuffle": b"token"}))
    life.rig.exited(1)
    rig = life.restart()
    assert rig.take(StartAuxiliaryApplication) == [
        StartAuxiliaryApplication("mapreduce_shuffle", APPLICATION, "alice", b"token")
    ]


def test_what_is_over_is_not_kept() -> None:
    life = Life()
    life.rig.run(1, ContainerLaunchContext(command=("x",), local_resources={"a": resource()}))
    life.rig.exited(1)
    life.rig.heartbeat(applications_to_cleanup=(APPLICATION,))
    life.rig.heartbeat()
    life.settle()
    left = [key for key in life.kept if "Tokens" not in key]
    assert left == []


def test_nothing_is_kept_unless_it_is_wanted() -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1)
    assert rig.take(Keep) == []
    assert rig.take(Forget) == []


def test_the_store(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    for key, value in (("a/1", b"x"), ("a/2", b"y"), ("ab", b"z"), ("a/1", b"w")):
        store.keep(key, value)
    store.keep("ab", None)
    store.close()
    again = StateStore(tmp_path)
    assert again.entries() == {"a/1": b"w", "a/2": b"y"}
    again.forget("a/")
    assert again.entries() == {}
    again.close()
    nothing = StateStore(None)
    nothing.keep("a", b"b")
    assert nothing.entries() == {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


Stop = Callable[[asyncio.subprocess.Process], None]


@pytest.mark.parametrize(
    "stop, supervised",
    [(asyncio.subprocess.Process.kill, False), (asyncio.subprocess.Process.terminate, True)],
    ids=["killed", "stopped by a supervisor"],
)
def test_containers_survive_the_restart_of_their_node(tmp_path: Path, stop: Stop, supervised: bool) -> None:
    define = [
        "yarn.nodemanager.recovery.enabled=true",
        f"yarn.nodemanager.recovery.supervised={str(supervised).lower()}",
        f"yarn.nodemanager.recovery.dir={tmp_path / 'recovery'}",
        f"yarn.nodemanager.address=127.0.0.1:{_free_port()}",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = await start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            node_id = (await rm.registered()).node_id
            assert node_id is not None
            await rm.start(node_id, 1, command("while [ ! -e go ]; do sleep 0.02; done; exit 6"))
            await rm.start(node_id, 2, command("exit 3"))
            await rm.ended(2)
            private = tmp_path / "local" / "nmPrivate" / str(APPLICATION) / str(container_id(1))
            await until((private / f"{container_id(1)}.pid").exists)
            pid = int((private / f"{container_id(1)}.pid").read_text())
            stop(node)
            await node.wait()
            assert is_running(pid)
            assert rm.unregistered.empty()
            node = await start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            again = await rm.registered()
            told = {one.container_id: one.container_exit_status for one in again.container_statuses}
            assert told == {container_id(1): -1000, container_id(2): 3}
            assert again.node_id == node_id
            work = tmp_path / "local" / "usercache" / "alice" / "appcache" / str(APPLICATION)
            (work / str(container_id(1)) / "go").touch()
            assert (await rm.ended(1)).exit_status == 6
            node.kill()
            await node.wait()

    asyncio.run(body())


def test_recovery_needs_a_port_that_stays(tmp_path: Path) -> None:
    async def body() -> None:
        node = await start_nm(1, tmp_path, define=["yarn.nodemanager.recovery.enabled=true"])
        output, _ = await asyncio.wait_for(node.communicate(), 20)
        assert node.returncode == 2
        assert b"a fixed port" in output

    asyncio.run(body())
