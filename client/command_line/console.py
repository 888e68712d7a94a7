"""What a command has around it: its outputs, the time, the time zone, the environment.

Everything a command could take from the process it takes from here, so that tests hand in their own.
"""

from __future__ import annotations

import io
import os
import pwd
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TextIO

from yarnbox.yarn.runtime.clock import Clock


class WallClock:
    """The time of this machine."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // 1_000_000


@dataclass(slots=True)
class Console:
    """The world of one command. `zone` None is the zone of the machine."""

    out: TextIO
    err: TextIO
    environment: Mapping[str, str]
    clock: Clock = field(default_factory=WallClock)
    zone: tzinfo | None = None
    sleep: Callable[[float], None] = time.sleep
    read_line: Callable[[], str] = lambda: sys.stdin.readline()

    @classmethod
    def of_process(cls) -> Console:
        """That of this process; what it prints is UTF-8, and bytes that are none stay what they are."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="surrogateescape")
        return cls(sys.stdout, sys.stderr, os.environ)

    def print(self, text: str = "") -> None:
        """A line on stdout."""
        self.out.write(text + "\n")

    def write(self, text: str) -> None:
        """Text on stdout as it is."""
        self.out.write(text)

    def error(self, text: str) -> None:
        """A line on stderr."""
        self.err.write(text + "\n")

    def ask(self, text: str) -> str:
        """The answer to a question on stderr, without blanks around it; empty where nobody answers."""
        self.err.write(text)
        self.err.flush()
        return self.read_line().strip()

    def write_bytes(self, data: bytes) -> None:
        """Bytes on stdout as they are, behind what was written before."""
        buffer = getattr(self.out, "buffer", None)
        if buffer is None:
            self.out.write(data.decode("utf-8", "replace"))
        else:
            self.out.flush()
            buffer.write(data)

    @property
    def user(self) -> str:
        """Who calls: HADOOP_USER_NAME, else the login name."""
        return self.environment.get("HADOOP_USER_NAME") or _login_name()


def _login_name() -> str:
    """The name of this process's user; its number, where nobody named it."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
