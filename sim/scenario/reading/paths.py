"""Files that a scenario names instead of writing out what is in them, relative to the scenario's own file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from yarnbox.sim.scenario.reading.fields import NO_PROPERTIES, Problems, as_properties, as_text
from yarnbox.sim.scenario.reading.production import (
    ProductionFiles,
    read_capacity_file,
    read_directory,
    read_text,
)
from yarnbox.sim.scenario.reading.source import Items, Scalar, Tree
from yarnbox.yarn.configuration import ConfigurationError

T = TypeVar("T")

NOTHING = ProductionFiles(conf={}, capacity=None, fair=None)


@dataclass(frozen=True, slots=True)
class Paths:
    """Where they are looked for."""

    base: Path | None
    """The directory of the scenario's file; None for a scenario that is no file and may name none."""

    def as_conf(self, problems: Problems, tree: Tree, what: str) -> ProductionFiles:
        """A directory, properties, or a list of them, later ones above earlier ones."""
        whole = NOTHING
        for each in tree.items if isinstance(tree, Items) else (tree,):
            if isinstance(each, Scalar):
                found = self._read(problems, each, what, read_directory, NOTHING)
            else:
                properties = as_properties(problems, each, what)
                found = ProductionFiles(conf=properties, capacity=None, fair=None)
            whole = whole.below(found)
        return whole

    def as_capacity_file(self, problems: Problems, tree: Tree, what: str) -> Mapping[str, str]:
        """A file, properties, or a list of them, later ones above earlier ones."""
        properties: dict[str, str] = {}
        for each in tree.items if isinstance(tree, Items) else (tree,):
            if isinstance(each, Scalar):
                properties.update(self._read(problems, each, what, read_capacity_file, NO_PROPERTIES))
            else:
                properties.update(as_properties(problems, each, what))
        return properties

    def as_fair_file(self, problems: Problems, tree: Tree, what: str) -> str:
        """The text of an allocation file, or the path of one: no path has a `<` in it."""
        text = as_text(problems, tree, what)
        if "<" in text or not isinstance(tree, Scalar) or not text:
            return text
        return self._read(problems, tree, what, read_text, "")

    def _read(self, problems: Problems, tree: Scalar, what: str, read: Callable[[Path], T], instead: T) -> T:
        path = as_text(problems, tree, what)
        if not path:
            return instead
        if self.base is None:
            problems.add(
                tree.line, f"{what} names a file, which is read for `yarnbox scenario run FILE` only"
            )
            return instead
        try:
            return read(self.base / path)
        except ConfigurationError as error:
            for fault in error.faults:
                problems.add(tree.line, f"{what}: {fault}")
            return instead


NO_PATHS = Paths(None)
"""Of a scenario that is no file."""
