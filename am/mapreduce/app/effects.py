"""Everything that the AM's core may ask of the world. Each names the call of the core that answers it, if
any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container


@dataclass(frozen=True, slots=True)
class SetUpJob:
    """Make the temporary part of the output directory: JobSetupCompleted or JobSetupFailed."""


@dataclass(frozen=True, slots=True)
class CommitJob:
    """Put the output in its place: JobCommitCompleted or JobCommitFailed."""


@dataclass(frozen=True, slots=True)
class AbortJob:
    """Remove what was written: JobAbortCompleted."""


@dataclass(frozen=True, slots=True)
class AbortTask:
    """Remove what this attempt wrote."""

    attempt_id: TaskAttemptId


@dataclass(frozen=True, slots=True)
class LaunchTask:
    """Start the task in its container: AttemptContainerLaunched or AttemptContainerLaunchFailed."""

    attempt_id: TaskAttemptId
    container: Container


@dataclass(frozen=True, slots=True)
class StopTask:
    """Stop the container: AttemptContainerCleaned, also when its node cannot be reached."""

    attempt_id: TaskAttemptId
    container_id: ContainerId
    node_id: NodeId


@dataclass(frozen=True, slots=True)
class ResizeTask:
    """Tell the node that the container has grown: ContainerResized, or AttemptKill if it does not take it."""

    attempt_id: TaskAttemptId
    container: Container


@dataclass(frozen=True, slots=True)
class Ask:
    """Something was asked for: do not wait for the next heartbeat."""


@dataclass(frozen=True, slots=True)
class Record:
    """An event for the job history."""

    type: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WriteLog:
    """A line for the AM's log."""

    level: str
    text: str


Effect = (
    SetUpJob | CommitJob | AbortJob | AbortTask | LaunchTask | StopTask | ResizeTask | Ask | Record | WriteLog
)
