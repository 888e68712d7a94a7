"""Free ports for daemons that will listen a moment later.

A port that the system chooses is in the range that it also uses for outgoing connections, so it may be in
use by the time the daemon listens. These ports are chosen at random below that range. Another process that
chooses in the same way, such as a second `yarnbox up`, must not choose the same port in between: until the
daemon listens, the chooser stays bound to the port without listening, which stops other choosers but not the
daemon.
"""

from __future__ import annotations

import os
import random
import socket
from collections import deque
from pathlib import Path

_RANGE_FILE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL_START = 32768
_LOWEST = 10240
_TRIES = 200
_HELD_MOST = 256
_OTHERS = (13562, 19888, 19890)
"""Where Hadoop's shuffle and history server listen by default: nobody is to be found there by chance."""
_held: deque[int] = deque()
"""Descriptors of what is bound to the ports chosen last; they end with this process at the latest."""


def free_ports(host: str, count: int) -> list[int]:
    """So many ports on which nobody listens now, all different."""
    found: dict[int, None] = {}
    while len(found) < count:
        found[_free_port(host)] = None
    return list(found)


def _free_port(host: str) -> int:
    chance = random.SystemRandom()
    for _ in range(_TRIES):
        port = chance.randrange(_LOWEST, _end())
        if port not in _OTHERS and _hold(host, port) is not None:
            return port
    return _hold(host, 0) or 0


def _end() -> int:
    """Where outgoing connections begin; the usual value where that is not told or leaves no room."""
    try:
        start = int(_RANGE_FILE.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        start = _USUAL_START
    return start if start > _LOWEST + _TRIES else _USUAL_START


def _hold(host: str, port: int) -> int | None:
    """The port, if nobody else listens on it or holds it; whichever the system likes for port 0."""
    holder = socket.socket()
    try:
        holder.bind((host, port))
    except OSError:
        holder.close()
        return None
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # from now on who listens is let in
    found = int(holder.getsockname()[1])
    _held.append(holder.detach())
    if len(_held) > _HELD_MOST:
        os.close(_held.popleft())
    return found
