"""How containers look by one of their traits, as rm/web/pages/taskstream.py says them.

What is known of the values of a trait is said there; names get the colours in turn, and again hatched. As
streamcolours.js has it for the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yarnbox.rm.web.grids import natural
from yarnbox.rm.web.saved.shapes import HUES
from yarnbox.rm.web.values import Answer

_HATCHES = 4
_MOST_KEYS = 12


@dataclass(frozen=True, slots=True)
class Look:
    """`hue` is a colour of the style sheet, `hatch` is 0 for none; `count` containers have it."""

    text: str
    hue: str
    hatch: int
    count: int


class Looks:
    """All looks of a trait, and which of them each container has."""

    def __init__(self, trait: Answer, containers: Sequence[Answer], names: Mapping[str, str]) -> None:
        """`names` are what values are called."""
        values = [_text(one.get(trait["read"])) for one in containers]
        counts = Counter(values)
        known = trait.get("known") or [
            {
                "key": key,
                "text": names.get(key, key),
                "hue": f"--line{place % HUES}",
                "hatch": place // HUES % _HATCHES,
            }
            for place, key in enumerate(sorted(counts, key=natural))
        ]
        self.all = [Look(one["text"], one["hue"], one["hatch"], counts[one["key"]]) for one in known]
        places = {one["key"]: place for place, one in enumerate(known)}
        self.of = [places.get(value, 0) for value in values]

    def named(self) -> list[int]:
        """The places of those that are there, for a legend: of many those of the most containers."""
        present = [place for place, one in enumerate(self.all) if one.count]
        kept = sorted(present, key=lambda place: -self.all[place].count)[:_MOST_KEYS]
        return sorted(kept)

    def unnamed(self) -> int:
        """How many a legend leaves out."""
        return sum(one.count > 0 for one in self.all) - len(self.named())


def _text(value: object) -> str:
    """As keys are written."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return str(value)
