"""What whoever looks at the recording of a scenario is told beside it: what to watch, and what to change.

Plays nothing; the player hands it on to the recording, and the page Run shows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from yarnbox.sim.recording import shape
from yarnbox.sim.scenario.reading.fields import Fields, Problems, as_text, as_word
from yarnbox.sim.scenario.reading.source import Tree

STANDINGS, SKIPPED, DOMINANT, PREEMPTIONS, PLAN = (
    "applications",
    "skipped-opportunities",
    "dominant-shares",
    "preemptions",
    "plan",
)
PICTURES = (STANDINGS, SKIPPED, DOMINANT, PREEMPTIONS, PLAN)
"""What the page Run can show beside queues and containers."""
SCHEDULERS = ("fifo", "capacity", "fair")
_KEYS = ("watch", "change", "shows", "against")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """A paragraph each, and which pictures show it."""

    watch: str
    change: str
    shows: tuple[str, ...] = ()
    against: str = ""
    """The scheduler that the same scenario is played with too, to compare."""

    def as_data(self) -> shape.Guide:
        """As a recording has it."""
        return {"watch": self.watch, "change": self.change, "shows": list(self.shows)}


def as_guide(problems: Problems, tree: Tree, what: str) -> Guide | None:
    """The guide of a scenario; None where there is a problem."""
    found = len(problems.found)
    fields = Fields(problems, tree, "guide", _KEYS)
    guide = Guide(
        watch=_paragraph(fields.need("watch", as_text, "")),
        change=_paragraph(fields.need("change", as_text, "")),
        shows=tuple(
            _one_of(problems, each, "a picture of shows", PICTURES) for each in fields.items("shows")
        ),
        against=fields.read("against", lambda known, each, name: _one_of(known, each, name, SCHEDULERS), ""),
    )
    return guide if len(problems.found) == found else None


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _one_of(problems: Problems, tree: Tree, what: str, known: tuple[str, ...]) -> str:
    word = as_word(problems, tree, what)
    if word not in known:
        problems.wrong(tree, what, f"one of {', '.join(known)}")
    return word
