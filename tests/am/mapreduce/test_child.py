"""A task without a cluster: what its AM hears of it."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.shuffle.test_fetch import plan
from yarnbox.am.mapreduce import child
from yarnbox.am.mapreduce.child import Task
from yarnbox.am.mapreduce.committers.directories import OutputCommitter
from yarnbox.am.mapreduce.splits import Chunk, Split
from yarnbox.am.mapreduce.umbilical import Plan, Umbilical

HEARD = threading.Event()  # set by each report


class Listener(Umbilical):
    """An AM that agrees with everything."""

    def __init__(self) -> None:
        self.progress: list[float] = []
        """As told while the map's records are mapped: a slow machine may tell of its sort, too."""

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        if name == "statusUpdate":
            if arguments["phase"] == "MAP":
                self.progress.append(arguments["progress"])
            HEARD.set()
        return {"wanted": True, "go": True}


def slowly(key: Any, line: str) -> list[tuple[str, int]]:
    threading.Event().wait(0.02)
    return [(line, 1)]


def slow_at_the_end(key: Any, line: str) -> list[tuple[str, int]]:
    """The last record takes two reports: the first of them may have been reckoned before it."""
    if line == "last":
        for _ in range(2):
            HEARD.clear()
            assert HEARD.wait(60)
    return [(line, 1)]


def told(root: Path, lines: list[str], mapper: Any, **over: Any) -> Listener:
    """What a map over these lines tells its AM."""
    text = root / "text"
    text.write_text("".join(f"{line}\n" for line in lines))
    written = {
        "attempt": "attempt_1_0001_m_000000_0",
        "output_format": "BytesOutputFormat",
        "partitioner": "yarnbox.am.mapreduce.shuffle.map_output.hash_partition",
        "mapper": f"{__name__}.{mapper.__name__}",
        "output": str(root / "out"),
        "report_interval_ms": 10,
        "turn_ms": 0,
        "split": Split(chunks=(Chunk(str(text), 0, text.stat().st_size),)).to_json(),
        "job_file": str(root / "job.xml"),
        **over,
    }
    (root / "job.xml").write_text("<configuration/>")
    OutputCommitter(root / "out", 1).set_up_job()
    umbilical = Listener()
    Task(umbilical, Plan(**{**plan(1).to_json(), **written}), b"", root, root).run()
    return umbilical


@pytest.mark.parametrize("input_format", ["TextInputFormat", "KeyValueTextInputFormat"])
def test_a_map_tells_how_far_it_is_within_its_split(tmp_path: Path, input_format: str) -> None:
    """Though it reads a thousand lines and more at a time: else nobody could estimate when it ends."""
    lines = [f"line {number:02d}" for number in range(30)]
    umbilical = told(tmp_path, lines, slowly, input_format=input_format, reduces=0)
    assert umbilical.progress == sorted(umbilical.progress)
    assert len({round(one, 1) for one in umbilical.progress if 0.05 < one < 0.95}) >= 3


@pytest.mark.parametrize("reduces, most", [(0, 1.0), (2, 2 / 3)])
def test_the_sort_is_a_third_of_a_map(tmp_path: Path, reduces: int, most: float) -> None:
    """A map that is long at its last record is not told to be at its end: it would get no second attempt."""
    lines, form = ["first", "last"], "TextInputFormat"
    umbilical = told(tmp_path, lines, slow_at_the_end, reduces=reduces, input_format=form)
    assert max(umbilical.progress) == pytest.approx(most)


def test_a_task_starts_without_what_it_does_not_need() -> None:
    """Of a small map its process's start is most: each of these would be a fifth of that, or more."""
    heavy = ("msgspec", "grpc", "google.protobuf", "asyncio", "http.client")
    program = f"import sys, {child.__name__}; print([one for one in {heavy} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
