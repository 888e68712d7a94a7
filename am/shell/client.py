"""The submission of a DistributedShell application. Hadoop: DistributedShell's Client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from yarnbox.am.connection import Connection
from yarnbox.am.launch import python_context, resource_text
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.am.staging import DEFAULT_STAGING, STAGING_PROPERTY, GivenFile, Staging
from yarnbox.am.submit import Submitter, follow
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.settings import read, setting, settings


@settings
class ShellSettings:
    """The properties that DistributedShell reads."""

    queue: str = setting("mapreduce.job.queuename", "default", "the queue it is submitted to")
    name: str = setting("mapreduce.job.name", "DistributedShell", "the application's name")
    heartbeat_ms: int = setting(
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", 1000, "the AM's heartbeat", at_least=1
    )
    am_memory_mb: int = setting("yarnbox.shell.am.resource.mb", 100, "memory of the AM", at_least=0)
    am_vcores: int = setting("yarnbox.shell.am.resource.cpu-vcores", 1, "vcores of the AM", at_least=1)
    am_attempts: int = setting("mapreduce.am.max-attempts", 2, "lives of the AM", at_least=1)
    priority: int = setting("mapreduce.job.priority.value", 0, "the application's priority", at_least=0)
    tags: tuple[str, ...] = setting("mapreduce.job.tags", (), "tags of the application")
    staging_dir: str = setting(STAGING_PROPERTY, DEFAULT_STAGING, "where files wait for containers")


class ShellClient:
    """Submits shells of one user."""

    def __init__(
        self, configuration: Configuration, user: str, say: Callable[[str], None] = lambda _text: None
    ) -> None:
        self._settings = read(ShellSettings, configuration)
        connection = Connection.of(configuration)
        self._tls = connection.tls
        self._user = user
        self._submitter = connection.submitter(user, say)
        self._context: ApplicationSubmissionContext | None = None
        self._staging: Staging | None = None

    def submit(self, spec: ShellSpec, files: Sequence[GivenFile] = ()) -> ApplicationId:
        """Hands the application over to the RM; SubmissionError or YarnError when it is refused. Each
        container finds the files in its working directory.
        """
        settings = self._settings
        self._submitter.check_queue(settings.queue)
        new = self._submitter.new_application()
        Submitter.check_size(
            "a container", spec.size, new.maximum, "lower --memory or --vcores, or give the nodes more"
        )
        resources = self._stage(files, new.application_id)
        spec = replace(spec, heartbeat_ms=settings.heartbeat_ms, resources=resources)
        self._context = ApplicationSubmissionContext(
            application_id=new.application_id,
            application_name=settings.name,
            queue=settings.queue,
            priority=settings.priority or None,
            am_container_spec=python_context("yarnbox.am.shell.master", [spec.to_text()]),
            max_app_attempts=settings.am_attempts,
            resource=Resource(settings.am_memory_mb, settings.am_vcores),
            application_type="YARN",
            application_tags=settings.tags,
            node_label_expression=spec.label,
        )
        try:
            self._submitter.submit_and_wait(self._context)
        except BaseException:
            self.clean_up()
            raise
        return new.application_id

    def _stage(self, files: Sequence[GivenFile], application_id: ApplicationId) -> dict[str, str]:
        if any(file.is_local for file in files):
            self._staging = Staging.of(
                self._settings.staging_dir, self._user, application_id, self._submitter, self._tls
            )
        try:
            return {
                file.link: resource_text(file.resource(self._staging, number, self._tls))
                for number, file in enumerate(files)
            }
        except BaseException:
            self.clean_up()
            raise

    def clean_up(self) -> None:
        """Removes what was staged."""
        if self._staging is not None:
            self._staging.remove()

    def follow(
        self, application_id: ApplicationId, tell: Callable[[ApplicationReport], None]
    ) -> ApplicationReport:
        """Shows each report until the application has ended; the last one."""
        assert self._context is not None
        report = follow(self._submitter.reports(application_id, self._context), tell)
        self.clean_up()
        return report

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
        """Ends the application. Once the RM has been asked, whoever does not wait leaves nothing either."""
        has_ended = self._submitter.ask_to_kill(application_id)
        try:
            if not has_ended:
                self._submitter.kill(application_id)
        finally:
            self.clean_up()
