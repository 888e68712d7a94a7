"""A scenario with another scheduler than its own: the queues stay, with their weights."""

from __future__ import annotations

import pytest

from tests.cluster.viewer.conftest import TEXT
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import Scenario, parse_scenario
from yarnbox.sim.scenario.reading.schedulers import scheduler_of, with_scheduler

FAIR = """\
name: fair
conf: {yarn.resourcemanager.scheduler.class: fair}
fair-scheduler: |
  <allocations>
    <queue name="root"><schedulingPolicy>drf</schedulingPolicy>
      <queue name="x"><weight>3.0</weight><queue name="y"/></queue>
      <queue name="z"/>
    </queue>
  </allocations>
nodes: [{name: n1, memory-mb: 4096}]
steps:
  - submit: {app: a1, queue: x.y}
  - submit: {app: a2, queue: root.new, user: tom}
  - ask: {app: a1, requests: [{count: 2, memory-mb: 1024}]}
  - ask: {app: a2, requests: [{count: 2, memory-mb: 1024}]}
  - update-shares: true
  - heartbeat: {node: n1, times: 6}
"""


def shown(scenario: Scenario) -> dict[str, int]:
    """How many containers each application got."""
    outcome, data = play_recorded(scenario, "")
    assert outcome.is_ok, outcome.failures
    assert data is not None
    counts: dict[str, int] = {}
    for row in data["containers"]:
        name = data["names"][row[1]]
        counts[name] = counts.get(name, 0) + 1
    return counts


@pytest.mark.parametrize("scheduler", ["fifo", "fair", "capacity"])
@pytest.mark.parametrize("text", [TEXT, FAIR])
def test_each_scheduler_plays_each_file(text: str, scheduler: str) -> None:
    scenario = with_scheduler(parse_scenario(text), scheduler)
    assert scheduler_of(scenario) == scheduler
    assert shown(scenario)["application_0_0001"] >= 2


def test_the_same_scheduler_changes_nothing() -> None:
    scenario = parse_scenario(TEXT)
    assert with_scheduler(scenario, "capacity") is scenario


def test_weights_become_capacities() -> None:
    properties = with_scheduler(parse_scenario(FAIR), "capacity").capacity_scheduler
    assert properties is not None
    prefix = "yarn.scheduler.capacity.root."
    kept = {name.removeprefix(prefix): value for name, value in properties.items() if name.startswith(prefix)}
    assert kept["queues"] == "x,z,new"
    assert (kept["x.capacity"], kept["x.queues"], kept["x.y.capacity"]) == ("3w", "y", "1w")
    assert properties["yarn.scheduler.capacity.resource-calculator"].endswith("DominantResourceCalculator")


def test_capacities_become_weights_and_each_ask_is_followed_by_an_update() -> None:
    scenario = with_scheduler(parse_scenario(TEXT), "fair")
    assert scenario.fair_scheduler is not None
    assert '<queue name="a"><weight>50</weight>' in scenario.fair_scheduler
    assert [step.verb for step in scenario.steps][:3] == ["submit", "ask", "update-shares"]
    assert "expect" not in [step.verb for step in scenario.steps]


def test_a_step_that_was_put_in_is_no_moment() -> None:
    moments = [
        play_recorded(with_scheduler(parse_scenario(TEXT), scheduler), TEXT)[1]["moments"]["step"]  # type: ignore[index]
        for scheduler in ("fifo", "fair")
    ]
    assert moments[0] == moments[1]
