"""Listens to a run in virtual time and writes down what its pages will need.

A recording has a clock of its own: virtual time, except that whatever takes no time at all, a step of a
scenario or a single heartbeat, counts for a second, so that one can see things happen one after the other. In
a run whose heartbeats are a second apart both clocks are the same. A moment is where a viewer may stop: after
a step, after each heartbeat, after each timer that fired. The recorder changes nothing and asks for nothing
that the ResourceManager does not show to its pages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from yarnbox.rm.app import RMApp
from yarnbox.rm.container import RMContainer
from yarnbox.rm.context import RMContext
from yarnbox.rm.events.scheduler import SchedulerNodeLabelsUpdate
from yarnbox.rm.scheduler.views import QueueView
from yarnbox.rm.web import apps, cluster, event_rows, past
from yarnbox.rm.web import nodes as node_pages
from yarnbox.rm.web.past import STEPS, LifeEvents
from yarnbox.rm.web.properties import scheduler_file, site_properties
from yarnbox.rm.web.queues.scheduler import page_info
from yarnbox.rm.web.values import Shapes
from yarnbox.sim.recording.containers import Containers
from yarnbox.sim.recording.details import brief, record_details, record_plans
from yarnbox.sim.recording.figures import Tally
from yarnbox.sim.recording.limits import (
    FEWEST_MOMENTS,
    MOST_EVENTS,
    MOST_MARKS,
    MOST_MOMENTS,
    MOST_VALUES,
    after_halving,
    halved,
)
from yarnbox.sim.recording.nodes import NodeDocuments
from yarnbox.sim.recording.shape import Event, Guide, GuideIfAny, Mark, QueueSeries, WrittenData
from yarnbox.sim.recording.sharing import between_applications, between_queues
from yarnbox.sim.recording.tracks import Documents
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.runtime.story import Line

INSTANT_MS = 1_000
"""What a step or a heartbeat that takes no time counts for."""
OVER = ("FINISHED", "FAILED", "KILLED")
_TOLD = ("RUNNING", *OVER)
"""States of applications that become events even where hardly anything does."""
_CHANGES_ALWAYS: tuple[str, ...] = (
    "elapsedTime",
    "clusterUsagePercentage",
    "queueUsagePercentage",
    "timeouts",
    "clusterId",
)
_CHANGES_OFTEN = ("memorySeconds", "vcoreSeconds", "preemptedMemorySeconds", "preemptedVcoreSeconds")
_LARGE = (
    "resourceRequests",
    "resourceInfo",
    "resourceSecondsMap",
    "preemptedResourceSecondsMap",
    "amContainerLogs",
    "amHostHttpAddress",
)
_LEFT_OUT: tuple[str, ...] = (*_CHANGES_ALWAYS, *_LARGE)
_LEFT_OUT_OF_LIVING: tuple[str, ...] = (*_LEFT_OUT, *_CHANGES_OFTEN)
_OF_PROCESSES = ("logsLink", "exportPorts", "nodeHttpAddress")


@dataclass(frozen=True, slots=True, kw_only=True)
class Title:
    """What a recording is of."""

    name: str
    about: str = ""
    kind: str = "scenario"
    file: str = ""
    """The text of the file that was played, where it is to be shown."""
    guide: Guide | None = None


@dataclass(slots=True)
class _Series:
    """A queue in a partition: each measure at each moment since the first one."""

    path: str
    partition: str
    first: int
    is_leaf: bool
    values: list[list[float]] = field(default_factory=lambda: [[] for _ in past.MEASURES])


def _nameless(_: object) -> str | None:
    return None


class RunRecorder:
    """One run, being written down."""

    def __init__(
        self,
        rm: SimulatedRM,
        title: Title,
        *,
        name_of: Callable[[object], str | None] = _nameless,
        instant_ms: int = INSTANT_MS,
        stride: int = 1,
        is_detailed: bool = True,
    ) -> None:
        self._rm, self._title = rm, title
        self._name_of, self._is_detailed, self._instant_ms = name_of, is_detailed, instant_ms
        self._shapes = Shapes(rm.context.resource_types)
        self._virtual_ms, self._clock_ms, self._gap_ms = rm.clock.now_ms(), 0, 0
        self._step, self._asked, self._stride = 0, 0, stride
        self._is_new, self._is_due, self._is_by_timer = True, False, False
        self.documents, self.containers, self.tally = Documents(), Containers(), Tally()
        self._moments: list[tuple[int, int, int]] = []
        self._cluster: list[tuple[float, ...]] = []
        self._fairness: list[tuple[float | None, float | None]] = []
        self._queues: dict[tuple[str, str], _Series] = {}
        self._marks: list[Mark] = []
        self._events: list[Event] = []
        self._left_out = 0
        self._lives: dict[ApplicationId, dict[str, int]] = {}
        self._attempts: dict[ApplicationId, dict[ApplicationAttemptId, dict[str, int]]] = {}
        self._nodes = NodeDocuments(lambda: rm.context, self.documents)
        self._sampled_finally: dict[ApplicationId, None] = {}
        self._steps = LifeEvents()
        self._own_file: object = None
        self._heard: Any = None
        """The event that is being handled."""
        rm.context.story.listeners.append(self._note)
        rm.context.dispatcher.watchers.append(self._hear)

    @property
    def _context(self) -> RMContext:
        """That of the present ResourceManager: it may restart."""
        return self._rm.context

    # ---- the clock

    def _now(self) -> int:
        virtual_ms = self._rm.clock.now_ms()
        self._clock_ms += max(virtual_ms - self._virtual_ms, self._gap_ms)
        self._virtual_ms, self._gap_ms = virtual_ms, 0
        return self._clock_ms

    def step(self, number: int) -> None:
        """A step of the file begins."""
        self._step = number

    def moment(self) -> None:
        """Something is over after which one may want to look."""
        if self._is_by_timer and self._is_new and self._rm.clock.now_ms() == self._moments[-1][1]:
            self._gap_ms = (
                self._instant_ms
            )  # the last timers of a step came after the moment of the first one
        self._is_by_timer = False
        self._asked += 1
        self._is_due = self._asked % self._stride != 0 and bool(self._moments)
        if not self._is_due:
            self._sample()
        self._gap_ms = self._instant_ms
        self._is_new = False

    def passed(self) -> None:
        """A timer fired: worth a moment when time went by and something was told."""
        last_ms = self._moments[-1][1] if self._moments else self._rm.start_ms
        if self._is_new and self._rm.clock.now_ms() > last_ms:
            self.moment()
            self._gap_ms, self._is_by_timer = 0, True  # what else happens now takes no time of its own

    # ---- what is told

    def _note(self, line: Line) -> None:
        at, kind, after = self._now(), line.kind, line.after
        self._is_new = True
        if kind == "RMContainer":
            ended = self._record_container(line.subject, after, at) if after else None
            if self._is_detailed:
                self._record_event(line, at, ended)
            return
        if kind == "RMNode":
            self._nodes.touch(line.subject)
        elif kind == "RMApp":
            self._record_app(line.subject, after, at)
        elif kind == "RMAppAttempt":
            subject = line.subject
            attempts = self._attempts.setdefault(subject.application_id, {})
            life = attempts.setdefault(subject, {"startTime": at})
            if after in ("LAUNCHED", "RUNNING"):
                self._lives.get(subject.application_id, {}).setdefault("launchTime", at)
            if after in OVER:
                life.setdefault("finishedTime", at)
        self._record_event(line, at)

    def _record_container(self, container_id: ContainerId, after: str, at: int) -> RMContainer | None:
        """The container, when it has ended."""
        found = self._context.scheduler.container(container_id)
        living = self.containers.living(container_id) or found
        is_given = self.containers.note(container_id, after, found, at)
        if living is None:
            return None
        self._nodes.touch(living.node_id)
        if is_given and not living.is_am:
            self.tally.container(str(container_id.application_id), living.queue, at)
        if after not in ("COMPLETED", "KILLED", "EXPIRED", "RELEASED"):
            return None
        self.tally.ended(living.queue, living.exit_status)
        if past.is_preempted(living):
            self._mark(at, past.PREEMPTED, str(container_id))
        return living

    def _record_app(self, application_id: ApplicationId, after: str, at: int) -> None:
        life = self._lives.get(application_id)
        if life is None:
            life = self._lives[application_id] = {"startedTime": at}
            app = self._context.apps.get(application_id)
            queue = apps.queue_path(self._context, app) if app is not None else ""
            self.tally.submitted(str(application_id), queue, at)
        if after in OVER:
            life.setdefault("finishedTime", at)
            self.tally.finished(str(application_id), at)

    def _record_event(self, line: Line, at: int, ended: RMContainer | None = None) -> None:
        is_told = line.kind == "RMNode" or (line.kind == "RMApp" and line.after in _TOLD)
        if not self._is_detailed and (not is_told or line.before == line.after):
            return
        if line.event in event_rows.ROUTINE and line.before == line.after:
            return
        said = f"{line.before} to {line.after}" if line.before != line.after else line.after
        name = self._name_of(line.subject)
        subject = f"{name} ({line.subject})" if name else str(line.subject)
        is_trouble = self._is_trouble(line, ended)
        how = ""
        if is_trouble and ended is not None:
            how = event_rows.shortened(event_rows.how_it_ended(ended.exit_status, ended.diagnostics))
        text = ": ".join(filter(None, [said, line.because, how]))
        self._add_event(at, f"{line.kind} {line.event}", subject, text, is_trouble=is_trouble)

    def _is_trouble(self, line: Line, ended: RMContainer | None) -> bool:
        """As the event log of a living ResourceManager judges: by how the container ended, by the event."""
        if ended is not None:
            return event_rows.is_bad_end(ended.exit_status, ended.diagnostics)
        heard = self._heard
        if type(heard).__name__ == line.event and heard.subject == line.subject:
            return event_rows.is_trouble(heard)
        return line.event in event_rows.TROUBLE

    def tell(self, kind: str, subject: str, text: str) -> None:
        """Something that the story does not tell: why an application waits."""
        self._add_event(self._clock_ms, kind, subject, text)

    def _add_event(self, at: int, kind: str, subject: str, text: str, *, is_trouble: bool = False) -> None:
        if len(self._events) == MOST_EVENTS:
            self._left_out += 1
        else:
            self._events.append((at, self._step, kind, subject, text, int(is_trouble)))

    def _hear(self, event: Any) -> None:
        self._heard = event
        name = type(event).__name__
        if name in STEPS:
            at = self._now()
            if self._is_detailed:
                self._steps.watch(at, event)
        if name in past.MARKED:
            mark = past.mark_of(self._virtual_ms, event)
            if mark is not None:
                self._mark(self._now(), mark.kind, mark.text)
        if name == SchedulerNodeLabelsUpdate.__name__:
            self._nodes.touch_all()

    def _mark(self, at: int, kind: str, text: str) -> None:
        if len(self._marks) < MOST_MARKS:
            self._marks.append((at, kind, text))

    # ---- moments

    def _sample(self) -> None:
        at, context = self._now(), self._context
        if self._moments and self._moments[-1][0] == at:
            return
        number = len(self._moments)
        self._moments.append((at, self._virtual_ms, self._step))
        figures = past.cluster_figures(context)
        self._cluster.append(tuple(round(value, 2) for value in figures))
        views = list(past.queues(context))
        self._sample_queues(number, views)
        even = (between_queues(context, views), between_applications(context))
        self._fairness.append(even)
        self.tally.sample(
            at, {"memory": figures[0], "vcores": figures[1], "queues": even[0], "apps": even[1]}
        )
        self._sample_documents(number, views)
        self._stay_small()

    def _sample_queues(self, number: int, views: Sequence[QueueView]) -> None:
        taken = 0
        for view in views:
            for name, part in view.partitions.items():
                if taken == past.MOST_QUEUES:
                    return
                taken += 1
                series = self._queues.get((view.path, name))
                if series is None:
                    series = _Series(view.path, name, number, view.is_leaf)
                    self._queues[view.path, name] = series
                for values, value in zip(
                    series.values, past.shares(self._context, view, name, part), strict=True
                ):
                    values.extend([0.0] * (number - series.first - len(values)))
                    values.append(round(100 * value, 2) if value >= 0 else -1)

    def _sample_documents(self, number: int, views: Sequence[QueueView]) -> None:
        context, shapes, note = self._context, self._shapes, self.documents.note
        note("/scheduler", number, brief(page_info(context, shapes)))
        note("/metrics", number, brief(cluster.metrics(context, shapes)))
        note("/labels", number, brief(node_pages.partitions(context, shapes)))
        own = context.scheduler.views.own_file()
        if own is not None and own is not self._own_file:
            self._own_file = own
            note("/scheduler-file", number, scheduler_file(own, site_properties(context.configuration)))
        self._nodes.sample(number)
        for app in context.apps.values():
            if app.application_id not in self._sampled_finally:
                self._sample_app(number, app)
        if len(self._lives) > len(context.apps):
            self._forget()
        if self._is_detailed:
            record_details(self.documents, number, context, shapes, views)
            record_plans(self.documents, number, self._rm, self._name_of)

    def _sample_app(self, number: int, app: RMApp) -> None:
        shown = apps.application(self._context, self._shapes, app, may_view=True)
        is_over = shown["state"] in OVER
        if self._is_detailed:
            hidden = _CHANGES_ALWAYS
        else:
            hidden = _LEFT_OUT if is_over else _LEFT_OUT_OF_LIVING
        name = self._name_of(app.application_id)
        shown = brief({key: value for key, value in shown.items() if key not in hidden})
        current = app.current
        booked = self._context.scheduler.attempt(current.attempt_id) if current is not None else None
        if booked is not None and not booked.is_stopped:
            amounts = booked.usage.by_partition.values()
            shown["pendingContainers"] = sum(one.pending_containers for one in amounts)
        times = dict.fromkeys(("launchTime", "finishedTime"), 0)
        shown |= {**times, **self._lives.get(app.application_id, {})}
        if name is not None and not shown["name"]:
            shown["name"] = name
        self.documents.note(f"/apps/{app.application_id}", number, shown)
        if self._is_detailed:
            self._sample_life(number, app)
        known = self._attempts.get(app.application_id, {})
        attempts = [
            {
                **apps.attempt_in_list(self._context, one, may_view=True),
                "finishedTime": 0,
                **known.get(one.attempt_id, {}),
            }
            for one in app.attempts.values()
        ]
        for one in attempts:
            for name_of_field in _OF_PROCESSES:
                one.pop(name_of_field, None)
        self.documents.note(f"/attempts/{app.application_id}", number, attempts)
        if is_over and all(one["finishedTime"] for one in attempts):
            self._sampled_finally[app.application_id] = None
            self._close(app.application_id)

    def _close(self, application_id: ApplicationId) -> None:
        for kind in ("apps", "attempts", "lives"):
            self.documents.close(f"/{kind}/{application_id}")

    def _forget(self) -> None:
        """What the ResourceManager has forgotten is in memory no longer, here either."""
        for application_id in [one for one in self._lives if one not in self._context.apps]:
            self._close(application_id)
            self.tally.forget(str(application_id))
            self.containers.forget(application_id)
            del self._lives[application_id]
            self._attempts.pop(application_id, None)
            self._sampled_finally.pop(application_id, None)

    def _sample_life(self, number: int, app: RMApp) -> None:
        known = self._lives.get(app.application_id, {})
        times = {"submitted": known.get("startedTime"), "finished": known.get("finishedTime")}
        steps = [
            {**one, "time": times.get(one["step"], one["time"])}
            for one in self._steps.of(app)
            if one["step"] != "finished"
        ]
        if times["finished"] is not None:
            steps.append({"step": "finished", "attempt": 0, "time": times["finished"]})
        self.documents.note(f"/lives/{app.application_id}", number, steps)

    # ---- the end

    def _stay_small(self) -> None:
        count = len(self._moments)
        held = self.documents.count + count * (3 + len(past.CLUSTER) + len(past.MEASURES) * len(self._queues))
        if count > FEWEST_MOMENTS and (held > MOST_VALUES or count > MOST_MOMENTS):
            kept = halved(count)
            self.documents.halve()
            self._moments = [self._moments[one] for one in kept]
            self._cluster = [self._cluster[one] for one in kept]
            self._fairness = [self._fairness[one] for one in kept]
            for series in self._queues.values():
                first = after_halving(series.first)
                places = [old - series.first for old in kept[first:]]
                series.values = [
                    [column[place] for place in places if place < len(column)] for column in series.values
                ]
                series.first = first
            self._stride *= 2

    def data(self, failures: Sequence[str] = ()) -> WrittenData:
        """The recording as plain data, but for its format and version."""
        if self._is_due or not self._moments:
            self._gap_ms = 0
            self._sample()
        containers, names = self.containers.rows()
        end = self._moments[-1][0]
        return {
            "name": self._title.name,
            "about": self._title.about,
            "kind": self._title.kind,
            "scheduler": self._context.scheduler.name,
            "file": self._title.file,
            **_guide_of(self._title),
            "failures": list(failures),
            "end": end,
            "figures": self.tally.result(end),
            "moments": {
                "at": [one[0] for one in self._moments],
                "time": [one[1] for one in self._moments],
                "step": [one[2] for one in self._moments],
            },
            "cluster": {
                name: [one[place] for one in self._cluster] for place, name in enumerate(past.CLUSTER)
            },
            "fairness": {
                "queues": [one[0] for one in self._fairness],
                "apps": [one[1] for one in self._fairness],
            },
            "queues": [_series_of(one) for one in self._queues.values()],
            "names": names,
            "containers": containers,
            "containersOfEvery": self.containers.every,
            "containersSeen": self.containers.count,
            "marks": self._marks,
            "events": self._events,
            "eventsLeftOut": self._left_out,
            "configuration": [one[:3] for one in site_properties(self._context.configuration)],
            "documents": self.documents,
        }


def _guide_of(title: Title) -> GuideIfAny:
    return {} if title.guide is None else {"guide": title.guide}


def _series_of(one: _Series) -> QueueSeries:
    used, guaranteed, fair, maximum, pending = one.values
    return {
        "path": one.path,
        "partition": one.partition,
        "isLeaf": one.is_leaf,
        "first": one.first,
        "used": used,
        "guaranteed": guaranteed,
        "fair": fair,
        "maximum": maximum,
        "pending": pending,
    }
