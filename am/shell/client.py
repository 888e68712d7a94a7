"""The submission of a DistributedShell application. Answers for DistributedShell's Client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from am.connection import Connection
from am.launch import python_context
from am.shell.spec import ShellSpec
from am.submit import Submitter, follow
from yarn.configuration import Configuration
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarn.resource import Resource
from yarn.settings import read, setting, settings


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


class ShellClient:
    """Submits shells of one user."""

    def __init__(self, configuration: Configuration, user: str) -> None:
        self._settings = read(ShellSettings, configuration)
        self._submitter = Connection.of(configuration).submitter(user)
        self._context: ApplicationSubmissionContext | None = None

    def submit(self, spec: ShellSpec) -> ApplicationId:
        """Hands the application over to the RM; SubmissionError or YarnError when it is refused."""
        settings = self._settings
        self._submitter.check_queue(settings.queue)
        new = self._submitter.new_application()
        Submitter.check_size(
            "a container", spec.size, new.maximum, "lower --memory or --vcores, or give the nodes more"
        )
        spec = replace(spec, heartbeat_ms=settings.heartbeat_ms)
        self._context = ApplicationSubmissionContext(
            application_id=new.application_id,
            application_name=settings.name,
            queue=settings.queue,
            priority=settings.priority or None,
            am_container_spec=python_context("am.shell.master", [spec.to_text()]),
            max_app_attempts=settings.am_attempts,
            resource=Resource(settings.am_memory_mb, settings.am_vcores),
            application_type="YARN",
            application_tags=settings.tags,
            node_label_expression=spec.label,
        )
        self._submitter.submit_and_wait(self._context)
        return new.application_id

    def follow(
        self, application_id: ApplicationId, tell: Callable[[ApplicationReport], None]
    ) -> ApplicationReport:
        """Shows each report until the application has ended; the last one."""
        assert self._context is not None
        return follow(self._submitter.reports(application_id, self._context), tell)

    def kill(self, application_id: ApplicationId) -> None:
        """Ends the application."""
        self._submitter.kill(application_id)
