"""A simulated ResourceManager whose every input the twin gets too, and whose every output is compared.

Nodes, AMs, clients and administrators of a scenario speak to ours; each call goes to the twin as the message
that it is on the wire. What ours does because time passes (a monitor misses somebody, a policy has its
moment) the twin is told, for it has no threads. After every turn the two are looked at. Here no rule of a
scheduler is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from tests.hadoop.accidents import LEGACY, Accidents
from tests.hadoop.answers import differences_of
from tests.hadoop.observation import observed
from tests.hadoop.twin import Refusal, Twin, TwinCrashedError
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.effects import LaunchContainer
from yarnbox.rm.events.app import AppKill, AttemptExpire
from yarnbox.rm.events.node import MonitorLook, NodeExpire
from yarnbox.rm.events.scheduler import (
    SchedulerAsynchronousRound,
    SchedulerCheckAllocations,
    SchedulerContainerExpired,
    SchedulerMarkContainerForKillable,
    SchedulerMonitorTick,
    SchedulerNodeRemoved,
    SchedulerPreemptContainers,
    SchedulerScheduleAll,
    SchedulerUpdateShares,
)
from yarnbox.rm.monitoring.monitors import OUTLIVED
from yarnbox.rm.reservation.system import FOLLOWER
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.resourcemanager import START_MS, SimulatedRM
from yarnbox.sim.scenario.playing.files import (
    CAPACITY_SCHEDULER,
    EXCLUDE,
    EXCLUDE_PATH,
    FAIR_SCHEDULER,
    YARN_SITE,
    ScenarioFiles,
)
from yarnbox.yarn.connection.rpc import SERVICES
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.admin import (
    RefreshQueuesRequest,
    RemoveFromClusterNodeLabelsRequest,
    ReplaceLabelsOnNodeRequest,
)
from yarnbox.yarn.records.client import (
    ReservationUpdateRequest,
    SubmitApplicationRequest,
    UpdateApplicationPriorityRequest,
)
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.wire import from_bytes, to_bytes, to_message

T = TypeVar("T")
Request = TypeVar("Request")
Answer = TypeVar("Answer")

_SCHEDULER_CLASS = "yarn.resourcemanager.scheduler.class"
_PACKAGE = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
_SCHEDULERS = {
    "fifo": "yarnbox.twin.MendedFifoScheduler",
    "capacity": "yarnbox.twin.MendedCapacityScheduler",
    "fair": "yarnbox.twin.MendedFairScheduler",
}
_RESERVATION_CLASS = "yarn.resourcemanager.reservation-system.class"
_RESERVATION_SYSTEMS = {
    "capacity": "yarnbox.twin.LastingPlan$OfCapacityScheduler",
    "fair": "yarnbox.twin.LastingPlan$OfFairScheduler",
}
_POLICY, _AVERAGES = "reservation-policy", "CapacityOverTimePolicy"
_CALCULATOR, _DOMINANT = "yarn.scheduler.capacity.resource-calculator", "DominantResourceCalculator"
_ALLOCATION_FILE = "yarn.scheduler.fair.allocation.file"
_SERVICES = {
    "client": "ApplicationClientProtocolService",
    "master": "ApplicationMasterProtocolService",
    "tracker": "ResourceTrackerService",
    "admin": "ResourceManagerAdministrationProtocolService",
}
_RPCS = {
    re.sub("(?<!^)(?=[A-Z])", "_", rpc).lower(): (name, rpc)
    for name, service in _SERVICES.items()
    for rpc in SERVICES[service]
}
"""Our methods' names."""

_LATER_PROPERTIES = {"yarn.resourcemanager.scheduler.autocorrect.container.allocation": "3.5.0"}
"""Which release of Hadoop reads them first."""
DECOMMISSIONING = "decommissioning"
"""The monitor that looks at silent nodes that are being decommissioned."""
_ASYNCHRONOUS = "yarn.scheduler.capacity.schedule-asynchronously.enable"
_DEFECTS = ("NullPointerException", "ClassCastException", "ConcurrentModificationException")


class DifferenceError(Exception):
    """The two differ: where, and what each has."""

    def __init__(self, path: str, ours: object, hadoop: object) -> None:
        super().__init__(f"{path}: ours {ours!r}, Hadoop's {hadoop!r}")
        self.path, self.ours, self.hadoop = path, ours, hadoop


class NotComparableError(Exception):
    """The scenario does what the twin cannot be told."""


@dataclass(frozen=True, slots=True)
class _Call:
    service: str
    rpc: str
    request: Any
    caller: Caller
    answer: Any
    refusal: YarnError | None


@dataclass(frozen=True, slots=True)
class _SharesUpdated:
    """By a step; a turn of the update thread is a turn of the FairScheduler's preemption too."""


@dataclass(frozen=True, slots=True)
class _Lost:
    """A node is lost at once."""

    node_id: NodeId


@dataclass(frozen=True, slots=True)
class _Launched:
    attempt: str
    problem: str


class MirroredRM(SimulatedRM):
    """Ours and the twin side by side; DifferenceError from the first turn in which they differ."""

    def __init__(
        self,
        files: ScenarioFiles,
        groups: Mapping[str, tuple[str, ...]],
        twin: Twin,
        scratch: Path,
        stride: int = 1,
    ) -> None:
        """Answers are compared in every turn, books every `stride` turns."""
        self._twin = twin
        self._stride = stride
        self._turns = 0
        self._launched: list[str] = []
        """AMs that ours wanted launched since the twin was asked last."""
        self._files = files
        self._allocation_file = scratch / FAIR_SCHEDULER
        self._exclude_file = scratch / EXCLUDE
        self._inputs: list[_Call | _SharesUpdated | _Launched | _Lost | Event] = []
        self._heard: list[tuple[str, int, tuple[str, ...]]] = []
        """Who was heard of without a call, which the twin has not been told yet: see Twin.heard_of."""
        self._lost: NodeId | None = None
        """A node that is lost at no look of a monitor."""
        self._standing: dict[ApplicationAttemptId | None, int] = {}
        """How many containers reserved room for one that is to grow, before the present turn."""
        self._preempted_late: list[ContainerId] = []
        """Containers that have ended before the warning of their preemption was over, or before the turn came
        to them on a node that has too many.
        """
        self._shown_ms = START_MS
        self._is_fifo = files.conf.get(_SCHEDULER_CLASS) == "fifo"
        self._known_racks: dict[str, str] = {}
        self._keys = RegisterNodeManagerResponse()
        self._is_mirrored = False
        self.accidents = Accidents()
        for name, release in _LATER_PROPERTIES.items():
            if files.conf.get(name):
                raise NotComparableError(f"{name} is read from Hadoop {release} on")
        if any(each.name == _ASYNCHRONOUS and each.raw == "true" for each in files.load(CAPACITY_SCHEDULER)):
            raise NotComparableError("asynchronous scheduling is the work of threads of Hadoop's")
        refusal = self._start_twin(groups)
        try:
            super().__init__(files, groups, YARN_SITE, checks_books=stride == 1)
        except YarnError as error:
            if refusal is None:
                raise DifferenceError("start", error.message, "started") from error
            raise
        if refusal is not None:
            raise DifferenceError("start", "started", refusal)
        self.context.dispatcher.watchers.append(self._watch)
        self._is_mirrored = True

    def _start_twin(self, groups: Mapping[str, tuple[str, ...]]) -> Refusal | None:
        self._twin.clear()
        properties = dict(self._files.conf)
        scheduler = properties.get(_SCHEDULER_CLASS, "capacity")
        properties[_SCHEDULER_CLASS] = _SCHEDULERS.get(scheduler, scheduler)
        if scheduler in _RESERVATION_SYSTEMS:
            properties[_RESERVATION_CLASS] = _RESERVATION_SYSTEMS[scheduler]
        properties[EXCLUDE_PATH] = str(self._exclude_file)
        # What works out vectors reads the file from the class path, where the twin has none.
        properties |= {
            each.name: each.raw for each in self._files.load(CAPACITY_SCHEDULER) if each.name == LEGACY
        }
        properties[_ALLOCATION_FILE] = str(self._allocation_file)
        for user, names in groups.items():
            self._twin.set_groups(user, names)
        self._write_files()
        return self._twin.start(properties, START_MS)

    def _write_files(self) -> None:
        capacity = self._files.load(CAPACITY_SCHEDULER)
        properties = {each.name: each.raw for each in capacity}
        self.accidents.note_queues(properties)
        for name in list(properties):
            queue, _, last = name.rpartition(".")
            if last == "reservable" and properties.get(f"{queue}.{_POLICY}", _AVERAGES).endswith(_AVERAGES):
                properties[f"{queue}.{_POLICY}"] = f"yarnbox.twin.Mended{_AVERAGES}"
        if properties.get(_CALCULATOR, "").endswith(f".{_DOMINANT}"):
            properties[_CALCULATOR] = f"yarnbox.twin.Finite{_DOMINANT}"
        self._twin.write_properties(CAPACITY_SCHEDULER, properties)
        self._exclude_file.write_text(self._files.read_text(EXCLUDE) or "")
        fair = self._files.read_text(FAIR_SCHEDULER)
        if fair is not None:
            self._allocation_file.write_text(fair)
        else:
            self._allocation_file.write_text("<allocations/>")

    def restart(self, after_ms: int) -> None:
        """Both end, and others begin."""
        self.accidents.note_restart()
        self._is_mirrored = False
        self._shown_ms = self.clock.now_ms() + after_ms
        self._write_files()  # without what a refused refresh left there
        refusal = self._twin.restart(self._shown_ms)
        try:
            super().restart(after_ms)
        except YarnError as error:
            if refusal is None:
                raise DifferenceError("restart", error.message, "started") from error
            raise
        if refusal is not None:
            raise DifferenceError("restart", "started", refusal)
        self._is_mirrored = True
        self._run_until_idle()

    # ---- turns

    def turn(self, call: Callable[[], T]) -> T:
        """One turn of both."""
        try:
            return super().turn(call)
        finally:
            self._run_until_idle()

    def call(self, rpc: Callable[[Request, Caller], Answer], request: Request, caller: Caller) -> Answer:
        """An RPC of ours, with a note of it."""
        service, name = _RPCS[rpc.__name__]

        def noted(request: Request, caller: Caller) -> Answer:
            try:
                answer = rpc(request, caller)
            except YarnError as refusal:
                self._inputs.append(_Call(service, name, request, caller, None, refusal))
                raise
            self._inputs.append(_Call(service, name, request, caller, answer, None))
            return answer

        return super().call(noted, request, caller)

    def advance(self) -> None:
        """The timers of ours that are due, and what they do, for both."""
        super().advance()
        self._run_until_idle()

    def update_shares(self) -> None:
        """The scheduler's update of shares, once."""
        self._inputs.append(_SharesUpdated())
        super().update_shares()

    def preempt(self) -> None:
        """The preemption policy, once."""
        self._inputs.append(SchedulerMonitorTick(policy=""))
        super().preempt()

    # ---- the world

    def lose_node(self, node_id: NodeId) -> None:
        """The RM hears at once that the node is lost."""
        self._lost = node_id
        super().lose_node(node_id)
        self._lost = None

    def heard_of_node(self, node_id: NodeId, at_ms: int) -> None:
        """The node heartbeat last at that moment, with nothing to report and nothing to hear."""
        self._heard.append(("node", at_ms, (str(node_id),)))
        super().heard_of_node(node_id, at_ms)

    def heard_of_all_nodes(self, at_ms: int, silent: Iterable[NodeId]) -> None:
        """Each node but these heartbeat last at that moment, with nothing to report and nothing to hear."""
        silent = tuple(silent)
        self._heard.append(("other nodes", at_ms, tuple(map(str, silent))))
        super().heard_of_all_nodes(at_ms, silent)

    def heard_of_master(self, attempt_id: ApplicationAttemptId, at_ms: int) -> None:
        """The AM called last at that moment, with nothing to ask and nothing to hear."""
        self._heard.append(("master", at_ms, (str(attempt_id),)))
        super().heard_of_master(attempt_id, at_ms)

    def _launch(self, effect: LaunchContainer) -> None:
        node = self.nodes.get(effect.node_id)
        problem = "" if node is not None and node.is_live else f"no connection to {effect.node_id}"
        self._inputs.append(_Launched(str(effect.attempt_id), problem))
        super()._launch(effect)

    def _watch(self, event: Event) -> None:
        if isinstance(event, SchedulerPreemptContainers):
            scheduler = self.context.scheduler
            self._preempted_late += (one for one in event.container_ids if scheduler.container(one) is None)
        elif isinstance(event, SchedulerMarkContainerForKillable):
            container = self.context.scheduler.container(event.container_id)
            if container is None:
                self._preempted_late.append(event.container_id)
        elif isinstance(event, SchedulerNodeRemoved) and self._is_fifo:
            node = self.context.scheduler.tracker.nodes.get(event.node_id)
            for one in self._ended_on(node) if node is not None else ():
                self.accidents.note_deducted(one.resource)
        if isinstance(
            event,
            NodeExpire
            | AttemptExpire
            | SchedulerContainerExpired
            | AppKill
            | SchedulerUpdateShares
            | SchedulerCheckAllocations
            | SchedulerMonitorTick
            | SchedulerPreemptContainers
            | SchedulerScheduleAll
            | SchedulerAsynchronousRound,
        ) or (isinstance(event, MonitorLook) and event.name in (FOLLOWER, DECOMMISSIONING)):
            if isinstance(event, NodeExpire) and event.node_id == self._lost:
                self._inputs.append(_Lost(event.node_id))
            else:
                self._inputs.append(event)

    def _ended_on(self, node: SchedulerNode) -> list[RMContainer]:
        """Containers whose end the node has not reported, of applications that have not ended."""
        applications = self.context.scheduler.applications
        return [
            one
            for one in node.containers.values()
            if one.is_finished and one.attempt_id.application_id in applications
        ]

    # ---- the twin

    def _run_until_idle(self) -> None:
        """What ours got since the last time, for the twin; then both are looked at."""
        if not self._is_mirrored:
            return
        inputs = list(self._inputs)
        self._inputs.clear()
        self._tell_of_others()
        if self.clock.now_ms() != self._shown_ms:
            self._shown_ms = self.clock.now_ms()
            if missed_before := self._twin.move_to(self._shown_ms):
                raise DifferenceError("missed by a monitor", None, missed_before)
        missed: dict[tuple[str, ...], list[str]] = {}
        for one in inputs:
            if (found := _missed(one)) is not None:
                missed.setdefault(found[0], []).append(found[1])
        for one in inputs:
            if (found := _missed(one)) is None:
                self._pass_on(one)
            elif ours := missed.pop(found[0], None):
                # One look of a monitor finds all that are silent by then, before anything follows from it.
                hadoop = self._twin.look(*found[0])
                if hadoop != ours:
                    raise DifferenceError(f"missed by the monitor of {found[0][0]}", ours, hadoop)
        self._compare(inputs)

    def _tell_of_others(self) -> None:
        """Whom ours has heard of without a call."""
        heard, self._heard = self._heard, []
        for kind, at_ms, ids in heard:
            self._twin.heard_of(kind, at_ms, *ids)

    def _pass_on(self, one: _Call | _SharesUpdated | _Launched | _Lost | Event) -> None:
        twin = self._twin
        if isinstance(one, _Call):
            self._call(one)
        elif isinstance(one, _Launched):
            twin.launched(one.attempt, one.problem)
        elif isinstance(one, _Lost):
            twin.lose(str(one.node_id))
        elif isinstance(one, AppKill):
            if one.diagnostics == OUTLIVED:
                twin.outlive(str(one.application_id))
        elif isinstance(one, _SharesUpdated):
            twin.update_shares()
        elif isinstance(one, SchedulerUpdateShares):
            twin.update_shares()
            twin.preempt()
        elif isinstance(one, SchedulerCheckAllocations):
            twin.check_allocations()
        elif isinstance(one, SchedulerMonitorTick):
            self._preempt(one.policy)
        elif isinstance(one, MonitorLook) and one.name == DECOMMISSIONING:
            twin.poll_decommissioning()
        elif isinstance(one, MonitorLook):
            twin.follow_plans()
        elif isinstance(one, SchedulerPreemptContainers):
            twin.kill_marked()
        else:
            raise NotComparableError(f"{type(one).__name__} is the work of a thread of Hadoop's")

    def _preempt(self, policy: str) -> None:
        try:
            is_due = self._twin.preempt(policy)
        except TwinCrashedError as crash:
            scheduler = self.context.scheduler
            if isinstance(scheduler, CapacityScheduler):
                self.accidents.in_preemption(str(crash), (each.name for each in scheduler.tree.all_queues()))
            raise
        if not is_due:
            raise DifferenceError(f"pass of {policy}", "due now", "due at another time")

    def _call(self, one: _Call) -> None:
        for host, rack in self.racks.items():
            if self._known_racks.get(host) != rack:
                self._known_racks[host] = rack
                self._twin.set_rack(host, rack)
        if one.service == "admin":
            self._write_files()
        if self._is_fifo and (one.rpc == "updateNodeResource" or self._shrinks_a_node(one)):
            raise NotComparableError(
                "after a node's resize Hadoop's FifoScheduler fails for want of a CSQueue"
            )
        if isinstance(one.request, ReplaceLabelsOnNodeRequest) and one.refusal is None:
            self.accidents.note_labels(one.request)
            hosts = [each.node_id.host for each in one.request.node_to_labels if each.node_id is not None]
            nodes = self.context.scheduler.tracker.nodes.values()
            if any(self._ended_on(node) for node in nodes if node.node_id.host in hosts):
                self.accidents.note_moved()
        if isinstance(one.request, RemoveFromClusterNodeLabelsRequest) and one.refusal is None:
            if any(self._ended_on(node) for node in self.context.scheduler.tracker.nodes.values()):
                self.accidents.note_moved()
        if isinstance(one.request, SubmitApplicationRequest) and one.refusal is None:
            context = one.request.application_submission_context
            if context is not None and context.attempt_failures_validity_interval > 0:
                raise NotComparableError("Hadoop judges the age of an attempt's failure by the wall clock")
        attempt = "" if one.caller.attempt_id is None else str(one.caller.attempt_id)
        request = to_bytes(self._with_keys(one.request))
        answer = self._twin.call(one.service, one.rpc, one.caller.user, attempt, request)
        if isinstance(answer, Refusal) or one.refusal is not None:
            if isinstance(answer, Refusal) and answer.name in _DEFECTS:
                self.accidents.in_defect(answer.message, one.request, one.answer)
                raise NotComparableError(f"Hadoop itself breaks: {one.rpc}: {answer.name}: {answer.message}")
            ours = None if one.refusal is None else one.refusal.message
            hadoop = f"{answer.name}: {answer.message}" if isinstance(answer, Refusal) else None
            if (ours is None) is not (hadoop is None):
                self.accidents.in_refusal(ours, hadoop)
                raise DifferenceError(f"{one.rpc}.refused", ours, hadoop)
            if isinstance(one.request, ReservationUpdateRequest):
                self.accidents.note_refused_update(str(one.request.reservation_id))
            if isinstance(one.request, RefreshQueuesRequest) and ours is not None and hadoop is not None:
                self.accidents.note_refused_refresh(ours, hadoop)
            return
        theirs = from_bytes(type(one.answer), answer)
        if isinstance(one.request, UpdateApplicationPriorityRequest):
            self.accidents.note_priority(str(one.request.application_id))
        if isinstance(one.request, RegisterNodeManagerRequest):
            self.accidents.add_registered_node(str(one.request.node_id))
        if isinstance(theirs, RegisterNodeManagerResponse) and theirs.nm_token_master_key is not None:
            self._keys = theirs
        if isinstance(one.request, AllocateRequest):
            asked = [each.container_id for each in one.request.update_requests]
            self.accidents.note_changes(asked, self._standing.get(one.caller.attempt_id, 0))
        if isinstance(one.answer, AllocateResponse) and isinstance(theirs, AllocateResponse):
            self.accidents.in_updates(one.answer, theirs)
        node_id = _node_of(one.request)
        for path, our, their in differences_of(one.rpc, to_message(one.answer), to_message(theirs)):
            if not self.accidents.in_answer(path, our, their, node_id):
                raise DifferenceError(path, our, their)

    def _shrinks_a_node(self, one: _Call) -> bool:
        """A heartbeat of a node that is being decommissioned resizes it."""
        status = one.request.node_status if isinstance(one.request, NodeHeartbeatRequest) else None
        if status is None or status.node_id is None:
            return False
        node = self.context.nodes.get(status.node_id)
        return node is not None and node.is_decommissioning

    def _with_keys(self, request: Any) -> Any:
        """A NodeManager says in each heartbeat which keys it knows."""
        if not isinstance(request, NodeHeartbeatRequest):
            return request
        return replace(
            request,
            last_known_container_token_master_key=self._keys.container_token_master_key,
            last_known_nm_token_master_key=self._keys.nm_token_master_key,
        )

    def _compare(self, inputs: list[_Call | _SharesUpdated | _Launched | _Lost | Event]) -> None:
        self._launched += (one.attempt for one in inputs if isinstance(one, _Launched))
        self._turns += 1
        if self._turns % self._stride:
            return
        launched, self._launched = self._launched, []
        wanted = self._twin.launches()
        rpcs = [one.rpc for one in inputs if isinstance(one, _Call)]
        self.accidents.note_preempted(self._preempted_late)
        self._preempted_late.clear()
        ours, hadoop = observed(self), self._twin.observe()
        scheduler = self.context.scheduler
        if isinstance(scheduler, CapacityScheduler):
            leaves = list(scheduler.tree.leaves())
            self._standing = {
                attempt.attempt_id: sum(bool(one.key.update_of) for one in attempt.newly_allocated.values())
                for leaf in leaves
                for attempt in leaf.order
            }
            self.accidents.note_smaller(
                leaf.path
                for leaf in leaves
                for attempt in leaf.order
                for one in attempt.live.values()
                if one.is_am and one.resource != attempt.am_resource
            )
        self.accidents.note_seen(ours.seen)
        self.accidents.note_seen(hadoop)
        found = [
            each for each in ours.differences(hadoop) if not self.accidents.in_books(*each, rpcs)
        ]  # all of them: an accident that ends the play shows in what follows from it, too
        if launched != wanted:
            raise DifferenceError("AMs launched", launched, wanted)
        if found:
            raise DifferenceError(*found[0])


def _missed(event: object) -> tuple[tuple[str, ...], str] | None:
    """Which of Hadoop's monitors misses whom, as the twin says it; None for what else comes to a
    ResourceManager.
    """
    match event:
        case NodeExpire():
            return ("nodes",), f"node {event.node_id}"
        case AttemptExpire():
            return ("masters", "finishing masters"), f"attempt {event.attempt_id}"
        case SchedulerContainerExpired():
            kind = "increase" if event.is_increase else "container"
            return ("containers",), f"{kind} {event.container_id}"
        case _:
            return None


def _node_of(request: Any) -> str:
    """Which node sends it, if one does."""
    status = request.node_status if isinstance(request, NodeHeartbeatRequest) else None
    return "" if status is None else str(status.node_id)
