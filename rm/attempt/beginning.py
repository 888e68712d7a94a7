"""The first hooks of an attempt's table: added to the scheduler, AM container allocated and launched,
recovery after a restart of the RM.
"""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.asks import ANY
from yarnbox.rm.attempt.ending import end
from yarnbox.rm.attempt.entity import (
    ALLOCATED_SAVING,
    LAUNCHED,
    LAUNCHED_UNMANAGED_SAVING,
    SCHEDULED,
    RMAppAttempt,
    RMAppAttemptState,
    store_attempt,
)
from yarnbox.rm.effects import LaunchContainer
from yarnbox.rm.events.app import (
    AppAttemptLaunched,
    AppAttemptRegistered,
    AttemptAdded,
    AttemptContainerAllocated,
    AttemptEvent,
    AttemptNewSaved,
    AttemptRecover,
    AttemptRegistered,
    AttemptRetryAllocate,
    AttemptStart,
)
from yarnbox.rm.events.scheduler import SchedulerAppAttemptAdded
from yarnbox.rm.labels.partitions import EVERY_NODE_OF_HOST
from yarnbox.rm.ports import AMSession
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.text.moments import weekday_first

RETRY_MS = 500
"""How soon the AM's container is looked for again when it was not there to be taken."""
WAITING_FOR_CONTAINER = "AM container is not allocated yet: the scheduler waits for resources."
WAITING_FOR_LAUNCH = "Scheduler has assigned a container for AM, waiting for AM container to be launched"
WAITING_FOR_AM = "AM container is launched, waiting for AM container to Register with RM"


def start(attempt: RMAppAttempt, event: AttemptStart) -> None:
    """START: opens a session for its AM, and adds the attempt to the scheduler."""
    context = attempt.context
    attempt.start_ms = context.now_ms
    _open_session(attempt)
    attempt.client_key = context.tokens.new_client_key()
    context.post(SchedulerAppAttemptAdded(attempt_id=attempt.attempt_id, transfer_state=event.transfer_state))


def _open_session(attempt: RMAppAttempt) -> None:
    attempt.context.am_sessions[attempt.attempt_id] = AMSession()
    attempt.context.tokens.start_attempt(attempt.attempt_id)


def schedule(attempt: RMAppAttempt, event: AttemptAdded) -> RMAppAttemptState:
    """ATTEMPT_ADDED: requests the AM's container; an unmanaged AM needs none."""
    if attempt.app.is_unmanaged:
        _store_new(attempt)
        return LAUNCHED_UNMANAGED_SAVING
    context = attempt.context
    app = attempt.app
    additions, removals = app.am_blacklist.updates(_applicable_nodes(attempt, app.am_requests))
    requests = tuple(_am_request(attempt, request) for request in app.am_requests)
    app.keep_am_requests(requests)
    context.scheduler.allocate(attempt.attempt_id, requests, (), additions, removals)
    attempt.launch_diagnostics = WAITING_FOR_CONTAINER
    attempt.step_ms = context.now_ms
    return SCHEDULED


def _am_request(attempt: RMAppAttempt, request: ResourceRequest) -> ResourceRequest:
    """The request as the scheduler gets it: cut to what is the largest container now, with the queue's label
    where none is named.
    """
    request = attempt.context.scheduler.normalize_ask(request, attempt.app.queue)
    if request.resource_name != ANY or request.node_label_expression is not None:
        return request
    label = attempt.context.scheduler.default_label(attempt.app.queue)
    return replace(request, node_label_expression=label)


def _applicable_nodes(attempt: RMAppAttempt, requests: Sequence[ResourceRequest]) -> int:
    """The number of nodes on which the AM may start (RMServerUtils.getApplicableNodeCountForAM).

    See tests/scenarios/lifecycle/am-node-blacklist-with-labels.yaml.
    """
    context = attempt.context
    tracker = context.scheduler.tracker
    places = [one.resource_name or ANY for one in requests if one.relax_locality]
    named = dict.fromkeys(
        node.node_id for place in places if place != ANY for node in tracker.nodes_at(place)
    )
    labels = context.labels
    members = (
        labels.members(requests[0].node_label_expression or "", tracker.nodes) if labels.is_enabled else []
    )
    if members:
        counted = [one for one in members if (one in named if named else one.port != EVERY_NODE_OF_HOST)]
        return len(counted)
    return len(named) or len(tracker)


def take_am_container(
    attempt: RMAppAttempt, event: AttemptContainerAllocated | AttemptRetryAllocate
) -> RMAppAttemptState:
    """CONTAINER_ALLOCATED: pulls the AM's container, or retries soon."""
    context = attempt.context
    allocation = context.scheduler.allocate(attempt.attempt_id, (), ())
    if not allocation.containers:
        again = AttemptRetryAllocate(attempt_id=attempt.attempt_id)
        context.timer_at(context.now_ms + RETRY_MS, ("am container", attempt.attempt_id), again)
        return SCHEDULED
    attempt.master_container = allocation.containers[0].to_record()
    # Taking the AM's container counts as having sent an NM token for its node; the AM has none yet.
    context.tokens.forget_nm_tokens(attempt.attempt_id)
    _record_delay(attempt, "AMContainerAllocationDelay")
    _store_new(attempt)
    return ALLOCATED_SAVING


def _store_new(attempt: RMAppAttempt) -> None:
    store_attempt(attempt, acknowledgement=AttemptNewSaved(attempt_id=attempt.attempt_id))


def launch(attempt: RMAppAttempt, event: AttemptNewSaved) -> None:
    """ATTEMPT_NEW_SAVED: orders the launch of the AM's container."""
    context = attempt.context
    container = attempt.master_container
    assert container is not None
    assert container.node_id is not None
    _register_client_key(attempt)
    attempt.am_rm_token = context.tokens.amrm_token(attempt.attempt_id)
    attempt.launch_diagnostics = f"[{weekday_first(context.now_ms)}] {WAITING_FOR_LAUNCH}"
    attempt.step_ms = context.now_ms
    context.order(
        LaunchContainer(
            attempt_id=attempt.attempt_id,
            node_id=container.node_id,
            container=container,
            launch_context=attempt.app.submission.am_container_spec or ContainerLaunchContext(),
            user=attempt.app.user,
            submit_time_ms=attempt.app.submit_ms,
        )
    )


def unmanaged_saved(attempt: RMAppAttempt, event: AttemptNewSaved) -> None:
    """ATTEMPT_NEW_SAVED of an unmanaged AM: it may register from now on."""
    attempt.am_rm_token = attempt.context.tokens.amrm_token(attempt.attempt_id)
    _register_client_key(attempt)
    record_launched(attempt, event)


def _register_client_key(attempt: RMAppAttempt) -> None:
    """Not before it is stored: a client must not hold a token that is worthless after a restart of the RM."""
    if attempt.client_key is not None:
        attempt.context.tokens.register_client_key(attempt.attempt_id, attempt.client_key)


def record_launched(attempt: RMAppAttempt, event: AttemptEvent) -> None:
    """LAUNCHED: the liveliness monitor watches the AM from now on."""
    context = attempt.context
    attempt.launch_diagnostics = WAITING_FOR_AM
    _record_delay(attempt, "AMLaunchDelay")
    context.post(AppAttemptLaunched(application_id=attempt.application_id))
    context.monitors.am.register(attempt.attempt_id, context.now_ms)


def register(attempt: RMAppAttempt, event: AttemptRegistered) -> None:
    """REGISTERED: notes the AM's host, port and tracking URL."""
    attempt.host = event.host
    attempt.rpc_port = event.rpc_port
    attempt.original_tracking_url = event.tracking_url
    attempt.launch_diagnostics = ""
    _record_delay(attempt, "AMRegisterDelay")
    attempt.context.post(AppAttemptRegistered(application_id=attempt.application_id))


def _record_delay(attempt: RMAppAttempt, name: str) -> None:
    """Notes the length of a delay that has ended; unknown for a recovered attempt."""
    context = attempt.context
    if attempt.step_ms is not None and not attempt.app.is_unmanaged:
        context.health.record_delay(name, context.now_ms - attempt.step_ms)
        attempt.step_ms = context.now_ms


def launch_and_register(attempt: RMAppAttempt, event: AttemptRegistered) -> None:
    """REGISTERED before LAUNCHED: the AM registered before its node answered the launch."""
    record_launched(attempt, event)
    register(attempt, event)


# Recovery


def recover(attempt: RMAppAttempt, event: AttemptRecover) -> RMAppAttemptState:
    """RECOVER: the stored final state, or LAUNCHED while its AM may still run."""
    context, app = attempt.context, attempt.app
    final_state = attempt.recovered_final_state
    if final_state is not None:
        attempt.progress = 1.0
        if app.current is attempt and not app.is_in_final_state:
            # Its application has not drawn the conclusion yet.
            _add_recovered_to_scheduler(attempt)
            end(attempt, final_state)
        return final_state
    if app.recovered is not None and app.recovered.final_state is not None:
        return RMAppAttemptState[app.recovered.final_state]
    if context.settings.work_preserving:
        _open_session(attempt)
        attempt.am_rm_token = context.tokens.amrm_token(attempt.attempt_id)
        _register_client_key(attempt)
        _add_recovered_to_scheduler(attempt)
    record_launched(attempt, event)
    return LAUNCHED


def _add_recovered_to_scheduler(attempt: RMAppAttempt) -> None:
    # Within this call: nodes and AMs must not come back before the scheduler knows the attempt.
    attempt.context.scheduler.handle(
        SchedulerAppAttemptAdded(attempt_id=attempt.attempt_id, is_recovering=True)
    )
