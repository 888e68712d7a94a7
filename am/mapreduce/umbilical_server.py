"""The AM's side of the umbilical: calls of tasks to turns of the core.

Owns the check of the signature, and the plan that a task is given. What a call means is in umbilical.py.
Answers for TaskAttemptListenerImpl's server.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from am.mapreduce.core import Core
from am.mapreduce.events import JobKill
from am.mapreduce.http import Request, Response, json_response
from am.mapreduce.ids import TaskAttemptId
from am.mapreduce.settings import JobSettings
from am.mapreduce.splits import Split
from am.mapreduce.umbilical import DIE, HASH_HEADER, PATH, RUN, WAIT, Plan, signature

Settle = Callable[[], None]
"""Carries out what a turn has ordered."""


class UmbilicalServer:
    """Answers the tasks of one job."""

    def __init__(
        self,
        core: Core,
        splits: Sequence[Split],
        settings: JobSettings,
        secret: bytes,
        addresses: str,
        settle: Settle,
    ) -> None:
        self._core = core
        self._splits = splits
        self._settings = settings
        self._secret = secret
        self._addresses = addresses
        self._settle = settle
        self._calls: dict[str, Callable[[TaskAttemptId, Mapping[str, Any]], dict[str, Any]]] = {
            "getTask": self._get_task,
            "statusUpdate": self._status_update,
            "commitPending": self._commit_pending,
            "done": self._done,
            "failed": self._failed,
            "mapCompletions": self._map_completions,
        }

    def answer(self, request: Request) -> Response:
        """One call."""
        expected = signature(self._secret, request.target, request.body)
        if not hmac.compare_digest(expected, request.headers.get(HASH_HEADER.lower(), "")):
            return json_response({"message": "the call is not signed with the job's secret"}, 401)
        name = request.target.removeprefix(PATH)
        arguments = json.loads(request.body or b"{}")
        try:
            if name == "killJob":
                self._core.tell(JobKill(diagnostics=str(arguments.get("diagnostics", ""))))
                return json_response({})
            call = self._calls.get(name)
            if call is None:
                return json_response({"message": f"there is no call {name}"}, 404)
            return json_response(call(TaskAttemptId.parse(arguments["attempt"]), arguments))
        finally:
            self._settle()

    def _get_task(self, attempt_id: TaskAttemptId, _arguments: Mapping[str, Any]) -> dict[str, Any]:
        if not self._core.is_wanted(attempt_id):
            return {"word": DIE}
        if not self._core.has_launched(attempt_id):
            return {"word": WAIT}
        return {"word": RUN, "plan": self.plan(attempt_id).to_json()}

    def _status_update(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, Any]:
        wanted = self._core.status_update(
            attempt_id,
            float(arguments["progress"]),
            str(arguments["phase"]),
            arguments["counters"],
            [TaskAttemptId.parse(text) for text in arguments["unfetched"]],
        )
        return {"wanted": wanted}

    def _commit_pending(self, attempt_id: TaskAttemptId, _arguments: Mapping[str, Any]) -> dict[str, Any]:
        may = self._core.commit_pending(attempt_id)
        return {"wanted": self._core.is_wanted(attempt_id), "go": may}

    def _done(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"wanted": self._core.done(attempt_id, arguments["counters"])}

    def _failed(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._core.failed(attempt_id, str(arguments["message"]))
        return {}

    def _map_completions(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, Any]:
        events = self._core.completion_events(int(arguments["start"]))
        return {
            "wanted": self._core.is_wanted(attempt_id),
            "events": [
                {
                    "attempt": str(event.attempt_id),
                    "status": event.status,
                    "host": event.host,
                    "port": event.shuffle_port,
                }
                for event in events
            ],
        }

    def plan(self, attempt_id: TaskAttemptId) -> Plan:
        """What a task has to know."""
        settings = self._settings
        number = attempt_id.task_id.number
        return Plan(
            job=str(attempt_id.task_id.job_id),
            attempt=str(attempt_id),
            app_attempt=self._core.context.app_attempt,
            maps=len(self._splits),
            reduces=settings.reduces,
            mapper=settings.mapper,
            combiner=settings.combiner,
            reducer=settings.reducer,
            partitioner=settings.partitioner,
            output=settings.output_dir,
            split=self._splits[number].to_json() if attempt_id.is_map else None,
            sort_bytes=int((settings.sort_mb << 20) * settings.sort_spill_percent),
            sort_factor=settings.sort_factor,
            fetchers=settings.fetchers,
            fetch_timeout_ms=settings.fetch_timeout_ms,
            fetch_retry_ms=settings.fetch_retry_ms,
            report_interval_ms=settings.report_interval_ms,
            addresses=self._addresses,
        )
