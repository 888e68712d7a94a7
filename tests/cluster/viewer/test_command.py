"""`yarnbox view`: what is not a recording is one line and status 2; Ctrl-C is a good end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
from pathlib import Path

import aiohttp
import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.main import main
from yarnbox.cluster.viewer.command import read_report, serve
from yarnbox.cluster.viewer.library import RecordingLibrary
from yarnbox.sim.recording.document import Recording


@pytest.mark.parametrize(
    "name, text, reason",
    [
        ("nowhere.json", None, "cannot be read: No such file or directory"),
        ("x.yaml", "name: x\n", "is not a recording"),
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
        "yarnbox: nowhere is not a directory",
    ]


def test_a_directory_is_a_report_of_what_if(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path)]) == 2
    assert main(["view", str(tmp_path), str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"yarnbox: {tmp_path}: there is no report.html in it, as `yarnbox whatif --out` writes it",
        "yarnbox: one report of yarnbox whatif is shown at a time",
    ]
    (tmp_path / "report.html").write_text("<p>worse</p>")
    assert read_report(tmp_path) == "<p>worse</p>"


def test_it_serves_until_ctrl_c(recording: Recording, capsys: pytest.CaptureFixture[str]) -> None:
    async def scene() -> None:
        serving = asyncio.create_task(serve(RecordingLibrary([recording], None), 0))
        printed = ""
        while "Ctrl-C" not in printed:
            await asyncio.sleep(0.01)
            printed += capsys.readouterr().out
        address = re.match(r"yarnbox: (http://127\.0\.0\.1:\d+)/cluster/run\n", printed)
        assert address is not None
        url = f"{address[1]}/ws/v1/cluster/info"
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            assert (await answer.json())["clusterInfo"]["id"] == "two-queues"
        os.kill(os.getpid(), signal.SIGINT)
        assert await asyncio.wait_for(serving, PATIENCE_S) == 0

    asyncio.run(scene())


def test_a_port_that_is_taken_is_told(recording: Recording, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["view", "--port", port]) == 1
    assert f"port {port} is already in use" in capsys.readouterr().err
