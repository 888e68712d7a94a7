"""Files that clients stage at a node: who may put and get them, how much, and for how long."""

from __future__ import annotations

import asyncio
import http.client
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from tests.waiting import PATIENCE_S
from yarnbox.nm.edge.staging import StagedFiles
from yarnbox.nm.settings import StagingSettings
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.security.authentication import USER
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import STAGING_PATH, NoSuchFileError, RemoteFileError

APPLICATION = "application_1700000000000_0001"
SETTINGS = StagingSettings(maximum_mb=1)

Ask = Callable[..., tuple[int, bytes]]


def served(
    directory: Path, test: Callable[[int], None], settings: StagingSettings = SETTINGS, *, knows: bool = False
) -> None:
    """Runs a test, in a thread, against a server; where it knows users, it believes the header `Who`."""

    @web.middleware
    async def who(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if knows:
            request[USER] = request.headers["Who"]
        return await handler(request)

    async def body() -> None:
        app = web.Application(middlewares=[who])
        StagedFiles(directory, settings).add_to(app)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        listening = bind(Address("127.0.0.1", 0), "none")
        await web.SockSite(runner, listening).start()
        try:
            await asyncio.to_thread(test, listening.getsockname()[1])
        finally:
            await runner.cleanup()

    asyncio.run(body())


def asked(port: int, method: str, path: str, who: str = "", body: bytes = b"") -> tuple[int, bytes]:
    """One request; the status, and what came back."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request(method, f"{STAGING_PATH}/{path}", body, {"Who": who})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_a_file_is_put_found_and_removed(tmp_path: Path) -> None:
    (tmp_path / "source").write_text("content")

    def test(port: int) -> None:
        directory = f"yarnbox://127.0.0.1:{port}{STAGING_PATH}/{APPLICATION}"
        put = remote_files.upload(tmp_path / "source", f"{directory}/name")
        assert put.size == 7
        assert put == remote_files.status(f"{directory}/name")
        remote_files.download(f"{directory}/name", tmp_path / "copy")
        assert (tmp_path / "copy").read_text() == "content"
        remote_files.remove(directory)
        with pytest.raises(NoSuchFileError, match="name does not exist"):
            remote_files.status(f"{directory}/name")
        remote_files.remove(directory)

    served(tmp_path / "staged", test)


def test_a_file_is_for_who_has_put_it_and_for_hosts(tmp_path: Path) -> None:
    def test(port: int) -> None:
        name = f"{APPLICATION}/name"
        assert asked(port, "PUT", name, "alice", b"content")[0] == 201
        assert asked(port, "GET", name, "alice") == (200, b"content")
        assert asked(port, "GET", name, "host:nm1") == (200, b"content")
        for method, path, who in (
            ("GET", name, "bob"),
            ("PUT", name, "bob"),
            ("PUT", f"{APPLICATION}/other", "bob"),
            ("DELETE", APPLICATION, "bob"),
            ("PUT", name, "host:nm1"),
            ("DELETE", APPLICATION, "host:nm1"),
        ):
            assert asked(port, method, path, who)[0] == 403, (method, path, who)
        assert asked(port, "GET", name, "alice") == (200, b"content")
        assert asked(port, "DELETE", APPLICATION, "alice")[0] == 204

    served(tmp_path / "staged", test, knows=True)


@pytest.mark.parametrize(
    "path", [f"{APPLICATION}/.owner", f"{APPLICATION}/..%2fx", "application_1/name", f"{APPLICATION}/a%00b"]
)
def test_a_name_that_would_lead_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    def test(port: int) -> None:
        assert asked(port, "PUT", path, body=b"x")[0] in (400, 404)

    served(tmp_path / "staged", test)
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]


def test_there_is_a_limit_to_all_of_it_together(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(600_000))

    def test(port: int) -> None:
        directory = f"yarnbox://127.0.0.1:{port}{STAGING_PATH}/{APPLICATION}"
        remote_files.upload(tmp_path / "large", f"{directory}/one")
        with pytest.raises(RemoteFileError, match=r"staging\.max-mb is 1"):
            remote_files.upload(tmp_path / "large", f"{directory}/two")
        assert remote_files.status(f"{directory}/one").size == 600_000

    served(tmp_path / "staged", test)
    assert sorted(one.name for one in (tmp_path / "staged" / APPLICATION).iterdir()) == ["one"]


def test_what_nobody_removes_goes_when_it_is_old(tmp_path: Path) -> None:
    def test(port: int) -> None:
        assert asked(port, "PUT", f"{APPLICATION}/name", body=b"x")[0] == 201
        old = tmp_path / "staged" / APPLICATION / "name"
        os.utime(old, (0, 0))
        os.utime(old.parent, (0, 0))
        assert asked(port, "PUT", f"{APPLICATION[:-1]}2/name", body=b"x")[0] == 201
        assert not old.exists()

    served(tmp_path / "staged", test)


def test_nothing_is_staged_where_that_is_not_allowed(tmp_path: Path) -> None:
    def test(port: int) -> None:
        assert asked(port, "PUT", f"{APPLICATION}/name", body=b"x")[0] == 404

    served(tmp_path / "staged", test, StagingSettings())
