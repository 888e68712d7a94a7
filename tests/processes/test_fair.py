"""The fair scheduler among real processes: two users' jobs come to equal shares, a starved queue gets its
minimum in time, the allocation file changes while all run.
"""

from __future__ import annotations

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from am.connection import CLIENT_SERVICE
from cluster.cluster import wait_until
from rm.scheduler.fair.scheduler import STATE_DUMP
from tests.processes.conftest import ROOT, Desk
from tests.processes.gated import GATED, PATIENCE_S, output
from yarn.records.client import GetQueueInfoRequest
from yarn.rpc import BlockingStub

pytestmark = pytest.mark.timeout(240)

GB = 1024
Job = subprocess.Popen[str]
SECONDS = 10
"""What a loaded machine may need on top."""
SLOW = """
import time
def mapper(offset, line):
    time.sleep(0.5)
    yield line.split()[0], 1
def reducer(word, counts):
    yield word, sum(counts)
"""
FILE = """<allocations>
  <queue name="a"/>
  <queue name="b">
    <minResources>3072 mb, 3 vcores</minResources>
    <minSharePreemptionTimeout>1</minSharePreemptionTimeout>
  </queue>
</allocations>
"""


class Sharing:
    """Two nodes of 4 GB, and jobs whose maps take 1 GB each."""

    def __init__(self, desk: Desk, root: Path, file: str, *definitions: str) -> None:
        self.desk = desk
        self.root = root
        shutil.copytree(ROOT / "conf", root / "conf")
        (root / "conf" / "fair-scheduler.xml").write_text(file)
        (root / "gated.py").write_text(GATED)
        (root / "slow.py").write_text(SLOW)
        given = ("yarn.nodemanager.resource.memory-mb=4096", *definitions)
        words = [word for definition in given for word in ("-D", definition)]
        desk.up("--scheduler", "fair", "--nodes", "2", "--conf", str(root / "conf"), *words)
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")

    def job(self, name: str, program: str, maps: int, *words: str, user: str | None = None) -> Job:
        """A job of so many maps."""
        given = self.root / f"input-{name}"
        given.mkdir()
        for number in range(maps):
            (given / f"{number:02d}").write_text(f"w{number:02d} waits\n")
        return self.desk.start(
            "job", "mapreduce", "--mapper", f"{program}.mapper", "--reducer", f"{program}.reducer",
            "--path", str(self.root), *words,
            "-D", "yarn.app.mapreduce.am.resource.mb=1024",
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(given), str(self.root / f"out-{name}"),
            user=user,
        )  # fmt: skip

    def used_gb(self, queue: str) -> int:
        """What a queue holds; nothing when there is none."""
        info = self.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=queue)).queue_info
        if info is None:
            return 0
        used: int = info.queue_statistics.allocated_memory_mb // GB
        return used

    def use(self, *queues: str) -> tuple[int, ...]:
        """What queues hold, one after the other."""
        return tuple(self.used_gb(queue) for queue in queues)

    def seconds_until(self, condition: Callable[[], bool], what: Callable[[], object]) -> float:
        """How long it takes."""
        begun_s = time.monotonic()
        assert wait_until(condition, PATIENCE_S), what()
        return time.monotonic() - begun_s

    def wait_for(self, **gb: int) -> float:
        """Waits until the queues hold so many GB, and tells how long it took."""
        wanted = tuple(gb.values())
        return self.seconds_until(lambda: self.use(*gb) == wanted, lambda: self.use(*gb))

    def finish(self, process: Job, name: str, maps: int) -> None:
        """The job ends with the right answer."""
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, out + err
        assert output(self.root / f"out-{name}") == {f"w{number:02d}".encode(): 1 for number in range(maps)}

    def events(self, word: str) -> list[str]:
        """Lines of the event log with that word."""
        return [line for line in self.desk.yarnbox("events").splitlines() if word in line]

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


def test_two_users_come_to_equal_shares_within_seconds(desk: Desk, tmp_path: Path) -> None:
    with sharing(desk, tmp_path, "<allocations/>") as cluster:
        first = cluster.job("ann", "slow", 44, user="ann")
        cluster.wait_for(ann=8, bob=0)
        second = cluster.job("bob", "slow", 20, user="bob")
        cluster.seconds_until(lambda: cluster.used_gb("bob") >= 1, lambda: cluster.use("ann", "bob"))
        assert cluster.wait_for(ann=4, bob=4) < SECONDS
        # What becomes free goes to whoever has less: one container over the half is the most there can be.
        assert not wait_until(lambda: cluster.used_gb("ann") > 5, 1.0)
        cluster.finish(second, "bob", 20)
        cluster.finish(first, "ann", 44)


def test_a_starved_queue_gets_its_minimum_in_time_and_the_other_job_its_answer(
    desk: Desk, tmp_path: Path
) -> None:
    fair = "yarn.scheduler.fair."
    timeout_s, wait_s, pause_s = 1.0, 0.5, 0.5
    with sharing(
        desk,
        tmp_path,
        FILE,
        f"{fair}preemption=true",
        f"{fair}waitTimeBeforeKill={int(wait_s * 1000)}",
        f"{fair}waitTimeBeforeNextStarvationCheck={int(pause_s * 1000)}",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms=200",
    ) as cluster:
        first = cluster.job("a", "gated", 10, "--queue", "a")
        cluster.wait_for(a=8, b=0)
        second = cluster.job("b", "gated", 2, "--queue", "b")
        cluster.seconds_until(lambda: cluster.used_gb("b") >= 1, lambda: cluster.use("a", "b"))
        # The AM runs and asks for two maps, whose time begins after the pause that followed its own rescue.
        taken_s = cluster.wait_for(a=5, b=3)
        assert taken_s < timeout_s + wait_s + (wait_s + 4 * 0.2 + pause_s) + SECONDS
        # One pass for the AM, one for the maps; the event log is written with a little delay.
        assert wait_until(lambda: len(cluster.events("SchedulerPreemptContainers")) >= 2, PATIENCE_S)
        (cluster.root / "open").touch()
        cluster.finish(second, "b", 2)
        cluster.finish(first, "a", 10)


def test_the_allocation_file_changes_while_all_run(desk: Desk, tmp_path: Path) -> None:
    updates = "yarn.scheduler.fair.update-interval-ms=100"
    with sharing(desk, tmp_path, '<allocations><queue name="a"/></allocations>', updates) as cluster:
        file = desk.run.path / "fair-scheduler.xml"

        def weight() -> float | None:
            info = cluster.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name="a")).queue_info
            return None if info is None else float(info.weight)

        def write(inside: str) -> None:
            file.write_text(f'<allocations>\n<queue name="a">{inside}</queue>\n</allocations>')

        write("<weight>heavy</weight>")
        reason = f"{file.name}:2: <weight>heavy</weight>: must be a number"
        # Looked at every ten seconds, once it has been left alone for five.
        taken_s = cluster.seconds_until(lambda: bool(cluster.events("Refused")), cluster.log)
        assert taken_s < 15 + SECONDS
        assert reason in cluster.events("Refused")[0]
        assert "will use existing allocations" in cluster.log()
        assert weight() == 1.0
        write("<weight>3</weight>")
        assert cluster.seconds_until(lambda: weight() == 3.0, cluster.log) < 15 + SECONDS
        assert wait_until(lambda: bool(cluster.events("SchedulerAllocationsLoaded")), PATIENCE_S)
        write("<weight>light</weight>")
        address = desk.run.load().web_address
        urllib.request.urlopen(f"http://{address}/logLevel?log={STATE_DUMP}&level=DEBUG").close()
        desk.yarnbox("yarn", "rmadmin", "-refreshQueues")
        # Once by this, and once more by the look at the file's time if that comes first.
        assert wait_until(lambda: len(cluster.events("Refused")) >= 2, PATIENCE_S)
        assert weight() == 3.0
        # A dump every 26 updates.
        cluster.seconds_until(
            lambda: "{Name: root.a, Weight: 3.0, Policy: fair" in cluster.log(), cluster.log
        )


def test_a_bad_file_stops_the_start_with_file_line_and_reason(desk: Desk, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "conf", tmp_path / "conf")
    bad = '<allocations>\n  <queue name="a">\n    <weight>heavy</weight>\n  </queue>\n</allocations>'
    (tmp_path / "conf" / "fair-scheduler.xml").write_text(bad)
    words = ("--detach", "--port", "0", "--web-port", "0", "--scheduler", "fair", "--conf")
    said = desk.yarnbox("up", *words, str(tmp_path / "conf"), status=2)
    assert "fair-scheduler.xml:3: <weight>heavy</weight>: must be a number" in said
