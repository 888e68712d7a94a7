"""The shape of a recording: what the recorder writes down, and what a reader finds.

JSON has lists for the tuples.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

from yarnbox.sim.recording.archive import Tracks
from yarnbox.sim.recording.tracks import Documents

Mark = tuple[int, str, str]
"""A moment in ms, kind, text."""
Event = tuple[int, int, str, str, str, int]
"""A moment in ms, step, kind, subject, text, whether it is trouble."""
ContainerRow = list[Any]
"""The fields of `containers.FIELDS`, in which names are places in `names`."""


class RecordedContainer(TypedDict):
    """The fields of a container, with its names; moments are ms on the clock of the recording, None where it
    never came so far.
    """

    id: str
    app: str
    node: str
    queue: str
    user: str
    partition: str
    memoryMB: int
    vcores: int
    priority: int
    isAM: int
    reserved: int | None
    started: int | None
    running: int | None
    finished: int | None
    exitStatus: int | None
    diagnostics: str
    locality: str
    requested: str


class Guide(TypedDict):
    """What to watch and to change, a paragraph each, and the pictures to look at."""

    watch: str
    change: str
    shows: list[str]


class Moments(TypedDict):
    """Where a viewer may stop: on the clock of the recording, in virtual time, and after which step."""

    at: list[int]
    time: list[int]
    step: list[int]


class QueueSeries(TypedDict):
    """A queue in a partition, from moment `first` on: percentages, -1 for what its scheduler has not."""

    path: str
    partition: str
    isLeaf: bool
    first: int
    used: list[float]
    guaranteed: list[float]
    fair: list[float]
    maximum: list[float]
    pending: list[float]


class Fairness(TypedDict):
    """Jain's index between queues and between applications at each moment."""

    queues: list[float | None]
    apps: list[float | None]


class QueueFigures(TypedDict):
    """What a run came to for a queue; waits and lives in ms."""

    apps: int
    finished: int
    neverServed: int
    wait: int | None
    longestWait: int | None
    life: int | None
    containers: int
    preempted: int


class Figures(TypedDict):
    """What a run came to."""

    makespan: int
    isComplete: bool
    apps: int
    finished: int
    containers: int
    preempted: int
    averages: dict[str, float | None]
    queues: dict[str, QueueFigures]


class GuideIfAny(TypedDict):
    """The guide, where the scenario has one."""

    guide: NotRequired[Guide]


class _Data(GuideIfAny):
    """A recording but for its documents, its format and its version."""

    name: str
    about: str
    kind: str
    scheduler: str
    file: str
    failures: list[str]
    end: int
    figures: Figures
    moments: Moments
    cluster: dict[str, list[float]]
    fairness: Fairness
    queues: list[QueueSeries]
    names: list[str]
    containers: list[ContainerRow]
    containersOfEvery: int
    containersSeen: int
    marks: list[Mark]
    events: list[Event]
    eventsLeftOut: int
    configuration: list[tuple[str, str, str]]


class WrittenData(_Data):
    """A recording as it was written down."""

    documents: Documents


class RecordingData(_Data):
    """A recording as it is read."""

    documents: Mapping[str, Tracks]
