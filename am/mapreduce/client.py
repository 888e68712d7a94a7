"""A MapReduce job from its properties to the RM, and followed to its end.

Owns what is checked before anything is submitted, the staging directory that the AM reads, and the asking how
far the job is. Shows nothing itself. Hadoop: Job, JobSubmitter and YARNRunner.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from yarnbox.am.asks import ANY
from yarnbox.am.connection import Connection
from yarnbox.am.launch import python_context, resource_text
from yarnbox.am.mapreduce.api import NotAClassError, mapper_named, partitioner_named, reducer_named
from yarnbox.am.mapreduce.cache_files import UnreadableFileError, copied, named_files
from yarnbox.am.mapreduce.codecs import MissingPackageError, codec_named
from yarnbox.am.mapreduce.committers.choice import committer_of
from yarnbox.am.mapreduce.history.files import HistoryFiles
from yarnbox.am.mapreduce.history.jhist import read_events
from yarnbox.am.mapreduce.history.left_behind import publish_left_behind
from yarnbox.am.mapreduce.history.parsed import parse
from yarnbox.am.mapreduce.history.rest import report
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.am.mapreduce.input import input_format_named
from yarnbox.am.mapreduce.settings import JOB_FILE, JOB_FILE_VARIABLE, RESOURCES, JobSettings
from yarnbox.am.mapreduce.splits import (
    SPLIT_FILE,
    InvalidInputError,
    Placement,
    Split,
    chosen_split_bytes,
    input_files,
    make_splits,
    splits_text,
    write_splits,
)
from yarnbox.am.mapreduce.umbilical import AMUnreachableError, Umbilical
from yarnbox.am.staging import Staging, plain_name
from yarnbox.am.submit import NewApplication, SubmissionError, Submitter, follow, has_succeeded
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import LocalResourceType
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.records.container import LocalResource
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.settings import read
from yarnbox.yarn.shuffle import JOB_TOKEN
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.urls import absolute, is_local, is_remote, local_path, scheme_of

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

    def __init__(
        self, configuration: Configuration, user: str, say: Callable[[str], None] = lambda _text: None
    ) -> None:
        self.configuration = configuration.overlaid({"mapreduce.job.user.name": user}, "yarnbox")
        self.settings = read(JobSettings, self.configuration)
        self._user = user
        self._connection = Connection.of(self.configuration)
        self._submitter = self._connection.submitter(user, say)
        self._context = ApplicationSubmissionContext()
        self._token: Token | None = None
        self._staging: Staging | None = None
        self._staged: Path | None = None  # where all hosts share a directory

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
            input_format_named(settings.input_format)
            if settings.compresses_map_output:
                codec_named(settings.map_output_codec)
            if settings.compresses_output:
                codec_named(settings.output_codec)
            named_files((*settings.cache_files, *settings.cache_archives))
        except (NotAClassError, MissingPackageError, UnreadableFileError) as error:
            raise SubmissionError(str(error)) from None
        if not settings.output_dir:
            raise SubmissionError("Output directory not set: name one behind the inputs")
        if self._has_output():
            raise SubmissionError(
                f"Output directory {settings.output_dir} already exists: name another one, or remove it"
            )
        if is_remote(settings.output_dir):
            return
        output = Path(absolute(settings.output_dir))
        parent = output.parent
        while not parent.exists():
            parent = parent.parent
        if not parent.is_dir() or not os.access(parent, os.W_OK | os.X_OK):
            raise SubmissionError(f"cannot make the output directory {output}: {parent} cannot be written")

    def _has_output(self) -> bool:
        output = self.settings.output_dir
        if not is_remote(output):
            return Path(absolute(output)).exists()
        scheme = scheme_of(output)
        if scheme in remote_files.HTTP:
            raise SubmissionError(f"{output}: files of {scheme} can only be read")
        if scheme == "memory":
            raise SubmissionError(f"{output}: what is in the memory of a task ends with it")
        try:
            return remote_files.exists(output)
        except remote_files.RemoteFileError as error:
            raise SubmissionError(str(error)) from None

    def text_splits(self) -> list[Split]:
        """The splits of the job's input files; SubmissionError names an input that is not there."""
        settings = self.settings
        if not settings.input_paths:
            raise SubmissionError("No input paths specified in job")
        try:
            files = input_files(settings.input_paths, recursive=settings.recursive)
            nodes = self._submitter.running_nodes()
            racks = {n.node_id.host: n.rack_name or "/default-rack" for n in nodes if n.node_id is not None}
            return make_splits(
                files,
                Placement(racks, settings.replication),
                block_bytes=settings.block_bytes,
                min_bytes=settings.split_min_bytes,
                max_bytes=settings.split_max_bytes or chosen_split_bytes(sum(size for _, size in files)),
                is_splittable=input_format_named(settings.input_format).is_splittable,
            )
        except InvalidInputError as error:
            raise SubmissionError(str(error)) from None

    # Submission.

    def submit(self, splits: Sequence[Split]) -> ApplicationId:
        """Hands the job over to the RM; nothing is left behind when it is refused."""
        settings = self.settings
        self._submitter.check_queue(settings.queue)
        new = self._submitter.new_application()
        self._check_sizes(new)
        job_id = JobId.of(new.application_id)
        if not is_local(settings.staging_dir):
            return self._submit_staged(splits, new.application_id, job_id)
        root = local_path(settings.staging_dir).absolute()
        self._staged = staging = root / self._user / ".staging" / str(job_id)
        staging.mkdir(parents=True, mode=0o700)
        try:
            over = {
                "yarn.app.mapreduce.am.staging-dir": str(root),
                "mapreduce.jobhistory.intermediate-done-dir": absolute(settings.history.intermediate_dir),
                "mapreduce.jobhistory.done-dir": absolute(settings.history.done_dir),
                "mapreduce.output.fileoutputformat.outputdir": absolute(settings.output_dir),
            }
            for name, entries in (
                ("mapreduce.job.cache.files", settings.cache_files),
                ("mapreduce.job.cache.archives", settings.cache_archives),
            ):
                if entries:
                    over[name] = copied(entries, staging / name)
            job_file = self.configuration.overlaid(over, "yarnbox").to_xml(defaults=True)
            (staging / JOB_FILE).write_text(job_file, encoding="utf-8")
            write_splits(staging / SPLIT_FILE, splits)
            self._context = self._submission(new.application_id, job_id, staging)
            self._submitter.submit_and_wait(self._context)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
        return new.application_id

    def _submit_staged(
        self, splits: Sequence[Split], application_id: ApplicationId, job_id: JobId
    ) -> ApplicationId:
        """Submits a job whose containers fetch what they need: there is no directory that all hosts share.

        Job file and splits are in the AM's working directory, and so is the history that it writes, unless it
        is told a place for that; another life of the AM begins anew.
        """
        settings = self.settings
        self._staging = staging = Staging.of(
            settings.staging_dir, self._user, application_id, self._submitter, self._connection.tls
        )
        try:
            modules = {
                f"python{number}": staging.put_directory(Path(path), f"python{number}")
                for number, path in enumerate(settings.python_path)
            }
            taken = {**modules, **self._stage_cache_files(staging)}
            over = {
                RESOURCES: ",".join(f"{link}={resource_text(one)}" for link, one in taken.items()),
                "yarnbox.mapreduce.python.path": ",".join(modules),
                "mapreduce.job.cache.files": "",
                "mapreduce.job.cache.archives": "",
                "mapreduce.output.fileoutputformat.outputdir": absolute(settings.output_dir),
            }
            for name, place in (
                ("mapreduce.jobhistory.intermediate-done-dir", settings.history.intermediate_dir),
                ("mapreduce.jobhistory.done-dir", settings.history.done_dir),
            ):
                over[name] = "history" if place.startswith(settings.staging_dir) else place
            job_file = self.configuration.overlaid(over, "yarnbox").to_xml(defaults=True)
            resources = {
                **taken,
                JOB_FILE: staging.put_text(job_file, JOB_FILE),
                SPLIT_FILE: staging.put_text(splits_text(splits), SPLIT_FILE),
            }
            self._context = self._submission(application_id, job_id, Path("."), resources, list(modules))
            self._submitter.submit_and_wait(self._context)
        except BaseException:
            staging.remove()
            raise
        return application_id

    def _stage_cache_files(self, staging: Staging) -> dict[str, LocalResource]:
        """The files that tasks find in their working directories, by name."""
        settings = self.settings
        found: dict[str, LocalResource] = {}
        for entries, kind in (
            (settings.cache_files, LocalResourceType.FILE),
            (settings.cache_archives, LocalResourceType.ARCHIVE),
        ):
            for name, path in named_files(entries).items():
                found[name] = staging.put(path, f"{len(found)}_{plain_name(path)}", kind)
        return found

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
        self,
        application_id: ApplicationId,
        job_id: JobId,
        staging: Path,
        resources: Mapping[str, LocalResource] | None = None,
        linked_paths: Sequence[str] = (),
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
                "yarnbox.am.mapreduce.app.master",
                [str(staging)],
                credentials=Credentials({"JobToken": token}),
                paths=settings.python_path if resources is None else (),
                environment={JOB_FILE_VARIABLE: resource_text(resources[JOB_FILE])} if resources else None,
                local_resources=resources,
                linked_paths=linked_paths,
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
                known = JobProgress(1.0, 1.0 if self.settings.reduces else 0.0)
            tell(report, known)

        report = follow(self._submitter.reports(application_id, self._context), show)
        self._remove_staging()
        return report

    def publish_history(self, report: ApplicationReport) -> None:
        """Publishes what the AMs of a job have written that has not succeeded, if its last one ended without
        doing that.
        """
        if self._staged is not None and report.application_id is not None:
            publish_left_behind(self._histories, self._staged, JobId.of(report.application_id), report)

    def clean_up(self) -> None:
        """Removes what a job that has not succeeded was writing, and its own files: its last AM may have
        ended without doing that.
        """
        self._remove_staging()
        if self._staged is not None:
            shutil.rmtree(self._staged, ignore_errors=True)
        if self.settings.output_dir:
            committer_of(self.settings.output_dir, 1).abort_job()

    def _remove_staging(self) -> None:
        """An AM cannot reach what hosts do not share."""
        if self._staging is not None:
            self._staging.remove()

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of the application."""
        return self._submitter.report(application_id)

    def masters(self, application_id: ApplicationId) -> tuple[ContainerId, ...]:
        """The containers of its AMs, of the first attempt first."""
        return self._submitter.masters(application_id)

    def lost_nodes(self) -> tuple[NodeId, ...]:
        """The nodes that are LOST."""
        return self._submitter.lost_nodes()

    def kill(self, application_id: ApplicationId) -> None:
        """Ends the job: its AM is asked to, that it may clean up; if there is none, or it takes too long,
        the RM ends it. Once they have been asked, whoever does not wait leaves nothing either.
        """
        if self._asks_am(application_id):
            try:
                if self._ends_in_time(application_id):
                    return
            finally:
                self._remove_staging()
        has_ended = self._submitter.ask_to_kill(application_id)
        try:
            if not has_ended:
                self._submitter.kill(application_id)
            self.publish_history(self.report(application_id))
        finally:
            self.clean_up()

    def _asks_am(self, application_id: ApplicationId) -> bool:
        """Whether there is an AM that ends the job, and removes what it has written."""
        am = self._am_of(self.report(application_id))
        if am is None:
            return False
        try:
            said = f"Kill job {JobId.of(application_id)} received from {self._user}"
            am.call("killJob", diagnostics=said)
        except AMUnreachableError:
            return False
        finally:
            am.close()
        return True

    def _ends_in_time(self, application_id: ApplicationId) -> bool:
        deadline = time.monotonic() + self.settings.hard_kill_timeout_ms / 1000
        reports = self._submitter.reports(application_id, self._context)
        return all(time.monotonic() <= deadline for _ in reports)

    def job_report(self, application_id: ApplicationId) -> dict[str, Any] | None:
        """What the job's AM wrote of it when it had ended."""
        files = self._histories  # a copy of what was left by URL is there as long as this
        found = files.find(JobId.of(application_id))
        return report(parse(read_events(found.path))) if found is not None else None

    @property
    def _histories(self) -> HistoryFiles:
        history = self.settings.history
        return HistoryFiles(history.intermediate_dir, history.done_dir)

    def _ask_am(self, application_id: ApplicationId, report: ApplicationReport) -> JobProgress | None:
        """Asks the AM itself; it may not be there yet, or not any more."""
        am = self._am_of(report)
        if am is None:
            return None
        try:
            job = am.ask("progress")
        finally:
            am.close()
        return JobProgress(job["map"], job["reduce"]) if job is not None else None

    def _am_of(self, report: ApplicationReport) -> Umbilical | None:
        """The job's AM, where it serves by now."""
        parts = urlsplit(report.original_tracking_url or "")
        if not parts.hostname or not parts.port or self._token is None:
            return None
        secret, tls = self._token.password, self._connection.tls
        return Umbilical(parts.hostname, parts.port, "", secret, give_up_s=POLL_TIMEOUT_S, tls=tls)
