"""The AM's HTTP port over real connections."""

from __future__ import annotations

import asyncio
import http.client
import json
from contextlib import closing
from typing import Any

import pytest

from tests.am.mapreduce.rig import Rig
from tests.waiting import PATIENCE_S
from yarnbox.am.mapreduce.app.report import Pages
from yarnbox.am.mapreduce.edge.port import Port
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import HASH_HEADER, signature
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings

SECRET = b"secret"
HOST = "127.0.0.1"


Request = tuple[str, str, bytes, dict[str, str]]
Answer = tuple[int, Any]


def asked(method: str, target: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answer:
    """One request to an AM with two maps; the status, and the answer if it is JSON."""
    return all_asked([(method, target, body, headers or {})])[0]


def all_asked(requests: list[Request]) -> list[Answer]:
    """Requests one after the other on one connection."""
    rig = Rig(maps=2)
    rig.beat()
    umbilical = UmbilicalServer(rig.core, [Split()] * 2, JobSettings(), SECRET, "", "", rig.perform_effects)
    pages = Pages(rig.core, JobSettings(), "me")

    async def whole() -> list[Answer]:
        service = Port(umbilical, pages, HttpAccess(HttpAccessSettings()))
        port = await service.start(HOST)

        def ask() -> list[Answer]:
            with closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)) as connection:
                return [one(connection, *request) for request in requests]

        try:
            return await asyncio.to_thread(ask)
        finally:
            await service.stop()

    return asyncio.run(whole())


def one(
    connection: http.client.HTTPConnection, method: str, target: str, body: bytes, headers: dict[str, str]
) -> Answer:
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    return response.status, json.loads(text) if text.startswith("{") else text


def call(name: str, body: bytes = b"{}") -> Request:
    return "POST", f"/umbilical/{name}", body, {HASH_HEADER: signature(SECRET, f"/umbilical/{name}", body)}


def test_calls_and_pages_on_one_connection() -> None:
    large = call("killJob", b'{"diagnostics": "' + b"x" * 200_000 + b'"}')
    page: Request = ("GET", "/ws/v1/mapreduce/jobs", b"", {})
    answers = all_asked([call("progress"), large, call("noSuchCall"), page, call("progress"), page])
    assert [status for status, _ in answers] == [200, 200, 404, 200, 200, 200]
    assert answers[0][1] == answers[4][1] == {"map": 0.0, "reduce": 0.0}


def test_an_attempt_is_killed_and_pages_are_xml() -> None:
    task = "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_m_000000"
    attempt = f"{task}/attempts/attempt_1_0001_m_000000_0"
    state = f"{attempt}/state"
    xml = {"Accept": "application/xml"}
    told = all_asked(
        [
            ("PUT", state, b'{"state": "SUCCEEDED"}', {}),
            ("PUT", state, b"[]", {}),
            ("PUT", attempt, b'{"state": "KILLED"}', {}),
            ("PUT", state, b'{"state": "KILLED"}', {}),
            ("GET", state, b"", xml),
            ("GET", f"{task}/nothing", b"", xml),
        ]
    )
    assert [status for status, _ in told] == [400, 400, 405, 200, 200, 404]
    refused = told[0][1]["RemoteException"]
    assert refused["message"] == "java.lang.Exception: Only 'KILLED' is allowed as a target state."
    assert told[3][1] == {"jobTaskAttemptState": {"state": "KILLED"}}
    assert told[4][1].endswith("<jobTaskAttemptState><state>KILLED</state></jobTaskAttemptState>")
    assert "<RemoteException><exception>NotFoundException</exception>" in told[5][1]


@pytest.mark.parametrize(
    "method, target, status",
    [
        ("GET", "/ws/v1/mapreduce/jobs?x=1", 200),
        ("GET", "/", 404),
        ("PUT", "/ws/v1/mapreduce/info", 405),
        ("POST", "/umbilical/getTask", 401),
    ],
)
def test_what_is_answered(method: str, target: str, status: int) -> None:
    assert asked(method, target)[0] == status


@pytest.mark.parametrize("body, status", [(b'{"diagnostics": ""}', 200), (b"{", 400), (b"{}", 200)])
def test_a_signed_call(body: bytes, status: int) -> None:
    assert asked(*call("killJob", body))[0] == status


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_page_of_another_site(header: dict[str, str]) -> None:
    status, told = asked("GET", "/ws/v1/mapreduce/jobs", headers=header)
    assert status == 403
    assert told.startswith(("evil.example", "requests from pages of http://evil.example"))
