"""A failed walk as a scenario: shortened as long as it fails in the same way, and written as a file.

JSON is YAML's flow style, so each step of the file is a line that a person can read and edit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document
from yarnbox.sim.walk.walker import Walk, walk_again

MOST_WALKS = 1_500

Again = Callable[[Document, list[StepValue]], Walk]


def shrink(walk: Walk, again: Again = walk_again) -> Walk:
    """The walk with as few of its steps, and then as few of its nodes, as show a defect of the same kind."""
    return _Shrinking(walk, again).shrink()


class _Shrinking:
    def __init__(self, walk: Walk, again: Again) -> None:
        assert walk.defect is not None
        self._kind = walk.defect.kind
        self._again = again
        self._best = walk
        self._document = walk.document
        self._steps: list[StepValue] = walk.document["steps"][: walk.head]
        self._walks = 0

    def shrink(self) -> Walk:
        """Leaves out halves, quarters and so on; then repetitions; then nodes."""
        size = max(len(self._steps) // 2, 1)
        while size:
            start = len(self._steps)
            while start > 0:
                start = max(start - size, 0)
                self._try(self._document, self._steps[:start] + self._steps[start + size :])
            size //= 2
        for index, step in enumerate(list(self._steps)):
            heartbeat = step.get("heartbeat")
            if isinstance(heartbeat, dict):
                once = {"heartbeat": heartbeat["node"]}
                self._try(self._document, [*self._steps[:index], once, *self._steps[index + 1 :]])
        for node in list(self._document["nodes"]):
            fewer = [each for each in self._document["nodes"] if each is not node]
            self._try({**self._document, "nodes": fewer}, self._steps)
        return self._best

    def _try(self, document: Document, steps: list[StepValue]) -> None:
        """Takes the shorter walk where it fails in the same way."""
        if self._walks >= MOST_WALKS:
            return
        self._walks += 1
        walk = self._again(document, steps)
        if walk.defect is not None and walk.defect.kind == self._kind:
            self._best, self._document, self._steps = walk, document, steps


def written(document: Document, *comments: str) -> str:
    """The text of the scenario file, with comment lines above it."""
    return "\n".join((*(f"# {line}" for line in comments), *_lines(document))) + "\n"


def write(document: Document, directory: Path, *comments: str) -> Path:
    """Writes the file into the directory; answers its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{document['name']}.yaml"
    path.write_text(written(document, *comments))
    return path


def _lines(document: Document) -> Iterator[str]:
    for key, value in document.items():
        if isinstance(value, list):
            yield f"{key}:"
            yield from (f"  - {_flow(each)}" for each in value)
        elif isinstance(value, Mapping):
            yield f"{key}:"
            yield from (f"  {_flow(name)}: {_flow(each)}" for name, each in value.items())
        elif isinstance(value, str) and "\n" in value:
            yield f"{key}: |"
            yield from (f"  {line}" for line in value.splitlines())
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
