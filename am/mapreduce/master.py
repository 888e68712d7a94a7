"""The MapReduce ApplicationMaster's process: `python -m am.mapreduce.master STAGING` in its container.

Owns the edges of the core: heartbeats to the RM, starts and stops at the NMs, the umbilical's server, timers,
the output committer, the history. Rules are in the core. Answers for MRAppMaster, ContainerLauncherImpl,
CommitterEventHandler and RMCommunicator.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from am.client_service import ClientService
from am.connection import Connection
from am.environment import ContainerEnvironment
from am.launch import python_context
from am.mapreduce.client_service import PROTOCOL, SERVICE, JobClientService
from am.mapreduce.committer import OutputCommitter
from am.mapreduce.core import Core, Places
from am.mapreduce.effects import (
    AbortJob,
    AbortTask,
    Ask,
    CommitJob,
    Effect,
    LaunchTask,
    Record,
    SetUpJob,
    StopTask,
)
from am.mapreduce.events import (
    AttemptContainerCleaned,
    AttemptContainerLaunched,
    AttemptContainerLaunchFailed,
    JobAbortCompleted,
    JobCommitCompleted,
    JobCommitFailed,
    JobKill,
    JobSetupCompleted,
    JobSetupFailed,
    TaskRecover,
)
from am.mapreduce.history import HistoryWriter, events_file, report_file, write_report
from am.mapreduce.http import HttpServer, Request, Response
from am.mapreduce.ids import JobId, TaskAttemptId
from am.mapreduce.job import JobState
from am.mapreduce.recovery import recoverable_tasks
from am.mapreduce.report import PREFIX, AMInfo, Pages
from am.mapreduce.settings import JOB_FILE, JobSettings
from am.mapreduce.splits import SPLIT_FILE, read_splits
from am.mapreduce.umbilical import PATH
from am.mapreduce.umbilical_server import UmbilicalServer
from yarn.configuration import Configuration
from yarn.credentials import Credentials, write_token
from yarn.enums import FinalApplicationStatus
from yarn.errors import (
    ApplicationAttemptNotFoundError,
    InvalidLabelResourceRequestError,
    InvalidTokenError,
    YarnError,
)
from yarn.records.container import Container
from yarn.resource import Resource
from yarn.rpc import RpcError
from yarn.settings import read
from yarn.shuffle import JOB_TOKEN, SHUFFLE_SERVICE, port_of_meta_data
from yarn.tasks import end_tasks

log = logging.getLogger("am.mapreduce.master")


LAST_WORDS_S = 5.0
"""How long an AM stays for clients that want to hear how the job ended, as MRAppMaster.shutDownJob does."""

_FINAL_STATUS = {
    JobState.SUCCEEDED: FinalApplicationStatus.SUCCEEDED,
    JobState.FAILED: FinalApplicationStatus.FAILED,
    JobState.KILLED: FinalApplicationStatus.KILLED,
}


class WallClock:
    """The time of this machine."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000


class Master:
    """One life of a job's AM."""

    def __init__(self, staging: Path, environment: ContainerEnvironment) -> None:
        configuration = Configuration(environment=os.environ).with_files(staging, [JOB_FILE])
        self._environment = environment
        self._staging = staging
        self._settings = settings = read(JobSettings, configuration)
        self._connection = Connection.of(configuration)
        attempt_id = environment.attempt_id
        self._job_id = JobId.of(attempt_id.application_id)
        self._app_attempt = attempt_id.attempt_id
        self._splits = read_splits(staging / SPLIT_FILE)
        self._rm = self._connection.rm_client(environment.amrm_token)
        self._nm = self._connection.nm_client(self._rm)
        places = [Places(split.hosts, split.racks) for split in self._splits]
        self._core = Core(
            WallClock(), self._job_id, self._app_attempt, settings, places, self._rm.asks, is_strict=False
        )
        self._committer = OutputCommitter(Path(settings.output_dir), self._app_attempt)
        self._history = HistoryWriter(events_file(staging, self._job_id, self._app_attempt))
        token = environment.credentials.token_of_kind(JOB_TOKEN)
        if token is None:
            raise YarnError(f"{self._job_id} has no token of kind {JOB_TOKEN}: its client gives it one")
        self._token = token
        self._umbilical = UmbilicalServer(
            self._core,
            self._splits,
            settings,
            self._token.password,
            self._connection.settings.address_book or "",
            self._settle,
        )
        user = settings.user or environment.user
        am = AMInfo(
            self._app_attempt,
            environment.container_id,
            environment.node_id,
            WallClock().now_ms(),
            environment.submit_time_ms or 0,
            environment.http_port,
        )
        self._pages = Pages(self._core, settings, user, self._connection.racks, am)
        self._answers = JobClientService(
            self._core, settings, user, self._pages, am, str(staging / JOB_FILE), self._settle
        )
        self._clients = ClientService(PROTOCOL, SERVICE, self._answers.handle)
        self._server = HttpServer(self._serve)
        self._port = 0
        self._ended = asyncio.Event()
        self._failure: BaseException | None = None
        self._last_work: dict[TaskAttemptId | None, asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """The whole life: registered, run, unregistered."""
        self._port = await self._server.start()
        try:
            url = f"http://127.0.0.1:{self._port}{PREFIX}/jobs/{self._job_id}"
            port = await self._serve_clients(url)
            registered = await self._rm.register(self._environment.node_id.host, port, url)
            self._clients.registered(registered.client_to_am_token_master_key)
            heart = asyncio.create_task(self._beat())
            try:
                await self._start(registered.maximum_capability or Resource())
                await self._ended.wait()
            finally:
                await end_tasks([heart])
            if self._failure is not None:
                raise self._failure
            await self._finish()
        finally:
            self._history.close()
            await self._drop_work()
            await self._nm.close()
            await self._rm.close()
            await self._clients.stop()
            await self._server.close()

    async def _serve_clients(self, url: str) -> int:
        """The port to be told to the RM: where Hadoop's own clients are served, else that of the pages."""
        if not self._connection.settings.hadoop_ipc:
            return self._port
        self._answers.tracking_url = url
        host, _, _ = self._connection.resolve(self._environment.node_id).rpartition(":")
        return await self._clients.start(host)

    async def _drop_work(self) -> None:
        """What is still under way concerns nobody any more."""
        if self._timer is not None:
            self._timer.cancel()
        await end_tasks(self._last_work.values())

    async def _start(self, maximum: Resource) -> None:
        if self._app_attempt > 1 and self._committer.has_committed:
            log.info("an earlier AM had committed the job")
            self._core.tell(JobCommitCompleted())
            self._settle()
            return
        self._committer.set_up_job()
        recovered: list[TaskRecover] = []
        if self._app_attempt > 1 and self._settings.is_recovering:
            recovered = await recoverable_tasks(
                self._staging, self._job_id, self._app_attempt, self._committer, self._connection
            )
        log.info("starting, %d tasks were done by an earlier AM", len(recovered))
        self._core.start(recovered)
        too_large = self._too_large(maximum)
        if too_large:
            self._core.tell(JobKill(diagnostics=too_large))
        self._settle()

    def _too_large(self, maximum: Resource) -> str:
        settings = self._settings
        for kind, memory_mb, count in (
            ("MAP", settings.map_memory_mb, len(self._splits)),
            ("REDUCE", settings.reduce_memory_mb, settings.reduces),
        ):
            if count and memory_mb > maximum.memory_mb:
                return (
                    f"{kind} capability required is more than the supported max container capability in the "
                    f"cluster. Killing the Job. {kind.lower()}ResourceRequest: {memory_mb} "
                    f"maxContainerCapability: {maximum.memory_mb}"
                )
        return ""

    async def _finish(self) -> None:
        """Writes the report, tells the RM, and only then lets the process end."""
        state = self._core.job.state
        write_report(report_file(Path(self._settings.history_dir), self._job_id), self._pages.report())
        diagnostics = "\n".join(self._core.job.diagnostics)
        await self._rm.finish(_FINAL_STATUS[state], diagnostics)
        shutil.rmtree(self._staging, ignore_errors=True)  # nobody comes after this AM
        log.info("the job has ended: %s %s", state.value, diagnostics)
        self._answers.has_unregistered = True
        if self._answers.was_asked:
            await asyncio.sleep(LAST_WORDS_S)

    # The RM.

    async def _beat(self) -> None:
        try:
            async for response in self._rm.responses(
                self._settings.heartbeat_ms, lambda: self._core.progress
            ):
                self._core.heartbeat(response)
                for report in response.updated_nodes:
                    if report.node_id is not None:
                        await self._nm.forget(report.node_id)
                self._settle()
        except (ApplicationAttemptNotFoundError, InvalidTokenError) as error:
            self._give_up(error)  # another attempt is, or will be, in charge
        except InvalidLabelResourceRequestError as error:
            self._core.tell(
                JobKill(diagnostics=f"Requested node-label-expression is invalid: {error.message}")
            )
            self._settle()
        except YarnError as error:
            log.error("the RM refuses: %s", error)
            self._core.tell(JobKill(diagnostics=f"Killed by the RM's refusal: {error}"))
            self._settle()
        except RpcError as error:
            self._give_up(error)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            log.exception("a defect")
            self._give_up(error)

    def _give_up(self, failure: BaseException) -> None:
        self._failure = failure
        self._ended.set()

    # Tasks.

    async def _serve(self, request: Request) -> Response:
        if request.target.startswith(PATH):
            return self._umbilical.answer(request)
        return self._pages.answer(request)

    async def _launch(self, attempt_id: TaskAttemptId, container: Container) -> None:
        context = python_context(
            "am.mapreduce.child",
            ["127.0.0.1", str(self._port), str(attempt_id)],
            credentials=Credentials({"JobToken": self._token}),
            service_data={SHUFFLE_SERVICE: write_token(self._token)},
            paths=self._settings.python_path,
        )
        try:
            meta_data = await self._nm.start(container, context)
            data = meta_data.get(SHUFFLE_SERVICE)
            if data is None and self._settings.reduces:
                raise YarnError(
                    f"its node has no {SHUFFLE_SERVICE}: name it in yarn.nodemanager.aux-services"
                )
            port = port_of_meta_data(data) if data is not None else 0
            self._core.tell(AttemptContainerLaunched(attempt_id=attempt_id, shuffle_port=port))
        except (YarnError, RpcError, ValueError) as error:
            self._core.tell(AttemptContainerLaunchFailed(attempt_id=attempt_id, diagnostics=str(error)))

    async def _stop(self, effect: StopTask) -> None:
        try:
            await self._nm.stop(effect.container_id, effect.node_id)
        except (YarnError, RpcError) as error:
            log.info("cannot stop %s: %s", effect.container_id, error)
        self._core.tell(AttemptContainerCleaned(attempt_id=effect.attempt_id))

    # Effects and timers.

    def _settle(self) -> None:
        """After a turn: carries out what it ordered, and sets the clock for the next timer."""
        for effect in self._core.take_effects():
            self._carry_out(effect)
        if self._core.job.has_ended:
            self._ended.set()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due_ms = self._core.next_due_ms()
        if due_ms is not None:
            delay_s = max(0.0, (due_ms - self._core.clock.now_ms()) / 1000)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._advance)

    def _advance(self) -> None:
        self._core.advance()
        self._settle()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Record():
                self._history.write(effect)
            case Ask():
                self._rm.wake()
            case LaunchTask(attempt_id, container):
                self._do(attempt_id, self._launch(attempt_id, container))
            case StopTask():
                self._do(effect.attempt_id, self._stop(effect))
            case AbortTask(attempt_id):
                self._do(attempt_id, self._in_thread(self._committer.abort_task, attempt_id))
            case SetUpJob():
                self._do(None, self._commit_step("set_up_job"))
            case CommitJob():
                self._do(None, self._commit_step("commit_job"))
            case AbortJob():
                self._do(None, self._commit_step("abort_job"))

    async def _in_thread(self, function: Any, *arguments: Any) -> None:
        await asyncio.to_thread(function, *arguments)

    async def _commit_step(self, step: str) -> None:
        """One step of the committer, outside the loop; its outcome is a call of the core."""
        try:
            await asyncio.to_thread(getattr(self._committer, step))
        except OSError as error:
            log.error("%s: %s", step, error)
            failed = {"set_up_job": JobSetupFailed, "commit_job": JobCommitFailed}.get(step)
            self._core.tell(failed(diagnostics=str(error)) if failed is not None else JobAbortCompleted())
            return
        done = {"set_up_job": JobSetupCompleted, "commit_job": JobCommitCompleted}.get(step)
        self._core.tell(done() if done is not None else JobAbortCompleted())

    def _do(self, key: TaskAttemptId | None, work: Coroutine[Any, Any, None]) -> None:
        """Carries work out in the background; of one attempt one thing after the other."""
        before = self._last_work.get(key)

        async def in_order() -> None:
            if before is not None:
                await asyncio.wait([before])
            await work
            self._settle()

        task = asyncio.get_running_loop().create_task(in_order())
        self._last_work[key] = task
        task.add_done_callback(self._look_at)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            log.error("a defect", exc_info=task.exception())
            self._give_up(task.exception() or RuntimeError("a defect"))


def main(arguments: list[str]) -> int:
    """The process; its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    staging = Path(arguments[0])

    async def live() -> None:
        await Master(staging, ContainerEnvironment.read(os.environ)).run()

    try:
        asyncio.run(live())
    except (YarnError, RpcError) as error:
        log.error("this AM ends: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
