"""Connections with servers that are not well."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

from tests import zookeeper
from tests.waiting import PATIENCE_S
from yarnbox.rm.edge.ha.zookeeper import new_client

pytestmark = zookeeper.MARKS


@contextlib.contextmanager
def silent_at_first(server: zookeeper.Server) -> Iterator[int]:
    """A port that accepts one connection and never answers it; the later ones reach the server."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

        def pass_on(source: socket.socket, target: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while data := source.recv(4096):
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)

        def serve() -> None:
            with contextlib.suppress(OSError):
                stack.enter_context(listener.accept()[0])
                while True:
                    one = stack.enter_context(listener.accept()[0])
                    other = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
                    for pair in ((one, other), (other, one)):
                        threading.Thread(target=pass_on, args=pair, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


def test_a_server_that_accepts_and_does_not_answer_is_asked_again(server: zookeeper.Server) -> None:
    granted: list[float] = []
    with silent_at_first(server) as port:
        client = new_client(f"127.0.0.1:{port}", zookeeper.LONGEST_SESSION_MS / 1000, granted.append)
        try:
            client.start(timeout=PATIENCE_S)
            assert client.exists("/zookeeper") is not None
        finally:
            client.stop()
            client.close()
    assert granted == [zookeeper.LONGEST_SESSION_MS / 1000]


def test_a_server_may_grant_a_shorter_session(server: zookeeper.Server) -> None:
    granted: list[float] = []
    client = new_client(server.address, 2 * zookeeper.LONGEST_SESSION_MS / 1000, granted.append)
    client.start()
    client.stop()
    client.close()
    assert granted == [zookeeper.LONGEST_SESSION_MS / 1000]
