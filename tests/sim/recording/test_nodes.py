"""Looking only at nodes of which something was told misses nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from yarnbox.rm.web.rows import NodeFacts, node_facts
from yarnbox.sim.recording import recorder
from yarnbox.sim.recording.nodes import NodeDocuments
from yarnbox.sim.recording.recorder import RunRecorder, Title
from yarnbox.sim.scenario.playing import player
from yarnbox.sim.scenario.playing.player import Outcome, Player
from yarnbox.sim.scenario.reading.document import parse_scenario
from yarnbox.yarn.ids import NodeId

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ABOUT_NODES = sorted(
    path
    for area in ("constraints", "labels", "lifecycle", "preemption", "requests", "reservation", "fifo")
    for path in SCENARIOS.glob(f"{area}/*.yaml")
)

OPPORTUNISTIC = """\
name: opportunistic
about: Containers that no queue books come, and go with their application.
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.resourcemanager.opportunistic-container-allocation.enabled: true
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a
  yarn.scheduler.capacity.root.a.capacity: 100
nodes:
  - {name: n1, memory-mb: 4096}
  - {name: n2, memory-mb: 4096}
steps:
  - submit: {app: a1, queue: root.a}
  - node-queue: {node: [n1, n2], capacity: 10}
  - heartbeat: [n1, n2]
  - advance: 1s
  - ask: {app: a1, requests: [{count: 4, memory-mb: 1024, execution: OPPORTUNISTIC}]}
  - pull: a1
  - expect: {nodes: {n2: {containers: 2}}}
  - kill: a1
  - expect: {nodes: {n2: {containers: 0}}}
"""


class Checked(NodeDocuments):
    """Notes the nodes that are due, and then looks at all of them."""

    samples = 0

    def sample(self, number: int) -> None:
        super().sample(number)
        Checked.samples += 1
        assert {**self._written, **self.facts()} == self._written

    def facts(self) -> dict[NodeId, NodeFacts]:
        """What there is to say of each node now."""
        known = {**self._context.inactive_nodes, **self._context.nodes}
        return {node_id: node_facts(self._context, node) for node_id, node in known.items()}


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Outcome]:
    """Plays the scenario of a text and checks its nodes. Nothing else is looked at: the recorder leaves out
    the details of applications and queues.
    """
    monkeypatch.setattr(recorder, "NodeDocuments", Checked)
    monkeypatch.setattr(player, "RunRecorder", partial(RunRecorder, is_detailed=False))
    return lambda text: Player(parse_scenario(text), title=Title(name="nodes")).play()


@pytest.mark.long
@pytest.mark.parametrize("path", ABOUT_NODES, ids=lambda path: path.stem)
def test_what_is_written_is_what_a_look_at_every_node_would_find(
    path: Path, play: Callable[[str], Outcome]
) -> None:
    before = Checked.samples
    play(path.read_text(encoding="utf-8"))
    assert Checked.samples > before


def test_so_it_is_with_containers_that_no_queue_books(play: Callable[[str], Outcome]) -> None:
    before = Checked.samples
    outcome = play(OPPORTUNISTIC)
    assert outcome.is_ok, outcome.failures
    assert Checked.samples > before
