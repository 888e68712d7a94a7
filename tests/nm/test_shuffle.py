"""The shuffle service over real connections: what a reducer gets, and who gets nothing."""

from __future__ import annotations

import asyncio
import http.client
import io
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.nm.rig import APPLICATION
from tests.waiting import PATIENCE_S
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.shuffle.server import ShuffleService
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import write_token
from yarnbox.yarn.shuffle import (
    JOB_TOKEN,
    NAME,
    NAME_HEADER,
    REPLY_HASH,
    URL_HASH,
    VERSION,
    VERSION_HEADER,
    IndexRecord,
    ShuffleHeader,
    port_of_meta_data,
    reply_hash,
    request_target,
    url_hash,
    write_index,
)

JOB = "job_1000_0001"
SECRET = b"s" * 20
FIRST, SECOND = "attempt_1000_0001_m_000000_0", "attempt_1000_0001_m_000001_0"
OUTPUTS = {FIRST: [b"one-zero", b"", b"one-two" * 40_000], SECOND: [b"two-zero", b"two-one", b"x"]}


def _write_outputs(layout: Layout) -> None:
    for number, (attempt, segments) in enumerate(OUTPUTS.items()):
        root = layout.all_local[number % 2]
        place = root / "usercache" / "alice" / "appcache" / str(APPLICATION) / "output" / attempt
        place.mkdir(parents=True)
        (place / "file.out").write_bytes(b"".join(segments))
        starts = [sum(map(len, segments[:one])) for one in range(len(segments))]
        index = [IndexRecord(a, 2 * len(b), len(b)) for a, b in zip(starts, segments, strict=True)]
        write_index(place / "file.out.index", index)


def _get(port: int, target: str, headers: dict[str, str], method: str = "GET") -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def _signed(port: int, target: str, secret: bytes = SECRET) -> dict[str, str]:
    return {URL_HASH: url_hash(secret, target, port), NAME_HEADER: NAME, VERSION_HEADER: VERSION}


def served(tmp_path: Path, ask: Callable[[int], Any], *, is_over: bool = False) -> Any:
    """Asks a service that knows the job, from a thread of the reducer's own."""
    layout = Layout([str(tmp_path / "one"), str(tmp_path / "two")], [str(tmp_path / "logs")])
    _write_outputs(layout)

    async def body() -> Any:
        service = ShuffleService(layout, HttpAccess(HttpAccessSettings()))
        await service.start("127.0.0.1", 0)
        assert port_of_meta_data(service.meta_data()) == service.port
        token = Token(identifier=JOB.encode(), password=SECRET, kind=JOB_TOKEN, service="")
        service.start_application(APPLICATION, "alice", write_token(token))
        service.start_application(APPLICATION, "alice", b"nonsense")
        if is_over:
            service.stop_application(APPLICATION)
        try:
            return await asyncio.to_thread(ask, service.port)
        finally:
            await service.stop()

    return asyncio.run(body())


@pytest.mark.parametrize("reduce", [0, 1, 2])
def test_a_reducer_gets_its_segments(tmp_path: Path, reduce: int) -> None:
    target = request_target(JOB, reduce, [FIRST, SECOND])
    hashes: list[str] = []

    def ask(port: int) -> Any:
        headers = _signed(port, target)
        hashes.append(headers[URL_HASH])
        return _get(port, target, headers)

    status, headers, body = served(tmp_path, ask)
    assert status == 200
    assert headers[REPLY_HASH] == reply_hash(SECRET, hashes[0])
    stream = io.BytesIO(body)
    for attempt in (FIRST, SECOND):
        header = ShuffleHeader.read(stream)
        assert (header.attempt, header.reduce) == (attempt, reduce)
        assert stream.read(header.length) == OUTPUTS[attempt][reduce]
        assert header.raw_length == 2 * header.length
    assert stream.read() == b""


def test_a_connection_serves_many_requests(tmp_path: Path) -> None:
    def ask(port: int) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        lengths = []
        for reduce in (0, 1, 2):
            target = request_target(JOB, reduce, [SECOND])
            connection.request("GET", target, headers=_signed(port, target))
            lengths.append(len(connection.getresponse().read()))
        connection.close()
        return lengths

    overhead = len(ShuffleHeader(SECOND, 0, 0, 0).to_bytes())
    assert served(tmp_path, ask) == [overhead + 8, overhead + 7, overhead + 1]


TARGET = request_target(JOB, 0, [FIRST])


@pytest.mark.parametrize(
    "target, headers, status",
    [
        (TARGET, {URL_HASH: "forged"}, 401),
        (TARGET, {URL_HASH: ""}, 401),
        (TARGET, {VERSION_HEADER: "9"}, 400),
        (request_target("job_1_1", 0, [FIRST]), {}, 401),
        (request_target(JOB, 3, [FIRST]), {}, 500),
        (request_target(JOB, 0, ["attempt_of_another_node"]), {}, 500),
        (request_target(JOB, 0, ["../../../../etc"]), {}, 400),
        ("/mapOutput?job=x", {}, 400),
        ("/else", {}, 400),
    ],
)
def test_who_gets_nothing(tmp_path: Path, target: str, headers: dict[str, str], status: int) -> None:
    found, answered, _ = served(tmp_path, lambda port: _get(port, target, _signed(port, target) | headers))
    assert found == status
    assert REPLY_HASH not in answered


def test_another_secret(tmp_path: Path) -> None:
    assert served(tmp_path, lambda port: _get(port, TARGET, _signed(port, TARGET, b"other")))[0] == 401


def test_another_method(tmp_path: Path) -> None:
    assert served(tmp_path, lambda port: _get(port, TARGET, _signed(port, TARGET), "PUT"))[0] == 405


def test_a_job_that_is_over(tmp_path: Path) -> None:
    assert served(tmp_path, lambda port: _get(port, TARGET, _signed(port, TARGET)), is_over=True)[0] == 401


def test_what_is_no_http(tmp_path: Path) -> None:
    def ask(port: int) -> bytes:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            return connection.recv(100)

    assert served(tmp_path, ask).startswith(b"HTTP/1.0 400 ")


def test_a_page_of_another_site(tmp_path: Path) -> None:
    def ask(port: int) -> Any:
        return _get(port, TARGET, {**_signed(port, TARGET), "Host": f"evil.example:{port}"})

    assert served(tmp_path, ask)[0] == 403
