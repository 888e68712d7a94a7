"""The virtual machine with Hadoop's ResourceManager in it, and its operations (java/Twin.java).

One machine serves many clusters, one after the other. It knows no scenario and compares nothing.
"""

from __future__ import annotations

import json
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tests.clients.jvm import environment

_OPTIONS = (
    "-Xmx700m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dlog4j2.level=OFF",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
)


class TwinCrashedError(Exception):
    """A handler of Hadoop's threw, which would have ended its process; or the virtual machine is gone."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What Hadoop refused with: the class's simple name, and its message."""

    name: str
    message: str


class Twin:
    """To be closed."""

    def __init__(self, classes: Path, jars: Sequence[Path], log: Path) -> None:
        path = ":".join(map(str, (classes, *jars)))
        line = ["java", *_OPTIONS, "-cp", path, "yarnbox.twin.Twin"]
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment()
            )

    @property
    def is_alive(self) -> bool:
        """Whether the virtual machine runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the virtual machine."""
        with self._process as process:
            process.kill()

    # ---- operations

    def start(self, properties: Mapping[str, str], start_ms: int) -> Refusal | None:
        """A new ResourceManager in the place of the last one."""
        return self._refusal("start", _joined(properties), str(start_ms))

    def restart(self, start_ms: int) -> Refusal | None:
        """The ResourceManager ends, and another one begins with what is left of it."""
        return self._refusal("restart", str(start_ms))

    def clear(self) -> None:
        """The end of the present ResourceManager, and of its files, groups and racks."""
        self._do("clear")

    def write_file(self, name: str, text: str) -> None:
        """A file of its configuration directory."""
        self._do("file", name, text)

    def write_properties(self, name: str, properties: Mapping[str, str]) -> None:
        """A file of properties."""
        self._do("properties", name, _joined(properties))

    def set_groups(self, user: str, groups: Sequence[str]) -> None:
        """The groups of a user."""
        self._do("groups", user, ",".join(groups))

    def set_rack(self, host: str, rack: str) -> None:
        """The rack of a host."""
        self._do("rack", host, rack)

    def move_to(self, now_ms: int) -> list[str]:
        """Lets it be that time. Whom its monitors missed before, such as `node n1:1234`."""
        return cast("list[str]", self._do("time", str(now_ms)))

    def call(self, service: str, rpc: str, user: str, attempt: str, request: bytes) -> bytes | Refusal:
        """One call of a protocol, and all that it causes."""
        answer = self._ask("call", service, rpc, user, attempt, request)
        if isinstance(answer, Refusal):
            return answer
        return b64decode(cast(str, answer))

    def update_shares(self) -> None:
        """One run of the scheduler's update."""
        self._do("update-shares")

    def check_allocations(self) -> None:
        """One look of the FairScheduler at what has become empty."""
        self._do("check-allocations")

    def preempt(self, policy: str = "") -> bool:
        """One pass of every policy, or what the timer of the one of that class does: whether it was due."""
        return bool(self._do("preempt", policy))

    def follow_plans(self) -> None:
        """One step of the reservation system's plan follower."""
        self._do("follow-plans")

    def poll_decommissioning(self) -> None:
        """One look at silent nodes that are being decommissioned."""
        self._do("poll-decommissioning")

    def kill_marked(self) -> None:
        """The FairScheduler kills what was marked long enough ago."""
        self._do("kill-marked")

    def launched(self, attempt: str, problem: str) -> None:
        """An AM was launched, or there was that problem."""
        self._do("launched", attempt, problem)

    def look(self, *monitors: str) -> list[str]:
        """One look of these monitors, where it is due. Whom they miss, as `move_to` says it."""
        return cast("list[str]", self._do("look", *monitors))

    def outlive(self, application_id: str) -> None:
        """The monitor of lifetimes ends an application."""
        self._do("outlive", application_id)

    def lose(self, node_id: str) -> None:
        """A node is lost, at no look of a monitor."""
        self._do("lose", node_id)

    def heard_of(self, kind: str, at_ms: int, *ids: str) -> None:
        """Who was heard of last at that moment, without a call: `node`, `master`, or `other nodes` than
        these.
        """
        self._do("heard", kind, str(at_ms), *ids)

    def launches(self) -> list[str]:
        """The attempts whose AM it wanted launched since this was asked last."""
        return cast("list[str]", self._do("launches"))

    def observe(self) -> dict[str, Any]:
        """What can be seen (java/Observation.java)."""
        return cast("dict[str, Any]", self._do("observe"))

    # ---- inside

    def _do(self, operation: str, *arguments: str | bytes) -> object:
        answer = self._ask(operation, *arguments)
        if isinstance(answer, Refusal):
            raise TwinCrashedError(f"{operation}: {answer.name}: {answer.message}")
        return answer

    def _refusal(self, operation: str, *arguments: str | bytes) -> Refusal | None:
        answer = self._ask(operation, *arguments)
        return answer if isinstance(answer, Refusal) else None

    def _ask(self, operation: str, *arguments: str | bytes) -> object:
        given = (each if isinstance(each, bytes) else each.encode() for each in arguments)
        words = [operation.encode(), *map(b64encode, given)]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\t".join(words) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise TwinCrashedError(f"{operation}: the virtual machine ended, status {self._process.poll()}")
        answer = json.loads(line)
        if answer.get("crashes"):
            raise TwinCrashedError(answer["crashes"][0])
        error = answer.get("error")
        return Refusal(error["class"], error["message"]) if error else answer["value"]


def _joined(properties: Mapping[str, str]) -> str:
    return "\0".join(word for pair in properties.items() for word in pair)
