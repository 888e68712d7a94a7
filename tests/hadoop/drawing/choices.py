"""Draws the steps of a walk over the clusters of clusters.py."""

from __future__ import annotations

from random import Random

from tests.hadoop.drawing.capacity_file import leaf_paths
from tests.hadoop.drawing.clusters import PREFIX
from tests.hadoop.drawing.fair_trees import changed, submittable
from tests.hadoop.drawing.of_capacity import AUTO_CREATED
from tests.hadoop.drawing.refreshes import NEW, QueueRefreshes
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.scheduler.capacity.config.settings import UNLIMITED
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.scenario.reading.names import ContainerName
from yarnbox.sim.walk.choices import Choices, StepValue
from yarnbox.sim.walk.clusters import FAIR_FILE, Document
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import ExecutionType

DOWN = ("1ms", "1s", "20s")
"""For how long a ResourceManager that restarts is away."""

_LATER = ("v", "w")
"""Labels that no queue names."""


class AMChoices(Choices):
    """Draws what AMs may ask for."""

    def __init__(self, dice: Random, scheduler: str) -> None:
        super().__init__(dice, scheduler)
        self._promoting: Random | None = None

    def promote(self, dice: Random) -> None:
        """From now on some asks want another execution type of a container."""
        self._promoting = dice

    def _ask(self, world: World) -> object:
        value = _as_an_am_would(world, super()._ask(world))
        if self._promoting is None or not isinstance(value, dict):
            return value
        for each in value.get("requests", ()):
            if "update" not in each:
                each["execution"] = (
                    "GUARANTEED"  # AMRMClient says so, and Hadoop breaks over a request that does not
                )
        if self._promoting.random() < 0.6:
            return value
        app, released = world.apps[value["app"]], value.get("release", ())
        running = [
            (name, container)
            for number, container in enumerate(app.containers, start=1)
            if container.state is RMContainerState.RUNNING
            and (name := f"{app.name}/{number}") not in released
        ]
        if running:
            name, container = self._promoting.choice(running)
            others = [each for each in value.get("requests", ()) if each.get("update") != name]
            is_promotion = container.execution_type is ExecutionType.OPPORTUNISTIC
            execution = "GUARANTEED" if is_promotion else "OPPORTUNISTIC"
            value["requests"] = [*others, {"update": name, "execution": execution}]
        return value


class QueueChoices(AMChoices):
    """Draws steps for the queues of a document of the CapacityScheduler."""

    def __init__(self, dice: Random, document: Document) -> None:
        super().__init__(dice, "capacity")
        self._random = dice
        self._properties = document["capacity-scheduler"]
        self._labels = list(document.get("labels", ()))
        self._has_labels = bool(self._labels)
        self._labels_apps = False
        self._moves = False
        self._refreshes: QueueRefreshes | None = None
        self._queues = leaf_paths(self._properties)
        for name in self._properties:
            if name.endswith(AUTO_CREATED):
                parent = name.removeprefix(PREFIX).removesuffix(AUTO_CREATED)
                self._queues += [f"{parent}.new1", f"{parent}.new2"]
        if self._has_labels:
            self._weights = {**self._weights, "label-node": 2}
            self._draw = {**self._draw, "label-node": self._label_node}

    def draw_queue_changes(self, dice: Random) -> None:
        """From now on refreshes change the queues themselves, and are frequent."""
        self._refreshes = QueueRefreshes(dice)
        self._queues += [f"{path}.{name}" for path in ["root", *self._queues] for name in NEW]
        self._weights = {**self._weights, "refresh": 12}

    def label_apps(self) -> None:
        """From now on some submissions name a label, for their requests or for the AM's."""
        self._labels_apps = True

    def change_labels(self) -> None:
        """From now on the cluster gets labels and loses some: those that no queue names, mostly."""
        self._labels.append(_LATER[0])
        self.draw_too("add-labels", 3, self._add_labels)
        self.draw_too("remove-labels", 2, self._remove_labels)
        self._weights = {**self._weights, "label-node": 5}

    def _add_labels(self, world: World) -> object:
        label = self._random.choice((*self._labels, *_LATER))
        if label not in self._labels:
            self._labels.append(label)
        return {label: {"exclusive": self._random.random() < 0.5}}

    def _remove_labels(self, world: World) -> object:
        return [self._random.choice((*self._labels, *_LATER))]

    def _label_node(self, world: World) -> object:
        """A node goes to another partition, once in a while."""
        host = self._random.choice(list(world.nodes)).partition(":")[0]
        return {host: self._random.choice(([], *([label] for label in self._labels)))}

    def _submit(self, world: World) -> object:
        value = super()._submit(world)
        if isinstance(value, dict):
            value["queue"] = self._random.choice(self._queues_now(world))
            if self._random.random() < 0.3:
                value["priority"] = self._random.randint(0, 4)
            if self._labels_apps:
                for key, chance in (("label", 0.5), ("am-label", 0.3)):
                    if self._random.random() < chance:
                        value[key] = self._random.choice(("", *self._labels))
        return value

    def _queues_now(self, world: World) -> list[str]:
        """Mostly leaves that are there."""
        if self._refreshes is None or self._random.random() < 0.1:
            return self._queues
        tree = _scheduler(world).tree
        return [path for path in self._queues if tree.at(path)] or self._queues

    def move_apps(self) -> None:
        """From now on applications move, where Hadoop's books are right afterwards."""
        self._moves = True
        self._weights = {**self._weights, "move": 4}

    def _move(self, world: World) -> object:
        """What Hadoop gets wrong is not drawn: see docs/differential-testing.md."""
        value = super()._move(world) if self._moves else None
        if not isinstance(value, dict):
            return None
        context = world.rm.context
        app = context.apps[world.apps[value["app"]].application_id]
        booked = None if app.current is None else context.scheduler.attempt(app.current.attempt_id)
        others = [path for path in self._queues_now(world) if path != app.queue]
        queues = _scheduler(world).tree.all_queues()
        is_limited = any(queue.settings.max_parallel_apps != UNLIMITED for queue in queues)
        if booked is None or booked.reserved or is_limited or not others:
            return None
        return {**value, "queue": self._random.choice(others)}

    def _request(self, world: World) -> StepValue:
        request = super()._request(world)
        # An AM has one size for a priority (AMRMClient sees to it).
        request |= {"memory-mb": 1024 * request["priority"], "vcores": (request["priority"] + 1) // 2}
        if self._has_labels and request["at"] == "*" and self._random.random() < 0.5:
            request["label"] = self._random.choice(self._labels)
        return request

    def _refresh(self, world: World) -> object:
        if self._refreshes is not None:
            scheduler = _scheduler(world)
            present = scheduler.views.own_file()
            assert isinstance(present, Configuration)
            file = {each.name: each.raw for each in present}
            busy = dict.fromkeys(each.path for each in scheduler.tree.all_queues() if each.app_count)
            return {"capacity-scheduler": self._refreshes.draw(file, busy)}
        changed = dict(self._properties)
        for name in changed:
            if name.endswith("user-limit-factor") and self._random.random() < 0.5:
                changed[name] = self._random.choice((1, 3))
        return {"capacity-scheduler": changed}


def _scheduler(world: World) -> CapacityScheduler:
    scheduler = world.rm.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    return scheduler


class FairChoices(AMChoices):
    """Draws steps for the allocation file of a document."""

    def __init__(self, dice: Random, document: Document) -> None:
        super().__init__(dice, "fair")
        self._file: str = document["fair-scheduler"]
        self._changes_tree = False

    def change_trees(self) -> None:
        """From now on refreshes change queues."""
        self._changes_tree = True
        self._weights = {**self._weights, "refresh": 6}

    def _submit(self, world: World) -> object:
        return self._in_its_queue(super()._submit(world))

    def _move(self, world: World) -> object:
        return self._in_its_queue(super()._move(world))

    def _in_its_queue(self, value: object) -> object:
        if isinstance(value, dict) and (self._changes_tree or self._file != FAIR_FILE):
            value["queue"] = self._dice.choice(submittable(self._file))
        return value

    def _refresh(self, world: World) -> object:
        if self._changes_tree:
            self._file = changed(self._dice, self._file)
            return {"fair-scheduler": self._file}
        weight = self._dice.randint(1, 4)
        return {"fair-scheduler": self._file.replace("<weight>2.0<", f"<weight>{weight}.0<")}


class FifoChoices(AMChoices):
    """Draws no step that resizes a node, on which Hadoop's FifoScheduler breaks; draining resizes it, too."""

    def __init__(self, dice: Random) -> None:
        super().__init__(dice, "fifo")

    def _resize_node(self, world: World) -> object:
        return None

    def _decommission(self, world: World) -> object:
        return self._one_of_several(world)


def _as_an_am_would(world: World, value: object) -> object:
    """An ask without what no AM can want: another size of what it has not been given, or releases in the same
    call; and the release of what reserves room for a container that is to grow, whose id nobody hears.
    """
    if not isinstance(value, dict):
        return value
    if "release" in value:
        value["release"] = [each for each in value["release"] if not _stands_for_growth(world, each)]
    if "requests" in value:
        released = value.get("release", ())
        value["requests"] = [
            each
            for each in value["requests"]
            if each.get("update") not in released and not _is_unheard(world, each.get("update"))
        ]
    return value


def _container(world: World, name: str) -> RMContainer | None:
    app, _, number = name.rpartition("/")
    return world.find_container(ContainerName(app, int(number)))


def _stands_for_growth(world: World, name: str) -> bool:
    container = _container(world, name)
    return container is not None and bool(container.key.update_of)


def _is_unheard(world: World, name: str | None) -> bool:
    if name is None:
        return False
    container = _container(world, name)
    return container is None or container.state is RMContainerState.ALLOCATED
