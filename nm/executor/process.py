"""ProcessExecutor: containers as process groups of this machine, run as the NM's own user.

Owns the launch from the first directory to the exit code, and the end of everything a container started: an
end is reported when nothing of it runs any longer. Of one container it does one thing at a time. Hadoop:
DefaultContainerExecutor, ContainerLaunch, ContainerCleanup and RecoveredContainerLaunch.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Protocol

from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.group import descendants, end_group, is_alive, signal_group
from yarnbox.nm.executor.layout import Layout, NoDirectoryError
from yarnbox.nm.executor.reaper import Reaper
from yarnbox.nm.executor.script import (
    LAUNCH_SCRIPT,
    ScriptInput,
    additional_options,
    auxiliary_variables,
    launch_script,
    wrapper_scripts,
)
from yarnbox.nm.executor.tails import failure_text
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.enums import SignalContainerCommand
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.security.credentials import TOKEN_FILE, TOKEN_FILE_VARIABLE, Credentials, write_token_file

log = logging.getLogger("nm.executor")

LAUNCH_FAILED = -1
DISKS_FAILED = -101
EXIT_CODE_LOST = 154
FORCE_KILLED, TERMINATED = 137, 143

_SIGNALS = {
    SignalContainerCommand.OUTPUT_THREAD_DUMP: signal.SIGQUIT,
    SignalContainerCommand.GRACEFUL_SHUTDOWN: signal.SIGTERM,
    SignalContainerCommand.FORCEFUL_SHUTDOWN: signal.SIGKILL,
}


class Answers(Protocol):
    """Where the news goes: the calls of nm.core.World, each made within a turn."""

    def launched(self, container_id: ContainerId) -> None:
        """Its process runs."""

    def exited(self, container_id: ContainerId, exit_code: int, diagnostics: str) -> None:
        """Nothing of it runs any longer."""

    def paused(self, container_id: ContainerId) -> None:
        """It stands still."""

    def resumed(self, container_id: ContainerId) -> None:
        """It runs again."""


class ContainerExecutor(Protocol):
    """What carries out the effects that concern containers."""

    def launch(self, order: Launch) -> None:
        """Starts it."""

    def reacquire(self, order: Launch) -> None:
        """Finds it again."""

    def clean_up(self, container_id: ContainerId) -> None:
        """Ends it."""

    def signal(self, container_id: ContainerId, command: SignalContainerCommand) -> None:
        """Sends it one signal."""

    def pause(self, container_id: ContainerId) -> None:
        """Lets it stand still."""

    def resume(self, container_id: ContainerId) -> None:
        """Lets it run again."""


class _Run:
    """One process of a container, from the order to launch to the news of its end."""

    __slots__ = ("container_id", "ending", "is_ending", "is_started", "logs", "pid_file", "process")

    def __init__(self, container_id: ContainerId, pid_file: Path, logs: Path) -> None:
        self.container_id = container_id
        self.pid_file = pid_file
        self.logs = logs
        self.process: subprocess.Popen[bytes] | None = None
        self.is_started = False
        self.is_ending = False
        self.ending: asyncio.Task[None] | None = None


class ProcessExecutor:
    """The containers of one node."""

    def __init__(
        self,
        settings: NMSettings,
        layout: Layout,
        answers: Answers,
        node_id: NodeId,
        http_port: int,
        auxiliary_services: Mapping[str, bytes],
        environment: Mapping[str, str],
        *,
        are_disks_healthy: Callable[[], bool] = lambda: True,
        reaper: Reaper | None = None,
        hosting: Mapping[str, str] | None = None,
    ) -> None:
        """`hosting` has the variables by which containers know this host: see yarn/connection/hosting.py."""
        self._settings = settings
        self._hosting = hosting or {}
        self._layout = layout
        self._answers = answers
        self._node_id = node_id
        self._http_port = http_port
        self._auxiliary_services = auxiliary_services
        self._environment = environment
        self._java_options = additional_options(environment)
        self._are_disks_healthy = are_disks_healthy
        self._reaper = reaper
        self._has_setsid = shutil.which("setsid") is not None
        self._runs: dict[ContainerId, _Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    # Orders

    def launch(self, order: Launch) -> None:
        """Starts it; `launched` and `exited` follow."""
        self._spawn(order, self._launch)

    def reacquire(self, order: Launch) -> None:
        """Watches a process that an earlier NM started; `launched` and `exited` follow."""
        self._spawn(order, self._reacquire)

    def clean_up(self, container_id: ContainerId) -> None:
        """Ends whatever it runs; `exited` follows from its launch."""
        run = self._runs.get(container_id)
        if run is not None and not run.is_ending:
            run.is_ending = True
            if run.is_started:  # otherwise the launch will see it
                run.ending = self._keep(self._end(run))

    def signal(self, container_id: ContainerId, command: SignalContainerCommand) -> None:
        """Sends the signal to all its processes; SIGQUIT to all but shells, which would die of it."""
        pid = self.pid_of(container_id)
        if pid is None:
            return
        if command is not SignalContainerCommand.OUTPUT_THREAD_DUMP:
            signal_group(pid, _SIGNALS[command])
            return
        for process in descendants(pid):
            if process.pid != pid or not process.children():
                signal_one(process.pid, signal.SIGQUIT)

    def pause(self, container_id: ContainerId) -> None:
        """SIGSTOP to all its processes."""
        run, pid = self._runs.get(container_id), self.pid_of(container_id)
        if run is None or pid is None:
            return
        signal_group(pid, signal.SIGSTOP)
        self._answers.paused(container_id)

    def resume(self, container_id: ContainerId) -> None:
        """SIGCONT to all its processes."""
        run, pid = self._runs.get(container_id), self.pid_of(container_id)
        if run is None or pid is None:
            return
        signal_group(pid, signal.SIGCONT)
        self._answers.resumed(container_id)

    def link(self, container_id: ContainerId, user: str, links: tuple[str, ...], path: str) -> None:
        """Makes a resource visible in the working directory of a running container."""
        work = self._layout.find_work_directory(container_id, user)
        for link in links if work is not None else ():
            assert work is not None
            place = work / link
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                if not place.is_symlink() and not place.exists():
                    place.symlink_to(path)
            except OSError as error:
                log.error("Error when creating symlink %s -> %s: %s", link, path, error)

    # Looking

    def pid_of(self, container_id: ContainerId) -> int | None:
        """The leader of its process group, once it has one."""
        run = self._runs.get(container_id)
        return None if run is None or not run.is_started else read_pid(run.pid_file)

    def running(self) -> list[ContainerId]:
        """Those with a process, or about to have one."""
        return list(self._runs)

    async def end_all(self) -> None:
        """Ends whatever still runs, and waits until nothing does."""
        for container_id in list(self._runs):
            self.clean_up(container_id)
        while self._tasks:
            await asyncio.wait(self._tasks)

    def abandon(self) -> list[subprocess.Popen[bytes]]:
        """Lets go of the processes that are to outlive this NM."""
        for task in self._tasks:
            task.cancel()
        return [run.process for run in self._runs.values() if run.process is not None]

    # One life

    def _spawn(self, order: Launch, life: Callable[[Launch, _Run], Coroutine[None, None, None]]) -> None:
        container_id, layout = order.container_id, self._layout
        try:
            if not self._are_disks_healthy():
                raise NoDirectoryError("Most of the disks failed.")
            run = _Run(container_id, layout.pid_file(container_id), layout.log_directory(container_id))
        except NoDirectoryError as error:
            self._answers.exited(container_id, DISKS_FAILED, str(error))
            return
        self._runs[container_id] = run
        self._keep(life(order, run))

    def _keep(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a container's task broke", exc_info=task.exception())

    async def _launch(self, order: Launch, run: _Run) -> None:
        container_id = order.container_id
        exit_code, diagnostics = LAUNCH_FAILED, ""
        try:
            work = await asyncio.to_thread(self._prepare, order, run)
            if run.is_ending:
                exit_code, diagnostics = TERMINATED, "Container terminated before launch."
            else:
                exit_code = await self._watch(run, self._start(run, work))
                diagnostics = self._diagnostics(run, exit_code)
        except (OSError, NoDirectoryError, ValueError) as error:
            log.warning("Failed to launch container %s: %s", container_id, error)
            diagnostics = str(error)
        finally:
            self._runs.pop(container_id, None)
            if self._reaper is not None:
                self._reaper.forget(run.pid_file)
        self._answers.exited(container_id, exit_code, diagnostics)

    def _start(self, run: _Run, work: Path) -> subprocess.Popen[bytes]:
        if self._reaper is not None:
            self._reaper.watch(run.pid_file)
        run.process = subprocess.Popen(
            ["/bin/bash", str(work / "default_container_executor.sh")],
            cwd=work,
            env=self._inherited(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        run.is_started = True
        return run.process

    async def _watch(self, run: _Run, process: subprocess.Popen[bytes]) -> int:
        self._answers.launched(run.container_id)
        code = await wait_for(process)
        if run.ending is not None:
            await run.ending
        pid = read_pid(run.pid_file)
        if pid is not None and is_alive(pid):  # something stayed behind in the background
            await end_group(pid, self._settings.sigkill_delay_ms)
        return 128 - code if code < 0 else code

    async def _reacquire(self, order: Launch, run: _Run) -> None:
        container_id = order.container_id
        run.is_started = True
        self._answers.launched(container_id)
        pid = read_pid(run.pid_file)
        while pid is not None and is_alive(pid):
            await asyncio.sleep(0.1)
        code_file = Path(f"{run.pid_file}.exitcode")
        for _ in range(20):  # the shell around it may be about to write it
            if code_file.is_file() or pid is None:
                break
            await asyncio.sleep(0.1)
        text = code_file.read_text().strip() if code_file.is_file() else ""
        exit_code = int(text) if text.isdigit() else EXIT_CODE_LOST
        self._runs.pop(container_id, None)
        self._answers.exited(container_id, exit_code, self._diagnostics(run, exit_code))

    async def _end(self, run: _Run) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.process_kill_wait_ms / 1000
        while (pid := read_pid(run.pid_file)) is None and run.container_id in self._runs:
            if loop.time() >= deadline:
                if run.process is not None:
                    signal_group(run.process.pid, signal.SIGKILL)
                return
            await asyncio.sleep(0.005)
        if pid is not None and is_alive(pid):
            await end_group(pid, self._settings.sigkill_delay_ms, descendants(pid))

    def _diagnostics(self, run: _Run, exit_code: int) -> str:
        if exit_code == 0:
            return ""
        if exit_code in (FORCE_KILLED, TERMINATED):
            return f"Container exited with a non-zero exit code {exit_code}. "
        said = failure_text(
            exit_code, run.logs, self._settings.stderr_tail_bytes, self._settings.stderr_pattern
        )
        head = f"Container id: {run.container_id}\nExit code: {exit_code}\n"
        return f"Exception from container-launch.\n{head}\n{said}"

    # Preparation, in a thread of its own

    def _prepare(self, order: Launch, run: _Run) -> Path:
        container_id, user, layout = order.container_id, order.user, self._layout
        check_user(user)
        work = layout.work_directory(container_id, user)
        private = run.pid_file.parent
        for directory in (work / "tmp", private, *layout.application_directories(container_id, user)):
            directory.mkdir(parents=True, exist_ok=True)
        for directory in (run.logs, *layout.log_directories(container_id)):
            directory.mkdir(parents=True, exist_ok=True)
        private.chmod(0o700)
        for old in (run.pid_file, Path(f"{run.pid_file}.exitcode")):
            old.unlink(missing_ok=True)
        write_token_file(work / TOKEN_FILE, Credentials.from_bytes(order.context.tokens))
        script = launch_script(
            ScriptInput(
                environment=order.context.environment,
                inherited=self._inherited(),
                fixed=self._fixed_variables(order, work),
                forced=self._settings.admin_environment,
                links=order.links,
                command=order.context.command,
                log_directory=str(run.logs),
                java_options=self._java_options,
                has_debug_information=self._settings.logs.debug_information,
            )
        )
        _write(work / LAUNCH_SCRIPT, script)
        for name, text in wrapper_scripts(work, run.pid_file, has_setsid=self._has_setsid).items():
            _write(work / name, text)
        return work

    def _inherited(self) -> dict[str, str]:
        """What of the node's own environment its containers get."""
        wanted = self._settings.environment_whitelist
        return {name: self._environment[name] for name in wanted if name in self._environment}

    def _fixed_variables(self, order: Launch, work: Path) -> dict[str, str]:
        container_id, user, layout = order.container_id, order.user, self._layout
        return {
            TOKEN_FILE_VARIABLE: str(work / TOKEN_FILE),
            "CONTAINER_ID": str(container_id),
            "NM_PORT": str(self._node_id.port),
            "NM_HOST": self._node_id.host,
            "NM_HTTP_PORT": str(self._http_port),
            "LOCAL_DIRS": _joined(layout.application_directories(container_id, user)),
            "LOCAL_USER_DIRS": _joined(layout.user_directories(user)),
            "LOG_DIRS": _joined(layout.log_directories(container_id)),
            "USER": user,
            "LOGNAME": user,
            "HOME": self._settings.user_home_directory,
            "PWD": str(work),
            "LOCALIZATION_COUNTERS": order.localization_counters,
            "JVM_PID": "$$",
            **self._hosting,
            **auxiliary_variables(self._auxiliary_services),
        }


async def wait_for(process: subprocess.Popen[bytes]) -> int:
    """Waits for a child without a thread where the system allows that."""
    if not hasattr(os, "pidfd_open"):
        return await asyncio.to_thread(process.wait)
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    descriptor = os.pidfd_open(process.pid)
    loop.add_reader(descriptor, _end, ended)
    try:
        await ended
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    return process.wait()


def _end(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def read_pid(path: Path) -> int | None:
    """The process id in a pid file; None until it is there."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() and int(text) > 1 else None


def check_user(user: str) -> None:
    """A user name becomes part of paths and of a script."""
    if not user or not all(one.isalnum() or one in "._-@" for one in user) or user.startswith("."):
        raise ValueError(f"Invalid user name {user!r}")


def signal_one(pid: int, number: int) -> None:
    """Sends a signal to one process, if it is still there."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _joined(paths: list[Path]) -> str:
    return ",".join(str(path) for path in paths)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o700)
