"""The calls that answer with long lists: applications by their filters, and nodes. Answers for
RMWebServices.getApps and getNodes.
"""

from __future__ import annotations

from typing import Any

from rm.app import RMApp
from rm.edge.http.calls import Call, Listing
from rm.reports import application_state
from rm.web import apps, nodes
from rm.web.refusals import RestError, bad_request
from rm.web.values import Answer
from yarn.enums import FinalApplicationStatus, NodeState, YarnApplicationState

DESELECTS = (
    "resourceRequests",
    "timeouts",
    "appNodeLabelExpression",
    "amNodeLabelExpression",
    "resourceInfo",
)
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
    try:
        limit = int(text)
    except ValueError:
        raise bad_request("limit value must be a number!") from None
    if limit < 1:
        raise bad_request("limit value must be greater then 0")
    return limit


class _Filter:
    """All filters that were given must hold."""

    def __init__(self, call: Call) -> None:
        self.states = application_states(call)
        self.final = self._final_status(call.parameter("finalStatus"))
        self.user = call.parameter("user")
        self.queues = self._queue(call)
        self.types = [name.lower() for name in call.words_of("applicationTypes")]
        self.tags = [name.lower() for name in call.words_of("applicationTags")]
        self.name = call.parameter("name")
        self.started = _range(call, "startedTime")
        self.finished = _range(call, "finishedTime")

    def _final_status(self, text: str | None) -> FinalApplicationStatus | None:
        if not text:
            return None
        found = FinalApplicationStatus.__members__.get(text.upper())
        if found is None:
            raise bad_request(
                "No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus." + text,
                cause="java.lang.IllegalArgumentException",
            )
        return found

    def _queue(self, call: Call) -> tuple[str, ...]:
        """The names under which applications may know the queue; none when any will do."""
        queue = call.parameter("queue")
        if not queue:
            return ()
        scheduler = call.context.scheduler
        found = scheduler.queue_view(queue)
        if scheduler.name == "CapacityScheduler" and found is None:
            raise bad_request(
                f"Unknown queue: {queue}", cause="org.apache.hadoop.yarn.exceptions.YarnException"
            )
        return (queue,) if found is None else (found.path, found.path.rpartition(".")[2])

    def __call__(self, app: RMApp) -> bool:
        tags = [tag.lower() for tag in app.submission.application_tags]
        return (
            (not self.states or application_state(app) in self.states)
            and (self.final is None or app.final_status is self.final)
            and (not self.user or app.user == self.user)
            and (not self.queues or app.queue in self.queues)
            and (not self.types or app.submission.application_type.lower() in self.types)
            and (not self.tags or any(tag in tags for tag in self.tags))
            and (not self.name or app.name == self.name)
            and self.started[0] <= app.start_ms <= self.started[1]
            and self.finished[0] <= app.finish_ms <= self.finished[1]
        )


def _range(call: Call, name: str) -> tuple[int, int]:
    begin, end = _moment(call, name + "Begin"), _moment(call, name + "End")
    if begin is not None and end is not None and begin > end:
        raise bad_request(f"{name}End must be greater than {name}Begin")
    return begin or 0, 2**63 if end is None else end


def _moment(call: Call, name: str) -> int | None:
    text = call.parameter(name)
    if not text:
        return None
    try:
        moment = int(text)
    except ValueError:
        raise bad_request(f'For input string: "{text}"', cause="java.lang.NumberFormatException") from None
    if moment < 0:
        raise bad_request(f"{name} must be greater than 0")
    return moment


def list_nodes(call: Call) -> Listing:
    """GET /nodes: every state unless some are named."""
    context = call.context
    wanted = [_node_state(text) for text in call.words_of("states")]

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
