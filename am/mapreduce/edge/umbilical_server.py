"""The AM's side of the umbilical: calls of tasks to turns of the core.

Owns the check of the signature, and the plan that a task is given. What a call means is in umbilical.py.
Hadoop: TaskAttemptListenerImpl's server.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from yarnbox.am.mapreduce.app.core import Core
from yarnbox.am.mapreduce.app.events import AttemptKill, JobKill
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.skipping import skip_plan
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import DIE, RUN, WAIT, Plan, signature

PerformEffects = Callable[[], None]
"""Carries out what a turn has ordered."""


class UmbilicalServer:
    """Answers the tasks of one job."""

    def __init__(
        self,
        core: Core,
        splits: Sequence[Split],
        settings: JobSettings,
        secret: bytes,
        job_file: str,
        addresses: str,
        perform_effects: PerformEffects,
    ) -> None:
        self._core = core
        self._splits = splits
        self._settings = settings
        self._secret = secret
        self._job_file = job_file
        self._addresses = addresses
        self._perform_effects = perform_effects
        self._calls: dict[str, Callable[[TaskAttemptId, Mapping[str, Any]], dict[str, object]]] = {
            "getTask": self._get_task,
            "statusUpdate": self._status_update,
            "nextRecords": self._next_records,
            "computePending": self._compute_pending,
            "commitPending": self._commit_pending,
            "done": self._done,
            "nextTask": self._next_task,
            "failed": self._failed,
            "mapCompletions": self._map_completions,
        }

    def answer(self, given: bytes, text: bytes) -> dict[str, object]:
        """What is told to a call with this signature."""
        if not hmac.compare_digest(signature(self._secret, text), given):
            return {"refused": "the call is not signed with the job's secret"}
        try:
            arguments = json.loads(text)
            return {"answer": self._answer(arguments["call"], arguments)}
        except (KeyError, TypeError, ValueError) as error:
            return {"refused": f"{type(error).__name__}: {error}"}
        finally:
            self._perform_effects()

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> dict[str, object]:
        if name == "progress":
            job = self._core.job
            return {"map": job.progress(TaskType.MAP), "reduce": job.progress(TaskType.REDUCE)}
        if name == "killJob":
            self._core.tell(JobKill(diagnostics=str(arguments["diagnostics"])))
            return {}
        if name not in self._calls:
            raise ValueError(f"there is no call {name}")
        return self._calls[name](TaskAttemptId.parse(arguments["attempt"]), arguments)

    def kill_attempt(self, attempt_id: TaskAttemptId, diagnostics: str) -> None:
        """A client's wish: the attempt ends, and its task is tried again."""
        self._core.tell(AttemptKill(attempt_id=attempt_id, diagnostics=diagnostics))
        self._perform_effects()

    def _get_task(self, attempt_id: TaskAttemptId, _arguments: object) -> dict[str, object]:
        if not self._core.is_wanted(attempt_id):
            return {"word": DIE}
        if not self._core.has_launched(attempt_id):
            return {"word": WAIT}
        return {"word": RUN, "plan": self.plan(attempt_id).to_json()}

    def _status_update(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, object]:
        wanted = self._core.status_update(
            attempt_id,
            float(arguments["progress"]),
            str(arguments["phase"]),
            arguments["counters"],
            [TaskAttemptId.parse(text) for text in arguments["unfetched"]],
            status=str(arguments.get("status", "")),
            is_alive=bool(arguments.get("alive", True)),
        )
        return {"wanted": wanted}

    def _next_records(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, object]:
        wanted = self._core.next_records(attempt_id, int(arguments["start"]), int(arguments["count"]))
        return {"wanted": wanted}

    def _compute_pending(self, attempt_id: TaskAttemptId, _arguments: object) -> dict[str, object]:
        may = self._core.compute_pending(attempt_id)
        return {"wanted": self._core.is_wanted(attempt_id), "go": may}

    def _commit_pending(self, attempt_id: TaskAttemptId, _arguments: object) -> dict[str, object]:
        may = self._core.commit_pending(attempt_id)
        return {"wanted": self._core.is_wanted(attempt_id), "go": may}

    def _done(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, object]:
        return {"wanted": self._core.done(attempt_id, arguments["counters"])}

    def _next_task(self, attempt_id: TaskAttemptId, _arguments: object) -> dict[str, object]:
        follower = self._core.next_task(attempt_id)
        return {"word": DIE} if follower is None else self._get_task(follower, {})

    def _failed(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, object]:
        self._core.failed(attempt_id, str(arguments["message"]))
        return {}

    def _map_completions(self, attempt_id: TaskAttemptId, arguments: Mapping[str, Any]) -> dict[str, object]:
        events = self._core.completion_events(int(arguments["start"]))
        return {
            "wanted": self._core.is_wanted(attempt_id),
            "events": [
                {
                    "attempt": str(event.attempt_id),
                    "status": event.status,
                    "host": event.host,
                    "port": event.shuffle_port,
                    "runTimeMs": event.run_time_ms,
                }
                for event in events
            ],
        }

    def _skip(self, attempt_id: TaskAttemptId) -> dict[str, object] | None:
        settings = self._settings
        at_once = settings.skip_map_records if attempt_id.is_map else settings.skip_reduce_groups
        task = self._core.job.task(attempt_id.task_id)
        if not at_once or len(task.failed_attempts) < settings.skip_start_attempts:
            return None
        return skip_plan(at_once, task.bad_records)

    def plan(self, attempt_id: TaskAttemptId) -> Plan:
        """What a task has to know."""
        settings = self._settings
        number = attempt_id.task_id.number
        is_split = settings.split.split != "off" and not self._core.context.is_uber
        fetch_limits = settings.fetch_limits(self._core.memory_mb(attempt_id) if is_split else None)
        return Plan(
            job=str(attempt_id.task_id.job_id),
            attempt=str(attempt_id),
            app_attempt=self._core.context.app_attempt,
            maps=len(self._splits),
            reduces=settings.reduces,
            input_format=settings.input_format,
            output_format=settings.output_format,
            mapper=settings.mapper,
            combiner=settings.combiner,
            reducer=settings.reducer,
            partitioner=settings.partitioner,
            output=settings.output_dir,
            commit_algorithm=settings.commit_algorithm,
            split=self._splits[number].to_json() if attempt_id.is_map else None,
            sort_bytes=int((settings.sort_mb << 20) * settings.sort_spill_percent),
            sort_factor=settings.sort_factor,
            combine_spills=settings.combine_spills,
            most_spills=settings.most_spills,
            codec=settings.map_output_codec if settings.compresses_map_output else "",
            fetch_limits=asdict(fetch_limits),
            asks_to_compute=is_split,
            counter_limits=(
                settings.counters,
                settings.counter_groups,
                settings.counter_group_name,
                settings.counter_name,
            ),
            fetchers=settings.fetchers,
            fetch_timeout_ms=settings.fetch_timeout_ms,
            fetch_retry_ms=settings.fetch_retry_ms,
            report_interval_ms=settings.report_interval_ms,
            turn_ms=settings.turn_ms,
            asks_for_more=settings.tasks_per_container not in (0, 1) and not self._core.context.is_uber,
            is_uber=self._core.context.is_uber,
            skip=self._skip(attempt_id),
            skip_dir=settings.skip_dir,
            job_file=self._job_file,
            addresses=self._addresses,
        )
