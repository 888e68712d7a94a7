"""Submissions: accepted or refused at once; and the memory of applications that have completed.

A refusal is an exception of the call, and there is no such application afterwards. What only the scheduler
can judge is judged after the call has returned, and rejects an application that exists. Hadoop:
RMAppManager and the submission part of ClientRMService.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from yarnbox.rm import state
from yarnbox.rm.app import RM_APP, RMApp, RMAppState
from yarnbox.rm.asks import ANY
from yarnbox.rm.effects import ApplicationForgotten
from yarnbox.rm.events.app import AppManagerAppCompleted, AppManagerEvent, AppRecover, AppStart
from yarnbox.rm.events.scheduler import SchedulerAppAttemptRemoved, SchedulerAppRemoved
from yarnbox.rm.scheduler.admission import requests
from yarnbox.rm.scheduler.admission.submission import may_submit
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.errors import (
    AccessControlError,
    IllegalArgumentError,
    InvalidResourceRequestError,
    YarnError,
)
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ExecutionTypeRequest, ResourceRequest
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

APPLICATION_TYPE_LENGTH = 20
AM_PRIORITY = 0


class RMAppManager:
    """Lets applications in, and forgets them in the end."""

    def __init__(self, context: RMContext) -> None:
        self._context = context
        self._completed: deque[ApplicationId] = deque()
        """Completed applications that are remembered, the earliest completion first."""
        self._completed_stored: dict[ApplicationId, tuple[ApplicationAttemptId, ...]] = {}
        """Those among them, and among the forgotten, that the state store still has."""

    def submit(self, submission: ApplicationSubmissionContext, user: str) -> None:
        """Takes an application, or refuses it by a YarnError. One that is known already is left alone."""
        context = self._context
        if submission.application_id is None:
            raise IllegalArgumentError("the submission has no application id")
        self._check_tags(submission)
        if submission.application_id in context.apps:
            return
        self._check_tokens_configuration(submission)
        submission = replace(
            submission,
            application_type=submission.application_type[:APPLICATION_TYPE_LENGTH],
            application_tags=tuple(dict.fromkeys(tag.lower() for tag in submission.application_tags)),
        )
        if not submission.queue:
            raise YarnError(
                f"Failed to place application {submission.application_id} in a queue and submit context "
                "queue is null or empty"
            )
        queue = context.scheduler.place_application(submission, user)
        self._check_timeouts(submission)
        am_requests = self._am_requests(submission, queue)
        app_priority = context.scheduler.application_priority(
            submission.priority, user, queue, submission.application_id
        )
        self._check_queue_access(submission, user, queue)
        app = RMApp(
            context, submission, user, queue, am_requests, self._max_attempts(submission), app_priority
        )
        context.apps[app.application_id] = app
        context.post(AppStart(application_id=app.application_id))

    # Admission

    def _check_tags(self, submission: ApplicationSubmissionContext) -> None:
        settings = self._context.settings
        tags = submission.application_tags
        if len(tags) > settings.application_max_tags:
            raise IllegalArgumentError(
                f"Too many applicationTags, a maximum of only {settings.application_max_tags} are allowed!"
            )
        for tag in tags:
            if len(tag) > settings.application_max_tag_length:
                raise IllegalArgumentError(
                    f"Tag {tag} is too long, maximum allowed length of a tag is "
                    f"{settings.application_max_tag_length}"
                )
            if not (tag.isascii() and tag.isprintable()):
                raise IllegalArgumentError(f"A tag can only have ASCII characters! Invalid tag - {tag}")

    def _check_tokens_configuration(self, submission: ApplicationSubmissionContext) -> None:
        spec = submission.am_container_spec
        given = len(spec.tokens_conf) if spec is not None and spec.tokens_conf is not None else 0
        limit = self._context.settings.tokens.maximum_configuration_bytes
        if given > limit:
            raise YarnError(
                f"Exceed yarn.resourcemanager.delegation-token.max-conf-size-bytes = {limit} bytes, "
                f"current conf size = {given} bytes."
            )

    def _check_timeouts(self, submission: ApplicationSubmissionContext) -> None:
        for timeout in submission.application_timeouts:
            if timeout.timeout is None or timeout.timeout <= 0:
                raise YarnError(
                    f"Invalid application timeout, value={timeout.timeout} for "
                    f"type={timeout.application_timeout_type}"
                )

    def _am_requests(
        self, submission: ApplicationSubmissionContext, queue: str
    ) -> tuple[ResourceRequest, ...]:
        """What each attempt asks for its AM's container."""
        if submission.unmanaged_am:
            return ()
        given = submission.am_container_resource_request
        if not given:
            if submission.resource is None:
                raise InvalidResourceRequestError("Invalid resource request, no resources requested")
            given = (ResourceRequest(resource_name=ANY, capability=submission.resource),)
        anywhere = [request for request in given if request.resource_name == ANY]
        if not anywhere:
            raise InvalidResourceRequestError(
                "Invalid resource request, no resource request specified with *"
            )
        if len(anywhere) > 1:
            raise InvalidResourceRequestError("Invalid resource request, only one resource request with *")
        others = [request for request in given if request.resource_name != ANY]
        return tuple(
            self._am_request(request, anywhere[0], submission, queue) for request in (anywhere[0], *others)
        )

    def _am_request(
        self,
        request: ResourceRequest,
        anywhere: ResourceRequest,
        submission: ApplicationSubmissionContext,
        queue: str,
    ) -> ResourceRequest:
        context = self._context
        scheduler = context.scheduler
        label = request.node_label_expression
        if request is anywhere:
            labels, app_label = context.settings.labels, submission.node_label_expression
            label = requests.enforced_label(label, app_label, labels.enforced_exclusive)
            label = label or labels.am_default_expression or app_label
        request = replace(
            request,
            capability=anywhere.capability,
            num_containers=1,
            priority=AM_PRIORITY,
            node_label_expression=label,
            execution_type_request=ExecutionTypeRequest(execution_type=ExecutionType.GUARANTEED),
        )
        if request.capability is None:
            raise InvalidResourceRequestError("Invalid resource request, no resources requested")
        requests.validate_labels_enabled(request, context.labels)
        accessible = scheduler.accessible_labels(queue)
        # A queue that is still to be made has no default yet: the attempt asks for it.
        if label is None and accessible is not None:
            default = scheduler.default_label(queue) if request.resource_name == ANY else None
            request = replace(request, node_label_expression=default or "")
        maximum = scheduler.queue_maximum_allocation(queue)
        requests.validate_amounts(request.capability or NONE, maximum, context.resource_types.names)
        requests.validate_label(request, context.labels, accessible, queue)
        return scheduler.normalize(request, queue)

    def _check_queue_access(self, submission: ApplicationSubmissionContext, user: str, queue: str) -> None:
        if not queue:
            return  # who has no queue is rejected by the scheduler, and told so
        scheduler = self._context.scheduler
        if not may_submit(self._context.settings, lambda acl: scheduler.has_access(user, acl, queue)):
            raise AccessControlError(
                f"User {user} does not have permission to submit {submission.application_id} to queue {queue}"
            )

    def _max_attempts(self, submission: ApplicationSubmissionContext) -> int:
        settings = self._context.settings
        asked = submission.max_app_attempts
        limit = settings.am_global_max_attempts
        return min(asked if asked > 0 else settings.am_max_attempts, limit)

    # Retention

    def handle(self, event: AppManagerEvent) -> None:
        """An application has completed: the earliest ones beyond the limit are forgotten."""
        assert isinstance(event, AppManagerAppCompleted)
        context, settings = self._context, self._context.settings
        app = context.apps.get(event.application_id)
        if app is None:
            return
        self._completed.append(app.application_id)
        self._completed_stored[app.application_id] = tuple(app.attempts)
        limit = min(settings.max_stored_completed_applications, settings.max_completed_applications)
        while len(self._completed_stored) > limit:
            oldest = next(iter(self._completed_stored))
            state.forget_app(context, oldest, self._completed_stored.pop(oldest))
        while len(self._completed) > settings.max_completed_applications:
            forgotten = self._completed.popleft()
            context.apps.pop(forgotten, None)
            context.order(ApplicationForgotten(application_id=forgotten))

    # Recovery

    def recover(self, entries: state.Entries) -> None:
        """Takes up the applications of an earlier RM, oldest first, whatever this one would refuse now."""
        context = self._context
        for application_id, stored in state.read_apps(entries, context.wire, context.set_entry_aside).items():
            context.has_recovered = True
            try:
                self._recover(application_id, stored)
            except Exception as error:  # whatever it is: all others are to come back
                self._give_up(application_id, stored, error)

    def _recover(self, application_id: ApplicationId, stored: state.StoredApp) -> None:
        context = self._context
        app = RMApp(
            context,
            stored.submission,
            stored.user,
            stored.queue,
            # As RMAppManager does with what is recovered: steps and limits of sizes may be others now.
            tuple(context.scheduler.normalize(request, stored.queue) for request in stored.am_requests),
            stored.max_attempts,
            stored.app_priority,
        )
        app.recovered = stored
        app.submit_ms, app.start_ms = stored.submit_ms, stored.start_ms
        context.apps[application_id] = app
        # Within this call: no node and no AM may come back before its application has.
        context.fire(RM_APP, app, AppRecover(application_id=application_id))
        if app.state is RMAppState.NEW:
            raise ValueError(f"it cannot have been {stored.final_state}")

    def _give_up(self, application_id: ApplicationId, stored: state.StoredApp, error: Exception) -> None:
        """An application that cannot be recovered: its entries are set aside, and nobody has heard of it."""
        context = self._context
        app = context.apps.pop(application_id, None)
        for attempt_id in app.attempts if app is not None else ():
            context.am_sessions.pop(attempt_id, None)
            context.tokens.forget_attempt(attempt_id)
            context.monitors.am.unregister(attempt_id)
            context.scheduler.handle(SchedulerAppAttemptRemoved(attempt_id=attempt_id, final_state="FAILED"))
        if application_id in context.scheduler.applications:
            context.scheduler.handle(SchedulerAppRemoved(application_id=application_id, final_state="FAILED"))
        context.monitors.lifetime.unregister(application_id)
        for key in state.keys_of(application_id, stored):
            context.set_entry_aside(key, error)
