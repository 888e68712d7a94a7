"""What a history server knows of an application's tasks, as a load has it."""

from __future__ import annotations

from dataclasses import dataclass

from yarnbox.sim.load.jobs import MAPREDUCE, TRACED, Task
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedTasks:
    """Tasks, and what goes with them."""

    tasks: tuple[Task, ...]
    model: str = MAPREDUCE
    am: Resource | None = None
    """None: not known."""
    slow_start: float = 1.0
    fidelity: str = TRACED
