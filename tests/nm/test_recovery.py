"""A NodeManager that is started again: what it kept, what it finds, and whole processes that survive."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.daemons import Daemon
from tests.nm.fake_rm import FakeRM, command, pid_file_of, start_nm, until, work_of
from tests.nm.rig import APPLICATION, NODE, OTHER_ATTEMPT, Rig, container_id, resource
from tests.nm.test_executor import is_running
from tests.waiting import PATIENCE_S
from yarnbox.cluster.ports import free_ports
from yarnbox.nm.core import ABORTED, Core
from yarnbox.nm.edge.store import FILE, StateStore
from yarnbox.nm.effects import (
    CleanUpContainer,
    FetchResource,
    Forget,
    LaunchContainer,
    ReacquireContainer,
    StartAuxiliaryApplication,
    StoreEntry,
)
from yarnbox.nm.executor.leftovers import running_groups
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.enums import ContainerState, LocalResourceVisibility
from yarnbox.yarn.errors import InvalidTokenError, YarnError
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import ContainerUpdateRequest, GetContainerStatusesRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.storage.sealed_store import StoreError

SETTINGS = NMSettings(recovery_enabled=True, address=Address("nm1", 4321))


class Life:
    """A rig whose node can end and begin again with what it kept."""

    def __init__(self, settings: NMSettings = SETTINGS) -> None:
        self.settings = settings
        self.rig = Rig(settings)
        self.kept: dict[str, bytes] = {}

    def perform_effects(self) -> None:
        """What the node wants remembered is."""
        effects = self.rig.effects + self.rig.core.take_effects()
        self.rig.effects = [one for one in effects if not isinstance(one, StoreEntry | Forget)]
        for effect in effects:
            if isinstance(effect, Forget):
                for key in [key for key in self.kept if key.startswith(effect.prefix)]:
                    del self.kept[key]
            elif isinstance(effect, StoreEntry) and effect.value is None:
                self.kept.pop(effect.key, None)
            elif isinstance(effect, StoreEntry):
                assert effect.value is not None
                self.kept[effect.key] = effect.value

    def restart(self) -> Rig:
        """The node ends as if by SIGKILL, and begins again."""
        self.perform_effects()
        old = self.rig
        rig = Rig.__new__(Rig)
        rig.clock, rig.keys, rig.effects, rig.response_id = old.clock, old.keys, [], 0
        rig.core = Core(NODE, self.settings, Resource(4096, 4), rig.clock, is_strict=True)
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


def test_what_ran_is_found_again_on_a_full_node_that_lets_containers_wait() -> None:
    life = Life(replace(SETTINGS, opportunistic_maximum_queue=1))
    life.rig.start(1, resource=Resource(3072, 1))
    life.rig.start_opportunistic(2, Resource(1024, 1))
    for number in (1, 2):
        life.rig.launched(number)
    rig = life.restart()
    found = [one.launch.container_id for one in rig.take(ReacquireContainer)]
    assert found == [container_id(1), container_id(2)]
    assert rig.core.scheduler.used == Resource(4096, 2)


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
    life.perform_effects()
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
    life.perform_effects()
    left = [key for key in life.kept if "Tokens" not in key]
    assert left == []


def test_nothing_is_kept_unless_it_is_wanted() -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1)
    assert rig.take(StoreEntry) == []
    assert rig.take(Forget) == []


def test_the_store(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    for key, value in (("a/1", b"x"), ("a/2", b"y"), ("ab", b"z"), ("a/1", b"w")):
        assert store.keep([StoreEntry(key, value)])
    assert store.keep([StoreEntry("ab", None)])
    store.close()
    again = StateStore(tmp_path)
    assert again.entries() == {"a/1": b"w", "a/2": b"y"}
    assert again.keep([StoreEntry("a/3", b"v"), Forget("a/"), StoreEntry("b", b"u")])
    assert again.entries() == {"b": b"u"}
    again.close()
    nothing = StateStore(None)
    assert nothing.keep([StoreEntry("a", b"b")])
    assert nothing.entries() == {}


def change(path: Path, *statements: str) -> None:
    """What a disk does to a store that is used."""
    with closing(sqlite3.connect(path, timeout=10)) as database, database:
        for statement in statements:
            database.execute(statement)


def fill_up(path: Path) -> None:
    """From now on nothing can be stored."""
    change(path, *(FULL.format(verb) for verb in VERBS))


def make_room(path: Path) -> None:
    """Something can be stored again."""
    change(path, *(f"DROP TRIGGER full_{verb}" for verb in VERBS))


VERBS = ("INSERT", "UPDATE", "DELETE")
FULL = (
    "CREATE TRIGGER full_{0} BEFORE {0} ON sealed BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
)


def test_what_could_not_be_written_is_written_with_the_next_that_can(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    assert store.keep([StoreEntry("a/1", b"x"), StoreEntry("b", b"y")])
    fill_up(tmp_path / FILE)
    assert not store.keep([StoreEntry("a/2", b"z"), StoreEntry("c", b"w")])
    assert not store.keep([Forget("a/")])
    failures = [store.failure]
    make_room(tmp_path / FILE)
    assert store.keep()
    assert [*failures, store.failure] == ["database or disk is full", None]
    assert store.entries() == {"b": b"y", "c": b"w"}
    store.close()


def test_a_disk_that_is_full_at_the_start_is_no_reason_to_begin_anew(tmp_path: Path) -> None:
    store = StateStore(tmp_path)
    assert store.keep([StoreEntry("a", b"x")])
    store.close()
    (tmp_path / FILE).chmod(0o400)
    content = (tmp_path / FILE).read_bytes()
    (tmp_path / f"{FILE}-wal").mkdir()  # SQLite cannot open its log
    with pytest.raises(StoreError, match="cannot be opened"):
        StateStore(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content
    (tmp_path / f"{FILE}-wal").rmdir()
    (tmp_path / FILE).chmod(0o600)
    again = StateStore(tmp_path)
    assert again.entries() == {"a": b"x"}
    again.close()


def test_a_node_whose_store_fails_starts_nothing_and_says_so(tmp_path: Path) -> None:
    define = [
        "yarn.nodemanager.recovery.enabled=true",
        f"yarn.nodemanager.recovery.dir={tmp_path / 'recovery'}",
        f"yarn.nodemanager.address=127.0.0.1:{free_ports('127.0.0.1', 1)[0]}",
    ]

    async def health(rm: FakeRM, is_healthy: bool) -> str:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                node_status = (await rm.heartbeats.get()).node_status
                status = node_status.node_health_status if node_status is not None else None
                assert status is not None
                if status.is_node_healthy is is_healthy:
                    return str(status.health_report)

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("while [ ! -e go ]; do sleep 0.02; done; exit 6"))
            fill_up(tmp_path / "recovery" / FILE)
            with pytest.raises(YarnError, match=r"recovery store of nm1:.*disk is full"):
                await rm.start(node_id, 2, command(f"touch {tmp_path / 'ran'}; sleep 600"))
            refused = await rm.ended(2)
            assert refused.exit_status == ABORTED
            assert "database or disk is full" in refused.diagnostics
            assert not (tmp_path / "ran").exists()
            assert "the recovery store failed" in await health(rm, False)
            make_room(tmp_path / "recovery" / FILE)
            assert await health(rm, True) == ""
            await rm.start(node_id, 3, command("exit 3"))
            assert (await rm.ended(3)).exit_status == 3
            (work_of(tmp_path, 1) / "go").touch()
            assert (await rm.ended(1)).exit_status == 6
            node.kill()
            await node.ended()

    asyncio.run(body())


Stop = Callable[[Daemon], None]


@pytest.mark.parametrize(
    "stop, supervised",
    [(Daemon.kill, False), (Daemon.terminate, True)],
    ids=["killed", "stopped by a supervisor"],
)
def test_containers_survive_the_restart_of_their_node(tmp_path: Path, stop: Stop, supervised: bool) -> None:
    define = [
        "yarn.nodemanager.recovery.enabled=true",
        f"yarn.nodemanager.recovery.supervised={str(supervised).lower()}",
        f"yarn.nodemanager.recovery.dir={tmp_path / 'recovery'}",
        f"yarn.nodemanager.address=127.0.0.1:{free_ports('127.0.0.1', 1)[0]}",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("while [ ! -e go ]; do sleep 0.02; done; exit 6"))
            await rm.start(node_id, 2, command("exit 3"))
            await rm.ended(2)
            pid_file = pid_file_of(tmp_path, 1)
            await until(pid_file.exists)
            pid = int(pid_file.read_text())
            stop(node)
            await node.ended()
            assert is_running(pid)
            assert rm.unregistered.empty()
            node = start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            again = await rm.registered()
            told = {one.container_id: one.container_exit_status for one in again.container_statuses}
            assert told == {container_id(1): -1000, container_id(2): 3}
            assert again.node_id == node_id
            (work_of(tmp_path, 1) / "go").touch()
            assert (await rm.ended(1)).exit_status == 6
            node.kill()
            await node.ended()

    asyncio.run(body())


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(os.urandom(60_000)), Path.unlink])
def test_a_node_whose_store_is_broken_or_gone_ends_what_nobody_knows(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    define = [
        "yarn.nodemanager.recovery.enabled=true",
        f"yarn.nodemanager.recovery.dir={tmp_path / 'recovery'}",
        f"yarn.nodemanager.address=127.0.0.1:{free_ports('127.0.0.1', 1)[0]}",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("sleep 600; exit 3"))
            pid_file = pid_file_of(tmp_path, 1)
            await until(pid_file.exists)
            pid = int(pid_file.read_text())
            await until(lambda: running_groups([str(tmp_path / "local")]) == {container_id(1): [pid]})
            node.kill()
            await node.ended()
            for path in (tmp_path / "recovery").glob(f"{FILE}*"):
                damage(path)
            assert is_running(pid)
            node = start_nm(rm.port, tmp_path, "--name", "nm1", define=define)
            assert (await rm.registered()).container_statuses == ()
            assert not is_running(pid)
            node.kill()
            await node.ended()

    asyncio.run(body())


def test_a_store_that_cannot_be_read_is_kept_beside_the_new_one(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database " * 1000)
    store = StateStore(tmp_path)
    assert store.entries() == {}
    assert store.keep([StoreEntry("a", b"b")])
    store.close()
    assert (tmp_path / f"{FILE}.before-1").read_bytes() == b"no database " * 1000
    again = StateStore(tmp_path)
    assert again.entries() == {"a": b"b"}
    again.close()


def test_an_entry_that_cannot_be_read_does_not_keep_the_others_from_coming_back() -> None:
    life = Life()
    life.rig.run(1)
    life.perform_effects()
    for key in life.kept:
        if key.startswith("ContainerTokens/") or "/exitcode" in key:
            life.kept[key] = b"\xff"
    life.kept |= {"ContainerManager/applications/nonsense/user": b"\xff", "Localization/x": b"{"}
    rig = life.restart()
    (order,) = rig.take(ReacquireContainer)
    assert order.launch.container_id == container_id(1)


def test_recovery_needs_a_port_that_stays(tmp_path: Path) -> None:
    async def body() -> None:
        node = start_nm(1, tmp_path, define=["yarn.nodemanager.recovery.enabled=true"])
        assert await node.ended() == 2
        output = node.said()
        assert "a fixed port" in output

    asyncio.run(body())
