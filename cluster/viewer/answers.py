"""What the REST API would have answered at a moment of a recording, for the pages of the ResourceManager.

Moments of a recording begin at 0. Pages read moments as Hadoop's REST has them, where 0 means never; so all
of them are shown from EPOCH_MS on, and the pages say how long after it something was. Knows recordings alone:
no network, no clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import unquote

from yarnbox.cluster.viewer.containers import EPOCH_MS, containers_at
from yarnbox.rm.web import finding
from yarnbox.rm.web.grids import natural, wants_file
from yarnbox.rm.web.pages.about import about_run
from yarnbox.rm.web.pages.application import Known, application_page, is_over
from yarnbox.rm.web.pages.charts import cluster_charts, queue_charts
from yarnbox.rm.web.pages.lists import (
    A_PAGE,
    ApplicationsPage,
    ContainersPage,
    EventsPage,
    NodesPage,
    labels_page,
)
from yarnbox.rm.web.pages.node import Use, node_page
from yarnbox.rm.web.pages.overview import cluster_page
from yarnbox.rm.web.pages.queue import Asked, scheduler_page
from yarnbox.rm.web.pages.taskstream import LanesTable
from yarnbox.rm.web.past import CLUSTER, MEASURES, Measure
from yarnbox.rm.web.properties import ShownProperty, configuration
from yarnbox.rm.web.queues.tree import queues_page
from yarnbox.rm.web.queues.words import in_units, page_in_units
from yarnbox.rm.web.refusals import RestError
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.recorder import OVER
from yarnbox.sim.recording.shape import QueueSeries, RecordedContainer
from yarnbox.yarn.ids import ApplicationId

Answer = Any
Query = Mapping[str, str]
_APP_TIMES = ("startedTime", "launchTime", "finishedTime")
_ATTEMPT_TIMES = ("startTime", "finishedTime")
_MOST_ROWS = 500
_MOST_POINTS = 600
_SHOWN_EVENTS = 5_000
_LONGEST_NUMBER = 10


def missing(message: str) -> RestError:
    """404."""
    return RestError(404, "org.apache.hadoop.yarn.webapp.NotFoundException", message)


def wrong(message: str) -> RestError:
    """400."""
    return RestError(400, "org.apache.hadoop.yarn.webapp.BadRequestException", message)


@dataclass(frozen=True, slots=True)
class _App:
    """An application at a moment."""

    application_id: ApplicationId
    shown: dict[str, Any]


class RecordedCluster:
    """One recording, asked as a ResourceManager is asked."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._last_change = {
            name: max((track[-2] for track in tracks.values() if track), default=0)
            for name, tracks in recording.documents.items()
        }
        self._final: dict[str, Any] = {}
        self._final_rows: dict[str, finding.Row[_App]] = {}
        self._exact: Mapping[str, Callable[[int, Query], Answer]] = {
            "/metrics": lambda moment, _: {"clusterMetrics": self._document("/metrics", moment) or {}},
            "/scheduler": self._scheduler,
            "/info": self._info,
            "/get-rm-node-labels": self._labels,
            "/ui/labels": lambda moment, query: {
                "labels": {"block": labels_page(query, self._labels(moment, query)["nodeLabelInfo"])}
            },
            "/ui/nodes": self._nodes,
            "/ui/heat": self._heat,
            "/nodes": lambda moment, _: {
                "nodes": {"node": [self._node(name, moment) for name in self._node_ids(moment)]}
            },
            "/apps": lambda moment, query: {
                "apps": {"app": self._apps(moment, {**query, "limit": str(_MOST_ROWS)})["found"]["app"]}
            },
            "/ui/apps": self._apps,
            "/ui/containers": lambda moment, query: {"containers": self._containers(moment, query)},
            "/ui/containers/list": self._sorted_containers,
            "/ui/containers/table": self._counted_containers,
            "/ui/history/queues": self._queue_history,
            "/ui/history/cluster": self._cluster_history,
            "/ui/charts/queues": self._queue_charts,
            "/ui/charts/cluster": self._cluster_charts,
            "/ui/conf": self._configuration,
            "/scheduler-overview": lambda moment, _: self._document("/scheduler-overview", moment),
            "/ui/cluster": self._cluster,
            "/ui/about": lambda moment, query: {
                "about": {"block": about_run(self._info(moment, query)["clusterInfo"])}
            },
            "/ui/waiting": lambda moment, _: {"waiting": self._document("/waiting", moment)},
            "/ui/queue-users": self._queue_users,
            "/ui/queues": self._queues,
            "/ui/events": self._events,
            "/ui/errors-and-warnings": lambda moment, query: self._events(
                moment, {"which": "trouble", **query}
            ),
        }

    @property
    def counts_vcores(self) -> bool:
        """Whether the scheduler does."""
        return bool((self._document("/waiting", self.place(None)) or {}).get("countsVCores", True))

    def answer(self, path: str, query: Query, at: int | None) -> Answer:
        """The answer to a path below /ws/v1/cluster: empty where this recording does not tell what others do,
        RestError where there is no such thing. Without a moment it is the last one.
        """
        found = self._found(path, query, self.place(at))
        if not found:
            return found
        shown = partial(page_in_units, counts_vcores=self.counts_vcores)
        return {root: shown(one) if isinstance(one, dict) else one for root, one in found.items()}

    def _found(self, path: str, query: Query, moment: int) -> Answer:
        if path in self._exact:
            return self._exact[path](moment, query)
        words = [unquote(word) for word in path.strip("/").split("/")]
        if words[0] == "nodes" and len(words) == 2:
            return {"node": self._node(words[1], moment)}
        if words[0] == "apps" and len(words) == 2:
            return {"app": self._app(words[1], moment)}
        if words[0] == "apps" and len(words) == 3 and words[2] == "appattempts":
            return {"appAttempts": {"appAttempt": self._attempts(words[1], moment)}}
        if words[:2] == ["ui", "node"] and len(words) == 3:
            return {"node": {"block": self._node_page(words[2], moment, query)}}
        if words[:2] == ["ui", "app"] and len(words) == 3:
            return {"app": {"block": self._app_page(words[2], moment, query)}}
        if words[:2] == ["ui", "why"] and len(words) == 3:
            return {"why": self._of_app("/why", words[2], moment) or {}}
        raise missing(f"a recording does not know {path}")

    def place(self, at: int | None) -> int:
        """The number of the moment that is shown then."""
        moments = self.recording.moments
        return len(moments) - 1 if at is None else max(0, bisect_right(moments, at) - 1)

    # ---- documents

    def _document(self, name: str, moment: int) -> Any:
        if moment < self._last_change.get(name, 0):
            return self.recording.document(name, moment)
        if name not in self._final:
            self._final[name] = self.recording.document(name, moment)
        return self._final[name]

    def _queue_users(self, moment: int, query: Query) -> Answer:
        path = query.get("queue") or "root"
        return {"users": {"user": self._document(f"/queue-users/{path}", moment) or []}}

    def _clock(self, moment: int) -> int:
        return EPOCH_MS + self.recording.moments[moment]

    def _scheduler(self, moment: int, query: Query) -> Answer:
        return {"scheduler": {"schedulerInfo": self._document("/scheduler", moment)}}

    def _cluster(self, moment: int, query: Query) -> Answer:
        info, waits = (self._document(name, moment) for name in ("/scheduler-overview", "/waiting"))
        states = Counter(row.texts["state"] for row in self._rows(moment))
        metrics = self._document("/metrics", moment)
        page = cluster_page(metrics, info, waits, states, asked=query, is_run=True)
        return {"cluster": {"block": page}}

    def _queues(self, moment: int, query: Query) -> Answer:
        overview = self._document("/scheduler-overview", moment) or {}
        step_mb = overview.get("minimumAllocation", {}).get("memory", 0)
        info = self._document("/scheduler", moment)
        asked = Asked(queue=query.get("queue", ""), partition=query.get("partition", ""), lists=query)
        shown = queues_page(info, asked.queue, asked.partition, step_mb)
        users = self._queue_users(moment, query)["users"]["user"]
        page = scheduler_page(shown, asked, self._document("/waiting", moment), users)
        return {"queues": {"block": page}}

    def _info(self, moment: int, query: Query) -> Answer:
        recording = self.recording
        return {
            "clusterInfo": {
                "id": recording.name,
                "state": "recorded",
                "haState": "none",
                "rmStateStoreName": "none",
                "startedOn": EPOCH_MS,
                "resourceManagerVersion": "",
                "hadoopVersion": "",
                "scheduler": recording.scheduler,
                "kind": recording.data["kind"],
                "about": recording.data["about"],
                "moments": len(recording.moments),
                "end": recording.end,
            }
        }

    def _labels(self, moment: int, query: Query) -> Answer:
        found = self._document("/labels", moment) or []
        return {"nodeLabelInfo": [{**one, "exclusivity": str(one["exclusivity"]).lower()} for one in found]}

    def _configuration(self, moment: int, query: Query) -> Answer:
        site = [ShownProperty(*row) for row in self.recording.data["configuration"]]
        return {"configuration": configuration(query, site, self._document("/scheduler-file", moment))}

    # ---- nodes

    def _every_node(self, moment: int) -> list[Answer]:
        found = [self._document(name, moment) for name in self.recording.under("/nodes/")]
        there = [{**one, "health": self._clock(moment)} for one in found if one]
        return sorted(there, key=lambda one: natural(one["host"]))

    def _nodes(self, moment: int, query: Query) -> Answer:
        page = NodesPage(query)
        for one in self._every_node(moment):
            page.take(one)
        return {"nodes": {"node": page.rows(), "block": page.blocks("No nodes have registered.")}}

    def _heat(self, moment: int, query: Query) -> Answer:
        page = NodesPage({})
        for one in self._every_node(moment):
            page.take(one)
        return {"nodes": {"block": page.heat()}}

    def _node_page(self, node_id: str, moment: int, query: Query) -> list[Answer]:
        one = self._document(f"/nodes/{node_id}", moment)
        if one is None:
            raise missing(f"nodeId, {node_id}, is not found")
        group = "app" if query.get("colour") == "app" else "queue"
        held = self._containers(moment, {"node": node_id})["container"]
        used = [
            Use(row[group], row["memoryMB"], row["started"], row["finished"])
            for row in held
            if row["state"] != "RESERVED"
        ]
        return node_page({**one, "health": self._clock(moment)}, (), used, self._clock(moment), query)

    def _containers(self, moment: int, query: Query) -> Answer:
        at = self.recording.moments[moment]
        return containers_at(self.recording, at, query, counts_vcores=self.counts_vcores)

    def _node_ids(self, moment: int) -> list[str]:
        names = self.recording.under("/nodes/")
        return [name.removeprefix("/nodes/") for name in names if self._document(name, moment)]

    def _node(self, node_id: str, moment: int) -> Answer:
        one = self._document(f"/nodes/{node_id}", moment)
        if one is None:
            raise missing(f"nodeId, {node_id}, is not found")
        return {
            "id": one["id"],
            "state": one["state"],
            "rack": one["rack"],
            "nodeHostName": one["host"],
            "nodeLabels": [one["label"]] if one["label"] else [],
            "usedMemoryMB": one["usedMB"],
            "availMemoryMB": one["totalMB"] - one["usedMB"],
            "usedVirtualCores": one["usedVCores"],
            "availableVirtualCores": one["totalVCores"] - one["usedVCores"],
            "numContainers": one["containers"],
            "healthReport": one["report"],
            "lastHealthUpdate": self._clock(moment),
            "version": one["version"],
        }

    # ---- applications

    def _of_app(self, kind: str, app_id: str, moment: int) -> Any:
        """What else is told of an application; RestError when there is no such application at that moment."""
        if self._document(f"/apps/{app_id}", moment) is None:
            raise missing(f"app with id: {app_id} not found")
        return self._document(f"{kind}/{app_id}", moment)

    def _app(self, app_id: str, moment: int) -> dict[str, object]:
        document = self._of_app("/apps", app_id, moment)
        metrics = self._document("/metrics", moment) or {}
        whole = metrics.get("totalMB", 0)
        shown = {**document, **_shifted(document, _APP_TIMES)}
        now = self._clock(moment)
        held = max(0, shown.get("allocatedMB", 0))
        shown["elapsedTime"] = (shown["finishedTime"] or now) - shown["startedTime"]
        shown["clusterUsagePercentage"] = 100 * held / whole if whole else 0.0
        shown.pop("trackingUrl", None)
        shown["trackingUI"] = "UNASSIGNED"  # its pages went with it
        return shown

    def _app_page(self, app_id: str, moment: int, query: Query) -> list[Answer]:
        shown, at = self._app(app_id, moment), self.recording.moments[moment]
        steps = self._of_app("/lives", app_id, moment) or []
        held = [one for one in self.recording.containers if one["app"] == app_id and _is_there(one, at)]
        near = ((one["locality"], one["requested"]) for one in held)
        known = Known(
            now_ms=self._clock(moment),
            steps=[{**one, "time": EPOCH_MS + one["time"]} for one in steps],
            attempts=self._attempts(app_id, moment),
            containers=len(held),
            localities=Counter(one for one in near if all(one)),
            why={} if is_over(shown) else self._of_app("/why", app_id, moment) or {},
            asked=query,
        )
        return application_page(shown, known)

    def _apps(self, moment: int, query: Query) -> Answer:
        rows = list(self._rows(moment))
        wanted = _words(query, "states")
        first, limit = _number(query, "from", 0), _number(query, "limit", A_PAGE)
        if wants_file(query):
            first, limit = 0, len(rows)
        page = ApplicationsPage(query)
        found = finding.find(
            rows,
            finding.parse(query.get("q", "")),
            {"state": wanted, **{one: _words(query, one) for one in ("user", "queue", "type")}},
            page.order,
            first,
            limit,
        )
        shown = [page.take(self._app(str(row.app.application_id), moment)) for row in found.rows]
        counts = {"total": found.total, "matching": found.matching, "facets": found.facets}
        return {"found": {**counts, "block": page.blocks(counts), "app": shown}}

    def _rows(self, moment: int) -> Iterator[finding.Row[_App]]:
        for name in self.recording.under("/apps/"):
            is_final = moment >= self._last_change[name]
            row = self._final_rows.get(name) if is_final else None
            if row is None:
                document = self._document(name, moment)
                if document is None:
                    continue
                app = _App(ApplicationId.parse(name.removeprefix("/apps/")), document)
                row = finding.Row(app, _texts(document), _numbers(document).__getitem__)
                if is_final:
                    self._final_rows[name] = row
            yield row

    def _attempts(self, app_id: str, moment: int) -> Answer:
        found = self._document(f"/attempts/{app_id}", moment) or []
        return [{**one, **_shifted(one, _ATTEMPT_TIMES)} for one in found]

    # ---- series

    def _queue_history(self, moment: int, query: Query) -> Answer:
        parent, partition = query.get("parent") or "root", query.get("partition", "")
        is_fifo = self.recording.scheduler == "FifoScheduler"  # which has one queue, called `default`
        if is_fifo:
            parent = "root"
        places = self._places(query)
        known = len(self.recording.moments) - 1 if query.get("whole") else moment
        prefix = parent + "."
        below = [one for one in self.recording.data["queues"] if one["partition"] == partition]
        found = [
            one for one in below if one["path"].startswith(prefix) and "." not in one["path"][len(prefix) :]
        ]
        found = found or [one for one in below if one["path"] == parent]
        queues = [
            {
                "path": "default" if is_fifo and one["path"] == "root" else one["path"],
                **{name: [_value_at(one, name, place, known) for place in places] for name in MEASURES},
            }
            for one in found
        ]
        now = {"time": self._clock(moment), "kind": "now", "text": ""}
        marks = [*self._marks(known), now]
        return {"history": {**self._times(places, moment), "queue": queues, "mark": marks}}

    def _cluster_history(self, moment: int, query: Query) -> Answer:
        places = self._places(query)
        columns = self.recording.data["cluster"]
        series = {name: [columns[name][one] if one <= moment else None for one in places] for name in CLUSTER}
        return {"history": {**self._times(places, moment), **series}}

    def _queue_charts(self, moment: int, query: Query) -> Answer:
        history = self._queue_history(moment, query)["history"]
        return {"charts": {"block": queue_charts(history, self.recording.scheduler)}}

    def _cluster_charts(self, moment: int, query: Query) -> Answer:
        past = self._cluster_history(moment, query)["history"]
        queues = self._queue_history(moment, query)["history"]
        is_labelled = any(one["label"] for one in self._every_node(moment))
        return {"charts": {"block": cluster_charts(past, queues, is_labelled=is_labelled, is_run=True)}}

    def _places(self, query: Query) -> list[int]:
        count = len(self.recording.moments)
        points = min(_MOST_POINTS, _number(query, "points", _MOST_POINTS))
        stride = max(1, -(-count // max(1, points)))
        places = list(range(0, count, stride))
        return places if places[-1] == count - 1 else [*places, count - 1]

    def _times(self, places: Sequence[int], moment: int) -> dict[str, object]:
        return {"now": self._clock(moment), "times": [self._clock(place) for place in places]}

    def _marks(self, moment: int) -> list[dict[str, object]]:
        at = self.recording.moments[moment]
        marks = [one for one in self.recording.data["marks"] if one[0] <= at]
        return [{"time": EPOCH_MS + when, "kind": kind, "text": text} for when, kind, text in marks]

    # ---- containers

    def _sorted_containers(self, moment: int, query: Query) -> Answer:
        page = ContainersPage(query)
        for one in self._containers(moment, query)["container"]:
            page.rows.take(one)
        shown = page.cut(page.rows.taken())
        return {"containers": {"container": shown, "block": page.blocks()}}

    def _counted_containers(self, moment: int, query: Query) -> Answer:
        found = self._containers(moment, query)
        counted = LanesTable(query, found["names"])
        for one in found["container"]:
            counted.take(one)
        return {"containers": {"block": counted.blocks()}}

    # ---- events

    def _events(self, moment: int, query: Query) -> Answer:
        at = self.recording.moments[moment]
        page = EventsPage(query)
        rows = [one for one in self.recording.data["events"] if one[0] <= at][-_SHOWN_EVENTS:]
        found = (
            {
                "time": EPOCH_MS + when,
                "type": kind,
                "subject": subject,
                "details": text,
                "isTrouble": bool(is_trouble),
                "number": number,
            }
            for number, (when, _, kind, subject, text, is_trouble) in reversed([*enumerate(rows)])
        )
        for one in found:
            page.take(one)
        left_out = self.recording.data["eventsLeftOut"]
        rows = in_units(page.rows(), counts_vcores=self.counts_vcores)
        return {"events": {"event": rows, "block": page.blocks(left_out)}}


def _is_there(one: RecordedContainer, at: int) -> bool:
    return any(ms is not None and ms <= at for ms in (one["reserved"], one["started"]))


def _words(query: Query, name: str) -> list[str]:
    return [one for one in query.get(name, "").split(",") if one]


def _texts(shown: Mapping[str, Any]) -> dict[str, str]:
    named = {"type": "applicationType", "tag": "applicationTags", "final": "finalStatus"}
    named["tracking"] = "trackingUI"
    return {name: str(shown.get(named.get(name, name), "")) for name in finding.TEXTS}


def _numbers(shown: Mapping[str, Any]) -> dict[str, float]:
    named = {
        "started": "startedTime",
        "finished": "finishedTime",
        "mem": "allocatedMB",
        "vcores": "allocatedVCores",
        "containers": "runningContainers",
        "launched": "launchTime",
        "elapsed": "elapsedTime",
        "reservedmem": "reservedMB",
        "reservedvcores": "reservedVCores",
        "pending": "pendingContainers",
        "queueshare": "queueUsagePercentage",
        "clustershare": "clusterUsagePercentage",
    }
    return {name: max(0, shown.get(named.get(name, name), 0)) for name in finding.NUMBERS}


def _shifted(shown: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    is_over = shown.get("state", shown.get("appAttemptState")) in OVER
    shifted = {}
    for name in names:
        value = shown.get(name) or 0
        is_known = value or name.startswith("start") or (is_over and name == "finishedTime")
        shifted[name] = EPOCH_MS + value if is_known else 0
    return shifted


def _value_at(queue: QueueSeries, measure: Measure, place: int, moment: int) -> float | None:
    index = place - queue["first"]
    if place > moment or not 0 <= index < len(queue[measure]):
        return None
    value = queue[measure][index]
    return None if value < 0 else value


def _number(query: Query, name: str, default: int) -> int:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER else default
