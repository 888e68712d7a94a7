"""The steps of a scenario carried out, one after the other, by the front door of the ResourceManager.

There are no rules here: an AM's step is a call of its AM, a node's step a call of its NodeManager, an
administrator's step one of the administration service. Every step ends with all that it caused settled. A
step that is refused without `expect-error` ends the play, for nothing after it would mean what its author
meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yarnbox.sim.kernel import Kernel
from yarnbox.sim.recording.recorder import INSTANT_MS, RunRecorder, Title
from yarnbox.sim.recording.shape import WrittenData
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.scenario.playing.app_steps import AppSteps
from yarnbox.sim.scenario.playing.cluster_steps import ClusterSteps
from yarnbox.sim.scenario.playing.expectations import Failure, failures_of
from yarnbox.sim.scenario.playing.files import YARN_SITE, ScenarioFiles
from yarnbox.sim.scenario.playing.recorder import Recorder
from yarnbox.sim.scenario.playing.views import WorldViews
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.scenario.reading.document import HEARTBEAT_MS, Scenario
from yarnbox.sim.scenario.reading.steps import (
    NO_LINE,
    AddLabels,
    AddNode,
    Advance,
    Expect,
    ExpectError,
    Preempt,
    RestartRM,
    Step,
    UpdateShares,
)
from yarnbox.yarn.errors import YarnError

SETTING_UP = 0
AFTER_TIMERS = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a scenario went."""

    failures: tuple[Failure, ...]
    events: tuple[Mapping[str, object], ...]
    pending: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    """Why each application that still waits at the end does so, where that was asked for."""

    @property
    def is_ok(self) -> bool:
        """Whether everything held."""
        return not self.failures


def play(scenario: Scenario, *, with_reasons: bool = False) -> Outcome:
    """Plays the scenario from its beginning to its end, or to the first step that is refused; told with why
    applications wait, if that is wanted.
    """
    return Player(scenario, with_reasons=with_reasons).play()


def play_recorded(scenario: Scenario, text: str, name: str = "") -> tuple[Outcome, WrittenData | None]:
    """Plays the scenario, which is that text; how it went, and a recording but for its format and version, or
    None where the ResourceManager did not even start.
    """
    guide = scenario.guide.as_data() if scenario.guide is not None else None
    title = Title(name=name or scenario.name, about=scenario.about, file=text, guide=guide)
    player = Player(scenario, with_reasons=True, title=title)
    return player.play(), player.recording()


class Player:
    """One play of one scenario."""

    def __init__(self, scenario: Scenario, *, with_reasons: bool = False, title: Title | None = None) -> None:
        self.scenario = scenario
        self._with_reasons = with_reasons
        self._title = title
        self._run_recorder: RunRecorder | None = None
        self._looked = self._is_put_in = False
        conf = dict(scenario.conf)
        self._period_ms = int(conf.pop(HEARTBEAT_MS, "0"))
        self.files = ScenarioFiles(conf, scenario.capacity_scheduler, scenario.fair_scheduler, scenario.texts)
        self.after_step: list[Callable[[Step], None]] = []
        """Called with each step that was carried out, for whoever watches."""
        self._failures: list[Failure] = []
        self._number = SETTING_UP
        self.recorder = Recorder()

    def play(self) -> Outcome:
        """Sets the cluster up and carries out every step."""
        doing = "the cluster as it is described"
        try:
            self.begin()
            for step in self.scenario.steps:
                doing = step.verb
                self.carry_out(step)
        except YarnError as refusal:
            self._fail(doing, "to be carried out", refusal.message)
        return self.outcome()

    def start_rm(self) -> SimulatedRM:
        """The ResourceManager that is played against."""
        return SimulatedRM(self.files, self.scenario.groups, YARN_SITE)

    def outcome(self) -> Outcome:
        """How it went so far."""
        pending = {name: reasons for name, reasons in self.recorder.pending.items() if reasons}
        return Outcome(tuple(self._failures), tuple(self.recorder.events), pending)

    def begin(self) -> None:
        """Starts the ResourceManager at moment 0, adds the labels and lets the nodes register."""
        rm = self.start_rm()
        self.world = World(rm)
        self.recorder.listen(self.world)
        self.kernel = Kernel(rm.clock)
        if self._title is not None:
            self._record(self._title)
        self.kernel.join(rm)
        apps = AppSteps(self.world)
        cluster = ClusterSteps(self.world, self.files, apps, self._look)
        self._apps, self._cluster = apps, cluster
        self._views = WorldViews(self.world)
        self._by_verb: Mapping[str, Callable[[Any], None]] = {
            "submit": apps.submit,
            "ask": apps.ask,
            "pull": apps.pull,
            "complete": apps.complete,
            "finish": apps.finish,
            "fail-am": apps.fail_am,
            "kill": apps.kill,
            "move": apps.move,
            "priority": apps.set_priority,
            "heartbeat": cluster.heartbeat,
            "add-node": cluster.add_node,
            "remove-node": cluster.remove_node,
            "decommission": cluster.decommission,
            "recommission": cluster.recommission,
            "unhealthy": cluster.unhealthy,
            "node-queue": cluster.node_queue,
            "resize-node": cluster.resize_node,
            "add-labels": cluster.add_labels,
            "remove-labels": cluster.remove_labels,
            "label-node": cluster.label_node,
            "refresh": cluster.refresh,
            "reserve": cluster.reserve,
            "update-reservation": cluster.update_reservation,
            "delete-reservation": cluster.delete_reservation,
            "update-shares": self._update_shares,
            "preempt": self._preempt,
            "advance": self._advance,
            "restart-rm": self._restart_rm,
            "expect": self._expect,
            "expect-error": self._expect_error,
        }
        self.kernel.run_until(0)
        if self.scenario.labels:
            cluster.add_labels(AddLabels(line=NO_LINE, exclusive=self.scenario.labels))
        cluster.add_node(AddNode(line=NO_LINE, nodes=self.scenario.nodes))
        self._look()

    def carry_out(self, step: Step) -> None:
        """One step, and all that it causes. YarnError when it is refused."""
        self._number += 1
        self.recorder.step = self._number
        self._is_put_in = step.line == NO_LINE
        if self._run_recorder is not None and not self._is_put_in:
            self._run_recorder.step(step.line)
        self._looked = False
        try:
            self._by_verb[step.verb](step)
        finally:
            if not self._looked:
                self._look()
        if self._with_reasons:
            self._tell_reasons()
        for watcher in self.after_step:
            watcher(step)

    def _record(self, title: Title) -> None:
        instant_ms = min(INSTANT_MS, self._period_ms) if self._period_ms else INSTANT_MS
        recorder = RunRecorder(self.world.rm, title, name_of=self.world.name_of, instant_ms=instant_ms)
        self._run_recorder = recorder
        self.kernel.watchers.append(recorder.passed)

    def _look(self) -> None:
        """Something is over that a viewer of the recording may want to look at, if it is in the file."""
        self._looked = True
        if self._run_recorder is not None and not self._is_put_in:
            self._run_recorder.moment()

    def _tell_reasons(self) -> None:
        for name, reasons in self.recorder.record_reasons().items():
            if self._run_recorder is not None:
                said = "; ".join(one["text"] for one in reasons) or "nothing any more"
                self._run_recorder.tell("waits for", name, said)

    def recording(self) -> WrittenData | None:
        """What the player wrote down, once it has played: everything but format and version."""
        if self._run_recorder is None:
            return None
        return self._run_recorder.data([str(failure) for failure in self._failures])

    def _update_shares(self, step: UpdateShares) -> None:
        for _ in range(step.times):
            self.world.rm.update_shares()
            self._look()

    def _preempt(self, step: Preempt) -> None:
        for _ in range(step.times):
            self.world.rm.preempt()
            self._look()

    def _restart_rm(self, step: RestartRM) -> None:
        self.world.restart_rm(step.down_ms)

    def _advance(self, step: Advance) -> None:
        end_ms = self.kernel.clock.now_ms() + step.span_ms
        for moment_ms in self._beats(end_ms):
            self.kernel.at(moment_ms, self._beat, AFTER_TIMERS)
        self.kernel.run_until(end_ms)

    def _beats(self, end_ms: int) -> Iterator[int]:
        """The moments up to the end at which every node and every AM calls, where the scenario says so."""
        if self._period_ms > 0:
            first = self.kernel.clock.now_ms() // self._period_ms + 1
            yield from range(first * self._period_ms, end_ms + 1, self._period_ms)

    def _beat(self) -> None:
        self._apps.end_due()
        self._cluster.heartbeat_all()
        self._apps.pull_all()

    def _expect(self, step: Expect) -> None:
        self._failures.extend(failures_of(self._number, step.checks, self._views))

    def _expect_error(self, step: ExpectError) -> None:
        wanted = f"{step.step.verb} to be refused: /{step.matching.pattern}/"
        try:
            self._by_verb[step.step.verb](step.step)
        except YarnError as refusal:
            if step.matching.search(refusal.message) is None:
                self._fail("expect-error", wanted, refusal.message)
        else:
            self._fail("expect-error", wanted, "no refusal")

    def _fail(self, path: str, expected: object, got: object) -> None:
        self._failures.append(Failure(self._number, path, expected, got))
