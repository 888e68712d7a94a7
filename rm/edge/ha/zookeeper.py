"""The connection with ZooKeeper: kept up for as long as its session lasts, whatever a server does.

kazoo makes it; two of its habits do not suit an election. It keeps to itself how long a session the server
grants, and it waits for the answer to a new connection as long as the session lasts: a server that is just
starting may accept a connection and never answer it, and the session would be over with the server well.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from kazoo.client import KazooClient
from kazoo.retry import KazooRetry

_LONGEST_RECONNECT_S = 0.5
_LONGEST_ANSWER_S = 3.0
_ATTEMPTS_PER_SESSION = 3


def new_client(hosts: str, session_s: float, granted: Callable[[float], object] | None = None) -> KazooClient:
    """A client that is not started yet; `granted` hears at each connection how many seconds the session
    lasts in silence."""
    client = KazooClient(
        hosts,
        timeout=session_s,
        connection_retry=KazooRetry(max_tries=-1, delay=0.1, max_delay=_LONGEST_RECONNECT_S),
        logger=logging.getLogger("rm.zookeeper"),
    )
    connection: Any = client._connection
    connect, invoke = connection._connect, connection._invoke
    longest_s = min(session_s / _ATTEMPTS_PER_SESSION, _LONGEST_ANSWER_S)

    def impatient(timeout_s: float, *arguments: object, **named: object) -> object:
        return invoke(min(timeout_s, longest_s), *arguments, **named)

    def noting(*arguments: object) -> tuple[float, float]:
        read_ms, connect_ms = connect(*arguments)
        if granted is not None:
            granted(read_ms * 1.5 / 1000)
        return float(read_ms), float(connect_ms)

    connection._connect, connection._invoke = noting, impatient
    return client
