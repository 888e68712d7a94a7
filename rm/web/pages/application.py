"""The page of an application: its state in words, the steps of its life, and every figure of Hadoop's page.

All of it is read from what REST answers, so a recording shows the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log10
from urllib.parse import urlencode

from yarnbox.rm.web.grids import Arrangement
from yarnbox.rm.web.pages.blocks import (
    actions,
    choose,
    column,
    facts,
    grid,
    heading,
    included,
    lifeline,
    paragraph,
    section,
    stream,
    table,
    tail,
    text,
)
from yarnbox.rm.web.pages.facts import TO_NODE, fact, or_none, queue_page
from yarnbox.rm.web.pages.lists import containers
from yarnbox.rm.web.pages.taskstream import with_choices
from yarnbox.rm.web.pages.why import why_page
from yarnbox.rm.web.queues.words import memory, plural
from yarnbox.rm.web.values import Answer

_SENTENCES = {
    "NEW": "waiting for its submission to be saved",
    "NEW_SAVING": "waiting for its submission to be saved",
    "SUBMITTED": "waiting to be accepted by the scheduler",
    "ACCEPTED": "waiting for its AM container to be allocated, launched and registered",
    "RUNNING": "its ApplicationMaster has registered",
    "FINISHED": "the ApplicationMaster has unregistered",
    "FAILED": "it ended with a failure",
    "KILLED": "it was killed by a user or by the ResourceManager",
}
_LOG_BYTES = 32 * 1024
_FORGOTTEN = (
    "Its containers ended before the ResourceManager was last started, which does not keep them. "
    "Logs that were collected are there: yarn logs -applicationId ID"
)
_LOCALITIES = {"NODE_LOCAL": "Node Local", "RACK_LOCAL": "Rack Local", "OFF_SWITCH": "Off Switch"}
Localities = Mapping[tuple[str, str], int]
"""How many containers came so near, of those that were asked for so near."""
_OVER = ("FINISHED", "FAILED", "KILLED")
_DEFAULT = "<DEFAULT_PARTITION>"
_MS = 1000


_ATTEMPTS = (
    column("id", "Attempt ID", read="appAttemptId", isCard=True),
    column("state", "State", "state", "appAttemptState", isCard=True),
    column("started", "Started", "moment", "startTime"),
    column("finished", "Finished", "moment", "finishedTime"),
    column("container", "AM Container", "known", "containerId"),
    column("node", "Node", "link", "nodeId", isCard=True, to=TO_NODE),
    column("logs", "Logs", "link", "logsLink", to="{logsLink}", word="Logs", isFixed=True),
    column("blacklist", "Nodes blacklisted by the app", "known", "blacklistedNodes"),
    column("system", "Nodes blacklisted by the system", "known", "nodesBlacklistedBySystem"),
    column("diagnostics", "Diagnostics Info", "long"),
)
_KEY = ("priority", "allocationRequestId", "resourceName")
REQUESTS = (
    column("priority", "Priority", "number"),
    column("request", "AllocationRequestId", "number", "allocationRequestId"),
    column("place", "ResourceName", "known", "resourceName", isCard=True),
    column("capability", "Capability", "amount", isCard=True),
    column("containers", "NumContainers", "number", "numContainers", isCard=True),
    column("relax", "RelaxLocality"),
    column("label", "NodeLabelExpression", "known", "nodeLabelExpression"),
    column("execution", "ExecutionType"),
    column("tags", "AllocationTags", "known"),
    column("constraint", "PlacementConstraint", "known", "placementConstraint"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of an application beside what REST answers of it."""

    now_ms: int
    steps: Sequence[Answer] = ()
    """Of its life."""
    attempts: Sequence[Answer] = ()
    """As REST answers them."""
    containers: int = 0
    """Those that live, and those that ended and are remembered."""
    localities: Localities = field(default_factory=dict)
    """Of these, as far as that is known."""
    why: Answer = field(default_factory=dict)
    """What /ui/why answers, of one that is not over."""
    actions: Sequence[Answer] = ()
    logs: Sequence[Answer] = ()
    """Of the containers whose logs can be read, each a `log_choice`."""
    followed: str = ""
    """The container whose log is shown, and behind a / the file."""
    asked: Mapping[str, str] = field(default_factory=dict)
    """The parameters of the page."""


def application_page(app: Answer, known: Known) -> list[Answer]:
    """`app` is as REST answers it."""
    held = f"app={app['id']}"
    is_forgotten = is_over(app) and not known.containers and app.get("memorySeconds", 0) > 0
    shown = stream(app["id"], held, "node")
    return [
        heading(app["name"], 1),
        paragraph(app["id"], "id"),
        section(list(_status(app, known.why)), f"card status is-{_kind(app)}", "State"),
        *([actions(known.actions)] if known.actions else ()),
        *_life(app, known),
        *why_page(known.why),
        heading("Containers over nodes and time"),
        *([paragraph(_FORGOTTEN, "empty")] if is_forgotten else with_choices(shown, known.asked)),
        facts([*_identity(app), *_times(app), *_labels(app), *_sums(app), *_diagnostics(app)]),
        *_logs(known),
        *_tried(app, known),
        *(() if is_over(app) else _asked(app, known)),
        *(() if is_forgotten else (heading("Locality"), _locality(known))),
        *(() if is_forgotten else (heading("Containers"), containers("app", app["id"], known.asked))),
    ]


def _kind(app: Answer) -> str:
    return "FAILED" if app.get("finalStatus") == "FAILED" else str(app["state"])


def _status(app: Answer, why: Answer) -> Iterable[Answer]:
    """What it is and why it is so, in one place."""
    state, pending = app["state"], _pending(app)
    yield paragraph([{"state": state}, f" {_SENTENCES.get(state, '')}"], "headline")
    if is_over(app):
        if (final := app.get("finalStatus")) != state:
            yield paragraph(["Final status reported by its AM: ", {"state": final}])
        if said := app.get("diagnostics"):
            yield text(said)
    else:
        yield paragraph(_holds(app, pending))
        reason = why.get("foremost") or next(iter(why.get("reasons") or ()), "") or why.get("diagnostic")
        if pending and reason:
            yield paragraph([{"word": "Why it waits:"}, f" {reason}"])
    if lost := _preempted(app):
        yield paragraph(lost)


def _life(app: Answer, known: Known) -> Iterable[Answer]:
    """Each step with its moment, and how long it took."""
    found = _steps(app, known.steps)
    finished_ms = app.get("finishedTime", 0)
    ends = [*(one["time"] for one in found[1:]), finished_ms or known.now_ms]
    shown = []
    for one, end_ms in zip(found, ends, strict=True):
        is_last, took_ms = one is found[-1], max(0, end_ms - one["time"])
        said: object = [{"duration": took_ms}, " so far" if is_last else ""]
        if is_last and finished_ms:
            said = {"exact": one["time"]}
        weight = 1 + log10(1 + took_ms / _MS)
        shown.append({"step": one["step"], "time": one["time"], "weight": round(weight, 3), "said": said})
    if shown:
        yield lifeline(shown)


def _locality(known: Known) -> Answer:
    """How near to where they were asked for containers came: Hadoop's table of three by three. Nothing is
    nearer than it was asked for: those places are empty where they are zero.
    """
    if not known.containers:
        return paragraph("No containers have been allocated yet.", "empty")
    counts, kinds = known.localities, list(_LOCALITIES)
    if not counts:
        return paragraph(
            "Not known: these containers were allocated before the ResourceManager was restarted.", "empty"
        )
    rows = [
        [
            f"Num {name} Containers (satisfied by)",
            *(counts.get((kind, asked), "" if place < i else 0) for i, asked in enumerate(kinds)),
        ]
        for place, (kind, name) in enumerate(_LOCALITIES.items())
    ]
    columns = ["Containers", *(f"{name} Request" for name in _LOCALITIES.values())]
    return table(f"Total Allocated Containers: {sum(counts.values())}", columns, rows)


def log_choice(container: str, node: str, *, is_am: bool, state: str) -> Answer:
    """A container as one whose log can be followed."""
    text = f"{container}{', ApplicationMaster' if is_am else ''}, {state.lower()}"
    return {"id": container, "node": node, "text": text}


def _logs(known: Known) -> Iterable[Answer]:
    if not known.logs:
        return
    container, _, file = known.followed.partition("/")
    node = next((one["node"] for one in known.logs if one["id"] == container), "")
    choices = [("", "none"), *((one["id"], one["text"]) for one in known.logs)]
    yield heading("Logs")
    yield choose("Follow the log of a container", "log", choices, container if node else "")
    if node:
        asked = {"container": container, "node": node, "size": _LOG_BYTES, **({"file": file} if file else {})}
        yield included(f"/ui/log-tail?{urlencode(asked)}")


def log_page(container: str, log: Answer) -> list[Answer]:
    """The end of one of its logs, and a choice of the others: `log` is what /ui/container-logs answers."""
    if not log["files"]:
        return [paragraph("The container has written no logs yet.", "empty")]
    choices = [(f"{container}/{one['name']}", one["text"]) for one in log["files"]]
    return [
        choose("File", "log", choices, f"{container}/{log['file']}"),
        tail(f"The end of {log['file']} of {container}", log["text"] or "(empty)"),
    ]


def is_over(app: Answer) -> bool:
    """Whether it has ended."""
    return app["state"] in _OVER


def _tried(app: Answer, known: Known) -> Iterable[Answer]:
    rows = [
        {**one, "diagnostics": one.get("diagnosticsInfo") or one.get("diagnostics")} for one in known.attempts
    ]
    how = {"of": "appAttemptId", "calls": [f"/apps/{app['id']}/appattempts"]}
    yield heading("Attempts")
    arranged = Arrangement("attempts", _ATTEMPTS, known.asked)
    yield grid(arranged, "Attempts", rows, none="No attempt has started yet.", **how)


def _asked(app: Answer, known: Known) -> Iterable[Answer]:
    rows = [
        {
            **one,
            "key": ",".join(str(one.get(name)) for name in _KEY),
            "relax": str(one.get("relaxLocality")).lower(),
            "execution": one.get("executionTypeRequest", {}).get("executionType"),
            "tags": ", ".join(one.get("allocationTags") or ()),
        }
        for one in app.get("resourceRequests") or ()
    ]
    none = "All requested containers were allocated."
    how = {"of": "key", "calls": [f"/apps/{app['id']}"]}
    yield heading("Outstanding requests")
    arranged = Arrangement("requests", REQUESTS, known.asked)
    yield grid(arranged, "Total Outstanding Resource Requests", rows, none=none, **how)


def _pending(app: Answer) -> int:
    """A request for any place is one of the same containers as those for hosts and racks. A recording has
    the sum alone.
    """
    asked = app.get("resourceRequests")
    if asked is None:
        return max(0, int(app.get("pendingContainers", 0)))
    return sum(one["numContainers"] for one in asked if one.get("resourceName") in ("*", None))


def _holds(app: Answer, pending: int) -> list[object]:
    held = {"memory": max(0, app["allocatedMB"]), "vCores": max(0, app["allocatedVCores"])}
    containers = plural(max(0, app["runningContainers"]), "container")
    return [f"{containers}, ", held, f"; {pending} more requested" if pending else ""]


def _preempted(app: Answer) -> str:
    count = app.get("numNonAMContainerPreempted", 0)
    lost = memory(app.get("preemptedResourceMB", 0))
    return f"Preempted: {plural(count, 'container')}, {lost}" if count else ""


def _steps(app: Answer, steps: Iterable[Answer]) -> list[Answer]:
    """Where no steps were recorded, the application's own times stand for them."""
    own = (("submitted", "startedTime"), ("AM launched", "launchTime"), ("finished", "finishedTime"))
    found = list(steps) or [{"step": step, "time": app.get(name, 0)} for step, name in own]
    return sorted((one for one in found if one["time"] > 0), key=lambda one: int(one["time"]))


def _identity(app: Answer) -> list[Answer]:
    state = app["state"]
    return [
        fact("User", app["user"]),
        fact("Queue", app["queue"], queue_page(app["queue"])),
        fact("YarnApplicationState", [{"state": state}, f": {_SENTENCES.get(state, '')}"]),
        fact("FinalStatus Reported by AM", app.get("finalStatus", "N/A")),
        fact("Application Type", or_none(app.get("applicationType"))),
        fact("Application Tags", or_none(app.get("applicationTags"))),
        fact("Application Priority", or_none(app.get("priority", 0))),
    ]


def _times(app: Answer) -> list[Answer]:
    return [
        fact("Started", {"moment": app["startedTime"]}),
        fact("Launched", {"moment": app.get("launchTime", 0)}),
        fact("Finished", {"moment": app["finishedTime"]}),
        fact("Elapsed", {"duration": app["elapsedTime"]}),
        fact("Progress", {"share": app.get("progress", 0)}),
        _tracking(app),
        fact("Log Aggregation Status", or_none(app.get("logAggregationStatus"))),
        fact("Application Timeout (Remaining Time)", _timeout(app)),
    ]


def _tracking(app: Answer) -> Answer:
    shown = app.get("trackingUI", "UNASSIGNED")
    if shown == "UNASSIGNED":
        return fact("Tracking URL", "Unassigned")
    return fact("Tracking URL", shown, f"/proxy/{app['id']}/")


def _timeout(app: Answer) -> object:
    for one in app.get("timeouts", {}).get("timeout", ()):
        if one["type"] == "LIFETIME" and one["remainingTimeInSeconds"] >= 0:
            return {"duration": _MS * one["remainingTimeInSeconds"]}
    return "Unlimited"


def _labels(app: Answer) -> list[Answer]:
    return [
        fact("Unmanaged Application", str(app.get("unmanagedApplication", False)).lower()),
        fact("Application Node Label expression", app.get("appNodeLabelExpression") or _DEFAULT),
        fact("AM container Node Label expression", app.get("amNodeLabelExpression") or _DEFAULT),
    ]


def _sums(app: Answer) -> list[Answer]:
    preempted = {
        "memory": app.get("preemptedResourceMB", 0),
        "vCores": app.get("preemptedResourceVCores", 0),
    }
    lost = _seconds(app, "preemptedMemorySeconds", "preemptedVcoreSeconds")
    return [
        fact("Total Resource Preempted", preempted),
        fact("Total Number of Non-AM Containers Preempted", app.get("numNonAMContainerPreempted", 0)),
        fact("Total Number of AM Containers Preempted", app.get("numAMContainerPreempted", 0)),
        fact("Aggregate Resource Allocation", _seconds(app, "memorySeconds", "vcoreSeconds")),
        fact("Aggregate Preempted Resource Allocation", lost),
    ]


def _seconds(app: Answer, of_memory: str, of_vcores: str) -> str:
    return f"{memory(app.get(of_memory, 0))}-seconds, {app.get(of_vcores, 0)} vcore-seconds"


def _diagnostics(app: Answer) -> list[Answer]:
    """Those of an application that is over stand beside its state."""
    said = app.get("diagnostics")
    return [] if app["state"] in _OVER else [fact("Diagnostics", {"text": said} if said else "N/A")]
