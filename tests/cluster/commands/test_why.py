"""`yarnbox why`: the reasons as they are printed, and one line for what cannot be answered."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, ClassVar

import pytest

from yarnbox.cluster.commands.why import reasons
from yarnbox.cluster.directory import ClusterError

APP = "application_1700000000000_0007"


class Desk(BaseHTTPRequestHandler):
    """Answers every GET with what the test says."""

    answer: ClassVar[dict[str, Any]] = {}
    state: ClassVar[str | None] = None
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """One answer."""
        self.asked.append(self.path)
        is_about_state = self.path.startswith("/ws/v1/cluster/apps/")
        about = {"app": {"state": self.state}} if is_about_state else {"why": self.answer}
        body = json.dumps(about).encode()
        self.send_response(404 if is_about_state and self.state is None else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Desk) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_reasons_a_line_each(address: str) -> None:
    Desk.answer = {"queue": "root.a", "reasons": ["priority 1: 3 nodes: user limit", "queue at its maximum"]}
    assert reasons(address, APP) == [
        f"{APP} in queue root.a waits:",
        "  priority 1: 3 nodes: user limit",
        "  queue at its maximum",
    ]
    assert Desk.asked[-1] == f"/ws/v1/cluster/ui/why/{APP}"
    Desk.answer = {**Desk.answer, "missedHeartbeats": 12}
    said = f"{APP} in queue root.a waits, 12 heartbeats of nodes without a container for it so far:"
    assert reasons(address, APP)[0] == said


def test_containers_that_it_is_about_to_lose(address: str) -> None:
    mark = {"container": "container_1_0007_01_000003", "node": "nm1:1", "resource": "<memory:1024, vCores:1>"}
    due_ms = 1_700_000_000_000
    due = time.strftime("%H:%M:%S", time.localtime(due_ms // 1000))
    Desk.answer = {
        "queue": "root.a",
        "reasons": [],
        "preemption": [
            {**mark, "isAM": False, "for": "application_1_0008 in queue root.b", "killAt": due_ms},
            {**mark, "isAM": True, "for": "", "killAt": 0},
        ],
    }
    first, second = reasons(address, APP)[1:]
    start = "container_1_0007_01_000003 (<memory:1024, vCores:1> on nm1:1) to preemption"
    whom = "application_1_0008 in queue root.b"
    assert first == f"  it will lose {start} for {whom}; it is killed at {due} or later"
    assert second == f"  it will lose its ApplicationMaster, {start}"


def test_nothing_to_wait_for_and_other_answers(address: str) -> None:
    Desk.answer = {"queue": "root.a", "reasons": []}
    assert reasons(address, APP) == [f"{APP} is not waiting: all that it asked for was allocated"]
    Desk.answer = {"diagnostic": "It cannot be said."}
    assert reasons(address, APP) == [f"{APP}: It cannot be said."]


def test_an_application_that_the_scheduler_does_not_have(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Desk.answer = {"diagnostic": "Cannot find application with given appId"}
    monkeypatch.setattr(Desk, "state", "FINISHED")
    assert reasons(address, APP) == [f"{APP} is not waiting: it is FINISHED"]
    monkeypatch.setattr(Desk, "state", "NEW_SAVING")
    assert reasons(address, APP) == [f"{APP} is NEW_SAVING: it has not reached the scheduler yet"]
    monkeypatch.setattr(Desk, "state", None)
    with pytest.raises(ClusterError, match=f"knows no application {APP}: `yarn application -list"):
        reasons(address, APP)


@pytest.mark.parametrize("word", ["", "job_1_2", "application_x_1"])
def test_what_is_no_id(word: str) -> None:
    with pytest.raises(ClusterError, match="application_<timestamp>_<number>"):
        reasons("127.0.0.1:1", word)


def test_nobody_there() -> None:
    refused = r"cannot ask the ResourceManager at 127\.0\.0\.1:1: Connection refused; `yarnbox status` says"
    with pytest.raises(ClusterError, match=refused):
        reasons("127.0.0.1:1", APP)
