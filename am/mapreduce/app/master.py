"""The MapReduce ApplicationMaster's process: `python -m yarnbox.am.mapreduce.app.master STAGING`.

Owns the edges of the core: heartbeats to the RM, starts and stops at the NMs, the umbilical's server, timers,
the output committer, the history. Rules are in the core. Hadoop: MRAppMaster, ContainerLauncherImpl,
CommitterEventHandler and RMCommunicator.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import sys
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from yarnbox.am.client_service import ClientService
from yarnbox.am.connection import Connection
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.launch import python_context, resource_of
from yarnbox.am.mapreduce.allocation.uber import is_small, one_by_one
from yarnbox.am.mapreduce.app.client_service import JobClientService
from yarnbox.am.mapreduce.app.core import Core, Places
from yarnbox.am.mapreduce.app.effects import (
    AbortJob,
    AbortTask,
    Ask,
    CommitJob,
    Effect,
    LaunchTask,
    Record,
    ResizeTask,
    SetUpJob,
    StopTask,
    WriteLog,
)
from yarnbox.am.mapreduce.app.events import (
    AttemptContainerCleaned,
    AttemptContainerCompleted,
    AttemptContainerLaunched,
    AttemptContainerLaunchFailed,
    AttemptKill,
    ContainerResized,
    JobAbortCompleted,
    JobCommitCompleted,
    JobCommitFailed,
    JobKill,
    JobSetupCompleted,
    JobSetupFailed,
    TaskRecover,
)
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.app.job_commit import JobCommit
from yarnbox.am.mapreduce.app.recovery import earlier_life, recoverable_tasks
from yarnbox.am.mapreduce.app.report import PREFIX, AMInfo, Pages
from yarnbox.am.mapreduce.app.uber_tasks import LocalTasks
from yarnbox.am.mapreduce.cache_files import UnreadableFileError, local_resources
from yarnbox.am.mapreduce.client_protocol import AM_PROTOCOL, SERVICE
from yarnbox.am.mapreduce.committers.choice import committer_of
from yarnbox.am.mapreduce.committers.protocol import Committer
from yarnbox.am.mapreduce.edge.ending import SIGNALLED_STATUS, SignalledError, last_report
from yarnbox.am.mapreduce.edge.port import Port
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.history.files import HistoryFiles, IndexInfo, events_file
from yarnbox.am.mapreduce.history.jhist import HistoryWriter, read_events
from yarnbox.am.mapreduce.history.left_behind import publish_left_behind
from yarnbox.am.mapreduce.history.parsed import JOB_ENDS, PastAM, PastJob, parse
from yarnbox.am.mapreduce.history.sums import at_the_end
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId
from yarnbox.am.mapreduce.settings import JOB_FILE, JOB_FILE_VARIABLE, JobSettings
from yarnbox.am.mapreduce.splits import SPLIT_FILE, Split, read_splits
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.hosting import properties_of_host
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    InvalidLabelResourceRequestError,
    InvalidTokenError,
    YarnError,
)
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.records.container import Container, LocalResource
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import SystemClock
from yarnbox.yarn.runtime.driver import AsyncioDriver
from yarnbox.yarn.runtime.interpreter import leave
from yarnbox.yarn.runtime.pause import PauseMonitor
from yarnbox.yarn.runtime.tasks import end_tasks
from yarnbox.yarn.security.credentials import Credentials, write_token
from yarnbox.yarn.security.tls import check_exposure, check_hadoop_wire, scheme, told_by_node
from yarnbox.yarn.settings import read
from yarnbox.yarn.shuffle import JOB_TOKEN, SHUFFLE_SERVICE, port_of_meta_data

log = logging.getLogger("am.mapreduce.master")


LAST_WORDS_S = 5.0
"""How long an AM stays for clients that want to hear how the job ended, as MRAppMaster.shutDownJob does."""

_FINAL_STATUS = {
    JobState.SUCCEEDED: FinalApplicationStatus.SUCCEEDED,
    JobState.FAILED: FinalApplicationStatus.FAILED,
    JobState.KILLED: FinalApplicationStatus.KILLED,
}


class Master:
    """One life of a job's AM."""

    def __init__(self, staging: Path, environment: ContainerEnvironment) -> None:
        configuration = _configuration(staging)
        self._environment = environment
        self._staging = staging
        self._is_staged_here = staging.samefile(Path.cwd())
        self._settings = settings = read(JobSettings, configuration)
        self._resources = _resources(settings, os.environ)  # those of tasks
        self._connection = Connection.of(configuration)
        self._job_id = JobId.of(environment.attempt_id.application_id)
        self._app_attempt = environment.attempt_id.attempt_id
        self._splits = read_splits(staging / SPLIT_FILE)
        self._token = token = _job_token(environment)
        self._own = own = _own_container(settings, environment, self._splits, self._is_staged_here)
        if own is not None:
            self._settings = settings = one_by_one(settings)
        files = settings.cache_files
        self._local = LocalTasks(environment, token, settings.python_path, files, self._local_task_ended)
        self._rm = self._connection.rm_client(environment.amrm_token)
        self._nm = self._connection.nm_client(self._rm)
        self._core = self._new_core(settings, own)
        self._pause_monitor = PauseMonitor(self._after_pause)
        self._driver = AsyncioDriver(
            self._core, self._carry_out, self._persist, self._look_for_the_end, self._pause_monitor.look
        )
        self._committer = _committer(settings, self._app_attempt)
        self._commit = JobCommit(self._committer, staging, settings.commit_window_ms)
        self._history = HistoryWriter(events_file(staging, self._job_id, self._app_attempt))
        self._umbilical = UmbilicalServer(
            self._core,
            self._splits,
            settings,
            token.password,
            JOB_FILE if self._is_staged_here else str(staging / JOB_FILE),
            self._connection.settings.address_book or "",
            self._driver.perform_effects,
        )
        self._user = user = settings.user or environment.user
        self._am = am = AMInfo(
            self._app_attempt,
            environment.container_id,
            environment.node_id,
            SystemClock().now_ms(),
            environment.submit_time_ms or 0,
            environment.http_port,
        )
        self._pages = Pages(self._core, settings, user, am, staging / JOB_FILE)
        self._answers = JobClientService(
            self._core, settings, user, self._pages, am, str(staging / JOB_FILE), self._driver.perform_effects
        )
        self._clients = ClientService(AM_PROTOCOL, SERVICE, self._answers.handle)
        self._host = Address.parse(self._connection.resolve(environment.node_id)).host
        access = HttpAccess(self._connection.settings.http_access, [self._host])
        self._web = Port(self._umbilical, self._pages, access, self._connection.tls)
        self._port = 0
        self._ended = asyncio.Event()
        self._failure: BaseException | None = None
        self._done_before: PastJob | None = None
        """What an earlier AM had finished, commit included; the core knows nothing of that."""
        self._last_work: dict[TaskAttemptId | None, asyncio.Task[None]] = {}

    def _new_core(self, settings: JobSettings, own: Container | None) -> Core:
        return Core(
            SystemClock(),
            self._job_id,
            self._app_attempt,
            settings,
            [Places(split.hosts, split.racks) for split in self._splits],
            self._rm.asks,
            own=own,
            is_strict=False,
        )

    async def run(self) -> None:
        """The whole life: registered, run, unregistered."""
        loop = asyncio.get_running_loop()
        check_exposure([self._host], self._connection.tls)
        self._port = await self._web.start(self._host)
        try:
            top = f"{scheme(self._connection.tls)}://{Address(self._host, self._port)}"
            url = f"{top}{PREFIX}/jobs/{self._job_id}"
            port = await self._serve_clients(url)
            registered = await self._rm.register(self._environment.node_id.host, port, url)
            self._clients.registered(registered.client_to_am_token_master_key)
            loop.add_signal_handler(signal.SIGTERM, lambda: self._give_up(SignalledError("SIGTERM")))
            beats = [asyncio.create_task(self._beat()), asyncio.create_task(self._pause_monitor.run())]
            try:
                await self._start(registered.maximum_capability or Resource())
                await self._ended.wait()
            finally:
                await end_tasks(beats)
            if self._failure is not None:
                await self._leave_behind()
                raise self._failure
            await self._finish()
        finally:
            self._history.close()
            await self._drop_work()
            await self._nm.close()
            await self._rm.close()
            await self._clients.stop()
            await self._web.stop()
            loop.remove_signal_handler(signal.SIGTERM)

    async def _serve_clients(self, url: str) -> int:
        """The port to be told to the RM: where Hadoop's own clients are served, else that of the pages."""
        if not self._connection.settings.hadoop_ipc:
            return self._port
        self._answers.tracking_url = url
        check_hadoop_wire([self._host], self._connection.settings.tls)
        return await self._clients.start(self._host)

    async def _drop_work(self) -> None:
        """What is still under way concerns nobody any more."""
        self._driver.stop()
        await self._local.stop_all()
        await end_tasks(self._last_work.values())

    async def _start(self, maximum: Resource) -> None:
        attempt, earlier = self._app_attempt, PastJob()
        if attempt > 1:
            earlier = earlier_life(self._staging, self._job_id, attempt)
        self._begin_history(earlier.ams)
        outcome = self._commit.outcome_of_earlier()
        if outcome is not None:
            self._repeat_history()
            self._done_before = earlier
            self._core.tell(outcome)
            self._driver.perform_effects()
            return
        recovered: list[TaskRecover] = []
        if attempt > 1 and self._settings.is_recovering:
            await asyncio.to_thread(self._committer.set_up_job)
            token = self._environment.amrm_token
            recovered = await recoverable_tasks(earlier, attempt, self._committer, self._connection, token)
        log.info("starting, %d tasks were done by an earlier AM", len(recovered))
        self._core.start(recovered, submit_ms=self._am.submit_ms, started_ms=earlier.launch_ms)
        too_large = self._too_large(maximum)
        if too_large:
            self._core.tell(JobKill(diagnostics=too_large))
        self._driver.perform_effects()

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
        """Publishes the history, tells the RM, and only then lets the process end."""
        state = self._core.job.state
        self._publish_history()
        diagnostics = "\n".join(self._core.job.diagnostics)
        server = self._settings.history.web_address
        url = (
            f"{scheme(self._connection.tls)}://{server}/jobhistory/job/{self._job_id}"
            if server is not None
            else ""
        )
        await self._rm.finish(_FINAL_STATUS[state], diagnostics, url)
        self._remove_staging()
        log.info("the job has ended: %s %s", state.value, diagnostics)
        self._answers.has_unregistered = True
        if self._answers.was_asked:
            await asyncio.sleep(LAST_WORDS_S)

    def _remove_staging(self) -> None:
        """Nobody comes after this AM."""
        if not self._is_staged_here:  # else the node removes it
            shutil.rmtree(self._staging, ignore_errors=True)

    # The history.

    def _begin_history(self, earlier: Sequence[PastAM]) -> None:
        """The AMs of the job, this one last, and what the job is."""
        am = self._am
        this = PastAM(
            str(self._environment.attempt_id),
            am.start_ms,
            str(am.container_id),
            am.node_id.host,
            am.node_id.port,
            am.http_port,
        )
        for one in (*earlier, this):
            self._history.write(
                "AM_STARTED",
                {
                    "applicationAttemptId": one.attempt_id,
                    "startTime": one.start_ms,
                    "containerId": one.container_id,
                    "nodeManagerHost": one.host,
                    "nodeManagerPort": one.port,
                    "nodeManagerHttpPort": one.http_port,
                },
            )
        self._history.write(
            "JOB_SUBMITTED",
            {
                "jobid": str(self._job_id),
                "jobName": self._settings.name,
                "userName": self._user,
                "submitTime": am.submit_ms,
                "jobConfPath": str(self._staging / JOB_FILE),
                "jobQueueName": self._settings.queue,
            },
        )

    def _repeat_history(self) -> None:
        """The job was done before this AM came: what the one before it wrote of tasks is its history."""
        earlier = events_file(self._staging, self._job_id, self._app_attempt - 1)
        if not earlier.exists():  # it was in the working directory of that AM
            return
        for type_, fields in read_events(earlier):
            if type_ not in ("AM_STARTED", "JOB_SUBMITTED", *JOB_ENDS):
                self._history.write(type_, fields)

    def _publish_history(self) -> None:
        """Leaves the history where the history server and clients find it; old ones go."""
        settings, files = self._settings.history, self._histories
        events = events_file(self._staging, self._job_id, self._app_attempt)
        try:
            files.publish(IndexInfo.of(parse(read_events(events))), events, self._staging / JOB_FILE)
            if settings.cleaner_enabled:
                deleted = files.clean(int(time.time() * 1000) - settings.max_age_ms)
                log.info("%d old histories of jobs were deleted", deleted)
        except OSError as error:
            log.warning("the history cannot be left behind: %s", error)

    @property
    def _histories(self) -> HistoryFiles:
        settings = self._settings.history
        return HistoryFiles(settings.intermediate_dir, settings.done_dir)

    async def _leave_behind(self) -> None:
        """If no other AM comes because the application was ended: publishes what there is of the history and
        removes what was being written. Little time is left before the node kills.
        """
        environment = self._environment
        report = await last_report(self._connection, environment.attempt_id, environment.amrm_token)
        if report is not None:
            publish_left_behind(self._histories, self._staging, self._job_id, report)
            self._committer.abort_job()
            self._remove_staging()

    # The RM.

    async def _beat(self) -> None:
        try:
            async for response in self._rm.responses(
                self._settings.heartbeat_ms, lambda: self._core.progress
            ):
                self._commit.heard()
                self._core.heartbeat(response)
                for report in response.updated_nodes:
                    if report.node_id is not None:
                        await self._nm.forget(report.node_id)
                self._driver.perform_effects()
        except (ApplicationAttemptNotFoundError, InvalidTokenError) as error:
            self._give_up(error)  # another attempt is, or will be, in charge
        except InvalidLabelResourceRequestError as error:
            self._core.tell(
                JobKill(diagnostics=f"Requested node-label-expression is invalid: {error.message}")
            )
            self._driver.perform_effects()
        except YarnError as error:
            log.error("the RM refuses: %s", error)
            self._core.tell(JobKill(diagnostics=f"Killed by the RM's refusal: {error}"))
            self._driver.perform_effects()
        except RpcError as error:
            self._give_up(error)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            log.exception("a defect")
            self._give_up(error)

    def _give_up(self, failure: BaseException) -> None:
        self._failure = self._failure or failure
        self._ended.set()

    # Tasks.

    def _after_pause(self, gap_ms: int) -> None:
        log.warning("stood still for %d ms: every task has one more mapreduce.task.timeout", gap_ms)
        self._core.after_pause()
        self._driver.perform_effects()

    def _local_task_ended(self, attempt_id: TaskAttemptId, status: int) -> None:
        self._core.tell(
            AttemptContainerCompleted(attempt_id=attempt_id, exit_status=status, diagnostics="the task ended")
        )
        self._driver.perform_effects()

    async def _launch_here(self, attempt_id: TaskAttemptId) -> None:
        try:
            await self._local.start(attempt_id, self._host, self._port)
        except (OSError, UnreadableFileError) as error:
            self._core.tell(AttemptContainerLaunchFailed(attempt_id=attempt_id, diagnostics=str(error)))
            return
        self._core.tell(AttemptContainerLaunched(attempt_id=attempt_id, shuffle_port=0))

    async def _launch(self, attempt_id: TaskAttemptId, container: Container) -> None:
        context = python_context(
            "yarnbox.am.mapreduce.child",
            [self._host, str(self._port), str(attempt_id)],
            credentials=Credentials({"JobToken": self._token}),
            service_data={SHUFFLE_SERVICE: write_token(self._token)},
            paths=() if self._is_staged_here else self._settings.python_path,
            linked_paths=self._settings.python_path if self._is_staged_here else (),
            local_resources=self._resources,
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
            if self._own is not None:
                self._local.stop(effect.attempt_id)
            else:
                await self._nm.stop(effect.container_id, effect.node_id)
        except (YarnError, RpcError) as error:
            log.info("cannot stop %s: %s", effect.container_id, error)
        self._core.tell(AttemptContainerCleaned(attempt_id=effect.attempt_id))

    async def _resize(self, effect: ResizeTask) -> None:
        attempt_id, container = effect.attempt_id, effect.container
        try:
            await self._nm.update(container)
        except (YarnError, RpcError) as error:
            diagnostics = f"{container.id} cannot be enlarged: {error}"
            self._core.tell(AttemptKill(attempt_id=attempt_id, diagnostics=diagnostics))
            return
        self._core.tell(ContainerResized(attempt_id=attempt_id, container=container))

    # Effects and timers.

    def _look_for_the_end(self) -> None:
        if self._core.job.has_ended:
            self._ended.set()

    def _persist(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Record):
                done = self._done_before if effect.type in JOB_ENDS else None
                counted = at_the_end(done) if done is not None else {}
                self._history.write(effect.type, {**effect.fields, **counted})

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Record():
                pass  # it is written already: a line of history comes before what follows from it
            case WriteLog(level, text):
                log.log(logging.getLevelNamesMapping()[level.upper()], "%s", text)
            case Ask():
                self._rm.wake()
            case LaunchTask(attempt_id, _) if self._own is not None:
                self._do(attempt_id, self._launch_here(attempt_id))
            case LaunchTask(attempt_id, container):
                self._do(attempt_id, self._launch(attempt_id, container))
            case StopTask():
                self._do(effect.attempt_id, self._stop(effect))
            case ResizeTask():
                self._do(effect.attempt_id, self._resize(effect))
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
            if step == "commit_job":
                await self._commit.commit()
            else:
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
            self._driver.perform_effects()

        task = asyncio.get_running_loop().create_task(in_order())
        self._last_work[key] = task
        task.add_done_callback(self._look_at)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            log.error("a defect", exc_info=task.exception())
            self._give_up(task.exception() or RuntimeError("a defect"))


def _configuration(staging: Path) -> Configuration:
    """What the client has written; a localized file is a link to the node's cache."""
    directory = (staging / JOB_FILE).resolve().parent
    written = Configuration(environment=os.environ).with_files(directory, [JOB_FILE])
    told = {**told_by_node(os.environ), **properties_of_host(os.environ)}
    return written.overlaid(told, "the NodeManager")


def _committer(settings: JobSettings, app_attempt: int) -> Committer:
    return committer_of(
        settings.output_dir, app_attempt, settings.commit_algorithm, marks=settings.marks_success
    )


def _resources(settings: JobSettings, environment: Mapping[str, str]) -> dict[str, LocalResource]:
    """What each task is to find in its working directory."""
    job_file = environment.get(JOB_FILE_VARIABLE)
    if job_file is None:
        return local_resources(settings.cache_files, settings.cache_archives)
    written = (text.partition("=") for text in settings.resources)
    return {JOB_FILE: resource_of(job_file), **{link: resource_of(text) for link, _, text in written}}


def _job_token(environment: ContainerEnvironment) -> Token:
    token = environment.credentials.token_of_kind(JOB_TOKEN)
    if token is None:
        raise YarnError(f"the job has no token of kind {JOB_TOKEN}: its client gives it one")
    return token


def _own_container(
    settings: JobSettings, environment: ContainerEnvironment, splits: Sequence[Split], is_staged_here: bool
) -> Container | None:
    """The AM's container, if the job may run in it: it is small, and its files are where the client is."""
    if is_staged_here or not is_small(settings, len(splits), sum(split.length for split in splits)):
        return None
    size = Resource(settings.am_memory_mb, settings.am_vcores)
    return Container(id=environment.container_id, node_id=environment.node_id, resource=size)


def main(arguments: list[str]) -> int:
    """The process; its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    staging = Path(arguments[0]).absolute()

    async def live() -> None:
        await Master(staging, ContainerEnvironment.read(os.environ)).run()

    try:
        asyncio.run(live())
    except (YarnError, RpcError) as error:
        log.error("this AM ends: %s", error)
        return 1
    except SignalledError as error:
        log.error("this AM ends by %s", error)
        return SIGNALLED_STATUS
    return 0


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
