"""Changes to a running tree: a refresh, a moved application, relabelled nodes.

Each is judged whole before anything changes. Answers for CapacityScheduler.reinitialize, moveApplication and
updateNodeLabelsAndQueueResource.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler import bookings
from rm.scheduler.application import Application
from rm.scheduler.capacity import admission
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.checks import check_refresh, check_states
from rm.scheduler.capacity.dynamic import LiveQueues
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.plans import leaf_for
from rm.scheduler.capacity.preempting import move_killable
from rm.scheduler.capacity.reading import FILE_NAME
from rm.scheduler.capacity.settings import ALL_LABELS, CapacitySettings, QueueKind
from rm.scheduler.capacity.tree import QueueTree
from rm.scheduler.capacity.upkeep import fit_templates
from rm.scheduler.usage import Path, charge, refund
from yarn.configuration import Configuration, ConfigurationError
from yarn.errors import YarnError
from yarn.ids import ApplicationId
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.events.scheduler import SchedulerNodeLabelsUpdate
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode

# Refresh


def refresh(scheduler: CapacityScheduler) -> None:
    """refreshQueues: reads the file anew and applies it whole, or says why not."""
    if scheduler.context.settings.web.configuration_store != "file":
        raise YarnError("Scheduler configuration is mutable. refreshQueues is not allowed in this scenario.")
    apply(scheduler, scheduler.context.provider.load(FILE_NAME))


def apply(scheduler: CapacityScheduler, file: Configuration) -> None:
    """Gives the running scheduler another configuration; nothing changes when it is refused."""
    try:
        settings = judge(scheduler, file)
    except ConfigurationError as error:
        reasons = "; ".join(fault.reason or str(fault) for fault in error.faults)
        raise YarnError(f"Failed to re-init queues : {reasons} ({error.message})") from None
    take_over(scheduler, settings)


def judge(scheduler: CapacityScheduler, file: Configuration) -> CapacitySettings:
    """The settings of the file if the running tree may become them; ConfigurationError if not."""
    settings = scheduler.read_settings(file)
    check_refresh(scheduler.tree.live(), settings)
    check_states(settings, {queue.path: queue.state.name for queue in scheduler.tree.walk()})
    settings.properties.raise_faults()
    admission.check_mappings(settings, _preview(scheduler, settings))
    settings.properties.raise_faults()
    scheduler.monitor.check(settings)
    return settings


def _preview(scheduler: CapacityScheduler, settings: CapacitySettings) -> LiveQueues:
    """The queues as they would be, for the mappings to be checked against."""
    return LiveQueues(QueueTree(scheduler.frame, settings.root))


def take_over(scheduler: CapacityScheduler, settings: CapacitySettings) -> None:
    """The judged settings become those of the running tree."""
    frame = scheduler.frame
    frame.settings = settings
    scheduler.tree.replace(settings.root)
    scheduler.tell(settings)
    scheduler.recompute()
    fit_templates(scheduler)
    scheduler.monitor.follow()
    scheduler.parallel.let_in()


# Moving an application


def move_application(scheduler: CapacityScheduler, application_id: ApplicationId, queue: str) -> str:
    """Takes an application with containers, reservations and asks to another leaf; the leaf's path."""
    application = scheduler.applications.get(application_id)
    if application is None:
        raise YarnError(f"App to be moved {application_id} not found.")
    found = scheduler.tree.find(queue)
    if found is None:
        raise YarnError(f"The specified Queue: {queue} doesn't exist")
    if found.kind is QueueKind.PLAN:
        found = leaf_for(scheduler, found, application_id, None)
    if not isinstance(found, LeafQueue):
        raise YarnError(f"The specified Queue: {queue} is not a Leaf Queue!")
    source: LeafQueue = application.queue
    if found is source:
        return found.path
    attempt = application.attempt
    _check_labels(found, attempt)
    try:
        found.check_submission(application_id, application.user)
    except YarnError as error:
        raise YarnError(
            f"Move application {application_id} to queue {found.path} refused: {error.message}"
        ) from None
    _move(scheduler, application, attempt, source, found)
    return found.path


def _check_labels(leaf: LeafQueue, attempt: CapacityAttempt | None) -> None:
    if attempt is None or leaf.settings.accessible_labels == ALL_LABELS:
        return
    wanted = [label for label in dict.fromkeys((*attempt.asks.partitions, attempt.partition)) if label]
    missing = [label for label in wanted if not leaf.can_access(label)]
    if missing:
        raise YarnError(
            f"Specified queue={leaf.path} can't satisfy following apps label expressions "
            f"=[{', '.join(missing)}] "
            f"accessible node labels =[{', '.join(leaf.settings.accessible_labels)}]"
        )


def _move(
    scheduler: CapacityScheduler,
    application: Application[CapacityAttempt],
    attempt: CapacityAttempt | None,
    source: LeafQueue,
    target: LeafQueue,
) -> None:
    is_live = attempt is not None and not attempt.is_stopped
    if is_live:
        assert attempt is not None
        scheduler.parallel.leave(attempt, source)
        member, kept = attempt.member, attempt.path
        source.users.count_out(attempt.user, application.application_id)
        source.remove_attempt(attempt)
        assert kept is attempt.path
    application.queue = target
    counters = scheduler.context.health.queues
    if is_live:
        assert attempt is not None
        attempt.is_runnable = scheduler.parallel.admit(attempt, target)
        for container in attempt.live.values():
            counters.note_departure(container)
            bookings.move(container, queue=target.path)
            counters.note_arrival(container)
            borrowed = source.borrowed.get(container.partition)
            if borrowed and container.container_id in borrowed:
                del borrowed[container.container_id]
                target.borrowed.setdefault(container.partition, {})[container.container_id] = None
        for container in attempt.reserved_containers():
            bookings.move(container, queue=target.path)
        target.add_attempt(attempt)
        move_killable(scheduler, attempt, source, target)
        source.users.forget_if_idle(member)
    source.remove_application(application.application_id)
    target.add_application(application.application_id, application.user)
    scheduler.parallel.let_in()


# Nodes in another partition


def move_nodes(scheduler: CapacityScheduler, event: SchedulerNodeLabelsUpdate) -> None:
    """NODE_LABELS_UPDATE: what runs on a node counts in its new partition; its reservation is dropped."""
    for node_id, labels in event.labels_of_nodes.items():
        node = scheduler.tracker.nodes.get(node_id)
        if node is not None:
            _move_node(scheduler, node, labels[0] if labels else "")
    scheduler.recompute()


def _move_node(scheduler: CapacityScheduler, node: SchedulerNode, partition: str) -> None:
    for container in node.containers.values():
        attempt = scheduler.attempt(container.attempt_id)
        if attempt is None or container.container_id not in attempt.live or container.partition == partition:
            continue
        _recharge(attempt.path, container.partition, partition, container.resource)
        borrowed = attempt.leaf.borrowed.get(container.partition)
        if borrowed:
            borrowed.pop(container.container_id, None)
        bookings.move(container, partition=partition)
        if container.is_am:
            attempt.leaf.move_am(attempt, partition)
    if node.reserved_container is not None:
        scheduler.drop_reservation(node.reserved_container)
    if node.partition != partition:
        scheduler.tracker.move_to_partition(node, partition)


def _recharge(path: Path, old: str, new: str, resource: Resource) -> None:
    refund(path, old, resource)
    charge(path, new, resource)
