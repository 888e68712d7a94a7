"""The fair scheduler among real processes: two jobs come to equal shares, a starved queue gets its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from am.connection import CLIENT_SERVICE
from cluster.cluster import wait_until
from tests.processes.conftest import ROOT, Desk
from tests.processes.gated import GATED, PATIENCE_S, output
from yarn.records.client import GetQueueInfoRequest
from yarn.rpc import BlockingStub

pytestmark = [pytest.mark.xdist_group("processes"), pytest.mark.timeout(240)]

GB = 1024
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
    """Two nodes of 4 GB, two queues, jobs whose maps take 1 GB each."""

    def __init__(self, desk: Desk, root: Path, *definitions: str) -> None:
        self.desk = desk
        self.root = root
        shutil.copytree(ROOT / "conf", root / "conf")
        (root / "conf" / "fair-scheduler.xml").write_text(FILE)
        (root / "gated.py").write_text(GATED)
        (root / "slow.py").write_text(SLOW)
        given = ("yarn.nodemanager.resource.memory-mb=4096", *definitions)
        words = [word for definition in given for word in ("-D", definition)]
        desk.up("--scheduler", "fair", "--nodes", "2", "--conf", str(root / "conf"), *words)
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")

    def job(self, queue: str, program: str, maps: int) -> subprocess.Popen[str]:
        """A job of so many maps in that queue."""
        given = self.root / f"input-{queue}"
        given.mkdir()
        for number in range(maps):
            (given / f"{number:02d}").write_text(f"w{number:02d} waits\n")
        return self.desk.start(
            "job", "mapreduce", "--mapper", f"{program}.mapper", "--reducer", f"{program}.reducer",
            "--path", str(self.root), "--queue", queue,
            "-D", "yarn.app.mapreduce.am.resource.mb=1024",
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(given), str(self.root / f"out-{queue}"),
        )  # fmt: skip

    def used_gb(self, queue: str) -> int:
        """What a queue holds."""
        info = self.stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=queue)).queue_info
        used: int = info.queue_statistics.allocated_memory_mb // GB
        return used

    def wait_for(self, a: int, b: int) -> None:
        """Waits until the queues hold so many GB."""

        def is_so() -> bool:
            return (self.used_gb("a"), self.used_gb("b")) == (a, b)

        assert wait_until(is_so, PATIENCE_S), (self.used_gb("a"), self.used_gb("b"))

    def finish(self, process: subprocess.Popen[str], queue: str, maps: int) -> None:
        """The job ends with the right answer."""
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, out + err
        assert output(self.root / f"out-{queue}") == {f"w{number:02d}".encode(): 1 for number in range(maps)}


@pytest.fixture
def sharing(desk: Desk, tmp_path: Path) -> Iterator[Sharing]:
    """A cluster that preempts soon after the second queue starves."""
    fair = "yarn.scheduler.fair."
    made = Sharing(
        desk,
        tmp_path,
        f"{fair}preemption=true",
        f"{fair}waitTimeBeforeKill=500",
        f"{fair}waitTimeBeforeNextStarvationCheck=500",
    )
    yield made
    made.stub.close()


def test_two_jobs_come_to_equal_shares(desk: Desk, tmp_path: Path) -> None:
    sharing = Sharing(desk, tmp_path)
    first = sharing.job("a", "slow", 40)
    sharing.wait_for(8, 0)
    second = sharing.job("b", "slow", 20)
    sharing.wait_for(4, 4)
    sharing.finish(second, "b", 20)
    sharing.finish(first, "a", 40)
    sharing.stub.close()


def test_a_starved_queue_gets_its_minimum_and_the_other_job_its_answer(sharing: Sharing) -> None:
    first = sharing.job("a", "gated", 10)
    sharing.wait_for(8, 0)
    second = sharing.job("b", "gated", 2)
    sharing.wait_for(5, 3)
    (sharing.root / "open").touch()
    sharing.finish(second, "b", 2)
    sharing.finish(first, "a", 10)
