"""A task without a cluster: what its AM hears of it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.shuffle.test_fetch import plan
from yarnbox.am.mapreduce.child import Task
from yarnbox.am.mapreduce.committer import OutputCommitter
from yarnbox.am.mapreduce.splits import Chunk, Split
from yarnbox.am.mapreduce.umbilical import Plan, Umbilical


class Listener(Umbilical):
    """An AM that agrees with everything."""

    def __init__(self) -> None:
        self.progress: list[float] = []

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        if name == "statusUpdate":
            self.progress.append(arguments["progress"])
        return {"wanted": True, "go": True}


def slowly(key: Any, line: str) -> list[tuple[str, int]]:
    threading.Event().wait(0.02)
    return [(line, 1)]


@pytest.mark.parametrize("input_format", ["TextInputFormat", "KeyValueTextInputFormat"])
def test_a_map_tells_how_far_it_is_within_its_split(tmp_path: Path, input_format: str) -> None:
    """Though it reads a thousand lines and more at a time: else nobody could estimate when it ends."""
    text = tmp_path / "text"
    text.write_text("".join(f"line {number:02d}\n" for number in range(30)))
    over = {
        "attempt": "attempt_1_0001_m_000000_0",
        "reduces": 0,
        "input_format": input_format,
        "output_format": "BytesOutputFormat",
        "mapper": f"{__name__}.slowly",
        "output": str(tmp_path / "out"),
        "report_interval_ms": 10,
        "split": Split(chunks=(Chunk(str(text), 0, text.stat().st_size),)).to_json(),
        "job_file": str(tmp_path / "job.xml"),
    }
    (tmp_path / "job.xml").write_text("<configuration/>")
    OutputCommitter(tmp_path / "out", 1).set_up_job()
    umbilical = Listener()
    Task(umbilical, Plan(**{**plan(1).to_json(), **over}), b"", tmp_path, tmp_path).run()
    assert umbilical.progress == sorted(umbilical.progress)
    assert len({round(one, 1) for one in umbilical.progress if 0.05 < one < 0.95}) >= 3
