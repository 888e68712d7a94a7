"""A shorter scenario that fails in the same way: steps are left out as long as it still does."""

from __future__ import annotations

from collections.abc import Callable

from sim.scenario.document import InvalidScenarioError
from sim.walk.choices import StepValue
from sim.walk.clusters import Document
from sim.walk.walker import Defect, play_again

MOST_PLAYS = 1_500


def shrink(
    document: Document, defect: Defect, play: Callable[[Document], Defect | None] = play_again
) -> Document:
    """The document with as few of its steps, and then as few of its nodes, as show a defect of the same
    kind."""
    return _Shrinking(document, defect, play).shrink()


class _Shrinking:
    def __init__(self, document: Document, defect: Defect, play: Callable[[Document], Defect | None]) -> None:
        self._document = document
        self._kind = defect.kind
        self._play = play
        self._plays = 0

    def shrink(self) -> Document:
        steps = list(self._document["steps"])
        size = max(len(steps) // 2, 1)
        while size:
            start = len(steps)
            while start > 0:
                start = max(start - size, 0)
                shorter = steps[:start] + steps[start + size :]
                if self._still_fails({**self._document, "steps": shorter}):
                    steps = shorter
            size //= 2
        self._document = {**self._document, "steps": _plain(steps, self._still_fails, self._document)}
        for node in list(self._document["nodes"]):
            fewer = {
                **self._document,
                "nodes": [each for each in self._document["nodes"] if each is not node],
            }
            if self._still_fails(fewer):
                self._document = fewer
        return self._document

    def _still_fails(self, document: Document) -> bool:
        if self._plays >= MOST_PLAYS:
            return False
        self._plays += 1
        try:
            defect = self._play(document)
        except InvalidScenarioError:
            return False
        return defect is not None and defect.kind == self._kind


def _plain(
    steps: list[StepValue], still_fails: Callable[[Document], bool], document: Document
) -> list[StepValue]:
    """Repeated heartbeats and the like said once, where once is enough."""
    plain = list(steps)
    for index, step in enumerate(steps):
        heartbeat = step.get("heartbeat")
        if isinstance(heartbeat, dict):
            shorter = [*plain[:index], {"heartbeat": heartbeat["node"]}, *plain[index + 1 :]]
            if still_fails({**document, "steps": shorter}):
                plain = shorter
    return plain
