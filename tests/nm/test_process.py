"""`python -m yarnbox.nm` as a process, against a fake RM: lives, deaths, and what they leave behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from tests.daemons import Daemon
from tests.nm.fake_rm import ROOT, FakeRM, command, pid_file_of, start_nm, until, work_of
from tests.nm.rig import APPLICATION, container_id
from tests.nm.test_executor import is_running
from tests.waiting import PATIENCE_S
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility, NodeAction
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.records.basics import URL
from yarnbox.yarn.records.container import ContainerLaunchContext, LocalResource
from yarnbox.yarn.records.management import StartContainersRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.shuffle import port_of_meta_data

SHUFFLE = ("yarn.nodemanager.aux-services=mapreduce_shuffle", "mapreduce.shuffle.port=0")


def test_a_node_registers_runs_a_container_and_ends(tmp_path: Path) -> None:
    source = tmp_path / "data.txt"
    source.write_text("hello")
    resource = LocalResource(
        resource=URL(scheme="file", file=str(source)),
        timestamp=source.stat().st_mtime_ns // 1_000_000,
        size=5,
        type=LocalResourceType.FILE,
        visibility=LocalResourceVisibility.PRIVATE,
    )

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path / "nm1", "--name", "nm1", define=SHUFFLE)
            registration = await rm.registered()
            node_id = registration.node_id
            assert node_id is not None
            assert node_id.host == "nm1"
            known = json.loads((tmp_path / "nm1" / "node.json").read_text())
            assert (known["node_id"], known["pid"]) == (str(node_id), node.pid)
            context = ContainerLaunchContext(
                command=("cat data 1><LOG_DIR>/stdout; exit 4",), local_resources={"data": resource}
            )
            answer = await rm.start(node_id, 1, context)
            assert port_of_meta_data(answer.services_meta_data["mapreduce_shuffle"]) == known["shuffle_port"]
            status = await rm.ended(1)
            assert status.exit_status == 4
            logs = tmp_path / "nm1" / "logs" / str(APPLICATION) / str(container_id(1))
            assert (logs / "stdout").read_text() == "hello"
            assert (tmp_path / "nm1" / "local" / "usercache" / "alice" / "filecache" / "10").is_dir()
            await rm.start(node_id, 2, command("sleep 100"))
            pid_file = pid_file_of(tmp_path / "nm1", 2)
            await until(pid_file.exists)
            pid = int(pid_file.read_text())
            node.terminate()
            assert await node.ended() == 0
            assert await asyncio.wait_for(rm.unregistered.get(), PATIENCE_S) == node_id
            assert not is_running(pid)
            assert not (tmp_path / "nm1" / "node.json").exists()

    asyncio.run(body())


def test_the_end_of_a_container_is_told_at_once(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            rm.interval_ms = 60_000
            node = start_nm(rm.port, tmp_path)
            node_id = await rm.registered_id()
            await asyncio.wait_for(rm.heartbeats.get(), PATIENCE_S)
            await rm.start(node_id, 1, command("true"))
            assert (await rm.ended(1)).exit_status == 0
            node.terminate()
            await node.ended()

    asyncio.run(body())


def test_an_end_of_the_application_cleans_its_directories(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("touch ready; sleep 100"))
            application = tmp_path / "local" / "usercache" / "alice" / "appcache" / str(APPLICATION)
            await until(lambda: (application / str(container_id(1)) / "ready").exists())
            rm.answers.append({"applications_to_cleanup": (APPLICATION,)})
            assert (await rm.ended(1)).exit_status == -107
            await until(lambda: not application.exists())
            node.terminate()
            await node.ended()

    asyncio.run(body())


def test_a_resync_registers_again_with_what_runs(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("sleep 100"))
            rm.answers.append({"node_action": NodeAction.RESYNC})
            again = await rm.registered()
            assert [one.container_id for one in again.container_statuses] == [container_id(1)]
            node.terminate()
            await node.ended()

    asyncio.run(body())


def test_an_order_to_shut_down(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path)
            await rm.registered()
            rm.answers.append({"node_action": NodeAction.SHUTDOWN, "diagnostics_message": "go away"})
            assert await node.ended() == 1
            output = node.said()
            assert "go away" in output
            assert rm.unregistered.empty()

    asyncio.run(body())


def test_a_refused_registration(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            rm.registration_answer = {
                "node_action": NodeAction.SHUTDOWN,
                "diagnostics_message": "Disallowed NodeManager from  nm1",
            }
            node = start_nm(rm.port, tmp_path)
            assert await node.ended() == 1
            output = node.said()
            assert "Disallowed NodeManager from  nm1" in output

    asyncio.run(body())


def test_a_node_that_is_killed_takes_its_containers_with_it(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("trap '' TERM HUP; sleep 100 & touch ready; wait"))
            await until((work_of(tmp_path, 1) / "ready").exists)
            pid = int(pid_file_of(tmp_path, 1).read_text())
            processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
            assert len(processes) > 1
            node.kill()
            await node.ended()
            await until(lambda: not any(is_running(one.pid) for one in processes))

    asyncio.run(body())


def test_a_node_follows_its_parent(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "node = subprocess.Popen([sys.executable, '-m', 'yarnbox.nm', '--exit-with-parent', *sys.argv[1:]])\n"
        "print(node.pid, flush=True)\nsys.stdin.read()\n"
    )

    async def body() -> None:
        async with FakeRM() as rm:
            parent = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                script,
                "--dir",
                str(tmp_path),
                "-D",
                f"yarnbox.resourcemanager.grpc.address=127.0.0.1:{rm.port}",
                "-D",
                "yarn.nodemanager.webapp.address=127.0.0.1:0",
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            assert parent.stdout is not None
            pid = int(await parent.stdout.readline())
            await rm.heartbeats.get()  # by then it knows that it is registered
            parent.kill()
            await parent.wait()
            await until(lambda: not is_running(pid))
            assert not rm.unregistered.empty()

    asyncio.run(body())


def test_a_node_waits_for_an_rm_that_comes_later(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as first:
            port = first.port
        node = start_nm(port, tmp_path)
        await until(lambda: "waiting for the ResourceManager" in node.said())
        node.send_signal(signal.SIGTERM)
        assert await node.ended() == 0

    asyncio.run(body())


def test_an_rm_that_never_comes(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as first:
            port = first.port
        define = ["yarn.nodemanager.resourcemanager.connect.max-wait.ms=1"]
        node = start_nm(port, tmp_path, define=define)
        assert await node.ended() == 1
        output = node.said()
        assert "the ResourceManager cannot be reached" in output

    asyncio.run(body())


def test_a_call_without_a_token(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path)
            node_id = await rm.registered_id()
            async with Stub(f"127.0.0.1:{node_id.port}", "ContainerManagementProtocolService") as stub:
                with pytest.raises(InvalidTokenError, match="Invalid NMToken"):
                    await stub.call("startContainers", StartContainersRequest())
            node.terminate()
            await node.ended()

    asyncio.run(body())


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["-D", "yarn.nodemanager.resource.memory-mb=much"], "yarn.nodemanager.resource.memory-mb"),
        (["-D", "yarn.nodemanager.aux-services=spark_shuffle"], "there is no other auxiliary service here"),
        (["--conf", "no-such-directory"], "no-such-directory"),
        (["-D", "nonsense"], "name=value"),
        (["--log-level", "loud"], "'loud' is not a log level; expected one of trace, debug, info, warn"),
    ],
)
def test_a_wrong_configuration(tmp_path: Path, arguments: list[str], said: str) -> None:
    node = Daemon("yarnbox.nm", ["--dir", str(tmp_path), *arguments], tmp_path / "nm.out")
    assert node.wait() == 2
    assert said in node.said()
    assert "Traceback" not in node.said()


@pytest.mark.parametrize(
    "setting, value",
    [
        ("yarn.nodemanager.address", "127.0.0.1:{}"),
        ("yarn.nodemanager.webapp.address", "127.0.0.1:{}"),
        ("mapreduce.shuffle.port", "{}"),
    ],
)
def test_a_port_that_is_taken(tmp_path: Path, setting: str, value: str) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            define = [f"{setting}={value.format(rm.port)}", SHUFFLE[0]]
            node = start_nm(rm.port, tmp_path, define=define)
            assert await node.ended() == 1
            output = node.said()
            assert f"port {rm.port} is already in use; {setting} changes it" in output
            assert "Traceback" not in output

    asyncio.run(body())


def test_two_nodes_do_not_share_a_local_directory(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            first = start_nm(rm.port, tmp_path)
            await rm.registered()
            kept = tmp_path / "local" / "usercache" / "mine"
            kept.mkdir()
            second = start_nm(rm.port, tmp_path)
            assert await second.ended() == 1
            output = second.said()
            assert "is in use by another NodeManager; yarn.nodemanager.local-dirs" in output
            assert kept.is_dir()
            first.kill()
            await first.ended()
            third = start_nm(rm.port, tmp_path)
            await rm.registered()
            assert not kept.exists(), "what an earlier life left is gone"
            await until(lambda: list((tmp_path / "local").glob("*_DEL_*")) == [])
            third.terminate()
            await third.ended()

    asyncio.run(body())


def test_memory_is_enforced(tmp_path: Path) -> None:
    script = tmp_path / "eat.py"
    script.write_text("import time\nkept = bytearray(64 << 20)\ntime.sleep(100)\n")
    define = [
        "yarn.nodemanager.container-monitor.interval-ms=100",
        "yarn.nodemanager.vmem-check-enabled=false",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path / "nm", define=define)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command(f"{sys.executable} {script}"), resource=Resource(32, 1))
            status = await rm.ended(1)
            assert status.exit_status == -104
            assert "beyond the 'PHYSICAL' memory limit" in status.diagnostics
            assert "Killing container." in status.diagnostics
            node.terminate()
            await node.ended()

    asyncio.run(body())


async def _report_when(rm: FakeRM, *, is_healthy: bool) -> str:
    """The health report of the first heartbeat that says so."""
    while True:
        request = await asyncio.wait_for(rm.heartbeats.get(), PATIENCE_S)
        assert request.node_status is not None
        health = request.node_status.node_health_status
        assert health is not None
        if health.is_node_healthy is is_healthy:
            return health.health_report or ""


def test_a_disk_that_goes_bad_makes_the_node_unhealthy(tmp_path: Path) -> None:
    define = ["yarn.nodemanager.disk-health-checker.interval-ms=50"]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path, define=define)
            await rm.registered()
            local = tmp_path / "local"
            os.rename(local, tmp_path / "away")
            local.write_text("a file, no directory")
            assert "1/1 local-dirs have errors" in await _report_when(rm, is_healthy=False)
            local.unlink()
            assert await _report_when(rm, is_healthy=True) == ""
            node.terminate()
            await node.ended()

    asyncio.run(body())


def test_a_health_script_speaks_for_the_node(tmp_path: Path) -> None:
    script = tmp_path / "health.sh"
    script.write_text("#!/bin/bash\necho ERROR the fan stands still\nexit 0\n")
    script.chmod(0o755)
    define = [
        f"yarn.nodemanager.health-checker.script.path={script}",
        "yarn.nodemanager.health-checker.run-before-startup=true",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path / "nm", define=define)
            status = (await rm.registered()).node_status
            assert status is not None
            assert status.node_health_status is not None
            assert status.node_health_status.is_node_healthy is False
            assert "the fan stands still" in (status.node_health_status.health_report or "")
            node.terminate()
            await node.ended()

    asyncio.run(body())


def test_logs_are_collected(tmp_path: Path) -> None:
    define = [
        "yarn.log-aggregation-enable=true",
        f"yarn.nodemanager.remote-app-log-dir={tmp_path / 'collected'}",
    ]

    async def body() -> None:
        async with FakeRM() as rm:
            node = start_nm(rm.port, tmp_path / "nm", define=define)
            node_id = await rm.registered_id()
            await rm.start(node_id, 1, command("echo said 1><LOG_DIR>/stdout"))
            await rm.ended(1)
            rm.answers.append({"applications_to_cleanup": (APPLICATION,)})
            name = str(node_id).replace(":", "_")
            await until(lambda: list((tmp_path / "collected").rglob(name)) != [])
            await until(lambda: not (tmp_path / "nm" / "logs" / str(APPLICATION)).exists())
            node.terminate()
            await node.ended()

    asyncio.run(body())
