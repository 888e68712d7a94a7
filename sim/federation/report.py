"""What the ways of routing came to: a table for people and for pages, JSON, and a plot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from yarnbox.sim.federation.play import Federation, Figures, Played
from yarnbox.sim.paper.drawing import drawn
from yarnbox.sim.paper.figures import Line, Plot, Unit, value_text
from yarnbox.yarn.text.words import aligned

_ROWS: tuple[tuple[str, Unit, Callable[[Figures], float]], ...] = (
    ("mean response", Unit.SECONDS, lambda one: one.mean_response_s),
    ("response, 95 of 100", Unit.SECONDS, lambda one: one.p95_response_s),
    ("response over the time of one task", Unit.FACTOR, lambda one: one.mean_slowdown),
    ("mean wait for the first task", Unit.SECONDS, lambda one: one.mean_wait_s),
    ("sub-clusters of a job", Unit.FACTOR, lambda one: one.parts),
    ("slots at work while jobs come", Unit.SHARE, lambda one: one.busy),
    ("the same, in the idlest sub-cluster", Unit.SHARE, lambda one: one.least_busy),
    ("the same, in the busiest", Unit.SHARE, lambda one: one.most_busy),
    ("tasks that wait, at most", Unit.COUNT, lambda one: one.most_waiting),
    ("until all jobs have ended", Unit.SECONDS, lambda one: one.end_s),
)
JSON, SVG = "federation.json", "federation.svg"


def rows(played: Sequence[Played]) -> list[list[str]]:
    """The table, its header first."""
    found = [["of all jobs", *(str(one.way) for one in played)]]
    for text, unit, figure in _ROWS:
        found.append([text, *(value_text(figure(one.figures), unit) for one in played)])
    return found


def markdown(table: Iterable[Sequence[str]]) -> Iterator[str]:
    """The table for a page."""
    for number, row in enumerate(table):
        yield f"| {' | '.join(row)} |"
        if not number:
            yield f"|{' --- |' * len(row)}"


def lines(federation: Federation, played: Sequence[Played]) -> Iterator[str]:
    """The table for a terminal."""
    figures = played[0].figures
    yield (
        f"{federation.subclusters} sub-clusters of {federation.shape.nodes} nodes: {figures.jobs} jobs,"
        f" {figures.tasks} tasks"
    )
    yield from aligned(rows(played), texts=1)


def data(federation: Federation, played: Sequence[Played]) -> dict[str, Any]:
    """For programs."""
    shape, demand = federation.shape, federation.demand
    return {
        "subclusters": federation.subclusters,
        "seed": federation.seed,
        "shape": {name: getattr(shape, name) for name in shape.__slots__},
        "demand": {name: getattr(demand, name) for name in demand.__slots__},
        "ways": [
            {
                "policy": one.way.policy,
                "intervalS": one.way.interval_s,
                "figures": one.figures._asdict(),
                "moments": [list(moment) for moment in one.moments],
            }
            for one in played
        ],
    }


def plot(played: Sequence[Played]) -> Plot:
    """Tasks that wait over time."""
    return Plot(
        name="federation",
        title="Tasks that wait, in all sub-clusters",
        x="seconds",
        y="tasks",
        unit=Unit.COUNT,
        lines=tuple(
            Line(
                name=str(one.way),
                points=((0.0, 0.0), *((moment.at_s, float(moment.waiting)) for moment in one.moments)),
            )
            for one in played
        ),
    )


def write(directory: Path, federation: Federation, played: Sequence[Played]) -> list[Path]:
    """JSON and plot; which files they are."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        directory / JSON: json.dumps(data(federation, played), indent=1) + "\n",
        directory / SVG: drawn(plot(played)),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)
