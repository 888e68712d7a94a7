"""What a handler reaches: the registers of tasks and attempts, the moment, events, timers, effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from am.mapreduce.effects import Effect, Record
from am.mapreduce.ids import JobId, TaskAttemptId, TaskId
from am.mapreduce.settings import JobSettings
from yarn.dispatcher import Dispatcher, Event
from yarn.story import Story
from yarn.timers import Timers

if TYPE_CHECKING:
    from am.mapreduce.attempt import Attempt
    from am.mapreduce.task import Task


class Context:
    """One per AM, handed to all that lives in it."""

    __slots__ = (
        "app_attempt", "attempts", "dispatcher", "effects", "job_id", "now_ms", "settings", "story", "tasks",
        "timers",
    )  # fmt: skip

    def __init__(self, job_id: JobId, app_attempt: int, settings: JobSettings) -> None:
        self.job_id = job_id
        self.app_attempt = app_attempt
        self.settings = settings
        self.now_ms = 0
        self.dispatcher = Dispatcher()
        self.timers: Timers[Event] = Timers()
        self.story = Story()
        self.effects: list[Effect] = []
        self.tasks: dict[TaskId, Task] = {}
        self.attempts: dict[TaskAttemptId, Attempt] = {}

    def post(self, event: Event) -> None:
        """Says that something happened; it is handled later in this turn."""
        self.dispatcher.post(event)

    def order(self, effect: Effect) -> None:
        """Asks something of the world; it is carried out after this turn."""
        self.effects.append(effect)

    def record(self, type_: str, **fields: object) -> None:
        """Writes a line of job history."""
        self.effects.append(Record(type_, self.now_ms, fields))
