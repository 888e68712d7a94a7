"""One recording for all tests of the viewer: two queues, a lost node, and one that is reserved."""

from __future__ import annotations

import pytest

from yarnbox.sim.recording.document import Recording, read, read_file, write
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario
from yarnbox.sim.workload.command import main as sim

TEXT = """\
name: two-queues
about: One has all, then the other wants something.
conf: {yarn.resourcemanager.scheduler.class: capacity}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 50
  yarn.scheduler.capacity.root.a.user-limit-factor: 2
  yarn.scheduler.capacity.root.b.capacity: 50
nodes:
  - {name: n1, memory-mb: 4096}
  - {name: n2, memory-mb: 4096, rack: /r2}
steps:
  - submit: {app: a1, queue: root.a, user: mei}
  - ask: {app: a1, requests: [{count: 4, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 2}
  - heartbeat: n2
  - pull: a1
  - heartbeat: n2
  - submit: {app: b1, queue: root.b, user: tom}
  - ask: {app: b1, requests: [{count: 1, memory-mb: 3072}]}
  - heartbeat: n2
  - remove-node: n1
  - finish: a1
  - expect: {apps: {a1: {state: FINISHED}}}
"""


def recorded(text: str) -> Recording:
    """The recording of a scenario."""
    data = play_recorded(parse_scenario(text), text)[1]
    assert data is not None
    return read(write(data), "test")


@pytest.fixture(scope="session")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    """What `yarnbox sim run --record` wrote of two jobs."""
    place = tmp_path_factory.mktemp("workload")
    trace, file = place / "two.tsv", place / "recording.json"
    trace.write_text("one\t0\t0\t1000\t500\t10\ntwo\t5\t5\t1000\t500\t10\n", encoding="utf-8")
    assert sim(["run", "--tracelocation", str(trace), "--num-nodes", "2", "--record", str(file)]) == 0
    return read_file(file)


@pytest.fixture(scope="session")
def recording() -> Recording:
    return recorded(TEXT)
