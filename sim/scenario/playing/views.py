"""What an expectation can look at: read off the ResourceManager between turns, in the words of the file.

States come from the client service's reports, books from the scheduler, what an AM heard from the AM. Nothing
here changes anything, and nothing is worked out that the ResourceManager has not worked out itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from yarnbox.rm.container import RMContainer
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.views import ApplicationView, PartitionView, QueueView, UserView
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.scenario.playing.expectations import Counts, Value
from yarnbox.sim.scenario.playing.world import App, World
from yarnbox.sim.scenario.reading.names import ContainerName
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, total

PERCENT = 100.0
PREEMPTED = -102

Looks = Mapping[str, Callable[[], Value]]


def amounts(resource: Resource | None) -> Value:
    """A resource by the names of its types; None where there is none."""
    return None if resource is None else Counts(resource.as_dict())


def percent(ratio: float | None) -> Value:
    """A ratio as a percentage."""
    return None if ratio is None else ratio * PERCENT


class WorldViews:
    """The views of one play."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rm = world.rm

    def look(self, section: str, name: str, key: str) -> Value:
        """The value of one key of one thing."""
        looks = self._looks(section, name)
        assert looks is not None
        return looks[key]()

    def exists(self, section: str, name: str) -> bool:
        """Whether there is such a thing."""
        return self._looks(section, name) is not None

    def _looks(self, section: str, name: str) -> Looks | None:
        if section == "apps":
            app = self._world.apps.get(name)
            return None if app is None else _AppView(self._world, app).looks()
        if section == "queues":
            queue = self._rm.context.scheduler.views.queue_view(name)
            return None if queue is None else _queue_looks(queue)
        if section == "nodes":
            return _node_looks(self._world, name)
        if section == "containers":
            app_name, _, number = name.rpartition("/")
            container = self._world.find_container(ContainerName(app_name, int(number)))
            return None if container is None else _container_looks(container)
        if section == "labels":
            return _label_looks(self._rm, name)
        if section == "cluster":
            return _cluster_looks(self._rm)
        booking = self._world.reservations.get(name)
        if booking is None:
            return None
        return {"state": lambda: self._rm.reservation_state(booking.reservation_id, booking.queue)}


class _AppView:
    """An application: its report, its current attempt's books, and what its AM heard."""

    def __init__(self, world: World, app: App) -> None:
        self._world = world
        self._scheduler = world.rm.context.scheduler
        self._app = app
        self._report = world.rm.application_report(app.application_id, app.user)
        self._application = self._scheduler.applications.get(app.application_id)
        attempt = self._application.attempt if self._application is not None else None
        self._attempt: Attempt | None = None if attempt is None or attempt.is_stopped else attempt

    def looks(self) -> Looks:
        """The keys of scenario.md."""
        report, attempt = self._report, self._attempt
        attempt_id = report.current_application_attempt_id
        state = report.yarn_application_state
        return {
            "state": lambda: None if state is None else state.name,
            "queue": lambda: str(self._application.queue) if self._application else report.queue,
            "diagnostics": lambda: report.diagnostics,
            "priority": lambda: report.priority,
            "attempts": lambda: 0 if attempt_id is None else max(attempt_id.attempt_id, 0),
            "containers": lambda: len(self._live()),
            "used": lambda: amounts(attempt.usage.total_used() if attempt else NONE),
            "pending": lambda: amounts(attempt.usage.total_pending() if attempt else NONE),
            "reserved": lambda: amounts(attempt.usage.total_reserved() if attempt else NONE),
            "headroom": lambda: amounts(self._scheduler.headroom(attempt) if attempt else NONE),
            "per-node": lambda: _count_by_node(self._live()),
            "reserved-on": lambda: _count_by_node(attempt.reserved_containers() if attempt else []),
            "locality": self._locality,
            "heard": self._heard,
            "preempted": lambda: sum(each.exit_status == PREEMPTED for each in self._all_containers()),
            "to-preempt": lambda: len(attempt.marked_for_preemption) if attempt else 0,
            "fair-share": lambda: amounts(self._shares().fair_share),
            "steady-fair-share": lambda: amounts(self._shares().steady_fair_share),
            "demand": lambda: amounts(self._shares().demand),
        }

    def _live(self) -> list[RMContainer]:
        return list(self._attempt.live.values()) if self._attempt else []

    def _all_containers(self) -> list[RMContainer]:
        return [*self._app.am_containers, *self._app.containers]

    def _locality(self) -> Value:
        counts = Counts()
        for container in self._all_containers():
            if container.locality is not None:
                counts[container.locality.value] += 1
        return counts

    def _heard(self) -> Value:
        master, name = self._app.master, self._world.container_name
        return {
            "completed": {name(each): status for each, status in master.heard_completed().items()},
            "updated-nodes": {str(node_id): state for node_id, state in master.heard_nodes().items()},
            "to-preempt": [name(each) for each in master.heard_to_preempt()],
            "rejected": Counts(master.heard_rejected()),
        }

    def _shares(self) -> ApplicationView:
        if self._attempt is None:
            return ApplicationView()
        return self._scheduler.views.application_view(self._attempt)


def _count_by_node(containers: Iterable[RMContainer]) -> Value:
    counts = Counts()
    for container in containers:
        counts[str(container.node_id)] += 1
    return counts


def _queue_looks(queue: QueueView) -> Looks:
    default = queue.partitions.get(DEFAULT_PARTITION, PartitionView())
    return {
        "state": lambda: queue.state.name,
        "apps": lambda: queue.apps,
        "active-apps": lambda: queue.active_apps,
        "pending-apps": lambda: queue.pending_apps,
        **_partition_looks(default),
        "users": lambda: {name: _user_values(user) for name, user in queue.users.items()},
        "fair-share": lambda: amounts(queue.fair_share),
        "steady-fair-share": lambda: amounts(queue.steady_fair_share),
        "min-share": lambda: amounts(queue.min_share),
        "max-share": lambda: amounts(queue.max_share),
        "demand": lambda: amounts(queue.demand),
        "labels": lambda: _Partitions(queue.partitions),
    }


def _partition_looks(view: PartitionView) -> Looks:
    return {
        "used": lambda: amounts(view.used),
        "pending": lambda: amounts(view.pending),
        "reserved": lambda: amounts(view.reserved),
        "capacity": lambda: percent(view.capacity),
        "max-capacity": lambda: percent(view.max_capacity),
        "absolute-capacity": lambda: percent(view.absolute_capacity),
        "absolute-max-capacity": lambda: percent(view.absolute_max_capacity),
        "used-capacity": lambda: percent(view.used_capacity),
        "absolute-used-capacity": lambda: percent(view.absolute_used_capacity),
        "effective-min": lambda: amounts(view.effective_min),
        "effective-max": lambda: amounts(view.effective_max),
        "am-limit": lambda: amounts(view.am_limit),
        "am-used": lambda: amounts(view.am_used),
        "user-limit": lambda: amounts(view.user_limit),
    }


class _Partitions(dict[str, Value]):
    """A queue's partitions by their labels; in one that the queue never touched it uses nothing."""

    def __init__(self, views: Mapping[str, PartitionView]) -> None:
        super().__init__({label: _values(_partition_looks(view)) for label, view in views.items()})

    def get(self, label: str, default: Value = None) -> Value:  # type: ignore[override]
        """The partition's values."""
        return self[label] if label in self else _values(_partition_looks(PartitionView()))


def _values(looks: Looks) -> Value:
    return {key: look() for key, look in looks.items()}


def _user_values(user: UserView) -> Value:
    return {
        "used": amounts(user.used),
        "active-apps": user.active_apps,
        "pending-apps": user.pending_apps,
    }


def _node_looks(world: World, name: str) -> Looks | None:
    sim_node = world.nodes.get(name)
    if sim_node is None:
        return None
    context = world.rm.context
    rm_node = context.find_node(sim_node.node_id)
    node = context.scheduler.tracker.nodes.get(sim_node.node_id)
    reserved = node.reserved_container if node else None
    label = context.labels.partition_of(sim_node.node_id)
    return {
        "state": lambda: None if rm_node is None else rm_node.state.name,
        "used": lambda: amounts(node.allocated if node else NONE),
        "available": lambda: amounts(node.available if node else NONE),
        "containers": lambda: len(node.containers) if node else 0,
        "reserved-for": lambda: world.name_of(reserved.application_id) if reserved else None,
        "labels": lambda: [label] if label else [],
        "tags": lambda: Counts(context.constraints.tags.on_node(sim_node.node_id)),
    }


def _container_looks(container: RMContainer) -> Looks:
    return {
        "state": lambda: container.state.name,
        "node": lambda: str(container.node_id),
        "exit": lambda: container.exit_status,
        "priority": lambda: container.key.request_priority,
        "used": lambda: amounts(container.resource),
    }


def _label_looks(rm: SimulatedRM, name: str) -> Looks | None:
    label = rm.context.labels.labels.get(name)
    if label is None:
        return None
    tracker = rm.context.scheduler.tracker
    return {
        "nodes": lambda: tracker.count_in(name),
        "resource": lambda: amounts(tracker.partition_total(name)),
        "exclusive": lambda: label.is_exclusive,
    }


def _cluster_looks(rm: SimulatedRM) -> Looks:
    tracker = rm.context.scheduler.tracker
    return {
        "nodes": lambda: len(tracker),
        "total": lambda: amounts(tracker.total),
        "used": lambda: amounts(total(node.allocated for node in tracker.nodes.values())),
    }
