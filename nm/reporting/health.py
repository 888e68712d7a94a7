"""Whether the node is healthy, and what it says about that.

Owns the sum: what scripts printed, which directories are bad, which failures were reported from inside.
Running scripts and looking at disks is the edge's. Hadoop: NodeHealthCheckerService,
NodeHealthScriptRunner's verdict, ExceptionReporter and the health report of LocalDirsHandlerService.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from yarnbox.yarn.records.tracker import NodeHealthStatus

TIMED_OUT = "Node health script timed out"
SEPARATOR = ";"


def script_verdict(output: str) -> str | None:
    """What a health script complains of: its output, if a line of it starts with ERROR. Its exit code says
    nothing.
    """
    return output if any(line.startswith("ERROR") for line in output.splitlines()) else None


@dataclass(frozen=True, slots=True)
class DirectoriesState:
    """The local or the log directories: all of them, and the bad ones with their reasons."""

    kind: str
    """`local-dirs` or `log-dirs`."""
    all: Sequence[str]
    failed: Mapping[str, str] = field(default_factory=dict)
    full: Mapping[str, str] = field(default_factory=dict)

    @property
    def good(self) -> list[str]:
        """Those that can be used."""
        return [path for path in self.all if path not in self.failed and path not in self.full]

    def report(self) -> str:
        """The sentences of the health report; empty when all are good."""
        parts = []
        if self.failed:
            parts.append(
                f"{len(self.failed)}/{len(self.all)} {self.kind} have errors: [ {_listed(self.failed)} ]"
            )
        if self.full:
            parts.append(
                f"{len(self.full)}/{len(self.all)} {self.kind} usable space is below configured utilization "
                f"percentage/no more usable space [ {_listed(self.full)} ]"
            )
        return "; ".join(parts)

    def are_enough(self, minimum_share: float) -> bool:
        """Whether the share of good ones lets the node live."""
        if not self.all:
            return False
        return bool(self.good) and len(self.good) / len(self.all) >= minimum_share


def _listed(bad: Mapping[str, str]) -> str:
    return " , ".join(f"{path} : {reason}" for path, reason in bad.items())


class NodeHealth:
    """The health of a node, as heartbeats tell it."""

    def __init__(self, minimum_healthy: float, now_ms: int) -> None:
        self._minimum_healthy = minimum_healthy
        self._scripts: dict[str, str | None] = {}
        self._directories: dict[str, DirectoriesState] = {}
        self._failure: str | None = None
        self._reported_ms = now_ms

    def script_reported(self, script: str, complaint: str | None, now_ms: int) -> None:
        """A script has run."""
        self._scripts[script] = complaint
        self._reported_ms = now_ms

    def directories_checked(self, state: DirectoriesState, now_ms: int) -> None:
        """The disks were looked at."""
        self._directories[state.kind] = state
        self._reported_ms = now_ms

    def failed(self, reason: str | None, now_ms: int) -> None:
        """Something inside the NM broke; None: it works again."""
        self._failure = reason
        self._reported_ms = now_ms

    def bad_directories(self, kind: str) -> int:
        """How many of the local or the log directories cannot be used."""
        state = self._directories.get(kind)
        return len(state.failed) + len(state.full) if state is not None else 0

    @property
    def are_disks_healthy(self) -> bool:
        """Whether enough directories are good to start containers."""
        return all(state.are_enough(self._minimum_healthy) for state in self._directories.values())

    @property
    def is_healthy(self) -> bool:
        """Whether nothing speaks against the node."""
        complaints = [complaint for complaint in self._scripts.values() if complaint is not None]
        return self.are_disks_healthy and not complaints and self._failure is None

    @property
    def report(self) -> str:
        """All that is to be said."""
        parts = [complaint or "" for complaint in self._scripts.values()]
        parts += [state.report() for state in self._directories.values()]
        parts.append(self._failure or "")
        return SEPARATOR.join(part for part in parts if part)

    def status(self) -> NodeHealthStatus:
        """For the next heartbeat."""
        return NodeHealthStatus(
            is_node_healthy=self.is_healthy,
            health_report=self.report,
            last_health_report_time=self._reported_ms,
        )
