"""Tasks that fail on one node, leak, always fail, or cannot store what they make: the right answer, or a
failed job that says why; and nothing of either is left.
"""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.processes.conftest import Desk, wait_until
from tests.processes.gated import output, told
from tests.waiting import PATIENCE_S
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.yarn.ids import ApplicationId

pytestmark = pytest.mark.long

TASKS = """
import os
import threading
BAD = os.path.join(os.path.dirname(__file__), "bad")
def one_node(offset, line):
    try:
        os.symlink(os.environ["NM_HOST"], BAD)  # whoever comes first
    except FileExistsError:
        pass
    if os.environ["NM_HOST"] == os.readlink(BAD):
        raise ValueError("this node is bad")
    yield line, 1
def leak(offset, line):
    kept = bytearray(os.urandom(1 << 20)) * 320
    threading.Event().wait()  # until somebody notices
    yield line, len(kept)
def waits(offset, line):
    threading.Event().wait()
    yield line, 1
def always(offset, line):
    raise ValueError("no line is good enough")
def full(offset, line):
    raise OSError(28, "No space left on device")
def reducer(key, values):
    yield key, sum(values)
"""

FAILING = {
    "leak": r"running \d+B beyond the 'PHYSICAL' memory limit\. Current usage: \S+ MB of 256 MB",
    "always": r"ValueError: no line is good enough",
    "full": r"No space left on device\s+\d+ MiB are free in /",
}


@pytest.fixture
def cluster(desk: Desk, tmp_path: Path) -> Desk:
    """Four nodes, so that one of them may be avoided."""
    (tmp_path / "mine.py").write_text(TASKS)
    for given, files in (("eight", 8), ("two", 2)):
        (tmp_path / given).mkdir()
        for number in range(files):
            (tmp_path / given / str(number)).write_text(f"w{number}\n")
    desk.up("--nodes", "4", "--scheduler", "capacity", "-D", "yarn.scheduler.minimum-allocation-mb=256")
    return desk


def words_of(root: Path, given: str, mapper: str, *words: str) -> tuple[str, ...]:
    return (
        "job", "mapreduce", "--mapper", f"mine.{mapper}", "--reducer", "mine.reducer", "--path", str(root),
        "-D", "mapreduce.input.fileinputformat.split.maxsize=3", "-D", "mapreduce.map.memory.mb=256",
        "-D", "mapreduce.reduce.memory.mb=256", *words, str(root / given), str(root / mapper),
    )  # fmt: skip


def job(desk: Desk, root: Path, given: str, mapper: str, *words: str, status: int) -> str:
    return desk.here(*words_of(root, given, mapper, *words), status=status)


def is_cleaned_up_behind_an_am_that_cannot(desk: Desk, root: Path) -> None:
    """The ResourceManager kills the AM of a job: nobody but its client is left to remove what is half
    written.
    """
    command = desk.start(*words_of(root, "two", "waits"))
    assert command.stdout is not None
    application_id = id_of(command.stdout.readline())
    assert wait_until((root / "waits" / "_temporary").exists, PATIENCE_S)
    staged = list(desk.directory.glob(f"staging/*/.staging/{JobId.of(application_id)}"))
    assert staged
    desk.yarnbox("yarn", "application", "-kill", str(application_id))
    _, err = command.communicate(timeout=PATIENCE_S)
    assert (command.returncode, "failed with state KILLED" in err) == (1, True), err
    assert list((root / "waits").iterdir()) == []
    assert not any(one.exists() for one in staged)


def id_of(said: str) -> ApplicationId:
    found = re.search(r"application_\d+_\d+", said)
    assert found is not None
    return ApplicationId.parse(found[0])


def test_a_node_where_all_fails_is_avoided_and_a_job_that_fails_says_why(
    cluster: Desk, tmp_path: Path
) -> None:
    desk = cluster
    said = job(desk, tmp_path, "eight", "one_node", status=0)
    assert output(tmp_path / "one_node") == {f"w{number}".encode(): 1 for number in range(8)}
    maps = [task for task in told(desk, JobId.of(id_of(said)))["tasks"] if task["type"] == "MAP"]
    bad = (tmp_path / "bad").readlink().name
    ended = {(one["state"], one["nodeHost"] == bad) for task in maps for one in task["attempts"]}
    assert ended >= {("FAILED", True), ("SUCCEEDED", False)}
    assert not ended & {("FAILED", False), ("SUCCEEDED", True)}
    for mapper, reason in FAILING.items():
        said = job(desk, tmp_path, "two", mapper, "-D", "mapreduce.map.maxattempts=2", status=1)
        assert re.search(r"(?s)Job \S+ failed with state FAILED due to: Task failed task_.*" + reason, said)
        assert list((tmp_path / mapper).iterdir()) == [], "nothing is half written"
    is_cleaned_up_behind_an_am_that_cannot(desk, tmp_path)
    metrics = f"http://{desk.run.load().web_address}/ws/v1/cluster/metrics"

    def is_idle() -> bool:
        with urllib.request.urlopen(metrics, timeout=PATIENCE_S) as answer:
            return bool(json.load(answer)["clusterMetrics"]["containersAllocated"] == 0)

    assert wait_until(is_idle, PATIENCE_S), "a container was left running"
