"""The capacity scheduler among real processes: three tenants, four queues, six nodes; lending, and maxima."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.processes.conftest import ROOT, Desk, wait_until
from tests.processes.gated import PATIENCE_S, output
from yarn.configuration.document import write
from yarn.event_log import LoggedEvent

pytestmark = pytest.mark.timeout(240)

GB = 1024
PREFIX = "yarn.scheduler.capacity."
QUEUES = {
    "root.queues": "prod,dev,test,spare",
    "maximum-am-resource-percent": "1.0",
    "user-limit-factor": "10",
    "root.prod.capacity": "50",
    "root.dev.capacity": "25",
    "root.test.capacity": "15",
    "root.test.maximum-capacity": "25",
    "root.spare.capacity": "10",
}
MAXIMUM_GB = {"prod": 12, "dev": 12, "test": 3, "spare": 12}
SLOW = """
import time
def mapper(offset, line):
    time.sleep(0.5)
    yield line.split()[0], 1
def reducer(word, counts):
    yield word, sum(counts)
"""


class Tenants:
    """Six nodes of 2 GB; jobs whose containers take 1 GB each."""

    def __init__(self, desk: Desk, root: Path) -> None:
        self.desk = desk
        self.root = root
        self.maps: dict[str, int] = {}
        shutil.copytree(ROOT / "conf", root / "conf")
        queues = ((PREFIX + name, value, False) for name, value in QUEUES.items())
        (root / "conf" / "capacity-scheduler.xml").write_text(write(queues))
        (root / "slow.py").write_text(SLOW)
        desk.up(
            "--scheduler", "capacity", "--nodes", "6", "--conf", str(root / "conf"),
            "-D", "yarn.nodemanager.resource.memory-mb=2048",
        )  # fmt: skip

    def submit(self, queue: str, maps: int) -> subprocess.Popen[str]:
        """A tenant's job of so many maps."""
        given = self.root / f"input-{queue}"
        given.mkdir()
        for number in range(maps):
            (given / f"{number:02d}").write_text(f"w{number:02d} waits\n")
        self.maps[queue] = maps
        return self.desk.start(
            "job", "mapreduce", "--mapper", "slow.mapper", "--reducer", "slow.reducer",
            "--path", str(self.root), "--queue", queue,
            "-D", "yarn.app.mapreduce.am.resource.mb=1024",
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(given), str(self.root / f"out-{queue}"),
        )  # fmt: skip

    def wait_for(self, queue: str, least_gb: int) -> None:
        """Waits until a queue has held so many GB."""

        def has_held() -> bool:
            return any(held[queue] >= least_gb for held in held_gb(self.desk.events()))

        assert wait_until(has_held, PATIENCE_S), held_gb(self.desk.events())[-1:]

    def finish(self, process: subprocess.Popen[str], queue: str) -> None:
        """The job ends with the right answer."""
        out, err = process.communicate(timeout=2 * PATIENCE_S)
        assert process.returncode == 0, out + err
        words = {f"w{number:02d}".encode(): 1 for number in range(self.maps[queue])}
        assert output(self.root / f"out-{queue}") == words


def held_gb(events: Iterable[LoggedEvent]) -> list[Counter[str]]:
    """What the queues held, by the bookings in the event log: after each single one."""
    held: Counter[str] = Counter()
    course = []
    for event in events:
        queue = event.details.get("queue")
        if queue is not None:
            held[queue] += event.details["resource"]["memory-mb"]
            assert held[queue] >= 0, event
            course.append(Counter({q.removeprefix("root."): -(-mb // GB) for q, mb in held.items()}))
    return course


@pytest.fixture
def tenants(desk: Desk, tmp_path: Path) -> Tenants:
    """The cluster and its tenants."""
    return Tenants(desk, tmp_path)


def test_what_is_lent_comes_back_and_no_queue_passes_its_maximum(tenants: Tenants) -> None:
    dev = tenants.submit("dev", 32)
    tenants.wait_for("dev", 11)  # far beyond its 3 GB, for nobody else asks
    prod = tenants.submit("prod", 10)
    test = tenants.submit("test", 6)
    tenants.finish(prod, "prod")
    tenants.finish(test, "test")
    tenants.finish(dev, "dev")
    tenants.desk.here("down")
    course = held_gb(tenants.desk.events())
    assert not any(course[-1].values()), "what was given has come back"
    assert any(held["prod"] >= 6 and held["dev"] <= 5 for held in course), "as containers of dev finish"
    for queue, maximum in MAXIMUM_GB.items():
        assert max(held[queue] for held in course) <= maximum
    assert max(held["test"] for held in course) == MAXIMUM_GB["test"], "it asked for more"
