"""The calls that answer with long lists: applications by their filters, and nodes. Hadoop:
RMWebServices.getApps and getNodes.
"""

from __future__ import annotations

import re
from typing import Any

from yarnbox.rm.app import RMApp
from yarnbox.rm.edge.http.calls import Call, Listing
from yarnbox.rm.reports import application_state
from yarnbox.rm.services.filters import QueueFilter
from yarnbox.rm.web import apps, nodes
from yarnbox.rm.web.refusals import RestError, bad_request, illegal_argument
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.enums import FinalApplicationStatus, NodeState, YarnApplicationState

DESELECTS = (
    "resourceRequests",
    "timeouts",
    "appNodeLabelExpression",
    "amNodeLabelExpression",
    "resourceInfo",
)
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
_LOWER = {name.lower(): name for name in DESELECTS}


def application_states(call: Call) -> list[YarnApplicationState]:
    """`states` and the old `state` together."""
    found = []
    for text in [*call.words_of("states"), *call.words_of("state")]:
        state = YarnApplicationState.__members__.get(text.upper())
        if state is None:
            known = ", ".join(YarnApplicationState.__members__)
            raise bad_request(f"Invalid application-state {text} specified. It should be one of [{known}]")
        found.append(state)
    return found


def deselects(call: Call) -> tuple[str, ...]:
    """The fields to leave out, in lower case."""
    found = []
    for text in call.words_of("deSelects"):
        if text.lower() not in _LOWER:
            raise bad_request(
                f"Invalid deSelects string {text} specified. It should be one of [{', '.join(DESELECTS)}]"
            )
        found.append(text.lower())
    return tuple(found)


def list_apps(call: Call) -> Listing:
    """GET /apps."""
    context = call.context
    passes = _Filter(call)
    without = deselects(call)
    limit = _limit(call)
    hides = context.settings.web.filter_by_user

    def show(app: RMApp) -> Answer | None:
        if not passes(app):
            return None
        may_view = call.access.may_view(call.caller.user, app)
        if hides and not may_view:
            return None
        return apps.application(context, call.shapes, app, may_view=may_view, without=without)

    return Listing(
        outer="apps",
        inner="app",
        sources=sorted(context.apps.values(), key=lambda app: app.application_id),
        show=show,
        limit=limit,
    )


def _limit(call: Call) -> int | None:
    text = call.parameter("limit")
    if not text:
        return None
    limit = _whole(text, "limit")
    if limit < 1:
        raise bad_request("limit value must be greater then 0")
    return limit


class _Filter:
    """All filters that were given must hold."""

    def __init__(self, call: Call) -> None:
        self.states = application_states(call)
        self.final = self._final_status(call.parameter("finalStatus"))
        self.user = call.parameter("user")
        self.queue = self._queue(call)
        self.types = [name.lower() for name in call.words_of("applicationTypes")]
        self.tags = [name.lower() for name in call.words_of("applicationTags")]
        self.name = call.parameter("name")
        self.started = _range(call, "startedTime", "startedTime", "startTime")
        self.finished = _range(call, "finishedTime", "finishTime", "finishTime")

    def _final_status(self, text: str | None) -> FinalApplicationStatus | None:
        if not text:
            return None
        found = FinalApplicationStatus.__members__.get(text)
        if found is None:
            raise illegal_argument(
                "No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus." + text
            )
        return found

    def _queue(self, call: Call) -> QueueFilter | None:
        """400 for a queue that the CapacityScheduler does not know."""
        queue = call.parameter("queue")
        scheduler = call.context.scheduler
        if queue and scheduler.name == "CapacityScheduler" and scheduler.views.queue_view(queue) is None:
            raise bad_request(f"Unknown queue: {queue}")
        return QueueFilter(call.context, queue) if queue else None

    def __call__(self, app: RMApp) -> bool:
        tags = [tag.lower() for tag in app.submission.application_tags]
        return (
            (not self.states or application_state(app) in self.states)
            and (self.final is None or app.final_status is self.final)
            and (not self.user or app.user == self.user)
            and (self.queue is None or self.queue.holds(app))
            and (not self.types or app.submission.application_type.lower() in self.types)
            and (not self.tags or any(tag in tags for tag in self.tags))
            and (self.name is None or app.name == self.name)
            and self.started[0] <= app.start_ms <= self.started[1]
            and self.finished[0] <= app.finish_ms <= self.finished[1]
        )


def _range(call: Call, name: str, said: str, said_first: str) -> tuple[int, int]:
    """Two moments; `said` and `said_first` are what Hadoop calls them in its refusals."""
    begin, end = _moment(call, name + "Begin", said + "Begin"), _moment(call, name + "End", said + "End")
    if begin is not None and end is not None and begin > end:
        raise bad_request(f"{said}End must be greater than {said_first}Begin")
    return begin or 0, 2**63 if end is None else end


def _moment(call: Call, name: str, said: str) -> int | None:
    text = call.parameter(name)
    if not text:
        return None
    moment = _whole(text, name)
    if moment < 0:
        raise bad_request(f"{said} must be greater than 0")
    return moment


def _whole(text: str, name: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise bad_request(f"{name} value must be a number!")
    return int(text)


def list_nodes(call: Call) -> Listing:
    """GET /nodes: every state unless some are named."""
    context = call.context
    given = call.query.get("states")
    words = ",".join(given).rstrip(",").split(",") if given else []
    wanted = [_node_state(word.strip()) for word in words]

    def show(node: Any) -> Answer | None:
        if wanted and node.state not in wanted:
            return None
        return nodes.node(context, call.shapes, node)

    every = [*context.nodes.values(), *context.inactive_nodes.values()]
    return Listing(outer="nodes", inner="node", sources=every, show=show)


def _node_state(text: str) -> NodeState:
    found = NodeState.__members__.get(text.upper())
    if found is None:
        raise RestError(
            400,
            "java.lang.IllegalArgumentException",
            f"No enum constant org.apache.hadoop.yarn.api.records.NodeState.{text.upper()}",
        )
    return found
