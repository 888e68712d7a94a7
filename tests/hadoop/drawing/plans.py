"""Random plans of the ReservationSystem: a cluster with a plan queue, and who books what on it.

What varies is what a plan is told (planner, policy, quotas, direction, smoothness, step) and what is booked:
windows, stages, gangs, interpreters, periods; that bookings change and go, that nodes do, and time. In some
walks applications run containers in what is booked.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.hadoop.drawing.choices import DOWN, QueueChoices
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document

PREFIX = "yarn.scheduler.capacity."
SYSTEM = "yarn.resourcemanager.reservation-system."
PLAN = "root.p"
_PLANNERS = "org.apache.hadoop.yarn.server.resourcemanager.reservation.planning."
_POLICIES = "org.apache.hadoop.yarn.server.resourcemanager.reservation."
_USERS = ("ann", "bob")
_STEP_MS = 2000
"""A multiple of every step that is drawn."""
_LONGEST_PERIOD_MS = 240_000
_PERIODS_MS = (30_000, 40_000, 60_000, 120_000, _LONGEST_PERIOD_MS)


def draw_plan_cluster(dice: Random, seed: int) -> Document:
    """A cluster of a few nodes, half or all of which a plan queue may use."""
    share = dice.choice((50, 100))
    queues: dict[str, object] = {
        "root.queues": "default,p",
        "root.default.capacity": 100 - share,
        f"{PLAN}.capacity": share,
        f"{PLAN}.reservable": True,
    }
    if dice.random() < 0.4:
        queues[f"{PLAN}.reservation-agent"] = _PLANNERS + "GreedyReservationAgent"
    if dice.random() < 0.3:
        queues[f"{PLAN}.reservation-policy"] = _POLICIES + "NoOverCommitPolicy"
    if dice.random() < 0.3:
        queues[f"{PLAN}.instantaneous-max-capacity"] = dice.choice((30, 60))
    if dice.random() < 0.3:
        queues[f"{PLAN}.average-capacity"] = dice.choice((20, 50))
        queues[f"{PLAN}.reservation-window"] = dice.choice((10_000, 60_000))
    conf: dict[str, object] = {
        "yarn.resourcemanager.scheduler.class": "capacity",
        SYSTEM + "enable": True,
        SYSTEM + "max-periodicity": _LONGEST_PERIOD_MS,
        SYSTEM + "favor-early-allocation": dice.random() < 0.6,
    }
    if dice.random() < 0.4:
        conf[SYSTEM + "smoothness-factor"] = dice.choice((1, 2))
    if dice.random() < 0.3:
        conf[SYSTEM + "planfollower.time-step"] = dice.choice((500, _STEP_MS))
    if dice.random() < 0.3:
        queues["resource-calculator"] = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    return {
        "name": f"twin-plans-{seed}",
        "about": f"A walk of seed {seed}, held against Hadoop.",
        "conf": conf,
        "capacity-scheduler": {PREFIX + name: value for name, value in queues.items()},
        "nodes": [{"name": f"n{number}", "memory-mb": 10240, "vcores": 10} for number in (1, 2, 3)],
    }


class ContainerChoices(QueueChoices):
    """Draws what the applications of plans and the nodes do."""

    def __init__(self, dice: Random, document: Document) -> None:
        super().__init__(dice, document)
        drawn = ("ask", "pull", "heartbeat", "complete", "finish")
        self._weights = {verb: self._weights[verb] for verb in drawn}


class PlanChoices:
    """Draws what the owners of reservations do, and what happens meanwhile."""

    def __init__(self, dice: Random, document: Document) -> None:
        self._dice, self._document = dice, document
        self._booked = 0
        self._apps = 0
        self._deadlines: dict[str, int] = {}
        """Of what is or was booked; Hadoop lets a reservation be changed that is gone."""
        self._recurrences: Random | None = None
        self._restarts: Random | None = None
        self._containers: tuple[Random, ContainerChoices] | None = None
        self._away: list[str] = []
        """Nodes that have not registered again after a restart."""

    def draw_recurrences(self, dice: Random) -> None:
        """From now on some of the bookings come again."""
        self._recurrences = dice

    def draw_restarts(self, dice: Random) -> None:
        """From now on the ResourceManager restarts once in a while."""
        self._restarts = dice

    def draw_containers(self, dice: Random) -> None:
        """From now on applications ask for containers, nodes heartbeat, and containers end, too."""
        self._containers = dice, ContainerChoices(dice, self._document)

    def next_step(self, world: World) -> StepValue:
        """A step for the present world."""
        dice = self._dice
        if not self._booked:
            self._booked = 1
            return {"advance": "4s"}
        if self._restarts is not None:
            if self._restarts.random() < 0.06:
                self._away = list(world.nodes)
                return {"restart-rm": self._restarts.choice(DOWN)}
            if self._away and self._restarts.random() < 0.4:
                return {"heartbeat": self._away.pop()}
        if self._containers is not None and self._containers[0].random() < 0.5:
            return self._containers[1].next_step(world)
        names = [name for name in world.reservations if self._deadlines[name] > world.rm.clock.now_ms()]
        kinds = ["reserve"] * 4 + ["advance"] * 3 + ["submit"]
        if names:
            kinds += ["update-reservation", "update-reservation", "delete-reservation"]
        if len(world.nodes) > 1 and dice.random() < 0.1:
            name = next(iter(world.nodes))
            self._away = [each for each in self._away if each != name]
            return {"remove-node": name}
        kind = dice.choice(kinds)
        if kind == "reserve":
            self._booked += 1
            return {kind: self._definition(world, f"r{self._booked}", dice.choice(_USERS))}
        if kind == "update-reservation":
            name = dice.choice(names)
            owner = world.reservations[name].owner
            return {kind: self._definition(world, name, owner)}
        if kind == "delete-reservation":
            name = dice.choice(names)
            self._deadlines[name] = 0
            return {kind: name}
        if kind == "submit":
            return {kind: self._submission(names)}
        return {kind: dice.choice(("1s", "3s", "10s", "40s"))}

    def _submission(self, names: list[str]) -> dict[str, Any]:
        self._apps += 1
        value: dict[str, Any] = {"app": f"a{self._apps}", "queue": PLAN}
        if names and self._dice.random() < 0.7:
            value["reservation"] = self._dice.choice(names)
        if self._containers is not None and self._containers[0].random() < 0.5:
            value |= {"managed": True, "am": {"memory-mb": self._containers[0].choice((512, 1024))}}
        return value

    def _definition(self, world: World, name: str, user: str) -> dict[str, Any]:
        dice = self._dice
        # Whole steps: Hadoop does not move a window to them, though it says so.
        now_ms = world.rm.clock.now_ms() // _STEP_MS * _STEP_MS
        arrival_ms = now_ms + dice.choice((0, 2000, 4000, 10_000, 20_000))
        window_ms = dice.choice((4000, 10_000, 12_000, 20_000, 30_000))
        self._deadlines[name] = min(self._deadlines.get(name, arrival_ms + window_ms), arrival_ms + window_ms)
        return {
            "name": name,
            "queue": PLAN,
            "user": user,
            "arrival": f"{arrival_ms}ms",
            "deadline": f"{arrival_ms + window_ms}ms",
            "interpreter": dice.choice(("all", "any", "order", "order-no-gap")),
            "requests": [self._stage() for _ in range(dice.choice((1, 1, 2, 3)))],
            **self._recurrence(window_ms),
        }

    def _recurrence(self, window_ms: int) -> dict[str, Any]:
        dice = self._recurrences
        if dice is None or dice.random() < 0.5:
            return {}
        period_ms = dice.choice([each for each in _PERIODS_MS if each >= window_ms])
        return {"recurrence": f"{period_ms}ms"}

    def _stage(self) -> dict[str, Any]:
        dice = self._dice
        gang = dice.choice((1, 1, 2, 4))
        return {
            "count": gang * dice.choice((1, 2, 3, 5, 10)),
            "concurrency": gang,
            "memory-mb": dice.choice((512, 1024, 3072)),
            "vcores": dice.choice((1, 1, 2)),
            "duration": dice.choice(("1s", "2s", "2500ms", "5s", "10s")),
        }
