"""What a task and its AM say to one another: JSON, signed with the job's secret, by a connection.

    getTask          the AM's first word: wait, die, or run this
    statusUpdate     how far the task is, its counters, outputs it could not fetch; go on or end
    nextRecords      which records it works on next, where bad ones are looked for
    computePending   all output of maps is copied: may the rest begin?
    commitPending    the output is written: may it be committed?
    done, failed     the task's last word
    nextTask         its process has time for another task: run this, or die
    mapCompletions   which maps have ended, from a number on
    killJob          a client's wish
    progress         how far the job is, for its client

A connection begins with GREETING, by which the AM's port tells it from one that asks for pages. Then follow
calls, each the signature of a text, the text's length and the text, and after each the answer, its length and
the text: {"answer": ...}, or {"refused": why}.

Owns the task's side of it and the signature; the AM's side is in edge/. Hadoop: TaskUmbilicalProtocol.
"""

from __future__ import annotations

import hmac
import json
import socket
import struct
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BufferedRWPair
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from yarnbox.yarn.security.tls import Tls

GREETING = b"umbilical\n"
CALL_HEAD = struct.Struct("!32sI")
"""The signature and the length of a call."""
ANSWER_HEAD = struct.Struct("!I")
"""The length of an answer."""
WAIT, RUN, DIE = "wait", "run", "die"

GIVE_UP_S = 30.0
"""A task whose AM does not answer for so long ends itself."""

PAUSE_S = 0.2


class AMUnreachableError(Exception):
    """The AM does not answer any more, or refuses to."""


def signature(secret: bytes, text: bytes) -> bytes:
    """The signature of a call."""
    return hmac.digest(secret, text, "sha256")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that a task has to know."""

    job: str
    attempt: str
    app_attempt: int
    maps: int
    reduces: int
    input_format: str
    output_format: str
    mapper: str
    combiner: str
    reducer: str
    partitioner: str
    output: str
    commit_algorithm: int
    split: Mapping[str, Any] | None
    sort_bytes: int
    sort_factor: int
    combine_spills: int
    most_spills: int
    codec: str
    """Of map output; nothing when it is not compressed."""
    fetch_limits: Mapping[str, int]
    asks_to_compute: bool
    """Whether a reduce goes on after its copy only when it may."""
    counter_limits: Sequence[int]
    """Counters, groups, and the lengths of a group's and a counter's name, where these are a user's."""
    fetchers: int
    fetch_timeout_ms: int
    fetch_retry_ms: int
    report_interval_ms: int
    turn_ms: int
    """How long a task that computes keeps a core; 0: as long as the kernel lets it."""
    asks_for_more: bool
    """Whether its process asks for another task when this one is done."""
    is_uber: bool
    """Whether the maps' output is in this task's own directories."""
    skip: Mapping[str, Any] | None
    """Which records are left out, and how many are announced at once; None where none are."""
    skip_dir: str
    job_file: str
    addresses: str
    """The address book of the emulated hosts, or nothing."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)


class Umbilical:
    """A task's connection to its AM. Several threads may call; one call is made at a time."""

    def __init__(
        self,
        host: str,
        port: int,
        attempt: str,
        secret: bytes,
        give_up_s: float = GIVE_UP_S,
        tls: Tls | None = None,
    ) -> None:
        self._tls = tls
        self._host = host
        self._port = port
        self._attempt = attempt
        self._secret = secret
        self._give_up_s = give_up_s
        self._lock = threading.Lock()
        self._stream: BufferedRWPair | None = None
        self._pause = threading.Event()

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The AM's answer; AMUnreachableError when there is none for too long."""
        deadline = time.monotonic() + self._give_up_s
        with self._lock:
            while True:
                try:
                    return self._once(name, arguments)
                except OSError as error:
                    if time.monotonic() > deadline:
                        raise AMUnreachableError(f"{name}: {error}") from error
                    self._pause.wait(PAUSE_S)

    def ask(self, name: str) -> dict[str, Any] | None:
        """The AM's answer if it is there; asks once."""
        with self._lock:
            try:
                return self._once(name, {})
            except (OSError, AMUnreachableError):
                return None

    def speak_for(self, attempt: str) -> None:
        """From now on calls are another attempt's."""
        with self._lock:
            self._attempt = attempt

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._drop()

    def _once(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        text = json.dumps({"call": name, "attempt": self._attempt, **arguments}).encode()
        try:
            if self._stream is None:
                self._stream = self._connected()
            self._stream.write(CALL_HEAD.pack(signature(self._secret, text), len(text)) + text)
            self._stream.flush()
            (length,) = ANSWER_HEAD.unpack(self._read(self._stream, ANSWER_HEAD.size))
            told = json.loads(self._read(self._stream, length))
        except OSError:
            self._drop()
            raise
        if "refused" in told:
            raise AMUnreachableError(f"{name}: {told['refused']}")
        answer: dict[str, Any] = told["answer"]
        return answer

    @staticmethod
    def _read(stream: BufferedRWPair, length: int) -> bytes:
        found = stream.read(length)
        if len(found) < length:
            raise ConnectionResetError("the ApplicationMaster has closed the connection")
        return found

    def _connected(self) -> BufferedRWPair:
        """A new connection, which is closed with its stream."""
        with socket.create_connection((self._host, self._port), self._give_up_s) as connection:
            if self._tls is None:
                stream = connection.makefile("rwb")
            else:
                with self._tls.calling().wrap_socket(connection, server_hostname=self._host) as wrapped:
                    stream = wrapped.makefile("rwb")
            stream.write(GREETING)
            return stream

    def _drop(self) -> None:
        if self._stream is not None:
            with suppress(OSError):  # what was to be written is not to be any more
                self._stream.close()
            self._stream = None
