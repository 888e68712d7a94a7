"""ApplicationClientProtocol: the calls about applications.

Calls about the cluster itself are in `cluster`. Hadoop: the application half of ClientRMService.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from yarnbox.rm import reports
from yarnbox.rm.access import Access
from yarnbox.rm.app import RMApp, RMAppState
from yarnbox.rm.app.entity import store_app
from yarnbox.rm.attempt import RMAppAttempt
from yarnbox.rm.events.app import AppKill, AttemptFail
from yarnbox.rm.events.node import NodeSignalContainer
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.cluster import ClusterService
from yarnbox.rm.services.filters import QueueFilter, matches
from yarnbox.rm.submission import RMAppManager
from yarnbox.yarn.enums import ApplicationsRequestScope
from yarnbox.yarn.errors import (
    AccessControlError,
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    IllegalArgumentError,
    YarnError,
)
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationUpdateTimeoutMap
from yarnbox.yarn.records.client import (
    FailApplicationAttemptRequest,
    FailApplicationAttemptResponse,
    GetApplicationAttemptReportRequest,
    GetApplicationAttemptReportResponse,
    GetApplicationAttemptsRequest,
    GetApplicationAttemptsResponse,
    GetApplicationReportRequest,
    GetApplicationReportResponse,
    GetApplicationsRequest,
    GetApplicationsResponse,
    GetContainerReportRequest,
    GetContainerReportResponse,
    GetContainersRequest,
    GetContainersResponse,
    GetNewApplicationRequest,
    GetNewApplicationResponse,
    KillApplicationRequest,
    KillApplicationResponse,
    MoveApplicationAcrossQueuesRequest,
    MoveApplicationAcrossQueuesResponse,
    SubmitApplicationRequest,
    SubmitApplicationResponse,
    UpdateApplicationPriorityRequest,
    UpdateApplicationPriorityResponse,
    UpdateApplicationTimeoutsRequest,
    UpdateApplicationTimeoutsResponse,
)
from yarnbox.yarn.records.management import SignalContainerRequest, SignalContainerResponse
from yarnbox.yarn.security.acl import HOST_PREFIX
from yarnbox.yarn.text.moments import iso8601, parse_iso8601

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

ACTIVE_STATES = (RMAppState.ACCEPTED, RMAppState.RUNNING)


class ClientService(ClusterService):
    """One method per RPC of ApplicationClientProtocol; those about the cluster are inherited."""

    def __init__(self, context: RMContext, access: Access, manager: RMAppManager) -> None:
        super().__init__(context, access)
        self._manager = manager
        self._last_id = 0

    # Submission

    def get_new_application(
        self, request: GetNewApplicationRequest, caller: Caller
    ) -> GetNewApplicationResponse:
        """getNewApplication: an id; nothing is remembered of it."""
        self._last_id += 1
        return GetNewApplicationResponse(
            application_id=ApplicationId(self._context.start_ms, self._last_id),
            maximum_capability=self._context.scheduler.maximum_allocation(),
        )

    def submit_application(
        self, request: SubmitApplicationRequest, caller: Caller
    ) -> SubmitApplicationResponse:
        """submitApplication: returns before the scheduler has accepted."""
        submission = request.application_submission_context
        if submission is None:
            raise IllegalArgumentError("the request has no submission context")
        if caller.user.startswith(HOST_PREFIX):
            raise AccessControlError(
                f"{caller.user} is a host, and applications belong to users: submit with the certificate or"
                " the token of a user (`yarnbox certs user DIR NAME` makes one)"
            )
        self._manager.submit(submission, caller.user)
        return SubmitApplicationResponse()

    # Ends

    def force_kill_application(
        self, request: KillApplicationRequest, caller: Caller
    ) -> KillApplicationResponse:
        """forceKillApplication: repeated until the end is stored."""
        app = self._context.apps.get(request.application_id) if request.application_id is not None else None
        if app is None:
            raise ApplicationNotFoundError(f"Trying to kill an absent application {request.application_id}")
        self._access.check_modify(caller.user, app)
        if app.is_final_state_stored:
            return KillApplicationResponse(is_kill_completed=True)
        why = f"Application {app.application_id} was killed by user {caller.user}"
        if caller.host is not None:
            why += f" at {caller.host}"
        if request.diagnostics and request.diagnostics.strip():
            why += f" with diagnostic message: {request.diagnostics.strip()}"
        self._context.post(AppKill(application_id=app.application_id, diagnostics=why))
        return KillApplicationResponse(is_kill_completed=app.is_unmanaged)

    def fail_application_attempt(
        self, request: FailApplicationAttemptRequest, caller: Caller
    ) -> FailApplicationAttemptResponse:
        """failApplicationAttempt: counts as a failure."""
        app, attempt = self._attempt(request.application_attempt_id)
        self._access.check_modify(caller.user, app)
        if not app.is_final_state_stored:
            self._context.post(
                AttemptFail(attempt_id=attempt.attempt_id, diagnostics="Attempt failed by user.")
            )
        return FailApplicationAttemptResponse()

    def signal_to_container(self, request: SignalContainerRequest, caller: Caller) -> SignalContainerResponse:
        """signalToContainer: passed on with the node's next heartbeat."""
        container_id = request.container_id
        app = self._app(container_id.application_id)
        self._access.check_modify(caller.user, app)
        container = self._context.scheduler.container(container_id)
        if container is None:
            raise YarnError(f"Trying to signal an absent container {container_id}")
        self._context.post(NodeSignalContainer(node_id=container.node_id, request=request))
        return SignalContainerResponse()

    # Reports

    def get_application_report(
        self, request: GetApplicationReportRequest, caller: Caller
    ) -> GetApplicationReportResponse:
        """getApplicationReport."""
        app = self._app(request.application_id)
        may_view = self._access.may_view(caller.user, app)
        report = reports.application_report(self._context, app, caller.user, may_view=may_view)
        if may_view and not report.diagnostics and app.current is not None and app.state in ACTIVE_STATES:
            # Of a list of applications nobody asks it: to explain one is to look at every node.
            said = self._context.scheduler.views.launch_diagnostics(app.current.attempt_id)
            report = replace(report, diagnostics=said)
        return GetApplicationReportResponse(application_report=report)

    def get_applications(self, request: GetApplicationsRequest, caller: Caller) -> GetApplicationsResponse:
        """getApplications: the filters combine with AND."""
        limit = request.limit
        queues = [QueueFilter(self._context, name) for name in request.queues]
        found: list[ApplicationReport] = []
        for app in self._context.apps.values():
            if limit is not None and len(found) >= limit:
                break
            if not matches(app, request, caller.user, queues):
                continue
            may_view = self._access.may_view(caller.user, app)
            hides = request.scope is ApplicationsRequestScope.VIEWABLE
            if not may_view and (hides or self._context.settings.web.filter_by_user):
                continue
            found.append(reports.application_report(self._context, app, caller.user, may_view=may_view))
        return GetApplicationsResponse(applications=tuple(found))

    def get_application_attempt_report(
        self, request: GetApplicationAttemptReportRequest, caller: Caller
    ) -> GetApplicationAttemptReportResponse:
        """getApplicationAttemptReport."""
        _, attempt = self._attempt_to_view(request.application_attempt_id, caller)
        report = reports.attempt_report(self._context, attempt)
        return GetApplicationAttemptReportResponse(application_attempt_report=report)

    def get_application_attempts(
        self, request: GetApplicationAttemptsRequest, caller: Caller
    ) -> GetApplicationAttemptsResponse:
        """getApplicationAttempts."""
        app = self._app(request.application_id)
        self._check_view(caller, app, f"application {app.application_id}")
        return GetApplicationAttemptsResponse(
            application_attempts=tuple(
                reports.attempt_report(self._context, attempt) for attempt in app.attempts.values()
            )
        )

    def get_container_report(
        self, request: GetContainerReportRequest, caller: Caller
    ) -> GetContainerReportResponse:
        """getContainerReport: of a live container."""
        container_id = request.container_id
        if container_id is None:
            raise ContainerNotFoundError("Invalid container id: null")
        attempt_id = container_id.application_attempt_id
        self._attempt_to_view(attempt_id, caller, f"application {attempt_id.application_id}")
        container = self._context.scheduler.container(container_id)
        if container is None:
            raise ContainerNotFoundError(f"Container with id '{container_id}' doesn't exist in RM.")
        return GetContainerReportResponse(container_report=reports.container_report(self._context, container))

    def get_containers(self, request: GetContainersRequest, caller: Caller) -> GetContainersResponse:
        """getContainers: the live ones."""
        attempt_id = request.application_attempt_id
        of_whom = f"application {attempt_id.application_id if attempt_id is not None else None}"
        _, attempt = self._attempt_to_view(attempt_id, caller, of_whom)
        live = self._context.scheduler.live_containers(attempt.attempt_id)
        return GetContainersResponse(
            containers=tuple(reports.container_report(self._context, container) for container in live)
        )

    # Changes

    def move_application_across_queues(
        self, request: MoveApplicationAcrossQueuesRequest, caller: Caller
    ) -> MoveApplicationAcrossQueuesResponse:
        """moveApplicationAcrossQueues."""
        app = self._app(request.application_id)
        self._access.check_modify(caller.user, app)
        if not self._access.may_move_to(caller.user, request.target_queue):
            raise AccessControlError(
                f"User {caller.user} cannot submit applications to target queue or the target queue doesn't "
                f"exist: {request.target_queue} while moving {app.application_id}"
            )
        if app.state not in ACTIVE_STATES:
            raise YarnError(f"App in {app.state.name} state cannot be moved.")
        left = app.queue
        app.queue = self._context.scheduler.move_application(app.application_id, request.target_queue)
        self._context.mark("application moved", f"{app.application_id} from {left} to {app.queue}")
        store_app(app)
        return MoveApplicationAcrossQueuesResponse()

    def update_application_priority(
        self, request: UpdateApplicationPriorityRequest, caller: Caller
    ) -> UpdateApplicationPriorityResponse:
        """updateApplicationPriority: nothing happens to one that has ended."""
        app = self._app(request.application_id)
        self._access.check_modify(caller.user, app)
        if app.is_final_state_stored:
            return UpdateApplicationPriorityResponse(application_priority=app.app_priority)
        if app.state not in ACTIVE_STATES:
            raise YarnError(f"Application in {app.state.name} state cannot update priority.")
        scheduler = self._context.scheduler
        app.app_priority = scheduler.application_priority(
            request.application_priority, caller.user, app.queue, app.application_id
        )
        scheduler.update_application_priority(app.application_id, app.app_priority)
        store_app(app)
        return UpdateApplicationPriorityResponse(application_priority=app.app_priority)

    def update_application_timeouts(
        self, request: UpdateApplicationTimeoutsRequest, caller: Caller
    ) -> UpdateApplicationTimeoutsResponse:
        """updateApplicationTimeouts: changes the application's lifetime."""
        app = self._app(request.application_id)
        self._access.check_modify(caller.user, app)
        if not request.application_timeouts:
            raise YarnError("At least one ApplicationTimeoutType should be configured for updating timeouts.")
        if app.is_final_state_stored:
            return UpdateApplicationTimeoutsResponse(application_timeouts=request.application_timeouts)
        if app.state not in (RMAppState.SUBMITTED, *ACTIVE_STATES):
            raise YarnError(f"Application is in {app.state.name} state can not update timeout.")
        end_ms = [_expiry_ms(self._context, each) for each in request.application_timeouts][-1]
        app.lifetime_end_ms = end_ms
        self._context.monitors.lifetime.register(app.application_id, end_ms)
        store_app(app)
        return UpdateApplicationTimeoutsResponse(application_timeouts=tuple(_shown(request, end_ms)))

    # Who is meant

    def _app(self, application_id: ApplicationId | None) -> RMApp:
        app = self._context.apps.get(application_id) if application_id is not None else None
        if app is None:
            raise ApplicationNotFoundError(
                f"Application with id '{application_id}' doesn't exist in RM. Please check that the job "
                "submission was successful."
            )
        return app

    def _attempt(self, attempt_id: ApplicationAttemptId | None) -> tuple[RMApp, RMAppAttempt]:
        app = self._app(attempt_id.application_id if attempt_id is not None else None)
        attempt = app.attempts.get(attempt_id) if attempt_id is not None else None
        if attempt is None:
            raise ApplicationAttemptNotFoundError(
                f"ApplicationAttempt with id '{attempt_id}' doesn't exist in RM."
            )
        return app, attempt

    def _attempt_to_view(
        self, attempt_id: ApplicationAttemptId | None, caller: Caller, what: str | None = None
    ) -> tuple[RMApp, RMAppAttempt]:
        app = self._app(attempt_id.application_id if attempt_id is not None else None)
        self._check_view(caller, app, what or f"attempt {attempt_id}")
        return self._attempt(attempt_id)

    def _check_view(self, caller: Caller, app: RMApp, what: str) -> None:
        if not self._access.may_view(caller.user, app):
            raise YarnError(f"User {caller.user} does not have privilege to see this {what}")


def _expiry_ms(context: RMContext, timeout: ApplicationUpdateTimeoutMap) -> int:
    try:
        end_ms = parse_iso8601(timeout.expire_time or "")
    except ValueError as error:
        raise YarnError(f"Expire time is not in ISO8601 format. {error}") from error
    if end_ms < context.now_ms:
        raise YarnError(
            f"Expire time should be greater than current time. Expire time={timeout.expire_time}, current "
            f"time={iso8601(context.now_ms)}"
        )
    return end_ms


def _shown(request: UpdateApplicationTimeoutsRequest, end_ms: int) -> Iterator[ApplicationUpdateTimeoutMap]:
    for each in request.application_timeouts:
        yield ApplicationUpdateTimeoutMap(
            application_timeout_type=each.application_timeout_type, expire_time=iso8601(end_ms)
        )
