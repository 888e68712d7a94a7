"""What the parts of a MapReduce job have at hand beside their turn: settings, racks, the job's history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yarnbox.am.mapreduce.app.effects import Effect, Record, WriteLog
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.runtime.statemachine import InvalidEventError
from yarnbox.yarn.runtime.turns import TurnContext


class Context(TurnContext[Effect]):
    """One per AM, handed to all that lives in it."""

    def __init__(
        self,
        job_id: JobId,
        app_attempt: int,
        settings: JobSettings,
        *,
        rack_of: Callable[[str], str] = lambda _host: "",
        is_uber: bool = False,
        is_strict: bool = True,
    ) -> None:
        super().__init__(is_strict=is_strict)
        self.is_uber = is_uber
        self.job_id = job_id
        self.app_attempt = app_attempt
        self.settings = settings
        self.rack_of = rack_of
        self.submit_ms = 0

    def record(self, type_: str, **fields: object) -> None:
        """Writes an event of job history; type and fields are Hadoop's."""
        self.order(Record(type_, fields))

    def report_invalid(self, entity: Any, error: InvalidEventError) -> None:
        """Logs the event; the job goes on."""
        self.order(WriteLog("error", str(error)))
