"""Classes of the reservation system: those that there are not keep the ResourceManager from starting."""

from __future__ import annotations

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import parse_scenario

PACKAGE = "org.apache.hadoop.yarn.server.resourcemanager.reservation."
SYSTEM = "yarn.resourcemanager.reservation-system."
QUEUE = "yarn.scheduler.capacity.root.p."
CAPACITY = """
name: classes
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.resourcemanager.reservation-system.enable: {enabled}
  {conf}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: p
  yarn.scheduler.capacity.root.p.capacity: 100
  yarn.scheduler.capacity.root.p.reservable: true
  {queue}
nodes: [{{name: n1, memory-mb: 1024}}]
steps: []
"""
FAIR = """
name: classes
conf:
  yarn.resourcemanager.scheduler.class: fair
  yarn.resourcemanager.reservation-system.enable: true
  {conf}
fair-scheduler: "<allocations><queue name='p'><reservation/></queue>{file}</allocations>"
nodes: [{{name: n1, memory-mb: 1024}}]
steps: []
"""


def why_not(text: str) -> str:
    """Why the ResourceManager does not start; the empty string when it does."""
    return "; ".join(str(failure) for failure in play(parse_scenario(text)).failures)


def capacity(conf: str = "x: y", queue: str = "x: y", enabled: str = "true") -> str:
    return why_not(CAPACITY.format(conf=conf, queue=queue, enabled=enabled))


def fair(conf: str = "x: y", file: str = "") -> str:
    return why_not(FAIR.format(conf=conf, file=file))


def test_hadoops_own_classes() -> None:
    conf = (
        f"{SYSTEM}class: {PACKAGE}CapacityReservationSystem\n"
        f"  {SYSTEM}plan.follower: {PACKAGE}CapacitySchedulerPlanFollower"
    )
    queue = (
        f"{QUEUE}reservation-agent: {PACKAGE}planning.GreedyReservationAgent\n"
        f"  {QUEUE}reservation-policy: {PACKAGE}NoOverCommitPolicy\n"
        f"  {QUEUE}reservation-planner: {PACKAGE}planning.SimpleCapacityReplanner"
    )
    assert capacity(conf, queue) == ""
    assert fair(f"{SYSTEM}class: {PACKAGE}FairReservationSystem") == ""


@pytest.mark.parametrize("key", ["class", "plan.follower"])
def test_an_unknown_system(key: str) -> None:
    assert f"{SYSTEM}{key}: there is no a.B for the CapacityScheduler" in capacity(f"{SYSTEM}{key}: a.B")
    assert f"{SYSTEM}{key}: there is no a.B for the FairScheduler" in fair(f"{SYSTEM}{key}: a.B")


def test_the_system_of_another_scheduler() -> None:
    assert "there is no" in capacity(f"{SYSTEM}class: {PACKAGE}FairReservationSystem")


@pytest.mark.parametrize("key", ["reservation-agent", "reservation-policy", "reservation-planner"])
def test_an_unknown_class_of_a_plan(key: str) -> None:
    told = f"{key} of the plan queue root.p: there is no a.B: expected {PACKAGE}"
    assert told in capacity(queue=f"{QUEUE}{key}: a.B")
    assert told in fair(file=f"<{key}>a.B</{key}>")


def test_nobody_looks_while_the_system_is_off() -> None:
    assert capacity(f"{SYSTEM}class: a.B", f"{QUEUE}reservation-agent: a.B", enabled="false") == ""


def test_a_plan_that_comes_with_a_refresh_and_lacks_its_class() -> None:
    text = CAPACITY.format(conf="x: y", queue="x: y", enabled="true").replace("steps: []", "steps:")
    text = text.replace("  yarn.scheduler.capacity.root.p.reservable: true\n", "")
    steps = f"""
  - refresh:
      capacity-scheduler: &file
        yarn.scheduler.capacity.root.queues: p
        {QUEUE}capacity: 100
        {QUEUE}reservable: true
        {QUEUE}reservation-agent: a.B
  - advance: 2s
  - expect-error:
      reserve: &one
        {{name: r, queue: p, arrival: 5s, deadline: 9s, requests: [{{count: 1, memory-mb: 1, duration: 1s}}]}}
      matching: "not a valid|reservable"
"""
    assert why_not(text + steps) == ""
