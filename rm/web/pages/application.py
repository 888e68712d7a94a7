"""The page of an application: its state in words, the steps of its life, and every figure of Hadoop's page.

All of it is read from what REST answers, so a recording shows the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.web.pages.blocks import column, grid, heading
from yarnbox.rm.web.pages.facts import fact, or_none, queue_page
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
_OVER = ("FINISHED", "FAILED", "KILLED")
_DEFAULT = "<DEFAULT_PARTITION>"
_MS = 1000


_ATTEMPTS = (
    column("id", "Attempt ID", read="appAttemptId", isCard=True),
    column("state", "State", "states", "appAttemptState", isCard=True),
    column("started", "Started", "time", "startTime"),
    column("finished", "Finished", "time", "finishedTime"),
    column("container", "AM Container", "orNoneText", "containerId"),
    column("node", "Node", "ofNode", "nodeId", isCard=True),
    column("logs", "Logs", "logs", "logsLink"),
    column("blacklist", "Nodes blacklisted by the app", "orNoneText", "blacklistedNodes"),
    column("system", "Nodes blacklisted by the system", "orNoneText", "nodesBlacklistedBySystem"),
    column("diagnostics", "Diagnostics Info", "longText"),
)
_KEY = ("priority", "allocationRequestId", "resourceName")
_REQUESTS = (
    column("priority", "Priority", "number"),
    column("request", "AllocationRequestId", "number", "allocationRequestId"),
    column("place", "ResourceName", "orNoneText", "resourceName", isCard=True),
    column("capability", "Capability", "amounts", isCard=True),
    column("containers", "NumContainers", "number", "numContainers", isCard=True),
    column("relax", "RelaxLocality"),
    column("label", "NodeLabelExpression", "orNoneText", "nodeLabelExpression"),
    column("execution", "ExecutionType"),
    column("tags", "AllocationTags", "orNoneText"),
    column("constraint", "PlacementConstraint", "orNoneText", "placementConstraint"),
)


def application_page(app: Answer, steps: Iterable[Answer], attempts: Iterable[Answer] = ()) -> Answer:
    """`app` and its `attempts` are as REST answers them, `steps` are those of its life that are known."""
    ends, pending = is_over(app), _pending(app)
    return {
        "sentence": _SENTENCES.get(app["state"], ""),
        "holds": [] if ends else _holds(app, pending),
        "isWaiting": not ends and pending > 0,
        "preempted": _preempted(app),
        "moment": _life(app, steps),
        "asked": [*_tried(app, attempts), *(() if ends else _asked(app))],
        "fact": [*_identity(app), *_times(app), *_labels(app), *_sums(app), *_diagnostics(app)],
    }


def is_over(app: Answer) -> bool:
    """Whether it has ended."""
    return app["state"] in _OVER


def _tried(app: Answer, attempts: Iterable[Answer]) -> Iterable[Answer]:
    rows = [{**one, "diagnostics": one.get("diagnosticsInfo") or one.get("diagnostics")} for one in attempts]
    how = {"of": "appAttemptId", "calls": [f"/apps/{app['id']}/appattempts"]}
    yield heading("Attempts")
    yield grid("attempts", "Attempts", _ATTEMPTS, rows, none="No attempt has started yet.", **how)


def _asked(app: Answer) -> Iterable[Answer]:
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
    yield grid("requests", "Total Outstanding Resource Requests", _REQUESTS, rows, none=none, **how)


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


def _life(app: Answer, steps: Iterable[Answer]) -> list[Answer]:
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
