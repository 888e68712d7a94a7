"""The fair scheduler among real processes: two users' jobs come to equal shares, a starved queue gets its
minimum, the allocation file changes while all run.
"""

from __future__ import annotations

import shutil
import subprocess
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest

from tests.processes.conftest import ROOT, Desk, wait_until
from tests.processes.gated import GATED, GatedShell, output
from tests.waiting import PATIENCE_S
from yarnbox.am.connection import CLIENT_SERVICE
from yarnbox.rm.scheduler.fair.scheduler import STATE_DUMP
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.records.client import GetQueueInfoRequest

pytestmark = pytest.mark.long

GB = 1024
Job = subprocess.Popen[str]
FILE = """<allocations>
  <queue name="a"/>
  <queue name="b">
    <minResources>3072 mb, 3 vcores</minResources>
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
  </queue>
</allocations>
"""


class Sharing:
    """Two nodes of 4 GB, and jobs and shells whose containers take 1 GB each."""

    def __init__(self, desk: Desk, root: Path, file: str, *definitions: str) -> None:
        self.desk = desk
        self.root = root
        shutil.copytree(ROOT / "conf", root / "conf")
        (root / "conf" / "fair-scheduler.xml").write_text(file)
        (root / "gated.py").write_text(GATED)
        given = ("yarn.nodemanager.resource.memory-mb=4096", *definitions)
        words = [word for definition in given for word in ("-D", definition)]
        desk.up("--scheduler", "fair", "--nodes", "2", "--conf", str(root / "conf"), *words)
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")

    def job(self, queue: str, maps: int) -> Job:
        """A job of so many maps that wait for the gate."""
        given = self.root / f"input-{queue}"
        given.mkdir()
        for number in range(maps):
            (given / f"{number:02d}").write_text(f"w{number:02d} waits\n")
        return self.desk.start(
            "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer",
            "--path", str(self.root), "--queue", queue,
            "-D", "yarn.app.mapreduce.am.resource.mb=1024",
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(given), str(self.root / f"out-{queue}"),
        )  # fmt: skip

    def shell(self, user: str, containers: int) -> GatedShell:
        """A user's containers; the first seven wait for the first gate."""
        return GatedShell(self.desk, self.root, user, containers, 7, user=user)

    def used_gb(self, queue: str) -> int:
        """What a queue holds; nothing when there is none."""
        info = self.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=queue)).queue_info
        if info is None:
            return 0
        used: int = info.queue_statistics.allocated_memory_mb // GB
        return used

    def pending(self, queue: str) -> int:
        """How many containers its applications wait for."""
        info = self.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=queue)).queue_info
        found: int = 0 if info is None else info.queue_statistics.pending_containers
        return found

    def use(self, *queues: str) -> tuple[int, ...]:
        """What queues hold, one after the other."""
        return tuple(self.used_gb(queue) for queue in queues)

    def wait_for(self, **gb: int) -> None:
        """Waits until the queues hold so many GB."""
        wanted = tuple(gb.values())
        assert wait_until(lambda: self.use(*gb) == wanted, PATIENCE_S), self.use(*gb)

    def course(self, *queues: str) -> list[tuple[int, ...]]:
        """What queues have held, in GB, after each booking in the event log: nothing between two looks is
        missed.
        """
        held, course = dict.fromkeys((f"root.{queue}" for queue in queues), 0), []
        for event in self.desk.events():
            if event.details.get("queue") in held and "resource" in event.details:
                held[event.details["queue"]] += event.details["resource"]["memory-mb"]
                course.append(tuple(amount // GB for amount in held.values()))
        return course

    def finish(self, process: Job, name: str, maps: int) -> None:
        """The job ends with the right answer."""
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, out + err
        assert output(self.root / f"out-{name}") == {f"w{number:02d}".encode(): 1 for number in range(maps)}

    def refusals(self) -> list[str]:
        """What was wrong with the files that were refused."""
        return [event.subject for event in self.desk.events() if event.type == "SchedulerAllocationsRefused"]

    def count(self, kind: str) -> int:
        """How often something has happened."""
        return sum(event.type == kind for event in self.desk.events())

    def log(self) -> str:
        """The ResourceManager's log."""
        return (self.desk.run.logs / "rm.log").read_text()


@contextmanager
def sharing(desk: Desk, root: Path, file: str, *definitions: str) -> Iterator[Sharing]:
    """A cluster, whose connection is closed in the end."""
    made = Sharing(desk, root, file, *definitions)
    try:
        yield made
    finally:
        made.stub.close()


def test_two_users_come_to_equal_shares(desk: Desk, tmp_path: Path) -> None:
    containers = {"ann": 30, "bob": 16}  # enough that both ask for long after they have come to equal shares
    with sharing(desk, tmp_path, "<allocations/>") as cluster:
        first = cluster.shell("ann", containers["ann"])
        cluster.wait_for(ann=8, bob=0)
        second = cluster.shell("bob", containers["bob"])
        assert wait_until(lambda: cluster.pending("bob") == 1, PATIENCE_S)  # its AM
        (tmp_path / "first").touch()
        assert wait_until(
            lambda: cluster.pending("bob") + cluster.used_gb("bob") > 1, PATIENCE_S
        )  # the others
        (tmp_path / "later").touch()
        second.finish()
        first.finish()
        course = cluster.course("ann", "bob")
    begun = [_begun(course, number, 1 + count) for number, count in enumerate(containers.values())]
    while_both_ask = course[course.index((4, 4)) : min(begun)]
    # What becomes free goes to whoever has less: one container over the half is the most there can be.
    assert max(max(held) for held in while_both_ask) <= 5


def _begun(course: Sequence[tuple[int, ...]], queue: int, containers: int) -> int:
    """Where in the course that queue got so many containers."""
    got = (index for index in range(1, len(course)) if course[index][queue] > course[index - 1][queue])
    return next(islice(got, containers - 1 - course[0][queue], None))


def test_a_starved_queue_gets_its_minimum_and_the_other_job_its_answer(desk: Desk, tmp_path: Path) -> None:
    fair = "yarn.scheduler.fair."
    with sharing(
        desk,
        tmp_path,
        FILE,
        f"{fair}preemption=true",
        f"{fair}waitTimeBeforeKill=500",
        f"{fair}waitTimeBeforeNextStarvationCheck=500",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=200",
    ) as cluster:
        first = cluster.job("a", 10)
        cluster.wait_for(a=8, b=0)
        second = cluster.job("b", 2)
        # Its AM, and then the two maps that this asks for.
        cluster.wait_for(a=5, b=3)
        # One pass for the AM, one for the maps; the event log is written with a little delay.
        assert wait_until(lambda: cluster.count("SchedulerPreemptContainers") >= 2, PATIENCE_S)
        (cluster.root / "open").touch()
        cluster.finish(second, "b", 2)
        cluster.finish(first, "a", 10)


def test_the_allocation_file_changes_while_all_run(desk: Desk, tmp_path: Path) -> None:
    updates = "yarn.scheduler.fair.update-interval-ms=100"
    with sharing(desk, tmp_path, '<allocations><queue name="a"/></allocations>', updates) as cluster:
        file = tmp_path / "conf" / "fair-scheduler.xml"

        def weight() -> float | None:
            info = cluster.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name="a")).queue_info
            return None if info is None else float(info.weight)

        def write(inside: str) -> None:
            file.write_text(f'<allocations>\n<queue name="a">{inside}</queue>\n</allocations>')

        write("<weight>heavy</weight>")
        reason = f"{file.name}:2: <weight>heavy</weight>: must be a number"
        # Looked at every ten seconds, once it has been left alone for five.
        assert wait_until(lambda: bool(cluster.refusals()), PATIENCE_S), cluster.log()
        assert reason in cluster.refusals()[0]
        assert "will use existing allocations" in cluster.log()
        assert weight() == 1.0
        write("<weight>3</weight>")
        assert wait_until(lambda: weight() == 3.0, PATIENCE_S), cluster.log()
        assert wait_until(lambda: cluster.count("SchedulerAllocationsLoaded") >= 1, PATIENCE_S)
        write("<weight>light</weight>")
        address = desk.run.load().web_address
        urllib.request.urlopen(f"http://{address}/logLevel?log={STATE_DUMP}&level=DEBUG").close()
        desk.here("yarn", "rmadmin", "-refreshQueues")
        # Once by this, and once more by the look at the file's time if that comes first.
        assert wait_until(lambda: len(cluster.refusals()) >= 2, PATIENCE_S)
        assert weight() == 3.0
        # A dump every 26 updates.
        dumped = "{Name: root.a, Weight: 3.0, Policy: fair"
        assert wait_until(lambda: dumped in cluster.log(), PATIENCE_S), cluster.log()


def test_a_bad_file_stops_the_start_with_file_line_and_reason(desk: Desk, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    bad = '<allocations>\n  <queue name="a">\n    <weight>heavy</weight>\n  </queue>\n</allocations>'
    (tmp_path / "conf" / "fair-scheduler.xml").write_text(bad)
    words = ("--detach", "--port", "0", "--web-port", "0", "--scheduler", "fair", "--conf")
    said = desk.yarnbox("up", *words, str(tmp_path / "conf"), status=2)
    assert "fair-scheduler.xml:3: <weight>heavy</weight>: must be a number" in said
