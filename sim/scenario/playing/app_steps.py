"""The steps about applications: what their AMs, their owners and their containers do."""

from __future__ import annotations

from collections.abc import Container

from yarnbox.rm.services.caller import Caller
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.scenario.playing.world import App, StepRefusedError, World
from yarnbox.sim.scenario.reading.constraints import scheduling_request
from yarnbox.sim.scenario.reading.requests import resource_requests, submission, update_request
from yarnbox.sim.scenario.reading.steps import (
    NO_LINE,
    Ask,
    Complete,
    FailAm,
    Finish,
    Kill,
    Move,
    Pull,
    SetPriority,
    Submit,
)
from yarnbox.yarn.enums import FinalApplicationStatus, YarnApplicationState
from yarnbox.yarn.errors import ApplicationMasterNotRegisteredError, YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import (
    KillApplicationRequest,
    MoveApplicationAcrossQueuesRequest,
    SubmitApplicationRequest,
    UpdateApplicationPriorityRequest,
)
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
    UpdateContainerRequest,
)
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest, SchedulingRequest

AM_CRASH_STATUS = 1
NO_PORT = -1


class AppSteps:
    """Carries out one step each, completely: a method returns when all its events are handled."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rm = world.rm

    def submit(self, step: Submit) -> None:
        """A client submits; an unmanaged AM registers as soon as the RM lets it."""
        application_id = self._rm.new_application_id(step.user)
        reservation = None
        if step.reservation is not None:
            reservation = self._world.reservation(step.reservation).reservation_id
        master = SimMaster(application_id, is_managed=step.is_managed)
        app = App(
            step.app, application_id, step.user, step.is_managed, master, step.constraints, step.task_ms
        )
        context = submission(step, application_id, reservation)
        self._world.take_app(app)
        try:
            request = SubmitApplicationRequest(application_submission_context=context)
            self._rm.call(self._rm.core.client.submit_application, request, Caller(user=step.user))
        except YarnError:
            self._world.drop_app(app)
            raise
        if not step.is_managed:
            self._register_unmanaged(app)

    def ask(self, step: Ask) -> None:
        """One allocate call with all that the step says."""
        app = self._world.app(step.app)
        asks: list[ResourceRequest] = []
        updates: list[UpdateContainerRequest] = []
        scheduling: list[SchedulingRequest] = []
        for spec in step.requests:
            if spec.update is not None:
                updates.append(update_request(spec, self._world.container(spec.update)))
            elif spec.is_constrained:
                scheduling.append(scheduling_request(spec))
            else:
                asks.extend(resource_requests(spec, self._rm.rack_of))
        release = tuple(self._world.container(name).container_id for name in step.release)
        blacklist = None
        if step.blacklist_add or step.blacklist_remove:
            blacklist = ResourceBlacklistRequest(
                blacklist_additions=step.blacklist_add, blacklist_removals=step.blacklist_remove
            )
        self._allocate(app, tuple(asks), release, blacklist, tuple(updates), tuple(scheduling))

    def pull(self, step: Pull) -> None:
        """An allocate call without an ask, application by application."""
        for name in step.apps:
            self._allocate(self._world.app(name))

    def pull_all(self) -> None:
        """Every AM that is registered calls, in the order of submission; one whose tasks have all ended
        unregisters.
        """
        for app in list(self._world.apps.values()):
            is_to_call = self._rm.is_app_running(app.application_id) or (
                self._world.is_out_of_sync(app) and not self._rm.is_app_over(app.application_id)
            )
            if not is_to_call:
                continue
            self._allocate(app)
            wanted = app.master.wanted
            if app.task_ms is not None and wanted and not (any(wanted.values()) or app.master.containers):
                self.finish(Finish(line=NO_LINE, apps=(app.name,)))

    def end_due(self) -> None:
        """Containers whose time is over end by themselves; their nodes will say so."""
        now_ms = self._rm.clock.now_ms()
        for app in self._world.apps.values():
            for container_id, (due_ms, node) in list(app.tasks.items()):
                if due_ms <= now_ms:
                    del app.tasks[container_id]
                    node.end(container_id, 0)

    def complete(self, step: Complete) -> None:
        """Containers end by themselves; their nodes will say so."""
        for name in step.containers:
            container = self._world.container(name)
            node = self._world.node_by_id(container.node_id)
            if node is None or not node.end(container.container_id, step.status):
                raise StepRefusedError(f"{name} is not running on its node")
        if step.app is not None:
            self._complete_first(step, self._world.app(step.app))

    def finish(self, step: Finish) -> None:
        """The AMs unregister, and exit once they are told that the RM knows."""
        for name in step.apps:
            app = self._world.app(name)
            attempt_id = self._attempt_of(app)
            try:
                is_unregistered = self._unregister(attempt_id)
            except ApplicationMasterNotRegisteredError:
                if not self._has_synchronized(app):
                    raise
                is_unregistered = self._unregister(attempt_id)
            if not is_unregistered:
                self._unregister(attempt_id)
            self._end_am(app, 0)

    def fail_am(self, step: FailAm) -> None:
        """The AM process crashes; its node will say so."""
        if not self._end_am(self._world.app(step.app), AM_CRASH_STATUS):
            raise StepRefusedError(f"the AM container of {step.app} is not running")

    def kill(self, step: Kill) -> None:
        """The owner kills the application."""
        app = self._world.app(step.app)
        request = KillApplicationRequest(application_id=app.application_id)
        self._rm.call(self._rm.core.client.force_kill_application, request, Caller(user=app.user))

    def move(self, step: Move) -> None:
        """The owner moves the application."""
        app = self._world.app(step.app)
        request = MoveApplicationAcrossQueuesRequest(
            application_id=app.application_id, target_queue=step.queue
        )
        self._rm.call(self._rm.core.client.move_application_across_queues, request, Caller(user=app.user))

    def set_priority(self, step: SetPriority) -> None:
        """The owner changes the application's priority."""
        app = self._world.app(step.app)
        request = UpdateApplicationPriorityRequest(
            application_id=app.application_id, application_priority=step.priority
        )
        self._rm.call(self._rm.core.client.update_application_priority, request, Caller(user=app.user))

    def register_started_ams(self, running: Container[ContainerId]) -> None:
        """The AMs among the containers that a node has just reported running register."""
        for app in self._world.apps.values():
            am = app.am_container
            if am is None or am.container_id not in running or am.is_finished:
                continue
            if app.master.attempt_id != am.container_id.application_attempt_id:
                self._register(app, self._rm.application_report(app.application_id, app.user))

    # ---- inside

    def _unregister(self, attempt_id: ApplicationAttemptId) -> bool:
        request = FinishApplicationMasterRequest(
            final_application_status=FinalApplicationStatus.SUCCEEDED, diagnostics="", tracking_url=""
        )
        answer = self._rm.call(
            self._rm.core.master.finish_application_master, request, Caller(attempt_id=attempt_id)
        )
        return answer.is_unregistered

    def _register_unmanaged(self, app: App) -> None:
        report = self._rm.application_report(app.application_id, app.user)
        if report.yarn_application_state is YarnApplicationState.ACCEPTED:
            self._register(app, report)

    def _register(self, app: App, report: ApplicationReport) -> None:
        attempt_id = report.current_application_attempt_id
        assert attempt_id is not None
        self._call_register(app, attempt_id)
        app.master.registered(attempt_id)
        app.waiting.clear()

    def _call_register(self, app: App, attempt_id: ApplicationAttemptId) -> None:
        request = RegisterApplicationMasterRequest(
            host="", rpc_port=NO_PORT, tracking_url="", placement_constraints=app.constraints
        )
        self._rm.call(
            self._rm.core.master.register_application_master, request, Caller(attempt_id=attempt_id)
        )

    def _has_synchronized(self, app: App) -> bool:
        """Its AM is told that it is not registered: it registers again, if the ResourceManager restarted."""
        if not self._world.is_out_of_sync(app):
            return False
        self._world.synchronized(app)
        self._call_register(app, self._attempt_of(app))
        app.master.registered_again()
        return True

    def _attempt_of(self, app: App) -> ApplicationAttemptId:
        attempt_id = app.master.attempt_id
        if attempt_id is None:
            raise StepRefusedError(f"the AM of {app.name} is not running yet")
        return attempt_id

    def _allocate(
        self,
        app: App,
        ask: tuple[ResourceRequest, ...] = (),
        release: tuple[ContainerId, ...] = (),
        blacklist: ResourceBlacklistRequest | None = None,
        updates: tuple[UpdateContainerRequest, ...] = (),
        scheduling: tuple[SchedulingRequest, ...] = (),
    ) -> None:
        attempt_id = self._attempt_of(app)

        def call(request: AllocateRequest) -> AllocateResponse:
            return self._rm.call(self._rm.core.master.allocate, request, Caller(attempt_id=attempt_id))

        try:
            given = app.master.allocate(call, ask, release, blacklist, updates, scheduling)
        except ApplicationMasterNotRegisteredError:
            if not self._has_synchronized(app):
                raise
            asks, places = app.waiting.repeated(ask, blacklist)
            given = app.master.allocate(call, asks, release, places, updates, scheduling)
        app.waiting.record_given(given, self._rm.rack_of)
        app.waiting.record(ask, blacklist)
        for container in given:
            node = self._world.node_by_id(container.node_id) if container.node_id is not None else None
            if node is not None and node.is_live:
                node.start(container)
                if app.task_ms is not None and container.id is not None:
                    app.tasks[container.id] = (self._rm.clock.now_ms() + app.task_ms, node)
        for container in app.master.updated():
            node = self._world.node_by_id(container.node_id) if container.node_id is not None else None
            if node is not None:
                node.update(container)

    def _complete_first(self, step: Complete, app: App) -> None:
        wanted = None if step.node is None else self._world.node(step.node)
        ended = 0
        for container in app.containers:
            node = self._world.node_by_id(container.node_id)
            if ended == step.count:
                return
            if node is not None and wanted in (None, node) and node.end(container.container_id, step.status):
                ended += 1
        if ended < step.count:
            where = f" on {step.node}" if step.node is not None else ""
            raise StepRefusedError(f"{app.name} has {ended} running containers{where}, not {step.count}")

    def _end_am(self, app: App, status: int) -> bool:
        container = app.am_container
        if container is None:
            return False
        node = self._world.node_by_id(container.node_id)
        return node is not None and node.end(container.container_id, status)
