"""Files that are no recordings are refused in one line that says why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from yarnbox.sim.recording.document import InvalidRecordingError, read, read_file, write
from yarnbox.sim.reports.files import replacing
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario

TEXT = """\
name: small
conf: {yarn.resourcemanager.scheduler.class: fifo}
nodes: [{name: n1, memory-mb: 1024}]
steps: [{heartbeat: n1}]
"""


@pytest.fixture(scope="module")
def good() -> str:
    data = play_recorded(parse_scenario(TEXT), TEXT)[1]
    assert data is not None
    return write(data)


def test_what_was_written_is_read(good: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(good, encoding="utf-8")
    recording = read_file(file)
    assert (recording.name, recording.data["file"]) == ("small", TEXT)
    data = {key: value for key, value in recording.data.items() if key not in ("format", "version")}
    assert write(data) == good


def test_a_compressed_one_is_read(good: str, tmp_path: Path) -> None:
    file = tmp_path / "run.json.gz"
    for _ in range(2):
        with replacing(file) as out:
            out.write(good)
        packed = file.read_bytes()
        assert len(packed) < len(good) / 2
    assert read_file(file).name == "small"
    again = tmp_path / "again.json.gz"
    with replacing(again) as out:
        out.write(good)
    assert again.read_bytes() == packed, "the same run gives the same bytes"
    file.write_bytes(packed[:-20])
    with pytest.raises(InvalidRecordingError, match=r"run\.json\.gz: is not whole: "):
        read_file(file)


def test_format_and_version_come_first(good: str) -> None:
    assert good.startswith('{"format":"yarnbox-recording","version":1,')


def why(text: str) -> str:
    with pytest.raises(InvalidRecordingError) as refused:
        read(text, "run.json")
    message = str(refused.value)
    assert message.startswith("run.json: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("text", ["", "name: x", "[1,", "[" * 100_000, '{"a": 1}', "7", "null"])
def test_something_else_is_no_recording(text: str) -> None:
    assert "is not a recording" in why(text)


def test_another_version_is_named(good: str) -> None:
    assert "of version 9; this yarnbox reads version 1" in why(json.dumps({**json.loads(good), "version": 9}))


BROKEN: list[tuple[str, Any, str]] = [
    ("name", 7, "name is missing or of another kind"),
    ("documents", None, "documents is missing"),
    ("moments", {}, "moments are not lists"),
    ("moments", {"at": [0, 0], "time": [0, 0], "step": [0, 0]}, "do not follow one another"),
    ("moments", {"at": [0], "time": [0, 1], "step": [0]}, "do not follow one another"),
    ("cluster", {"memory": [1]}, "cluster has not a value for each moment"),
    ("queues", [{"path": "root"}], "a queue is not as it should be"),
    ("documents", {"/x": {"/y": [0]}}, "a track is not moments and values"),
    ("documents", {"/x": 3}, "a document is not as it should be"),
    ("containers", [[1, 2]], "its containers are not as they should be"),
]


@pytest.mark.parametrize("key, value, reason", BROKEN)
def test_a_damaged_one_says_where(good: str, key: str, value: Any, reason: str) -> None:
    assert reason in why(json.dumps({**json.loads(good), key: value}))


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InvalidRecordingError, match=r"nowhere\.json: cannot be read: No such file"):
        read_file(tmp_path / "nowhere.json")
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidRecordingError, match="it is not valid UTF-8"):
        read_file(tmp_path / "x")
