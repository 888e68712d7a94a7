"""The capacity scheduler among real processes: three tenants, four queues, three nodes; lending, and
maxima.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.processes.conftest import ROOT, Desk, wait_until
from tests.processes.gated import GatedShell
from tests.waiting import PATIENCE_S
from yarnbox.am.connection import CLIENT_SERVICE
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.records.client import GetQueueInfoRequest
from yarnbox.yarn.storage.event_log import STARTED, LoggedEvent

pytestmark = pytest.mark.long

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


class Tenants:
    """Three nodes of 4 GB; shells whose containers take 1 GB each, and wait for a gate."""

    def __init__(self, desk: Desk, root: Path) -> None:
        self.desk = desk
        self.root = root
        shutil.copytree(ROOT / "conf", root / "conf")
        queues = ((PREFIX + name, value, False) for name, value in QUEUES.items())
        (root / "conf" / "capacity-scheduler.xml").write_text(write(queues))
        desk.up(
            "--scheduler", "capacity", "--nodes", "3", "--conf", str(root / "conf"),
            "-D", "yarn.nodemanager.resource.memory-mb=4096",
        )  # fmt: skip
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")

    def submit(self, queue: str, containers: int, first: int = 0) -> GatedShell:
        """A tenant's containers; `first` wait for the first gate, the others for the later."""
        return GatedShell(self.desk, self.root, queue, containers, first, "--queue", queue)

    def wait_for(self, queue: str, least_gb: int) -> None:
        """Waits until a queue has held so many GB."""

        def has_held() -> bool:
            return any(held[queue] >= least_gb for held in held_gb(self.desk.events()))

        assert wait_until(has_held, PATIENCE_S), held_gb(self.desk.events())[-1:]

    def open_gate(self, name: str, *queues: str, asked: int) -> None:
        """Lets what waits there end, once each of these queues has been asked for so many containers."""

        def have_asked() -> bool:
            return all(self._asked(queue) >= asked for queue in queues)

        assert wait_until(have_asked, PATIENCE_S), {queue: self._asked(queue) for queue in queues}
        (self.root / name).touch()

    def _asked(self, queue: str) -> int:
        info = self.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=queue)).queue_info
        assert info is not None
        books = info.queue_statistics
        return int(books.pending_containers + books.allocated_containers)


def held_gb(events: Iterable[LoggedEvent]) -> list[Counter[str]]:
    """What the queues held, by the bookings in the event log: after each single one."""
    held: Counter[str] = Counter()
    course = []
    for event in events:
        if event.type == STARTED:
            held.clear()
        queue = event.details.get("queue")
        if queue is not None and "resource" in event.details:
            held[queue] += event.details["resource"]["memory-mb"]
            assert held[queue] >= 0, event
            course.append(Counter({q.removeprefix("root."): -(-mb // GB) for q, mb in held.items()}))
    return course


@pytest.fixture
def tenants(desk: Desk, tmp_path: Path) -> Iterator[Tenants]:
    """The cluster and its tenants."""
    made = Tenants(desk, tmp_path)
    yield made
    made.stub.close()


def test_what_is_lent_comes_back_and_no_queue_passes_its_maximum(tenants: Tenants) -> None:
    dev = tenants.submit("dev", 18, first=2)
    tenants.wait_for("dev", 12)  # far beyond its 3 GB, for nobody else asks
    prod = tenants.submit("prod", 8)
    test = tenants.submit("test", 4)
    tenants.open_gate("first", "prod", "test", asked=1)  # their AMs
    tenants.open_gate("later", "prod", "test", asked=4)  # the others too
    prod.finish()
    test.finish()
    dev.finish()
    tenants.desk.here("down")
    course = held_gb(tenants.desk.events())
    assert not any(course[-1].values()), "what was given has come back"
    assert any(held["prod"] >= 6 and held["dev"] <= 5 for held in course), "as containers of dev finish"
    for queue, maximum in MAXIMUM_GB.items():
        assert max(held[queue] for held in course) <= maximum
    assert max(held["test"] for held in course) == MAXIMUM_GB["test"], "it asked for more"
