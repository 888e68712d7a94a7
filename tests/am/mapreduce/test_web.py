"""The AM's HTTP port over real connections."""

from __future__ import annotations

import asyncio
import http.client
import json
from typing import Any

import pytest

from tests.am.mapreduce.rig import Rig
from tests.waiting import PATIENCE_S
from yarnbox.am.mapreduce.app.report import Pages
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import HASH_HEADER, signature
from yarnbox.am.mapreduce.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.web import WebService
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings

SECRET = b"secret"
HOST = "127.0.0.1"


def asked(
    method: str, target: str, body: bytes = b"", headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """One request to an AM with two maps; the status, and the answer if it is JSON."""
    rig = Rig(maps=2)
    rig.beat()
    umbilical = UmbilicalServer(rig.core, [Split()] * 2, JobSettings(), SECRET, "", "", rig.perform_effects)
    pages = Pages(rig.core, JobSettings(), "me")

    async def whole() -> tuple[int, Any]:
        service = WebService(umbilical, pages, HttpAccess(HttpAccessSettings()))
        port = await service.start(HOST)

        def ask() -> tuple[int, Any]:
            connection = http.client.HTTPConnection(HOST, port, timeout=PATIENCE_S)
            try:
                connection.request(method, target, body, headers or {})
                response = connection.getresponse()
                text = response.read().decode()
                return response.status, json.loads(text) if text.startswith("{") else text
            finally:
                connection.close()

        try:
            return await asyncio.to_thread(ask)
        finally:
            await service.stop()

    return asyncio.run(whole())


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
    headers = {HASH_HEADER: signature(SECRET, "/umbilical/killJob", body)}
    assert asked("POST", "/umbilical/killJob", body, headers)[0] == status


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_page_of_another_site(header: dict[str, str]) -> None:
    status, told = asked("GET", "/ws/v1/mapreduce/jobs", headers=header)
    assert status == 403
    assert told.startswith(("evil.example", "requests from pages of http://evil.example"))
