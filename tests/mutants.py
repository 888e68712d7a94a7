"""Faults that are put into our code on purpose: one text of one file replaced, while the module is imported.

A table of them shows what tests are worth: a fault that nothing notices is a rule that nothing checks. The
files themselves are not touched.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from tests.tree import ROOT


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: in which file which text becomes which."""

    name: str
    file: str
    before: str
    after: str

    @property
    def module(self) -> str:
        """The module that the file is imported as."""
        return "yarnbox." + self.file.removesuffix(".py").replace("/", ".")


def put_in(mutant: Mutant) -> None:
    """From now on the module is imported with the fault in it. It must not have been imported yet."""
    assert mutant.module not in sys.modules
    sys.meta_path.insert(0, _Finder(mutant))


def check_table(mutants: Iterable[Mutant]) -> None:
    """AssertionError where a fault has not exactly one place, or leaves no Python behind."""
    known = list(mutants)
    assert [name for name, count in Counter(one.name for one in known).items() if count > 1] == []
    for mutant in known:
        text = (ROOT / mutant.file).read_text()
        assert text.count(mutant.before) == 1, mutant.name
        assert mutant.before != mutant.after
        compile(text.replace(mutant.before, mutant.after), mutant.file, "exec")


class _Loader(SourceFileLoader):
    """Reads the module with the fault in it."""

    def __init__(self, mutant: Mutant, path: str) -> None:
        super().__init__(mutant.module, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        text = Path(self.path).read_text()
        assert text.count(self._mutant.before) == 1
        return compile(text.replace(self._mutant.before, self._mutant.after), self.path, "exec")


class _Finder(MetaPathFinder):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._mutant.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _Loader(self._mutant, spec.origin)
        return spec
