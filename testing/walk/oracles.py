"""What must hold between the parts of a cluster: books and machines, AMs and the scheduler, memory and disk.

The model knows only what was said. Here the ResourceManager's books are compared with what really runs, with
what AMs really ask for, and with what another ResourceManager would know if it began now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from yarnbox.am.asks import ANY
from yarnbox.rm.app import RMApp
from yarnbox.rm.app.entity import RMAppState
from yarnbox.rm.attempt import RMAppAttempt
from yarnbox.rm.attempt.entity import RMAppAttemptState
from yarnbox.rm.container import RMContainer, RMContainerState, SchedulerNode
from yarnbox.testing.virtual_time.rm import VirtualRM
from yarnbox.testing.walk.model import Model
from yarnbox.yarn.enums import ContainerState, ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier, Token
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import NONE, Resource, total
from yarnbox.yarn.security.tokens import AMRM_TOKEN, identifier_of

ANSWERS = 4
"""After so many answers to its heartbeats a node has done what the ResourceManager wants."""
GONE_S = 60
"""By then, when all is calm, a node and the ResourceManager agree on what runs."""
APP_ENDS = (RMAppState.FINISHED, RMAppState.FAILED, RMAppState.KILLED)
ATTEMPT_ENDS = (RMAppAttemptState.FINISHED, RMAppAttemptState.FAILED, RMAppAttemptState.KILLED)


class Machine(Protocol):
    """What really runs on a host."""

    host: str
    capacity: Resource
    sizes: dict[ContainerId, Resource]
    stopped: dict[ContainerId, None]

    def running(self) -> list[ContainerId]:
        """The containers that run."""
        ...


class Cluster(Protocol):
    """What is looked at."""

    rm: VirtualRM
    model: Model

    @property
    def now_s(self) -> float:
        """The time."""
        ...

    def machines(self) -> Iterable[Machine]: ...

    def executor_of(self, host: str) -> Machine: ...

    def known_to(self, host: str) -> Iterable[ContainerId]:
        """The containers that its NodeManager has, those that wait included."""
        ...


class Oracles:
    """They note in the model what does not hold."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._running: dict[str, dict[ContainerId, None]] = {}
        """What this ResourceManager has heard of as running, by host."""
        self._kept: dict[ContainerId, tuple[int, int]] = {}
        """What was given back and is counted on: by which ResourceManager, and for how many answers."""
        self._answers: dict[ApplicationAttemptId, tuple[int, int]] = {}
        """The last answer to each attempt: of which ResourceManager, and its number."""
        self._odd_since_s: dict[str, float] = {}
        self._odd: dict[str, dict[str, int]] = {}
        """By host, what a node and the ResourceManager do not agree on, and for how many answers."""
        self._ended: dict[str, dict[ContainerId, int]] = {}
        """By host, what this ResourceManager has heard of as ended, and how often."""
        self._ended_before: dict[ContainerId, None] = {}
        """What nodes have registered with as ended, or though its AM had heard that it has: what a lost node
        says of that, a ResourceManager does not hear, as Hadoop's, and the node keeps it until the
        application ends.
        """
        self._late: dict[str, None] = {}
        """Hosts that registered later with this ResourceManager than it remembers releases."""
        self._preempted: dict[ContainerId, int] = {}
        """What this ResourceManager has preempted, and how often its AM was answered since."""

    # Machines

    def note_heartbeat(self, host: str, statuses: Iterable[ContainerStatus]) -> None:
        """The ResourceManager has taken in what a node reports. When a node is not well, it frees the space
        there before what runs has stopped, as Hadoop's does.
        """
        node = self._node(host)
        if node is None:
            self._running.pop(host, None)
            return
        known = self._running.setdefault(host, {})
        known.update(dict.fromkeys(node.launched))
        for status in statuses:
            if status.state is ContainerState.COMPLETE:
                known.pop(status.container_id, None)

    def _node(self, host: str) -> SchedulerNode | None:
        """The scheduler's books of a node that it uses."""
        tracker = self._cluster.rm.core.context.scheduler.tracker
        return next((one for one in tracker.nodes.values() if one.node_id.host == host), None)

    def forget_machine(self, host: str, reports: Iterable[NMContainerStatus]) -> None:
        """It registers again: what was given up meanwhile may run a little longer."""
        for one in reports:
            has_ended = one.container_state is ContainerState.COMPLETE
            if has_ended or self._was_heard(
                one.container_id
            ):  # of its stop a machine may have stored nothing
                self._ended_before[one.container_id] = None
        self._running.pop(host, None)
        self._odd.pop(host, None)
        self._ended.pop(host, None)
        context = self._cluster.rm.core.context
        if context.now_ms - context.start_ms >= context.settings.node_expiry_ms:
            self._late[host] = None

    def forget_machines(self) -> None:
        """The next ResourceManager has heard of nothing."""
        self._running.clear()
        self._odd.clear()
        self._ended.clear()
        self._late.clear()
        self._preempted.clear()

    def note_preempted(self, container_id: ContainerId) -> None:
        """The scheduler has preempted it: its AM is told when it calls."""
        self._preempted[container_id] = 0

    def note_orders(
        self, host: str, statuses: Iterable[ContainerStatus], orders: Iterable[ContainerId]
    ) -> None:
        """A node that has reported these is ordered to stop those: nothing that it reported as ended two
        heartbeats ago. The heartbeat before this one may have left the order.
        """
        ended = self._ended.setdefault(host, {})
        for one in orders:
            answers = ended.get(one, 0)
            self._cluster.model.expect(answers < 2, f"{host} shall stop {one}, which it said has ended")
        for status in statuses:
            if status.state is ContainerState.COMPLETE:
                ended[status.container_id] = ended.get(status.container_id, 0) + 1

    def look_at_node(self, host: str, statuses: Iterable[ContainerStatus]) -> None:
        """An answer to a heartbeat has arrived. A few heartbeats later what the ResourceManager has given
        up was ordered to stop, and what it counts on is there.
        """
        rm = self._cluster.rm
        if not rm.is_well:
            return
        node = self._node(host)
        if node is None:  # what a node reports that is not well, the scheduler never hears
            self._odd.pop(host, None)
            return
        scheduler, machine = rm.core.context.scheduler, self._cluster.executor_of(host)
        running = dict.fromkeys(machine.running())
        odd = []
        for one in running:
            container = scheduler.container(one)
            if one in machine.stopped or one in self._ended_before:
                continue
            if container is None or container.is_finished:
                odd.append(f"{one} runs on {host}, and nobody has told the node to stop it")
        odd += [
            f"{one.container_id} is reported by {host} as ended, though its AM has long heard of that"
            for one in statuses
            if one.state is ContainerState.COMPLETE and self._was_heard(one.container_id)
        ]
        known = list(self._cluster.known_to(host))
        odd += [
            f"{one} has ended on {host}, which keeps it, though its AM has long heard of that"
            for one in known
            if one in machine.sizes and one not in running
            if one not in self._ended_before and self._was_heard(one)
        ]
        there = running | dict.fromkeys(known)
        odd += [
            f"{one} is booked on {host} as running, and is not there"
            for one, container in node.containers.items()
            if one not in there and container.state is RMContainerState.RUNNING
        ]
        before = self._odd.get(host, {})
        self._odd[host] = now = {what: before.get(what, 0) + 1 for what in odd}
        for what, answers in now.items():
            self._cluster.model.expect(answers < ANSWERS, what)

    def look_at_machine(self, machine: Machine, begun: ContainerId) -> None:
        """One more container runs on it: what the ResourceManager knows to run there must fit. What it has
        never heard of as running may have been given up, and its node not have heard of that. If the call to
        start it was late, the order to forget it may have come before.
        """
        if self._was_heard(begun):
            self._ended_before[begun] = None
        rm = self._cluster.rm
        if not rm.is_well:
            return
        known, scheduler = self._running.get(machine.host, {}), rm.core.context.scheduler
        total = NONE
        for one in machine.running():
            if one in known or scheduler.container(one) is not None:
                total += machine.sizes[one]
        fits = total.fits_in(machine.capacity)
        self._cluster.model.expect(fits, f"{machine.host} runs {total} of {machine.capacity}")

    def _was_heard(self, container_id: ContainerId) -> bool:
        """Whether its AM has called since it was told that the container has ended."""
        attempt_id, model = container_id.application_attempt_id, self._cluster.model
        told, last = model.told.get((attempt_id, container_id)), self._answers.get(attempt_id)
        return told is not None and last is not None and told[0] == last[0] == model.rm_number and told < last

    def is_held_by_masters(self) -> bool:
        """Whether AMs alone have guaranteed containers, and no request finds room beside them and what is
        reserved. Then nothing goes on, as in Hadoop, where the queue's limit lets so many AMs begin. Nor does
        anything in a labelled partition, where Hadoop counts a user's use of the default one as well.
        """
        scheduler = self._cluster.rm.core.context.scheduler
        found = [one.attempt for one in scheduler.applications.values()]
        attempts = [one for one in found if one is not None]
        live = [one for attempt in attempts for one in attempt.live.values()]
        if any(one.execution_type is ExecutionType.GUARANTEED and not one.is_am for one in live):
            return False
        nodes = [one for one in scheduler.tracker.nodes.values() if not one.partition]
        reservations = [one.reserved_container for one in nodes]
        left = total(one.available for one in nodes) - total(one.resource for one in reservations if one)
        free = [one.available for one in nodes if one.reserved_container is None]
        wanted = [
            key_asks.any.capability
            for attempt in attempts
            for key_asks in attempt.asks.all_keys()
            if key_asks.outstanding and not key_asks.label
        ]
        return bool(wanted) and not any(
            one.fits_in(left) and any(one.fits_in(room) for room in free) for one in wanted
        )

    def look_at_places(self) -> None:
        """When all is calm: what runs is booked, and what is booked runs."""
        rm = self._cluster.rm
        if not rm.is_well:
            return
        scheduler, odd = rm.core.context.scheduler, []
        booked = {node.node_id.host: node.containers for node in scheduler.tracker.nodes.values()}
        for machine in self._cluster.machines():
            running = dict.fromkeys(machine.running())
            there: Mapping[ContainerId, Any] = booked.get(machine.host, {})
            host = machine.host
            odd += [
                f"{one} runs on {host}, and nobody counts on it"
                for one in running
                if one not in there or there[one].is_finished
            ]
            known = running | dict.fromkeys(self._cluster.known_to(host))
            odd += [
                f"{one} is booked on {host}, and is not there"
                for one, container in there.items()
                if one not in known and container.state is not RMContainerState.ALLOCATED
            ]
        now_s = self._cluster.now_s
        self._odd_since_s = {one: self._odd_since_s.get(one, now_s) for one in odd}
        for one, since_s in self._odd_since_s.items():
            self._cluster.model.expect(now_s - since_s < GONE_S, one)

    # Asks and reservations

    def look_at_asks(
        self, token: Token | None, request: AllocateRequest, answer: AllocateResponse, *, is_late: bool
    ) -> None:
        """An AM is answered, if it has not given the call up: the scheduler wants for it what it asks for.
        An answer that was given before may be older than what the scheduler does now.
        """
        rm, model = self._cluster.rm, self._cluster.model
        if token is None or answer.response_id is None or not rm.is_well:
            return
        self._look_at_grants(answer)
        attempt_id = identifier_of(token, AMRM_TOKEN, AMRMTokenIdentifier).app_attempt_id
        here = (model.rm_number, answer.response_id)
        table = model.tables.get(attempt_id) if attempt_id is not None else None
        if attempt_id is None or table is None or self._answers.get(attempt_id) == here:
            return
        self._answers[attempt_id] = here
        if is_late:
            return
        attempt = rm.core.context.scheduler.attempt(attempt_id)
        if attempt is None or attempt.attempt_id != attempt_id or attempt.is_stopped:
            return
        self._look_at_releases(attempt_id, attempt.live)
        for one in [one for one in self._preempted if one.application_attempt_id == attempt_id]:
            self._preempted[one] += 1
            if (attempt_id, one) in model.told:
                del self._preempted[one]
            else:
                model.expect(self._preempted[one] < 2, f"{one} was preempted, and its AM is not told")
        is_said = {one.priority for one in request.ask}
        wanted: dict[int, int] = {}
        for ask in table.asks():
            kind = ask.execution_type_request
            is_guaranteed = kind is None or kind.execution_type is ExecutionType.GUARANTEED
            if ask.resource_name == ANY and ask.priority is not None and is_guaranteed:
                wanted[ask.priority] = wanted.get(ask.priority, 0) + (ask.num_containers or 0)
        for container in answer.allocated_containers:
            if container.priority in wanted and container.priority not in is_said:
                wanted[container.priority] -= 1
        known = {
            key_asks.key.request_priority: key_asks.outstanding
            for key_asks in attempt.asks.all_keys()
            if not key_asks.key.update_of
        }
        for priority, count in wanted.items():
            is_known = known.get(priority, 0)
            model.expect(
                is_known == count,
                f"{attempt_id} asks for {count} containers of priority {priority}, {is_known} are known of",
            )

    def _look_at_releases(
        self, attempt_id: ApplicationAttemptId, live: Mapping[ContainerId, RMContainer]
    ) -> None:
        """What was given back is not counted on. But once its AM was told of the end it says no more, and a
        release is remembered for as long as a node may be silent: a ResourceManager that begins may take over
        what it has not heard of, or not for so long.
        """
        model = self._cluster.model
        for one, container in live.items():
            was_told = (attempt_id, one) in model.told
            if one in model.released and not was_told and container.node_id.host not in self._late:
                number, answers = self._kept.get(one, (model.rm_number, 0))
                self._kept[one] = (model.rm_number, answers + 1 if number == model.rm_number else 1)
                model.expect(self._kept[one][1] < ANSWERS, f"{one} was given back, and is counted on")

    def _look_at_grants(self, answer: AllocateResponse) -> None:
        """Nothing is granted before the nodes had time to tell what they run."""
        context = self._cluster.rm.core.context
        passed_ms = context.now_ms - context.start_ms
        if context.has_recovered and passed_ms <= context.settings.scheduling_wait_ms:
            for one in answer.allocated_containers:
                self._cluster.model.expect(
                    one.execution_type is not ExecutionType.GUARANTEED,
                    f"{one.id} was granted {passed_ms} ms after the ResourceManager began",
                )

    def look_at_reservations(self) -> None:
        """What nodes keep for attempts is what attempts have kept for them."""
        rm, model = self._cluster.rm, self._cluster.model
        if not rm.is_well:
            return
        scheduler = rm.core.context.scheduler
        kept = {
            node.reserved_container.container_id: node.node_id
            for node in scheduler.tracker.nodes.values()
            if node.reserved_container is not None
        }
        known = {
            container.container_id: container.node_id
            for application in scheduler.applications.values()
            if application.attempt is not None
            for container in application.attempt.reserved_containers()
        }
        model.expect(kept == known, f"reserved on nodes: {kept}, for attempts: {known}")

    def look_at_containers(self) -> None:
        """What attempts have is where they have it; of all that, the container of the AM is the AM's."""
        rm, model = self._cluster.rm, self._cluster.model
        if not rm.is_well:
            return
        context = rm.core.context
        nodes = context.scheduler.tracker.nodes
        for application_id, application in context.scheduler.applications.items():
            attempt, app = application.attempt, context.apps.get(application_id)
            if attempt is None or app is None or attempt.attempt_id not in app.attempts:
                continue
            master_id = app.attempts[attempt.attempt_id].master_container_id
            for one, container in attempt.live.items():
                node = nodes.get(container.node_id)
                model.expect(
                    node is not None and one in node.containers,
                    f"{one} is counted on, and {container.node_id} has no such container",
                )
                model.expect(
                    container.is_am == (one == master_id),
                    f"{one} counts as an AM's: {container.is_am}, and the AM runs in {master_id}",
                )

    def look_at_counts(self) -> None:
        """What was allocated and has not been released is there, no container counted twice."""
        rm = self._cluster.rm
        if not rm.is_well:
            return
        context = rm.core.context
        counts = [one.total() for one in context.health.queues.by_queue().values()]
        there = sum(
            container.execution_type is ExecutionType.GUARANTEED
            for application in context.scheduler.applications.values()
            if application.attempt is not None
            for container in application.attempt.live.values()
        )
        left = max((one.allocated - one.released for one in counts), default=0)
        self._cluster.model.expect(
            left == there, f"{left} containers were allocated and not released, and {there} are there"
        )

    def note_forgotten(self, ids: Iterable[ContainerId], ended: Mapping[ContainerId, None]) -> None:
        """A node shall forget how these have ended: their AMs have received that, for another ResourceManager
        could hear of it from the node only. `ended` are those of whose end this one heard from a node.
        """
        model, apps = self._cluster.model, self._cluster.rm.core.context.apps
        for one in ids:
            attempt_id = one.application_attempt_id
            app, table = apps.get(attempt_id.application_id), model.tables.get(attempt_id)
            attempt = None if app is None else app.attempts.get(attempt_id)
            if one not in ended or attempt is None or table is None:
                continue
            if attempt.state is not RMAppAttemptState.RUNNING or attempt.master_container_id == one:
                continue
            told = model.told.get((attempt_id, one))
            is_received = told is not None and (told[0] != model.rm_number or told[1] <= table.response_id)
            model.expect(is_received, f"a node shall forget {one}, and its AM has not heard of the end")

    # Memory and disk

    def look_at_acknowledgement(self, rpc: str, application_id: ApplicationId, answer: Any) -> None:
        """What was acknowledged is durable when the answer leaves."""
        is_end = getattr(answer, "is_kill_completed", False) or getattr(answer, "is_unregistered", False)
        if is_end or rpc == "submitApplication":
            app = self._cluster.rm.recovered().context.apps.get(application_id)
            is_stored = app is not None and (app.state in APP_ENDS or not is_end)
            self._cluster.model.expect(
                is_stored, f"{rpc} of {application_id} was answered, and is not stored"
            )

    def look_at_disk(self) -> None:
        """What was seen is durable: another ResourceManager that began now would say the same."""
        rm, model = self._cluster.rm, self._cluster.model
        if not rm.is_well:
            return
        here, there = rm.core.context, rm.recovered().context
        for application_id, app in here.apps.items():
            other = there.apps.get(application_id)
            if other is None:
                model.expect(application_id not in model.apps, f"{application_id} is not stored")
                continue
            for what, now, then in _differences(app, other):
                model.expect(False, f"{application_id}: {what} is {now}, and {then} is stored")
            if application_id in here.scheduler.applications and other.state not in APP_ENDS:
                model.expect(
                    application_id in there.scheduler.applications,
                    f"{application_id} would be forgotten by the scheduler of another ResourceManager",
                )


def _differences(app: RMApp, other: RMApp) -> Iterable[tuple[str, object, object]]:
    pairs: list[tuple[str, object, object]] = [("maximum of attempts", app.max_attempts, other.max_attempts)]
    if app.state in APP_ENDS:
        pairs += [
            ("state", app.state.name, other.state.name),
            ("final status", app.final_status, other.final_status),
            ("finish time", app.finish_ms, other.finish_ms),
        ]
    for attempt_id, attempt in app.attempts.items():
        stored = other.attempts.get(attempt_id)
        if stored is not None:
            pairs += _attempt_pairs(attempt, stored)
        elif attempt.state in ATTEMPT_ENDS and attempt.master_container is not None:
            pairs.append((str(attempt_id), attempt.state.name, "nothing"))
    return [one for one in pairs if one[1] != one[2]]


def _attempt_pairs(attempt: RMAppAttempt, stored: RMAppAttempt) -> Iterable[tuple[str, object, object]]:
    if attempt.master_container is not None and stored.master_container is not None:
        yield f"AM of {attempt.attempt_id}", attempt.master_container.id, stored.master_container.id
    if attempt.state in ATTEMPT_ENDS:
        state = stored.recovered_final_state
        yield f"state of {attempt.attempt_id}", attempt.state.name, None if state is None else state.name
        yield f"exit status of {attempt.attempt_id}", attempt.am_exit_status, stored.am_exit_status
    elif attempt.state in (RMAppAttemptState.LAUNCHED, RMAppAttemptState.RUNNING):
        is_stored = stored.master_container is not None
        yield f"AM of {attempt.attempt_id}", True, is_stored
        yield f"state of {attempt.attempt_id}", None, stored.recovered_final_state
