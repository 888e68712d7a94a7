"""What a simulation from the page may do: simulate."""

from __future__ import annotations

import os

import pytest

from tests.cluster.viewer.conftest import TEXT
from yarnbox.cluster.viewer.worker import ForbiddenError, forbid, simulate
from yarnbox.sim.recording.document import read

SIZES = {"nodes": 2, "jobs": 2, "scale": 1}


def test_a_recording_or_the_problems() -> None:
    assert simulate(TEXT, "x.yaml", "", SIZES)["recording"].startswith('{"format":"yarnbox-recording"')
    assert simulate("name: bad\nsteps: [{sleep: 1}]\n", "x.yaml", "", SIZES)["problems"][0].startswith(
        "x.yaml:2: unknown"
    )
    (why,) = simulate(TEXT.replace("b.capacity: 50", "b.capacity: 70"), "x.yaml", "", SIZES)["problems"]
    assert why.startswith("x.yaml: ")
    assert "Illegal capacity sum of 1.2" in why


def test_a_trace_of_jobs() -> None:
    trace = "job0\t0\t0\t1000\t0\t10\njob1\t5\t5\t1000\t500\t10\njob2\t9\t4\t1\t1\t1\n"
    recording = read(simulate(trace, "deep/x.tsv", "fair", SIZES)["recording"], "x")
    assert (recording.name, recording.scheduler, recording.data["kind"]) == ("x", "FairScheduler", "workload")
    assert recording.data["figures"]["finished"] == 2
    assert simulate("job0\t0\n", "x.tsv", "", SIZES)["problems"] == ["x.tsv:1: expected 6 columns, found 2"]
    assert simulate("", "x.tsv", "", SIZES)["problems"] == ["x.tsv: it contains no jobs"]


@pytest.mark.parametrize(
    "event, arguments",
    [
        ("socket.connect", (None, ("127.0.0.1", 80))),
        ("subprocess.Popen", ("sh", [], None, None)),
        ("os.system", (b"true",)),
        ("os.remove", ("x", -1)),
        ("open", ("x", "w", os.O_WRONLY | os.O_CREAT)),
        ("sqlite3.connect", ("x",)),
    ],
)
def test_it_does_not_touch_the_world(event: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(ForbiddenError, match=event):
        forbid(event, arguments)


def test_it_may_read_and_import() -> None:
    forbid("open", ("x", "r", os.O_RDONLY | os.O_CLOEXEC))
    forbid("import", ("json", None, None, None, None))
    forbid("sqlite3.connect", ("",))
