"""A MapReduce job from its properties to the RM, and followed to its end.

Owns what is checked before anything is submitted, the staging directory that the AM reads, and the asking how
far the job is. Shows nothing itself. Answers for Job, JobSubmitter and YARNRunner.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from am.asks import ANY
from am.connection import Connection
from am.launch import python_context
from am.mapreduce.api import NotAClassError, mapper_named, partitioner_named, reducer_named
from am.mapreduce.history import read_report, report_file
from am.mapreduce.ids import JobId
from am.mapreduce.settings import JOB_FILE, JobSettings
from am.mapreduce.splits import (
    SPLIT_FILE,
    InvalidInputError,
    Placement,
    Split,
    input_files,
    make_splits,
    write_splits,
)
from am.mapreduce.umbilical import AMUnreachableError, Umbilical
from am.submit import NewApplication, SubmissionError, Submitter, follow, has_succeeded
from yarn.configuration import Configuration
from yarn.credentials import Credentials
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarn.records.request import ResourceRequest
from yarn.records.tokens import Token
from yarn.resource import Resource
from yarn.settings import read
from yarn.shuffle import JOB_TOKEN

POLL_TIMEOUT_S = 2.0
SECRET_BYTES = 20


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job is."""

    map: float
    reduce: float


Tell = Callable[[ApplicationReport, JobProgress], None]


class JobClient:
    """Submits jobs of one user."""

    def __init__(self, configuration: Configuration, user: str) -> None:
        self.configuration = configuration.overlaid({"mapreduce.job.user.name": user}, "yarnbox")
        self.settings = read(JobSettings, self.configuration)
        self._user = user
        self._connection = Connection.of(self.configuration)
        self._submitter = self._connection.submitter(user)
        self._context = ApplicationSubmissionContext()
        self._token: Token | None = None

    # Before.

    def check(self) -> None:
        """What can be wrong without asking anybody: SubmissionError, and nothing has been done."""
        settings = self.settings
        sys.path[:0] = [path for path in settings.python_path if path not in sys.path]
        try:
            mapper_named(settings.mapper)
            reducer_named(settings.reducer)
            partitioner_named(settings.partitioner)
            if settings.combiner:
                reducer_named(settings.combiner)
        except NotAClassError as error:
            raise SubmissionError(str(error)) from None
        if not settings.output_dir:
            raise SubmissionError("Output directory not set: name one behind the inputs")
        output = Path(settings.output_dir)
        if output.exists():
            raise SubmissionError(f"Output directory {output} already exists: name another one, or remove it")
        parent = output.absolute().parent
        while not parent.exists():
            parent = parent.parent
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise SubmissionError(f"cannot make the output directory {output}: {parent} cannot be written")

    def text_splits(self) -> list[Split]:
        """The splits of the job's input files; SubmissionError names an input that is not there."""
        settings = self.settings
        if not settings.input_paths:
            raise SubmissionError("No input paths specified in job")
        try:
            files = input_files(settings.input_paths, recursive=settings.recursive)
        except InvalidInputError as error:
            raise SubmissionError(str(error)) from None
        nodes = self._submitter.running_nodes()
        racks = {n.node_id.host: n.rack_name or "/default-rack" for n in nodes if n.node_id is not None}
        return make_splits(
            files,
            Placement(racks, settings.replication),
            block_bytes=settings.block_bytes,
            min_bytes=settings.split_min_bytes,
            max_bytes=settings.split_max_bytes,
        )

    # Submission.

    def submit(self, splits: Sequence[Split]) -> ApplicationId:
        """Hands the job over to the RM; nothing is left behind when it is refused."""
        settings = self.settings
        self._submitter.check_queue(settings.queue)
        new = self._submitter.new_application()
        self._check_sizes(new)
        job_id = JobId.of(new.application_id)
        staging = Path(settings.staging_dir).absolute() / self._user / ".staging" / str(job_id)
        staging.mkdir(parents=True, mode=0o700)
        try:
            over = {
                "yarn.app.mapreduce.am.staging-dir": str(Path(settings.staging_dir).absolute()),
                "mapreduce.jobhistory.done-dir": str(Path(settings.history_dir).absolute()),
                "mapreduce.output.fileoutputformat.outputdir": str(Path(settings.output_dir).absolute()),
            }
            job_file = self.configuration.overlaid(over, "yarnbox").to_xml(defaults=True)
            (staging / JOB_FILE).write_text(job_file, encoding="utf-8")
            write_splits(staging / SPLIT_FILE, splits)
            self._context = self._submission(new.application_id, job_id, staging)
            self._submitter.submit_and_wait(self._context)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        return new.application_id

    def _check_sizes(self, new: NewApplication) -> None:
        settings = self.settings
        sizes = (
            ("the AM", settings.am_memory_mb, settings.am_vcores, "yarn.app.mapreduce.am.resource.mb"),
            ("a map", settings.map_memory_mb, settings.map_vcores, "mapreduce.map.memory.mb"),
            ("a reduce", settings.reduce_memory_mb, settings.reduce_vcores, "mapreduce.reduce.memory.mb"),
        )
        for what, memory_mb, vcores, name in sizes:
            Submitter.check_size(
                f"the container for {what}",
                Resource(memory_mb, vcores),
                new.maximum,
                f"lower it with -D {name}=... (and its vcores), or give the nodes more",
            )

    def _submission(
        self, application_id: ApplicationId, job_id: JobId, staging: Path
    ) -> ApplicationSubmissionContext:
        settings = self.settings
        name = str(job_id)
        self._token = token = Token(
            identifier=name.encode(), password=secrets.token_bytes(SECRET_BYTES), kind=JOB_TOKEN, service=name
        )
        size = Resource(settings.am_memory_mb, settings.am_vcores)
        am_requests: tuple[ResourceRequest, ...] = ()
        if settings.am_label is not None:
            am_requests = (
                ResourceRequest(
                    priority=0,
                    resource_name=ANY,
                    capability=size,
                    num_containers=1,
                    node_label_expression=settings.am_label,
                ),
            )
        return ApplicationSubmissionContext(
            application_id=application_id,
            application_name=settings.name,
            queue=settings.queue,
            priority=settings.priority or None,
            am_container_spec=python_context(
                "am.mapreduce.master",
                [str(staging)],
                credentials=Credentials({"JobToken": token}),
                paths=settings.python_path,
            ),
            max_app_attempts=settings.am_attempts,
            resource=size,
            application_type="MAPREDUCE",
            application_tags=settings.tags,
            node_label_expression=settings.job_label,
            am_container_resource_request=am_requests,
        )

    # Afterwards.

    def follow(self, application_id: ApplicationId, tell: Tell) -> ApplicationReport:
        """Tells how far the job is until it has ended; the last report."""
        known = JobProgress(0.0, 0.0)

        def show(report: ApplicationReport) -> None:
            nonlocal known
            known = self._ask_am(application_id, report) or known
            if has_succeeded(report):
                known = JobProgress(1.0, 1.0)
            tell(report, known)

        return follow(self._submitter.reports(application_id, self._context), show)

    def kill(self, application_id: ApplicationId) -> None:
        """Ends the job: its AM is asked to, that it may clean up; if it does not in time, the RM ends it."""
        report = self._submitter.report(application_id)
        parts = urlsplit(report.original_tracking_url or "")
        if parts.hostname and parts.port and self._token is not None:
            secret = self._token.password
            am = Umbilical(parts.hostname, parts.port, "", secret, give_up_s=POLL_TIMEOUT_S)
            try:
                am.call("killJob", diagnostics=f"Kill job {report.name} received from {self._user}")
            except AMUnreachableError:
                self._submitter.kill(application_id)
                return
            finally:
                am.close()
            deadline = time.monotonic() + self.settings.hard_kill_timeout_ms / 1000
            for _ in self._submitter.reports(application_id, self._context):
                if time.monotonic() > deadline:
                    break
            else:
                return
        self._submitter.kill(application_id)

    def job_report(self, application_id: ApplicationId) -> dict[str, Any] | None:
        """What the job's AM wrote of it when it had ended."""
        directory = Path(self.settings.history_dir).absolute()
        return read_report(report_file(directory, JobId.of(application_id)))

    def _ask_am(self, application_id: ApplicationId, report: ApplicationReport) -> JobProgress | None:
        """Asks the AM itself; it may not be there yet, or not any more."""
        parts = urlsplit(report.original_tracking_url or "")
        if not parts.hostname or not parts.port:
            return None
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=POLL_TIMEOUT_S)
        try:
            connection.request("GET", parts.path)
            answer = connection.getresponse()
            job = json.loads(answer.read())["job"]
            return JobProgress(job["mapProgress"] / 100, job["reduceProgress"] / 100)
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            return None
        finally:
            connection.close()
