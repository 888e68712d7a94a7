"""What was tried: a line of JSON for each trial and each play of the base, written when it is over, and read
when a search goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf, isfinite
from pathlib import Path
from typing import Any, TextIO

from yarnbox.sim.whatif.conditions import InvalidConditionError, Target, read_target
from yarnbox.sim.whatif.search.space import Point
from yarnbox.sim.whatif.study import Case, Played
from yarnbox.sim.whatif.variants import InvalidChangeError
from yarnbox.yarn.storage.drafts import draft_of

FILE, BASE_FILE = "trials.jsonl", "base.jsonl"
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
        raise InvalidConditionError(text, 0, "expected min or max, then a figure, as in min wait.p95")
    return Goal(text=text, is_least=word == "min", target=read_target(text, start))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One point, and what came of it."""

    number: int
    point: Point
    goals: tuple[float, ...] | None
    """Means over seeds, infinitely bad where no job got so far; None where the point cannot be played."""
    is_feasible: bool
    why: str = ""
    """Why it cannot be played, or which constraints it breaks."""

    def data(self) -> dict[str, object]:
        return {
            "number": self.number,
            "point": dict(self.point),
            "goals": None if self.goals is None else [one if isfinite(one) else None for one in self.goals],
            "isFeasible": self.is_feasible,
            "why": self.why,
        }


class AnotherSearchError(InvalidChangeError):
    """A file that another load, space, goal or condition left."""


class _Lines:
    """A file of JSON lines that is written while its search goes on, the first of which says which search it
    is of. A line that was not written to its end is dropped.
    """

    def __init__(self, path: Path, heading: Mapping[str, Any]) -> None:
        self.path = path
        self._heading = {"format": "yarnbox-whatif-search", "version": VERSION, **heading}

    def read(self) -> list[Any]:
        """All but the first; InvalidChangeError where the file is of another search."""
        if not self.path.exists():
            return []
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        try:
            first, *others = [json.loads(line) for line in whole.splitlines()] or [None]
        except ValueError as error:
            raise self.fault(error) from error
        if first is None:
            self.path.unlink()
            return []
        if not isinstance(first, dict):
            raise self.fault("its first line has to be an object")
        for key, value in self._heading.items():
            if first.get(key) != value:
                raise AnotherSearchError(
                    f"{self.path}: is of another search ({key} differs): name another directory"
                )
        if len(whole) < len(text):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        return others

    def fault(self, why: object) -> InvalidChangeError:
        return InvalidChangeError(f"{self.path}: is no file of a search: {why}")

    def remove(self) -> None:
        self.path.unlink()

    def append(self, line: Mapping[str, Any]) -> None:
        """Safe on the disk when this returns."""
        lines = [line]
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lines.insert(0, self._heading)
        with self.path.open("a", encoding="utf-8") as file:
            _write(file, lines)

    def replace(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Other lines in place of those that are there."""
        with draft_of(self.path) as draft, draft.open("w", encoding="utf-8") as file:
            _write(file, [self._heading, *lines])


def _write(file: TextIO, lines: Iterable[Mapping[str, Any]]) -> None:
    file.writelines(json.dumps(line, allow_nan=False) + "\n" for line in lines)
    file.flush()
    os.fsync(file.fileno())


class TrialFile:
    """The trials of a search. Each is written when it is over."""

    def __init__(self, path: Path, heading: Mapping[str, Any]) -> None:
        """`heading` says which search this is, with its `goals`; InvalidChangeError where the file is of
        another one.
        """
        self._lines = _Lines(path, heading)
        self.known: list[Trial] = []
        try:
            signs = [-1 if text.strip().startswith("max") else 1 for text in heading["goals"]]
            self.known += (_trial(line, signs) for line in self._lines.read())
        except (ValueError, KeyError, TypeError) as error:
            raise self._lines.fault(error) from error
        self.sort_by_number()

    def free_numbers(self) -> Iterator[int]:
        """Numbers for the next trials: first those of trials that were begun and not ended."""
        taken = {trial.number for trial in self.known}
        return (number for number in count() if number not in taken)

    def add(self, trial: Trial) -> None:
        self._lines.append(trial.data())
        self.known.append(trial)

    def sort_by_number(self) -> None:
        """By their numbers: which trial ended first shows nowhere."""
        ordered = sorted(self.known, key=lambda trial: trial.number)
        if ordered != self.known:
            self._lines.replace(trial.data() for trial in ordered)
            self.known[:] = ordered


class BaseFile:
    """The plays of the base of a search, each written when it is over. Those of another base are dropped."""

    def __init__(self, path: Path, heading: Mapping[str, Any]) -> None:
        self._lines = _Lines(path, heading)
        self.known: dict[Case, Played] = {}
        try:
            self.known.update((one.case, one) for one in map(Played.of, self._lines.read()))
        except AnotherSearchError:
            self._lines.remove()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._lines.fault(error) from error

    def add(self, played: Played) -> None:
        self._lines.append(played.data())
        self.known[played.case] = played


def _trial(read: Mapping[str, Any], signs: Sequence[int]) -> Trial:
    goals = read["goals"]
    if goals is not None:
        goals = [sign * inf if one is None else float(one) for one, sign in zip(goals, signs, strict=True)]
    return Trial(
        number=int(read["number"]),
        point={str(name): str(value) for name, value in read["point"].items()},
        goals=None if goals is None else tuple(goals),
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
