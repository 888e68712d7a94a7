"""Free ports for daemons that will listen a moment later.

A port that the system hands out lies in the range from which it serves outgoing connections, and may be the
source port of one by the time the daemon listens. So ours are chosen below that range, by chance.
"""

from __future__ import annotations

import random
import socket
from pathlib import Path

_RANGE_FILE = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL_START = 32768
_LOWEST = 10240
_TRIES = 200


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
        if _listen(host, port) is not None:
            return port
    return _listen(host, 0) or 0


def _end() -> int:
    """Where outgoing connections begin; the usual value where that is not told or leaves no room."""
    try:
        start = int(_RANGE_FILE.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        start = _USUAL_START
    return start if start > _LOWEST + _TRIES else _USUAL_START


def _listen(host: str, port: int) -> int | None:
    """The port, if one can listen on it; whichever the system likes for port 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return None
        return int(probe.getsockname()[1])
