"""One step of a walk at a time: which verbs make sense in the present world, and one of them with its value.

The choice reads the world, for a walk that releases containers that never were would test little; it changes
nothing. Every value is what a scenario file would hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from yarnbox.rm.container import RMContainerState
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.scenario.playing.world import App, World
from yarnbox.sim.walk.clusters import CAPACITY_FILE, FAIR_FILE, QUEUES, draw_node

StepValue = dict[str, Any]

USERS = ("alice", "bob", "carol")
SIZES_MB = (256, 1024, 1024, 1536, 2048, 3072)
SPANS = ("1s", "7s", "25s", "70s")
MOST_APPS_ALIVE = 6
MOST_NODES = 9


class Choices:
    """Draws steps; the same seed draws the same steps from the same worlds."""

    def __init__(self, dice: Random, scheduler: str) -> None:
        self._dice = dice
        self._scheduler = scheduler
        self._apps = 0
        self._nodes = 0
        self._left_out: dict[str, None] = {}
        self._weights: Mapping[str, int] = {
            "submit": 10,
            "ask": 25,
            "pull": 20,
            "heartbeat": 45,
            "complete": 10,
            "finish": 2,
            "fail-am": 3,
            "kill": 2,
            "add-node": 2,
            "remove-node": 2,
            "decommission": 2,
            "recommission": 2,
            "unhealthy": 2,
            "resize-node": 2,
            "advance": 6,
            "refresh": 0 if scheduler == "fifo" else 2,
            "move": 0 if scheduler == "fifo" else 2,
            "priority": 2,
            "update-shares": 15 if scheduler == "fair" else 0,
            "preempt": 0 if scheduler == "fifo" else 3,
        }
        self._draw: Mapping[str, Callable[[World], object]] = {
            "submit": self._submit,
            "ask": self._ask,
            "pull": self._pull,
            "heartbeat": self._heartbeat,
            "complete": self._complete,
            "finish": self._finish,
            "fail-am": self._fail_am,
            "kill": self._kill,
            "add-node": self._add_node,
            "remove-node": self._remove_node,
            "decommission": self._decommission,
            "recommission": self._recommission,
            "unhealthy": self._unhealthy,
            "resize-node": self._resize_node,
            "advance": lambda world: self._dice.choice(SPANS),
            "refresh": self._refresh,
            "move": self._move,
            "priority": self._priority,
            "update-shares": lambda world: True,
            "preempt": lambda world: True,
        }

    def leave_some_out(self) -> None:
        """Some walks never use some verbs: what happens seldom together then happens."""
        for verb in (
            "pull",
            "kill",
            "fail-am",
            "advance",
            "remove-node",
            "unhealthy",
            "resize-node",
            "complete",
        ):
            if self._dice.random() < 0.2:
                self._left_out[verb] = None

    def draw_too(self, verb: str, weight: int, draw: Callable[[World], object]) -> None:
        """From now on this verb is drawn as well."""
        self._weights = {**self._weights, verb: weight}
        self._draw = {**self._draw, verb: draw}

    def next_step(self, world: World) -> StepValue:
        """A step that makes sense now."""
        self._nodes = max(self._nodes, len(world.nodes))
        verbs = [verb for verb in self._weights if verb not in self._left_out]
        weights = [self._weights[verb] for verb in verbs]
        while True:
            (verb,) = self._dice.choices(verbs, weights)
            value = self._draw[verb](world)
            if value is not None:
                return {verb: value}

    # ---- applications

    def _submit(self, world: World) -> object:
        if len(_alive(world)) >= MOST_APPS_ALIVE:
            return None
        self._apps += 1
        dice = self._dice
        value: StepValue = {
            "app": f"a{self._apps}",
            "queue": dice.choice(QUEUES[self._scheduler]),
            "user": dice.choice(USERS),
        }
        if dice.random() < 0.5:
            value |= {"managed": True, "am": {"memory-mb": dice.choice((512, 1024, 2048))}}
            value["keep-containers"] = dice.random() < 0.4
            value["max-attempts"] = dice.randint(1, 3)
        if dice.random() < 0.1:
            value["lifetime"] = "40s"
        return value

    def _ask(self, world: World) -> object:
        app = self._registered(world)
        if app is None:
            return None
        dice = self._dice
        value: StepValue = {"app": app.name}
        requests = [self._request(world) for _ in range(dice.randint(0, 3))]
        if requests:
            value["requests"] = requests
        live = [name for name, container in _containers(app) if not container.is_finished]
        if live and dice.random() < 0.3:
            value["release"] = dice.sample(live, min(len(live), dice.randint(1, 2)))
        if live and dice.random() < 0.15:
            update = {"update": dice.choice(live), "memory-mb": dice.choice(SIZES_MB)}
            value["requests"] = [*requests, update]
        if dice.random() < 0.1:
            places = [dice.choice(list(world.nodes)).partition(":")[0], f"/r{dice.randint(1, 3)}"]
            value["blacklist"] = {dice.choice(("add", "remove")): [dice.choice(places)]}
        return value

    def _request(self, world: World) -> StepValue:
        dice = self._dice
        hosts = [name.partition(":")[0] for name in world.nodes]
        at: object = dice.choice(("*", "*", dice.choice(hosts), f"/r{dice.randint(1, 3)}"))
        if dice.random() < 0.4:
            at = dice.sample(hosts, min(len(hosts), dice.randint(1, 2)))
        request: StepValue = {
            "count": dice.choice((0, 1, 1, 2, 3, 5)),
            "memory-mb": dice.choice(SIZES_MB),
            "vcores": dice.randint(1, 2),
            "priority": dice.randint(1, 3),
            "at": at,
        }
        if isinstance(at, list) and dice.random() < 0.15:
            request["relax"] = False
        return request

    def _pull(self, world: World) -> object:
        app = self._registered(world)
        return None if app is None else app.name

    def _complete(self, world: World) -> object:
        running = [
            name
            for app in world.apps.values()
            for name, container in _containers(app)
            if (node := world.node_by_id(container.node_id)) is not None
            and container.container_id in node.running
        ]
        if not running:
            return None
        return {"container": self._dice.choice(running), "status": self._dice.choice((0, 0, 1, 137))}

    def _finish(self, world: World) -> object:
        app = self._registered(world)
        return None if app is None else app.name

    def _fail_am(self, world: World) -> object:
        managed = [app for app in _alive(world) if _has_running_am(world, app)]
        return self._dice.choice(managed).name if managed else None

    def _kill(self, world: World) -> object:
        alive = _alive(world)
        return self._dice.choice(alive).name if alive else None

    def _move(self, world: World) -> object:
        alive = _alive(world)
        if not alive:
            return None
        return {"app": self._dice.choice(alive).name, "queue": self._dice.choice(QUEUES[self._scheduler])}

    def _refresh(self, world: World) -> object:
        if self._scheduler == "fair":
            weight = self._dice.randint(1, 4)
            return {"fair-scheduler": FAIR_FILE.replace("<weight>2.0<", f"<weight>{weight}.0<")}
        share = self._dice.choice((20, 50, 60, 90, 101))
        changed = {"root.a.capacity": share, "root.b.capacity": 100 - share}
        prefix = "yarn.scheduler.capacity."
        return {
            "capacity-scheduler": CAPACITY_FILE | {prefix + name: value for name, value in changed.items()}
        }

    def _priority(self, world: World) -> object:
        alive = _alive(world)
        return {"app": self._dice.choice(alive).name, "priority": self._dice.randint(0, 3)} if alive else None

    # ---- nodes

    def _heartbeat(self, world: World) -> object:
        live = _live_nodes(world)
        if not live:
            return None
        if self._dice.random() < 0.2:
            return {"node": self._dice.choice(live), "times": self._dice.randint(2, 4)}
        return [self._dice.choice(live) for _ in range(self._dice.randint(1, 3))]

    def _add_node(self, world: World) -> object:
        # One that is gone comes back; or one that is not begins anew, as after a crash of its NodeManager.
        known = [name for name, node in world.nodes.items() if not node.is_live or self._dice.random() < 0.1]
        if known and self._dice.random() < 0.6:
            name = self._dice.choice(known)
            return {**draw_node(self._dice, 0), "name": name, "rack": world.nodes[name].rack}
        if len(_live_nodes(world)) >= MOST_NODES:
            return None
        self._nodes += 1
        return draw_node(self._dice, self._nodes)

    def _remove_node(self, world: World) -> object:
        return self._one_of_several(world)

    def _decommission(self, world: World) -> object:
        name = self._one_of_several(world)
        if name is None or self._dice.random() < 0.3:
            return name
        return {"node": name, "graceful": self._dice.choice(("5s", "60s"))}

    def _recommission(self, world: World) -> object:
        return self._dice.choice(list(world.nodes))

    def _unhealthy(self, world: World) -> object:
        name = self._one_of_several(world)
        if name is None:
            return None
        return {"node": name, "report": "" if world.nodes[name].health_report else "disk failed"}

    def _resize_node(self, world: World) -> object:
        name = self._one_of_several(world)
        if name is None:
            return None
        return {"node": name, "memory-mb": self._dice.choice((1024, 4096, 8192))}

    # ---- inside

    def _registered(self, world: World) -> App | None:
        registered = [app for app in _alive(world) if app.master.attempt_id is not None]
        return self._dice.choice(registered) if registered else None

    def _one_of_several(self, world: World) -> str | None:
        live = _live_nodes(world)
        return self._dice.choice(live) if len(live) > 1 else None


def _alive(world: World) -> list[App]:
    return [app for app in world.apps.values() if not world.rm.is_app_over(app.application_id)]


def _live_nodes(world: World) -> list[str]:
    return [name for name, node in world.nodes.items() if _is_heard(world, node)]


def _is_heard(world: World, node: SimNode) -> bool:
    return node.is_live


def _containers(app: App) -> list[tuple[str, Any]]:
    return [(f"{app.name}/{number}", container) for number, container in enumerate(app.containers, start=1)]


def _has_running_am(world: World, app: App) -> bool:
    am = app.am_container
    if am is None or am.state is not RMContainerState.RUNNING:
        return False
    node = world.node_by_id(am.node_id)
    return node is not None and am.container_id in node.running
