"""A walk: drawn step by step from its seed, and written down as the scenario that it is.

After each step the world is looked over: no node holds more than it has, nothing runs that nobody knows of,
nothing is booked that does not run. At the end the faults stop, room is made for everything, and all that is
asked for must be met; then everything is finished, and nothing may be left. What must hold at the end is
written into the scenario, so that a walk that failed is a file that fails.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sim.scenario.document import Scenario, read_document, read_next_step, scenario_of
from sim.scenario.player import Player
from sim.scenario.source import tree_from
from sim.walk.choices import Choices, StepValue
from sim.walk.clusters import Document, draw_cluster
from sim.walk.invariants import look_over
from yarn.errors import YarnError
from yarn.story import Line

LENGTH = 120
ROUNDS_AT_THE_END = 8
ROOMY = {"name": "roomy", "rack": "/r1", "memory-mb": 1 << 20, "vcores": 1 << 10}


@dataclass(slots=True)
class Coverage:
    """What walks have reached: verbs, and arcs of the state machines."""

    verbs: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    arcs: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    def note(self, line: Line) -> None:
        """Counts a transition."""
        if line.before:
            self.arcs[line.kind, line.before, line.event, line.after] += 1

    def add(self, other: Coverage) -> None:
        """Counts what another walk reached, too."""
        self.verbs += other.verbs
        self.refusals += other.refusals
        self.arcs += other.arcs


@dataclass(frozen=True, slots=True)
class Defect:
    """How a walk or a scenario failed. Two failures of one `kind` are taken for the same defect."""

    kind: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Walk:
    """What came of a seed."""

    seed: int
    document: Document
    coverage: Coverage
    defect: Defect | None


def walk(seed: int, scheduler: str, length: int = LENGTH) -> Walk:
    """Walks from the seed to the end, or to the first defect."""
    return _Walker(seed, scheduler).walk(length)


def play_again(document: Document) -> Defect | None:
    """Plays a walk that was written down; steps that are refused now are passed over."""
    scenario = scenario_of(tree_from(document), str(document["name"]))
    player = Player(scenario)
    try:
        player.begin()
        for step in scenario.steps:
            try:
                player.carry_out(step)
            except YarnError:
                continue
            look_over(player.world)
    except Exception as error:  # whatever it is, it is what the walk was made to find
        return _defect_of(error)
    return _defect_of_failures(player)


class _Walker:
    """One walk under way."""

    def __init__(self, seed: int, scheduler: str) -> None:
        self._dice = Random(f"{scheduler} {seed}")
        self._seed = seed
        self._document = draw_cluster(self._dice, seed, scheduler)
        self._document["steps"] = []
        self._choices = Choices(self._dice, scheduler)
        self._choices.leave_some_out()
        self._coverage = Coverage()
        scenario, self._reading = read_document(tree_from(self._document), f"seed {seed}")
        self._scenario: Scenario = scenario
        self._player = Player(scenario)

    def walk(self, length: int) -> Walk:
        defect = None
        try:
            self._player.begin()
            self._player.world.rm.context.story.listeners.append(self._coverage.note)
            for _ in range(length):
                self._do(self._choices.next_step(self._player.world))
            self._mend()
            self._settle()
            self._expect_dues()
            self._end_all()
        except Exception as error:  # whatever it is, it is what the walk was made to find
            defect = _defect_of(error)
        return Walk(self._seed, self._document, self._coverage, defect or _defect_of_failures(self._player))

    def _do(self, value: StepValue) -> None:
        """Carries out a step and writes it down; a refused one as a step that must be refused."""
        ((verb, of),) = value.items()
        steps: list[StepValue] = self._document["steps"]
        steps.append(value)
        step = read_next_step(self._reading, tree_from(value), f"seed {self._seed}, step {len(steps)}")
        self._coverage.verbs[verb] += 1
        try:
            self._player.carry_out(step)
        except YarnError:
            self._coverage.refusals[verb] += 1
            steps[-1] = {"expect-error": {verb: of, "matching": "."}}
            if verb == "submit":
                self._reading.names.refused[of["app"]] = None
        look_over(self._player.world)

    def _mend(self) -> None:
        """No more faults: every node is well, nothing is barred, and there is room for everything."""
        world = self._player.world
        for name, node in list(world.nodes.items()):
            self._do({"recommission": name})
            if node.is_live and node.health_report:
                self._do({"unhealthy": {"node": name, "report": ""}})
        self._do({"add-node": dict(ROOMY)})
        for app in self._alive():
            if app.master.attempt_id is not None:
                barred = ["/r1", "/r2", "/r3", *(name.partition(":")[0] for name in world.nodes)]
                self._do({"ask": {"app": app.name, "blacklist": {"remove": barred}}})

    def _settle(self) -> None:
        for _ in range(ROUNDS_AT_THE_END):
            if "fair-scheduler" in self._document:
                self._do({"update-shares": True})
            self._heartbeat_all()
            pulling = [app.name for app in self._alive() if app.master.attempt_id is not None]
            if pulling:
                self._do({"pull": pulling})

    def _expect_dues(self) -> None:
        """Every application that is alive runs and has all that it asks for."""
        dues: dict[str, object] = {}
        for app in self._alive():
            dues[app.name] = {"state": "RUNNING"}
            if app.name not in self._choices.strict:
                dues[app.name] = {"state": "RUNNING", "pending": 0}
        if dues:
            self._do({"expect": {"apps": dues}})

    def _end_all(self) -> None:
        """Everything finishes; nothing may be left behind."""
        for app in self._alive():
            self._do({"finish": app.name} if app.master.attempt_id is not None else {"kill": app.name})
        self._heartbeat_all()
        self._heartbeat_all()
        world = self._player.world
        nodes = {name: {"containers": 0, "used": 0} for name, node in world.nodes.items() if node.is_live}
        self._do({"expect": {"nodes": nodes, "cluster": {"used": 0}}})

    def _heartbeat_all(self) -> None:
        self._do({"heartbeat": [name for name, node in self._player.world.nodes.items() if node.is_live]})

    def _alive(self) -> list[Any]:
        world = self._player.world
        return [app for app in world.apps.values() if not world.rm.is_app_over(app.application_id)]


def _defect_of(error: Exception) -> Defect:
    frames = traceback.extract_tb(error.__traceback__)
    place = frames[-1].name if frames else ""
    text = "".join(traceback.format_exception(error))
    return Defect(("raised", type(error).__name__, place), text)


def _defect_of_failures(player: Player) -> Defect | None:
    """The failed expectations of the end; refusals that did not come are no defect of a shortened walk."""
    failures = [each for each in player.outcome().failures if each.path != "expect-error"]
    if not failures:
        return None
    keys: Iterable[str] = sorted({each.path.partition(".")[0] for each in failures})
    return Defect(("expected", *keys), "\n".join(map(str, failures)))
