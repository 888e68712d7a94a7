"""The AM's port over real connections."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

import pytest

from tests.am.mapreduce.rig import Rig
from tests.waiting import PATIENCE_S
from yarnbox.am.mapreduce.app.report import Pages
from yarnbox.am.mapreduce.edge.port import LARGEST_CALL, Port
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import (
    ANSWER_HEAD,
    CALL_HEAD,
    GREETING,
    AMUnreachableError,
    Umbilical,
    signature,
)
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings

SECRET = b"secret"
HOST = "127.0.0.1"

T = TypeVar("T")


Request = tuple[str, str, bytes, dict[str, str]]
Answer = tuple[int, Any]


def served(ask: Callable[[int], T]) -> T:
    """What somebody gets who asks the port of an AM with two maps."""
    rig = Rig(maps=2)
    rig.beat()
    umbilical = UmbilicalServer(rig.core, [Split()] * 2, JobSettings(), SECRET, "", "", rig.perform_effects)
    pages = Pages(rig.core, JobSettings(), "me")

    async def whole() -> T:
        service = Port(umbilical, pages, HttpAccess(HttpAccessSettings()))
        port = await service.start(HOST)
        try:
            return await asyncio.to_thread(ask, port)
        finally:
            await service.stop()

    return asyncio.run(whole())


def asked(method: str, target: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Answer:
    """One request; the status, and the answer if it is JSON."""
    return all_asked([(method, target, body, headers or {})])[0]


def all_asked(requests: list[Request]) -> list[Answer]:
    """Requests one after the other on one connection."""

    def ask(port: int) -> list[Answer]:
        with closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)) as connection:
            return [one(connection, *request) for request in requests]

    return served(ask)


def one(
    connection: http.client.HTTPConnection, method: str, target: str, body: bytes, headers: dict[str, str]
) -> Answer:
    connection.request(method, target, body, headers)
    response = connection.getresponse()
    text = response.read().decode()
    return response.status, json.loads(text) if text.startswith("{") else text


def test_calls_and_pages_at_one_port() -> None:
    def ask(port: int) -> tuple[Any, ...]:
        umbilical = Umbilical(HOST, port, "", SECRET)
        with closing(http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)) as pages:
            first = umbilical.call("progress")
            status, _ = one(pages, "GET", "/ws/v1/mapreduce/jobs", b"", {})
            large = umbilical.call("killJob", diagnostics="x" * 200_000)
            with pytest.raises(AMUnreachableError, match="noSuchCall: ValueError: there is no call noSuch"):
                umbilical.call("noSuchCall")
            umbilical.close()
            again, _ = one(pages, "GET", "/ws/v1/mapreduce/jobs", b"", {})
            last = umbilical.call("progress")
            umbilical.close()
            return first, last, large, status, again

    nothing = {"map": 0.0, "reduce": 0.0}
    assert served(ask) == (nothing, nothing, {}, 200, 200)


def test_a_call_comes_in_pieces_and_one_without_the_secret_is_refused() -> None:
    text = b'{"call": "progress"}'
    call = CALL_HEAD.pack(signature(b"guessed", text), len(text)) + text

    def ask(port: int) -> bytes:
        with socket.create_connection((HOST, port), PATIENCE_S) as connection:
            for byte in GREETING + call:
                connection.sendall(bytes([byte]))
            with connection.makefile("rb") as answers:
                return answers.read(ANSWER_HEAD.unpack(answers.read(ANSWER_HEAD.size))[0])

    assert b"not signed with the job's secret" in served(ask)


def test_a_call_longer_than_any_ends_the_connection() -> None:
    def ask(port: int) -> bytes:
        with socket.create_connection((HOST, port), PATIENCE_S) as connection:
            connection.sendall(GREETING + CALL_HEAD.pack(b"", LARGEST_CALL + 1))
            return connection.recv(1)

    assert served(ask) == b""


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


def test_an_attempt_is_killed_by_xml() -> None:
    task = "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_m_000000"
    state = f"{task}/attempts/attempt_1_0001_m_000000_0/state"
    xml = {"Content-Type": "application/xml; charset=UTF-8"}
    wanted = b"<jobTaskAttemptState><state>%s</state></jobTaskAttemptState>"
    bomb = b'<!DOCTYPE a [<!ENTITY b "KILLED">]>' + wanted % b"&b;"
    bodies = [wanted % b"FAILED", b"<jobTaskAttemptState/>", b"<state", bomb, wanted % b"KILLED"]
    told = all_asked([("PUT", state, body, xml) for body in bodies])
    assert [status for status, _ in told] == [400, 400, 400, 400, 200]
    assert told[-1][1] == {"jobTaskAttemptState": {"state": "KILLED"}}


@pytest.mark.parametrize(
    "method, target, status",
    [
        ("GET", "/ws/v1/mapreduce/jobs?x=1", 200),
        ("GET", "/", 404),
        ("PUT", "/ws/v1/mapreduce/info", 405),
        ("POST", "/umbilical/getTask", 404),
    ],
)
def test_what_is_answered(method: str, target: str, status: int) -> None:
    assert asked(method, target)[0] == status


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_page_of_another_site(header: dict[str, str]) -> None:
    status, told = asked("GET", "/ws/v1/mapreduce/jobs", headers=header)
    assert status == 403
    assert told.startswith(("evil.example", "requests from pages of http://evil.example"))
