"""`yarnbox view`: what is no recording is one line and status 2; Ctrl-C is a good end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from cluster.main import main
from sim.recording.document import Recording, write
from tests.tree import ROOT


@pytest.mark.parametrize(
    "name, text, reason",
    [
        ("nowhere.json", None, "cannot be read: No such file or directory"),
        ("x.yaml", "name: x\n", "is no recording"),
        ("old.json", '{"format": "yarnbox-recording", "version": 0}', "is a recording of version 0"),
    ],
)
def test_a_file_that_is_none(
    tmp_path: Path, name: str, text: str | None, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    assert main(["view", str(tmp_path / name)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"yarnbox: {tmp_path / name}: ")
    assert reason in line


def test_three_are_too_many_and_a_directory_has_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "a", "b", "c"]) == 2
    assert main(["view", "--scenarios", "nowhere"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "yarnbox: at most 2 recordings are shown side by side",
        "yarnbox: nowhere is no directory",
    ]


def test_it_serves_until_ctrl_c(tmp_path: Path, recording: Recording) -> None:
    file = tmp_path / "run.json"
    data = {key: value for key, value in recording.data.items() if key not in ("format", "version")}
    file.write_text(write(data), encoding="utf-8")
    command = [sys.executable, "-m", "cluster.main", "view", str(file)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.fullmatch(r"yarnbox: (http://127\.0\.0\.1:\d+)/cluster/run\n", process.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(f"{address[1]}/ws/v1/cluster/info", timeout=20) as answer:
            assert b"two-queues" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
