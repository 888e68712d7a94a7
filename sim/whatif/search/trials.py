"""What was tried: a line of JSON for each trial, written when it is over, read when a search goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.sim.whatif.conditions import InvalidConditionError, Target, read_target
from yarnbox.sim.whatif.search.space import Point
from yarnbox.sim.whatif.variants import InvalidChangeError

FILE = "trials.jsonl"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A figure that is to be as small, or as large, as can be."""

    text: str
    is_least: bool
    target: Target


def read_goal(text: str) -> Goal:
    """`min queue:root.etl wait.p95`, `max utilization`."""
    word, _, _ = text.strip().partition(" ")
    start = text.index(word) + len(word)
    if word not in ("min", "max"):
        raise InvalidConditionError(text, 0, "min or max is wanted, then a figure, as in min wait.p95")
    return Goal(text=text, is_least=word == "min", target=read_target(text, start))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One point, and what came of it."""

    number: int
    point: Point
    goals: tuple[float, ...] | None
    """Means over seeds; None where the point cannot be played."""
    is_feasible: bool
    why: str = ""
    """Why it cannot be played, or which constraints it breaks."""

    def data(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "point": dict(self.point),
            "goals": None if self.goals is None else list(self.goals),
            "isFeasible": self.is_feasible,
            "why": self.why,
        }


class TrialFile:
    """The file of a search. A line that was not written to its end is dropped."""

    def __init__(self, path: Path, heading: Mapping[str, Any]) -> None:
        """`heading` says which search this is; InvalidChangeError where the file is of another one."""
        self._path = path
        self._heading = {"format": "yarnbox-whatif-search", "version": VERSION, **heading}
        self.known: list[Trial] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        text = self._path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        try:
            first, *others = [json.loads(line) for line in whole.splitlines()] or [None]
            self.known = list(map(_trial, others))
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidChangeError(f"{self._path}: is no file of trials: {error}") from None
        if first is None:
            self._path.unlink()
            return
        if not isinstance(first, dict):
            raise InvalidChangeError(f"{self._path}: is no file of trials")
        for key, value in self._heading.items():
            if first.get(key) != value:
                raise InvalidChangeError(
                    f"{self._path}: is of another search ({key} differs): name another directory"
                )
        if len(whole) < len(text):
            with self._path.open("r+b") as file:
                file.truncate(len(whole))

    def add(self, trials: Sequence[Trial]) -> None:
        """These are over."""
        lines = [trial.data() for trial in trials]
        if not self._path.exists():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lines.insert(0, self._heading)
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        self.known += trials


def _trial(read: Mapping[str, Any]) -> Trial:
    goals = read["goals"]
    return Trial(
        number=int(read["number"]),
        point={str(name): str(value) for name, value in read["point"].items()},
        goals=None if goals is None else tuple(map(float, goals)),
        is_feasible=bool(read["isFeasible"]),
        why=str(read["why"]),
    )


def front(trials: Sequence[Trial], goals: Sequence[Goal]) -> Iterator[Trial]:
    """The Pareto front: feasible trials that no other is better than in one goal and as good as in all."""
    signs = [1 if goal.is_least else -1 for goal in goals]
    costs = {
        trial.number: tuple(sign * value for sign, value in zip(signs, trial.goals, strict=True))
        for trial in trials
        if trial.is_feasible and trial.goals is not None
    }
    for trial in trials:
        mine = costs.get(trial.number)
        if mine is not None and not any(_beats(other, mine) for other in costs.values()):
            yield trial


def _beats(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)
