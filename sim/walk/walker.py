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

from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.playing.world import App, World
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, read_document, read_next_step
from yarnbox.sim.scenario.reading.source import tree_from
from yarnbox.sim.walk.choices import Choices, StepValue
from yarnbox.sim.walk.clusters import Document, draw_cluster
from yarnbox.sim.walk.invariants import look_over
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.story import Line

LENGTH = 120
LEAST_ROUNDS_AT_THE_END = 3
MOST_ROUNDS_AT_THE_END = 60
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
    """What came of a seed. The first `head` steps of the document were drawn, the others repair nodes and
    let all requests be served."""

    document: Document
    head: int
    coverage: Coverage
    defect: Defect | None


def walk(seed: int, scheduler: str, length: int = LENGTH) -> Walk:
    """Walks from the seed to the end, or to the first defect."""
    dice = Random(f"{scheduler} {seed}")
    walker = _Walker(draw_cluster(dice, seed, scheduler))
    choices = Choices(dice, scheduler)
    choices.leave_some_out()
    return walker.walk(choices.next_step(walker.world) for _ in range(length))


def walk_again(document: Document, steps: Iterable[StepValue]) -> Walk:
    """Walks these steps over the document's cluster, and to the end. Steps that mean nothing are left out."""
    return _Walker({**document, "steps": []}).walk(_plain(step) for step in steps)


class _Walker:
    """One walk under way."""

    def __init__(self, document: Document) -> None:
        self._document = {**document, "steps": []}
        self._steps: list[StepValue] = self._document["steps"]
        self._strict: dict[str, None] = {}
        """Applications whose requests only one host can meet, or none."""
        self._coverage = Coverage()
        self._name = str(document["name"])
        scenario, self._reading = read_document(tree_from(self._document), self._name)
        self._player = Player(scenario)

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self._player.world

    def walk(self, steps: Iterable[StepValue]) -> Walk:
        """Carries out the steps as they are drawn, and then all that brings the walk to its end."""
        defect = None
        head: int | None = None
        try:
            self._player.begin()
            self.world.rm.context.story.listeners.append(self._coverage.note)
            for step in steps:
                self._do(step)
            head = len(self._steps)
            self._mend()
            self._run_until_idle()
            self._expect_dues()
            self._end_all()
        except Exception as error:  # whatever it is, it is what the walk was made to find
            defect = _defect_of(error)
        head = len(self._steps) if head is None else head
        return Walk(self._document, head, self._coverage, defect or _defect_of_failures(self._player))

    def _do(self, value: StepValue) -> None:
        """Carries out a step and writes it down; a refused one as a step that must be refused."""
        ((verb, of),) = value.items()
        try:
            step = read_next_step(self._reading, tree_from(value), self._name)
        except InvalidScenarioError:
            # A shortened walk names what it has left out.
            self._reading.problems.found.clear()
            return
        self._steps.append(value)
        if verb == "ask" and _is_strict(of):
            self._strict[of["app"]] = None
        self._coverage.verbs[verb] += 1
        try:
            self._player.carry_out(step)
        except YarnError:
            self._coverage.refusals[verb] += 1
            self._steps[-1] = {"expect-error": {verb: of, "matching": "."}}
            if verb == "submit":
                self._reading.names.refused[of["app"]] = None
        look_over(self.world)

    def _mend(self) -> None:
        """No more faults: every node is well, nothing is barred, and there is room for everything."""
        world = self.world
        for name, node in list(world.nodes.items()):
            self._do({"recommission": name})
            if node.is_live and node.health_report:
                self._do({"unhealthy": {"node": name, "report": ""}})
        self._do({"add-node": dict(ROOMY)})
        for app in self._alive():
            if self._is_running(app):
                barred = ["/r1", "/r2", "/r3", *(name.partition(":")[0] for name in world.nodes)]
                self._do({"ask": {"app": app.name, "blacklist": {"remove": barred}}})

    def _run_until_idle(self) -> None:
        """Rounds of heartbeats and pulls until nothing is asked for, and no longer than it may take."""
        for number in range(MOST_ROUNDS_AT_THE_END):
            if number >= LEAST_ROUNDS_AT_THE_END and not self._is_anything_pending():
                return
            if "fair-scheduler" in self._document:
                self._do({"update-shares": True})
            self._heartbeat_all()
            pulling = [app.name for app in self._alive() if self._is_running(app)]
            if pulling:
                self._do({"pull": pulling})

    def _is_running(self, app: App) -> bool:
        return self.world.rm.is_app_running(app.application_id)

    def _is_anything_pending(self) -> bool:
        if not all(self._is_running(app) for app in self._alive()):
            return True
        applications = self.world.rm.context.scheduler.applications.values()
        attempts = [each.attempt for each in applications if each.attempt is not None]
        return any(attempt.is_asking or attempt.newly_allocated for attempt in attempts)

    def _expect_dues(self) -> None:
        """Every application that is alive runs and has all that it asks for."""
        dues: dict[str, object] = {}
        for app in self._alive():
            dues[app.name] = {"state": "RUNNING"}
            if app.name not in self._strict:
                dues[app.name] = {"state": "RUNNING", "pending": 0}
        if dues:
            self._do({"expect": {"apps": dues}})

    def _end_all(self) -> None:
        """Everything finishes; nothing may be left behind."""
        for app in self._alive():
            self._do({"finish": app.name} if self._is_running(app) else {"kill": app.name})
        self._heartbeat_all()
        self._heartbeat_all()
        world = self.world
        nodes = {name: {"containers": 0, "used": 0} for name, node in world.nodes.items() if node.is_live}
        self._do({"expect": {"nodes": nodes, "cluster": {"used": 0}}})

    def _heartbeat_all(self) -> None:
        self._do({"heartbeat": [name for name, node in self.world.nodes.items() if node.is_live]})

    def _alive(self) -> list[App]:
        world = self.world
        return [app for app in world.apps.values() if not world.rm.is_app_over(app.application_id)]


def _is_strict(ask: StepValue) -> bool:
    """Whether the ask names a host that alone will do: a strict request, or a container that is to grow."""
    return any("relax" in request or "update" in request for request in ask.get("requests", ()))


def _plain(step: StepValue) -> StepValue:
    """The step that had to be refused, or the step itself."""
    refused = step.get("expect-error")
    return {verb: of for verb, of in refused.items() if verb != "matching"} if refused else step


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
