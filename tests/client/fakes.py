"""Servers for gRPC and HTTP that know only what a test told them, and a shell to run commands in."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.waiting import PATIENCE_S
from yarnbox.client.command_line.console import Console
from yarnbox.client.main import main
from yarnbox.yarn.connection.rpc import SERVICES, Caller, add_service, listen, new_server
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.clock import VirtualClock

SERVED = (
    "ApplicationClientProtocolService",
    "ResourceManagerAdministrationProtocolService",
    "HAServiceProtocolService",
)
NOVEMBER_MS = 1_700_000_000_000
"""22:13:20 UTC on the 14th of November 2023, when the clocks of these tests start."""

Answer = Any
"""A record, a YarnError to raise, or a function of the request to either."""


@dataclass
class FakeResourceManager:
    """Serves its protocols from a table, rpc to answer, and remembers what it was asked and by whom."""

    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[tuple[str, Any]] = field(default_factory=list)
    callers: list[Caller] = field(default_factory=list)
    address: str = ""

    def handle(self, rpc: str, request: Any, caller: Caller) -> Any:
        """Answers one call."""
        self.calls.append((rpc, request))
        self.callers.append(caller)
        answer = self.answers.get(rpc)
        if answer is None:
            answer = self._empty(rpc)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, YarnError):
            raise answer
        return answer

    def asked(self, rpc: str) -> list[Any]:
        """The requests of one rpc."""
        return [request for name, request in self.calls if name == rpc]

    @staticmethod
    def _empty(rpc: str) -> Any:
        response = next(SERVICES[service][rpc][1] for service in SERVED if rpc in SERVICES[service])
        return response()

    def __enter__(self) -> Self:
        started = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stopped = asyncio.Event()

        async def serve() -> None:
            server = new_server()
            for service in SERVED:
                add_service(server, service, self.handle)
            self.address = f"127.0.0.1:{listen(server, '127.0.0.1:0', 'nothing')}"
            await server.start()
            started.set()
            await self._stopped.wait()
            await server.stop(None)

        def run() -> None:
            self._loop.run_until_complete(serve())
            self._loop.close()

        self._thread = threading.Thread(target=run)
        self._thread.start()
        assert started.wait(PATIENCE_S), "the fake ResourceManager did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)


@dataclass(frozen=True)
class Result:
    """What a command left behind."""

    status: int
    out: str
    err: str


@dataclass
class Shell:
    """Runs `yarn` in this process as user mei, in UTC, on a clock that sleeping moves."""

    rm_address: str = "127.0.0.1:1"
    properties: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(NOVEMBER_MS))
    on_sleep: Callable[[], None] = lambda: None
    lines: list[str] = field(default_factory=list)
    """What is typed when a command asks."""

    def yarn(self, *words: str) -> Result:
        """Runs `yarn COMMAND ...`; the cluster's address and the properties stand behind the command."""
        command, *arguments = words
        properties = {"yarnbox.resourcemanager.grpc.address": self.rm_address, **self.properties}
        generic = [f"-D{name}={value}" for name, value in properties.items()]
        return self.run(command, *generic, *arguments)

    def run(self, *words: str) -> Result:
        """Runs `yarn` with exactly these words."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
        err = io.StringIO(newline="")
        environment = {"HADOOP_USER_NAME": "mei", **self.environment}
        console = Console(out, err, environment, self.clock, UTC, self._sleep, self._read_line)
        status = main(words, console)
        buffer = out.buffer
        assert isinstance(buffer, io.BytesIO)
        return Result(status, buffer.getvalue().decode(), err.getvalue())

    def _read_line(self) -> str:
        return self.lines.pop(0) + "\n" if self.lines else ""

    def _sleep(self, seconds: float) -> None:
        self.clock.move_to(self.clock.now_ms() + round(seconds * 1000))
        self.on_sleep()


@dataclass
class FakeWebService:
    """Answers HTTP from a table, `METHOD /path` to (status, body), and remembers what it was asked."""

    answers: dict[str, tuple[int, str | bytes]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, list[str]], str, bytes]] = field(default_factory=list)
    address: str = ""

    def __enter__(self) -> Self:
        web = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                parts = urlsplit(self.path)
                length = int(self.headers.get("Content-Length") or 0)
                call = f"{self.command} {parts.path}"
                accept = self.headers.get("Accept", "")
                web.requests.append((call, parse_qs(parts.query), accept, self.rfile.read(length)))
                status, body = web.answers.get(call, (404, f"no {call}"))
                data = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = _answer  # noqa: N815 - http.server's names

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join(10)
        self._server.server_close()
