"""ApplicationMasterProtocol: register, allocate, finish.

`allocate` allocates nothing: it updates the requests and returns what was allocated since the last call. The
answer to each AM is kept in case it did not arrive. Hadoop: ApplicationMasterService and DefaultAMSProcessor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from yarnbox.rm import reports
from yarnbox.rm.app import RMApp
from yarnbox.rm.asks import ANY
from yarnbox.rm.attempt import NO_PORT, NOT_AVAILABLE, RMAppAttempt, RMAppAttemptState
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.app import AttemptRegistered, AttemptStatusUpdate, AttemptUnregistered
from yarnbox.rm.ports import AMSession
from yarnbox.rm.scheduler.admission import requests
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.base import Allocation
from yarnbox.rm.scheduler.containers.opportunistic import OpportunisticAllocator, is_opportunistic
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.constraints import make_handler
from yarnbox.rm.services.tracker import next_response_id
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationMasterNotRegisteredError,
    ApplicationNotFoundError,
    InvalidApplicationMasterRequestError,
    InvalidContainerReleaseError,
    InvalidResourceBlacklistRequestError,
)
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    EnhancedHeadroom,
    FinishApplicationMasterRequest,
    FinishApplicationMasterResponse,
    NMToken,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
    UpdatedContainer,
)
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

NOT_SERVED = (RMAppAttemptState.FINAL_SAVING, RMAppAttemptState.FINISHING)
UNREGISTERED = -1
_MOST = 2**31 - 1
"""What the messages can tell of a number of containers."""


class MasterService:
    """One method per RPC of ApplicationMasterProtocol."""

    def __init__(self, context: RMContext, opportunistic: OpportunisticAllocator | None) -> None:
        self._context = context
        self._constraints = make_handler(context)
        self._opportunistic = opportunistic
        """Who gives OPPORTUNISTIC containers; without him they are asked for like all others."""

    # register

    def register_application_master(
        self, request: RegisterApplicationMasterRequest, caller: Caller
    ) -> RegisterApplicationMasterResponse:
        """registerApplicationMaster: once; an unmanaged AM that keeps containers may do so again."""
        context = self._context
        attempt_id = caller.master_of()
        session = self._session_or_refuse(attempt_id)
        app = self._app(attempt_id)
        if session.response_id != UNREGISTERED and not (app.is_unmanaged and app.keeps_containers):
            raise InvalidApplicationMasterRequestError(
                f"Application Master is already registered : {app.application_id}"
            )
        context.monitors.am.ping(attempt_id, context.now_ms)
        if self._opportunistic is not None:
            self._opportunistic.register(attempt_id)
        self._constraints.register(attempt_id, request)
        session.response_id = 0
        session.answer = None
        context.post(
            AttemptRegistered(
                attempt_id=attempt_id,
                host=request.host or "",
                rpc_port=NO_PORT if request.rpc_port is None else request.rpc_port,
                tracking_url=(request.tracking_url or "").strip() or NOT_AVAILABLE,
            )
        )
        kept = self._kept_containers(app, attempt_id)
        spec = app.submission.am_container_spec
        return RegisterApplicationMasterResponse(
            maximum_capability=context.scheduler.queue_maximum_allocation(app.queue),
            client_to_am_token_master_key=app.attempts[attempt_id].client_key,
            application_acls=spec.application_acls if spec is not None else (),
            containers_from_previous_attempts=tuple(container.to_record() for container in kept),
            queue=app.queue,
            nm_tokens_from_previous_attempts=tuple(self._nm_tokens(app, attempt_id, kept)),
            scheduler_resource_types=context.scheduler.resource_kinds,
            resource_types=context.resource_types.infos(),
        )

    def _kept_containers(self, app: RMApp, attempt_id: ApplicationAttemptId) -> list[RMContainer]:
        """What runs when the attempt registers: containers of earlier attempts, which it takes over, and its
        own where the ResourceManager has restarted. Hadoop: AbstractYarnScheduler.getTransferredContainers.
        """
        if not app.keeps_containers:
            return []
        self._context.tokens.forget_nm_tokens(attempt_id)
        scheduler = self._context.scheduler
        attempt = scheduler.attempt(attempt_id)
        if attempt is not None:
            attempt.newly_recovered.clear()
        live = scheduler.live_containers(attempt_id)
        return [container for container in live if not app.is_am_container(container.container_id)]

    # allocate

    def allocate(self, request: AllocateRequest, caller: Caller) -> AllocateResponse:
        """allocate: the AM's heartbeat."""
        context = self._context
        attempt_id = caller.master_of()
        context.monitors.am.ping(attempt_id, context.now_ms)
        session = context.am_sessions.get(attempt_id)
        if session is None:
            raise ApplicationAttemptNotFoundError(
                f"Application attempt {attempt_id} doesn't exist in ApplicationMasterService cache."
            )
        if session.response_id == UNREGISTERED:
            raise ApplicationMasterNotRegisteredError(
                f"AM is not registered for known application attempt: {attempt_id} or RM had restarted after "
                "AM registered. AM should re-register."
            )
        asked = request.response_id or 0
        if next_response_id(asked) == session.response_id and session.answer is not None:
            return session.answer
        if asked != session.response_id:
            raise InvalidApplicationMasterRequestError(
                f"Invalid responseId in AllocateRequest from application attempt: {attempt_id}, expect "
                f"responseId to be {session.response_id}, but get {asked}"
            )
        answer = self._process(attempt_id, request, next_response_id(asked))
        session.response_id = next_response_id(asked)
        session.answer = answer
        return answer

    def _process(
        self, attempt_id: ApplicationAttemptId, request: AllocateRequest, response_id: int
    ) -> AllocateResponse:
        context = self._context
        app = self._app(attempt_id)
        attempt = app.attempts[attempt_id]
        opportunistic: list[RMContainer] = []
        if self._opportunistic is not None:
            request, opportunistic = self._give_opportunistic(self._opportunistic, attempt_id, request)
        request = self._constraints.take(attempt_id, request)
        context.post(
            AttemptStatusUpdate(
                attempt_id=attempt_id,
                progress=_progress(request.progress or 0.0),
                tracking_url=request.tracking_url,
            )
        )
        ask = [self._validated(app, self._labelled(app, one)) for one in request.ask]
        _validate_blacklist(request.blacklist_request)
        if not app.keeps_containers:
            _validate_release(request, attempt_id)
        accepted, errors = context.scheduler.updates.validate(request.update_requests, app.queue)
        if attempt.state in NOT_SERVED or app.is_final_state_stored:
            allocation = Allocation([], NONE, [])
        else:
            blacklist = request.blacklist_request or ResourceBlacklistRequest()
            normalized = [context.scheduler.normalize_ask(one, app.queue) for one in ask]
            booked = context.scheduler.attempt(attempt_id)
            if accepted and booked is not None:
                errors += context.scheduler.updates.begin(booked, accepted)
            allocation = context.scheduler.allocate(
                attempt_id,
                normalized,
                request.release,
                blacklist.blacklist_additions,
                blacklist.blacklist_removals,
                request.scheduling_requests,
            )
        if opportunistic:
            allocation.containers.extend(opportunistic)
        return replace(
            self._answer(app, attempt, allocation), response_id=response_id, update_errors=tuple(errors)
        )

    def _give_opportunistic(
        self, allocator: OpportunisticAllocator, attempt_id: ApplicationAttemptId, request: AllocateRequest
    ) -> tuple[AllocateRequest, list[RMContainer]]:
        """What is left of the call when OPPORTUNISTIC containers have been given. Nobody has checked it by
        then: they stay given where the rest is refused.
        """
        booked = self._context.scheduler.attempt(attempt_id)
        if booked is None:
            return request, []
        ask = [one for one in request.ask if is_opportunistic(one)]
        given = allocator.allocate(booked, ask, request.blacklist_request)
        if ask:
            request = replace(request, ask=tuple(one for one in request.ask if not is_opportunistic(one)))
        return request, given

    def _labelled(self, app: RMApp, request: ResourceRequest) -> ResourceRequest:
        """A request at `*` without a label gets that of its application."""
        if request.resource_name != ANY:
            return request
        given, app_label = request.node_label_expression, app.submission.node_label_expression
        label = app_label if given is None else given
        label = requests.enforced_label(label, app_label, self._context.settings.labels.enforced_exclusive)
        return request if label == given else replace(request, node_label_expression=label)

    def _validated(self, app: RMApp, request: ResourceRequest) -> ResourceRequest:
        """The request, with the label of its queue where neither it nor its application names one."""
        context = self._context
        scheduler = context.scheduler
        requests.validate_labels_enabled(request, context.labels)
        if request.node_label_expression is None and request.resource_name == ANY:
            request = replace(request, node_label_expression=scheduler.default_label(app.queue))
        requests.validate_count(request)
        maximum = scheduler.queue_maximum_allocation(app.queue)
        requests.validate_amounts(request.capability or NONE, maximum, context.resource_types.names)
        accessible = scheduler.accessible_labels(app.queue)
        requests.validate_label(request, context.labels, accessible, app.queue)
        return request

    def _answer(self, app: RMApp, attempt: RMAppAttempt, allocation: Allocation) -> AllocateResponse:
        context = self._context
        scheduler = context.scheduler
        attempt_id = attempt.attempt_id
        booked = scheduler.attempt(attempt_id)
        recovered: list[RMContainer] = []
        if booked is not None and booked.newly_recovered:
            recovered, booked.newly_recovered = booked.newly_recovered, []
        containers = [*allocation.containers, *allocation.updated, *recovered]
        label = scheduler.default_label(app.queue)
        return AllocateResponse(
            allocated_containers=tuple(container.to_record() for container in allocation.containers),
            updated_containers=tuple(
                UpdatedContainer(
                    update_type=booked.update_types.pop(container.container_id),
                    container=container.to_record(),
                )
                for container in allocation.updated
                if booked is not None
            ),
            containers_from_previous_attempts=tuple(container.to_record() for container in recovered),
            completed_container_statuses=tuple(
                app.finished.pull(attempt_id, keeps_containers=app.keeps_containers)
            ),
            limit=allocation.headroom,
            updated_nodes=tuple(
                reports.node_report(context, node, update_type)
                for node, update_type in app.pull_node_updates().items()
            ),
            num_cluster_nodes=scheduler.tracker.count_in(label) if label else len(scheduler.tracker),
            preempt=allocation.preemption,
            nm_tokens=tuple(self._nm_tokens(app, attempt_id, containers)),
            application_priority=app.app_priority,
            enhanced_headroom=self._enhanced_headroom(booked),
            rejected_scheduling_requests=allocation.rejected + self._constraints.rejected(attempt_id),
        )

    def _enhanced_headroom(self, booked: Attempt | None) -> EnhancedHeadroom:
        # The last usage of an attempt's path is the root's: what all applications wait for.
        root = booked.path[-1].by_partition.values() if booked is not None else ()
        return EnhancedHeadroom(
            total_pending_count=min(sum(amounts.pending_containers for amounts in root), _MOST),
            total_active_cores=self._context.scheduler.cluster_resource().vcores,
        )

    def _nm_tokens(
        self, app: RMApp, attempt_id: ApplicationAttemptId, containers: Iterable[RMContainer]
    ) -> Iterator[NMToken]:
        """Tokens for the nodes of these containers, as far as the AM has none yet."""
        for node_id in _nodes_of(containers):
            token = self._context.tokens.nm_token(attempt_id, node_id, app.user)
            if token is not None:
                yield NMToken(node_id=node_id, token=token)

    # finish

    def finish_application_master(
        self, request: FinishApplicationMasterRequest, caller: Caller
    ) -> FinishApplicationMasterResponse:
        """finishApplicationMaster: repeated until the final state is stored."""
        context = self._context
        attempt_id = caller.master_of()
        app = self._app(attempt_id)
        if app.is_final_state_stored:
            return FinishApplicationMasterResponse(is_unregistered=True)
        session = self._session_or_refuse(attempt_id)
        if session.response_id == UNREGISTERED:
            raise ApplicationMasterNotRegisteredError(
                "Application Master is trying to unregister before registering for: "
                f"{attempt_id.application_id}"
            )
        context.monitors.am.ping(attempt_id, context.now_ms)
        self._constraints.finish(attempt_id)
        context.post(
            AttemptUnregistered(
                attempt_id=attempt_id,
                final_status=request.final_application_status or FinalApplicationStatus.UNDEFINED,
                diagnostics=request.diagnostics or "",
                tracking_url=(request.tracking_url or "").strip(),
            )
        )
        return FinishApplicationMasterResponse(is_unregistered=app.is_unmanaged)

    # Who calls

    def _app(self, attempt_id: ApplicationAttemptId) -> RMApp:
        app = self._context.apps.get(attempt_id.application_id)
        if app is None:
            raise ApplicationNotFoundError(f"Application {attempt_id.application_id} doesn't exist in RM.")
        return app

    def _session_or_refuse(self, attempt_id: ApplicationAttemptId) -> AMSession:
        session = self._context.am_sessions.get(attempt_id)
        if session is None:
            raise InvalidApplicationMasterRequestError(f"Application doesn't exist in cache {attempt_id}")
        return session


def _progress(value: float) -> float:
    """NaN and everything below 0 is 0, everything above 1 is 1."""
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, value))


def _validate_blacklist(blacklist: ResourceBlacklistRequest | None) -> None:
    if blacklist is not None and ANY in blacklist.blacklist_additions:
        raise InvalidResourceBlacklistRequestError("Cannot add * to the blacklist!")


def _validate_release(request: AllocateRequest, attempt_id: ApplicationAttemptId) -> None:
    for container_id in request.release:
        if container_id.application_attempt_id != attempt_id:
            raise InvalidContainerReleaseError(
                f"Cannot release container : {container_id} not belonging to this application attempt : "
                f"{attempt_id}"
            )


def _nodes_of(containers: Iterable[RMContainer]) -> Iterable[NodeId]:
    return dict.fromkeys(container.node_id for container in containers)
