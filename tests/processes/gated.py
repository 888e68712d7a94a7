"""A job that is not over before somebody opens a gate, so that a test may do things to it in the middle."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.processes.conftest import Desk, wait_until
from tests.waiting import PATIENCE_S
from yarnbox.am.connection import CLIENT_SERVICE
from yarnbox.am.mapreduce.history.files import HistoryFiles
from yarnbox.am.mapreduce.history.jhist import read_events
from yarnbox.am.mapreduce.history.parsed import parse
from yarnbox.am.mapreduce.history.rest import report
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.am.submit import Submitter
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport

GATED = """
import pathlib, time
OPEN = pathlib.Path(__file__).with_name("open")
def mapper(offset, line):
    word, how = line.split()
    while how == "waits" and not OPEN.exists():
        time.sleep(0.05)
    yield word, 1
def reducer(word, counts):
    yield word, sum(counts)
"""


class GatedShell:
    """A shell whose containers take 1 GB each. The first ones wait for the gate `first` and the others for
    `later`; each then takes half a second.
    """

    def __init__(
        self,
        desk: Desk,
        root: Path,
        name: str,
        containers: int,
        first: int,
        *words: str,
        user: str | None = None,
    ) -> None:
        self._containers = containers
        self._ended = root / f"ended-{name}"
        self._ended.mkdir()
        line = (
            f"gate=later; [ $YARN_SHELL_ID -gt {first} ] || gate=first\n"
            f"while [ ! -e {root}/$gate ]; do sleep 0.1; done; sleep 0.5; touch {self._ended}/$YARN_SHELL_ID"
        )
        job = ("job", "shell", "--quiet", "--containers", str(containers), *words)
        self._process = desk.start(*job, "--", "sh", "-c", line, user=user)

    def finish(self) -> None:
        """It ends well, and so has each of its containers."""
        out, err = self._process.communicate(timeout=PATIENCE_S)
        assert self._process.returncode == 0, out + err
        ended = {int(one.name) for one in self._ended.iterdir()}
        assert ended == set(range(1, self._containers + 1)), out + err


def output(directory: Path) -> dict[bytes, int]:
    assert (directory / "_SUCCESS").exists()
    found: dict[bytes, int] = {}
    for part in directory.glob("part-r-*"):
        for line in part.read_bytes().splitlines():
            word, _, count = line.rpartition(b"\t")
            assert word not in found
            found[word] = int(count)
    return found


class Gated:
    """A job of six maps on three nodes, two on each: three end at once, three wait for the gate."""

    def __init__(self, desk: Desk, root: Path, *words: str) -> None:
        """`words`: how else the cluster is started."""
        self.desk = desk
        self.root = root
        (root / "input").mkdir()
        for number in range(6):
            how = "waits" if number % 2 else "runs"
            (root / "input" / str(number)).write_text(f"w{number} {how}\n")
        (root / "gated.py").write_text(GATED)
        desk.up("--scheduler", "fifo", *words)
        self.process: subprocess.Popen[str] = desk.start(
            "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer", "--path", str(root),
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10",
            "-D", "mapreduce.map.speculative=false", "-D", "mapreduce.map.memory.mb=3072",
            "-D", "mapreduce.job.reduce.slowstart.completedmaps=1.0",
            str(root / "input"), str(root / "out"),
        )  # fmt: skip
        self.stub = BlockingStub(desk.run.load().rm_address, CLIENT_SERVICE, user="tester")
        self.submitter = Submitter(self.stub)
        self.application_id = self._wait_for_application()

    def _wait_for_application(self) -> ApplicationId:
        assert self.process.stdout is not None
        words = self.process.stdout.readline().split()
        return ApplicationId.parse(words[2].rstrip(":"))

    def report(self) -> ApplicationReport:
        return self.submitter.report(self.application_id)

    def attempts(self) -> list[dict[str, Any]]:
        """Every task attempt, as the AM tells; nothing while there is no AM."""
        url = self.report().original_tracking_url or ""
        if not url.startswith("http"):
            return []
        found: list[dict[str, Any]] = []
        try:
            for task in _get(f"{url}/tasks")["tasks"]["task"]:
                found += _get(f"{url}/tasks/{task['id']}/attempts")["taskAttempts"]["taskAttempt"]
        except OSError:
            return []
        return found

    def wait_until_half_is_done(self) -> list[dict[str, Any]]:
        """The attempts when three maps have succeeded and three run."""

        def is_half_done() -> bool:
            states = Counter(one["state"] for one in self.attempts())
            return states["SUCCEEDED"] == 3 and states["RUNNING"] == 3

        self.wait(is_half_done)
        return self.attempts()

    def wait(self, condition: Callable[[], bool]) -> None:
        assert wait_until(condition, PATIENCE_S), (self.report(), self.attempts())

    def finish(self) -> dict[str, Any]:
        """Opens the gate; the job's own report when it has succeeded."""
        (self.root / "open").touch()
        out, err = self.process.communicate(timeout=PATIENCE_S)
        self.stub.close()
        assert self.process.returncode == 0, out + err
        assert output(self.root / "out") == {f"w{number}".encode(): 1 for number in range(6)}
        return told(self.desk, JobId.of(self.application_id))


def told(desk: Desk, job_id: JobId) -> dict[str, Any]:
    """What the history of a job that has ended tells."""
    history = desk.directory / "history"
    found = HistoryFiles(history / "done_intermediate", history / "done").find(job_id)
    assert found is not None
    return report(parse(read_events(found.path)))


def ended_jobs(desk: Desk) -> dict[JobId, None]:
    """The jobs that have left a history."""
    history = desk.directory / "history"
    found = HistoryFiles(history / "done_intermediate", history / "done").all()
    return dict.fromkeys(one.info.job_id for one in found)


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return json.load(answer)
