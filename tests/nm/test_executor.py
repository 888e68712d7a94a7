"""Containers as real processes: environment, exit codes, signals, what is left, what is written."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.nm.fake_rm import until
from tests.nm.rig import NODE, container_id
from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.executor.process import ProcessExecutor, read_pid
from yarnbox.nm.executor.reaper import Reaper
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.enums import SignalContainerCommand
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials, read_token_file


class Machine:
    """An executor, and what it reported."""

    def __init__(self, directory: Path, settings: NMSettings, **others: Any) -> None:
        self.layout = Layout([str(directory / "local")], [str(directory / "logs")])
        self.layout.prepare(keeps=True)
        self.news: list[tuple[Any, ...]] = []
        self.executor = ProcessExecutor(
            settings,
            self.layout,
            self,
            NODE,
            8042,
            {"mapreduce_shuffle": b"\0\0\0\1"},
            {"PATH": os.environ["PATH"], "SECRET": "x", "LANG": "C"},
            **others,
        )

    def launched(self, container_id: ContainerId) -> None:
        """Part of Answers."""
        self.news.append(("launched", container_id.sequence))

    def exited(self, container_id: ContainerId, exit_code: int, diagnostics: str) -> None:
        """Part of Answers."""
        self.news.append(("exited", container_id.sequence, exit_code, diagnostics))

    def paused(self, container_id: ContainerId) -> None:
        """Part of Answers."""
        self.news.append(("paused", container_id.sequence))

    def resumed(self, container_id: ContainerId) -> None:
        """Part of Answers."""
        self.news.append(("resumed", container_id.sequence))

    def launch(self, line: str, number: int = 1, **context: Any) -> None:
        """Orders a shell line to be run."""
        self.executor.launch(order(ContainerLaunchContext(command=(line,), **context), number))

    async def end(self, number: int = 1) -> tuple[int, str]:
        """Its exit code and diagnostics."""
        ends: list[tuple[int, str]] = []

        def is_over() -> bool:
            ends.extend(one[2:] for one in self.news if one[:2] == ("exited", number))
            return bool(ends)

        await until(is_over)
        return ends[0]

    async def run(self, line: str, **context: Any) -> tuple[int, str]:
        """Runs a shell line to its end."""
        self.launch(line, **context)
        return await self.end()

    @property
    def logs(self) -> Path:
        """The log directory of the first container."""
        return self.layout.log_directory(container_id(1))

    @property
    def work(self) -> Path:
        """The working directory of the first container."""
        return self.layout.work_directory(container_id(1), "alice")


def order(context: ContainerLaunchContext, number: int = 1, **others: Any) -> Launch:
    """An order to launch."""
    return Launch(
        **{
            "container_id": container_id(number),
            "user": "alice",
            "context": context,
            "resource": Resource(1024, 1),
            "links": {},
            "localization_counters": "1,2,3,4,5",
            **others,
        }
    )


def live(
    test: Callable[[Machine], Coroutine[Any, Any, None]], tmp_path: Path, settings: NMSettings | None = None
) -> None:
    """Runs a test in an event loop, and sees to it that nothing is left running."""

    async def body() -> None:
        machine = Machine(tmp_path, settings or NMSettings())
        try:
            await test(machine)
        finally:
            await machine.executor.end_all()

    asyncio.run(body())


def test_the_environment_of_a_container(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        context = {"B": "{{A}}:x", "A": "one<CPS>two", "LOGS": "<LOG_DIR>", "HOME": "mine", "LANG": "mine"}
        assert await machine.run("env 1><LOG_DIR>/stdout", environment=context) == (0, "")
        text = (machine.logs / "stdout").read_text()
        found = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        application = machine.work.parent
        wanted = {
            "A": "one:two",
            "B": "one:two:x",
            "LOGS": str(machine.logs),
            "LANG": "mine",
            "HOME": "/".join(("", "home", "")),
            "CONTAINER_ID": str(container_id(1)),
            "NM_HOST": "nm1",
            "NM_PORT": "4321",
            "NM_HTTP_PORT": "8042",
            "LOCAL_DIRS": str(application),
            "LOG_DIRS": str(machine.logs),
            "USER": "alice",
            "LOGNAME": "alice",
            "PWD": str(machine.work),
            "LOCALIZATION_COUNTERS": "1,2,3,4,5",
            "HADOOP_TOKEN_FILE_LOCATION": str(machine.work / "container_tokens"),
            "NM_AUX_SERVICE_mapreduce_shuffle": "AAAAAQ==",
            "PATH": os.environ["PATH"],
        }
        assert {name: found.get(name) for name in wanted} == wanted
        assert "SECRET" not in found, "only what is on the whitelist comes through"

    live(test, tmp_path)


def test_what_is_written_for_a_container(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        token = Token(identifier=b"i", password=b"p", kind="K", service="s")
        tokens = Credentials(tokens={"a": token}).to_bytes() + b"\0" * 20
        await machine.run("ls tmp; exit 0", tokens=tokens)
        token_file = machine.work / "container_tokens"
        assert stat.S_IMODE(token_file.stat().st_mode) == 0o600
        assert read_token_file(token_file).tokens == {"a": token}
        names = {path.name for path in machine.logs.iterdir()}
        assert names == {"prelaunch.out", "prelaunch.err", "launch_container.sh", "directory.info"}
        pid_file = machine.layout.pid_file(container_id(1))
        assert read_pid(pid_file) is not None
        assert Path(f"{pid_file}.exitcode").read_text().strip() == "0"
        assert stat.S_IMODE(pid_file.parent.stat().st_mode) == 0o700

    live(test, tmp_path)


def test_links_lead_to_resources(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_text("content")

    async def test(machine: Machine) -> None:
        context = ContainerLaunchContext(command=("cat deep/er/link 1><LOG_DIR>/stdout",))
        machine.executor.launch(order(context, links={"deep/er/link": str(source)}))
        assert (await machine.end())[0] == 0
        assert (machine.logs / "stdout").read_text() == "content"

    live(test, tmp_path)


@pytest.mark.parametrize(
    "line, code", [("true", 0), ("exit 7", 7), ("nosuchcommand", 127), ("kill -9 $$", 137)]
)
def test_exit_codes(tmp_path: Path, line: str, code: int) -> None:
    async def test(machine: Machine) -> None:
        assert (await machine.run(line))[0] == code

    live(test, tmp_path)


def test_a_failure_is_explained(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        code, said = await machine.run("echo out of luck 2><LOG_DIR>/stderr 1>&2; exit 3")
        assert code == 3
        assert "Exception from container-launch." in said
        assert "Container exited with a non-zero exit code 3" in said
        assert "Last 4096 bytes of stderr :\nout of luck" in said

    live(test, tmp_path)


def test_only_the_end_of_stderr_is_told(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        _, said = await machine.run("seq 1 9999 1><LOG_DIR>/my.STDERR.log; exit 1")
        assert said.rstrip().endswith("9999")
        assert len(said) < 700

    live(test, tmp_path, NMSettings(stderr_tail_bytes=100))


def test_nothing_is_escaped(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        await machine.run("echo \\\"$A\\\" 'b  c' 1><LOG_DIR>/stdout", environment={"A": "x y"})
        assert (machine.logs / "stdout").read_text() == "x y b  c\n"

    live(test, tmp_path)


def is_running(pid: int) -> bool:
    """Whether it is more than a zombie that nobody has reaped."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def _pid(machine: Machine, number: int = 1) -> int:
    await until(lambda: machine.executor.pid_of(container_id(number)) is not None)
    pid = machine.executor.pid_of(container_id(number))
    assert pid is not None
    return pid


def test_an_end_by_sigterm(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("sleep 100")
        pid = await _pid(machine)
        machine.executor.clean_up(container_id(1))
        assert (await machine.end())[0] == 143
        assert not is_running(pid)
        assert machine.news[0] == ("launched", 1)

    live(test, tmp_path)


def test_who_ignores_sigterm_is_killed_after_the_delay(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("trap '' TERM; touch ready; while true; do sleep 0.05; done")
        await until(lambda: (machine.work / "ready").exists())
        machine.executor.clean_up(container_id(1))
        assert (await machine.end())[0] == 137

    live(test, tmp_path, NMSettings(sigkill_delay_ms=100))


def test_without_a_delay_sigkill_comes_at_once(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("trap 'exit 0' TERM; touch ready; while true; do sleep 0.05; done")
        await until(lambda: (machine.work / "ready").exists())
        machine.executor.clean_up(container_id(1))
        assert (await machine.end())[0] == 137

    live(test, tmp_path, NMSettings(sigkill_delay_ms=0))


def test_killed_while_it_is_prepared(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("touch ran")
        machine.executor.clean_up(container_id(1))
        code, _ = await machine.end()
        assert code == 143
        assert not (machine.work / "ran").exists()
        assert ("launched", 1) not in machine.news

    live(test, tmp_path)


def test_what_a_container_leaves_in_the_background_ends_with_it(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        await machine.run("sleep 200 & echo \\$! > background; exit 0")
        background = int((machine.work / "background").read_text())
        assert not is_running(background)

    live(test, tmp_path)


def test_who_left_the_group_is_found_as_a_descendant(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("setsid sleep 200 & echo \\$! > other; wait")
        await until(lambda: (machine.work / "other").exists() and (machine.work / "other").read_text() != "")
        other = int((machine.work / "other").read_text())
        machine.executor.clean_up(container_id(1))
        await machine.end()
        assert not is_running(other)

    live(test, tmp_path)


def test_paused_processes_stand_still_and_can_be_ended(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("sleep 100")
        pid = await _pid(machine)
        await until(lambda: psutil.Process(pid).name() == "sleep")
        machine.executor.pause(container_id(1))
        await until(lambda: psutil.Process(pid).status() == psutil.STATUS_STOPPED)
        machine.executor.resume(container_id(1))
        await until(lambda: psutil.Process(pid).status() != psutil.STATUS_STOPPED)
        machine.executor.pause(container_id(1))
        machine.executor.clean_up(container_id(1))
        assert (await machine.end())[0] == 143
        assert [one[0] for one in machine.news] == ["launched", "paused", "resumed", "paused", "exited"]

    live(test, tmp_path)


def test_signals(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("trap 'touch dumped' QUIT; touch ready; while true; do sleep 0.02; done")
        await until(lambda: (machine.work / "ready").exists())
        machine.executor.signal(container_id(1), SignalContainerCommand.OUTPUT_THREAD_DUMP)
        machine.executor.signal(container_id(1), SignalContainerCommand.FORCEFUL_SHUTDOWN)
        assert (await machine.end())[0] == 137

    live(test, tmp_path)


def test_a_relaunch_finds_its_working_directory(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        line = "if [ -f seen ]; then exit 0; else touch seen; exit 5; fi"
        assert (await machine.run(line))[0] == 5
        machine.news.clear()
        machine.executor.launch(order(ContainerLaunchContext(command=(line,)), is_relaunch=True))
        assert (await machine.end())[0] == 0

    live(test, tmp_path)


def test_resources_are_linked_while_it_runs(tmp_path: Path) -> None:
    async def test(machine: Machine) -> None:
        machine.launch("while [ ! -e a/late ]; do sleep 0.01; done")
        await _pid(machine)
        machine.executor.link(container_id(1), "alice", ("a/late",), str(tmp_path))
        assert (await machine.end())[0] == 0

    live(test, tmp_path)


@pytest.mark.parametrize("user", ["", "../x", ".hidden", "a b", 'a"b'])
def test_a_user_name_that_would_become_a_path_or_a_script(tmp_path: Path, user: str) -> None:
    async def test(machine: Machine) -> None:
        machine.executor.launch(order(ContainerLaunchContext(command=("true",)), user=user))
        code, said = await machine.end()
        assert (code, "Invalid user name" in said) == (-1, True)

    live(test, tmp_path)


def test_without_a_good_disk_nothing_is_launched(tmp_path: Path) -> None:
    async def body() -> None:
        machine = Machine(tmp_path, NMSettings(), are_disks_healthy=lambda: False)
        machine.launch("true")
        assert await machine.end() == (-101, "Most of the disks failed.")
        machine = Machine(tmp_path, NMSettings())
        machine.layout.use([], [])
        machine.launch("true")
        assert (await machine.end())[0] == -101

    asyncio.run(body())


def test_the_reaper_takes_the_containers_of_a_dead_node(tmp_path: Path) -> None:
    async def body() -> None:
        reaper = Reaper()
        machine = Machine(tmp_path, NMSettings(), reaper=reaper)
        machine.launch("trap '' TERM; sleep 100 & wait", 1)
        machine.launch("true", 2)
        await machine.end(2)
        pid = await _pid(machine)
        reaper.close()  # as if the node had died
        assert (await machine.end())[0] == 137
        assert not is_running(pid)

    asyncio.run(body())


def test_a_process_that_outlived_its_node_is_found_again(tmp_path: Path) -> None:
    async def body() -> None:
        first = Machine(tmp_path, NMSettings())
        first.launch("while [ ! -e go ]; do sleep 0.02; done; exit 6", 1)
        first.launch("true", 2)
        await first.end(2)
        await until(lambda: first.executor.pid_of(container_id(1)) is not None)
        left = first.executor.abandon()
        second = Machine(tmp_path, NMSettings())
        second.executor.reacquire(order(ContainerLaunchContext(), 1))
        second.executor.reacquire(order(ContainerLaunchContext(), 2))
        second.executor.reacquire(order(ContainerLaunchContext(), 3))
        assert (await second.end(2))[0] == 0, "it had ended meanwhile, and its code was kept"
        assert (await second.end(3))[0] == 154, "of this one nothing is known"
        (second.work / "go").touch()
        assert (await second.end(1))[0] == 6
        assert [process.wait() for process in left] == [6]

    asyncio.run(body())


def test_a_process_that_outlived_its_node_can_be_ended(tmp_path: Path) -> None:
    async def body() -> None:
        first = Machine(tmp_path, NMSettings())
        first.launch("sleep 100")
        pid = await _pid(first)
        left = first.executor.abandon()
        second = Machine(tmp_path, NMSettings())
        second.executor.reacquire(order(ContainerLaunchContext()))
        await until(lambda: second.executor.pid_of(container_id(1)) == pid)
        second.executor.clean_up(container_id(1))
        assert (await second.end())[0] == 143
        assert [process.wait() for process in left] == [143]

    asyncio.run(body())
