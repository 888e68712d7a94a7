"""`yarnbox examples`: lists the examples that come with the package, prints one, copies one or all.

An example is a directory with a README.md, or a scenario. It is named by its path below examples/, or by the
last part of that path as long as no other example has the same.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from yarnbox import SOURCES
from yarnbox.cluster.directory import ClusterError
from yarnbox.yarn.text.words import did_you_mean

README = "README.md"
_LEFT_OUT = ("__pycache__",)


@dataclass(frozen=True, slots=True)
class Example:
    """One of them; `path` is a file or a directory."""

    name: str
    path: Path
    about: str

    @property
    def paths(self) -> list[Path]:
        """What belongs to it: of a scenario also the configuration directory of the same name beside it."""
        beside = self.path.with_suffix("")
        return [self.path, beside] if self.path.is_file() and beside.is_dir() else [self.path]

    def text(self) -> str:
        """What is printed of it: the file, or the README and what else there is."""
        if self.path.is_file():
            return self.path.read_text(encoding="utf-8")
        others = [str(one.relative_to(self.path)) for one in _files(self.path) if one.name != README]
        return (
            (self.path / README).read_text(encoding="utf-8")
            + "\nFiles:\n"
            + "".join(f"  {name}\n" for name in sorted(others))
        )


def directory() -> Path:
    """Where the examples are: in a checkout at its top, else in the package."""
    return (SOURCES / "yarnbox" / "examples").resolve()


def all_examples(root: Path | None = None) -> list[Example]:
    """The examples by name."""
    root = root or directory()
    found = [
        Example(str(readme.parent.relative_to(root)), readme.parent, _heading(readme))
        for readme in root.rglob(README)
    ]
    for scenario in (root / "scenarios").glob("*.yaml"):
        found.append(Example(str(scenario.relative_to(root)), scenario, _about(scenario)))
    return sorted(found, key=lambda one: one.name)


def named(name: str, examples: list[Example]) -> Example:
    """The example of that name; ClusterError if there is none, or several."""
    wanted = name.strip("/").removeprefix("examples/")
    for one in examples:
        if one.name == wanted:
            return one
    matching = [one for one in examples if wanted in (one.path.name, one.path.stem)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise ClusterError(
            f"{name} is ambiguous: give the full name, {' or '.join(one.name for one in matching)}", 2
        )
    known = [word for one in examples for word in (one.name, one.path.stem)]
    hint = did_you_mean(wanted, known)
    raise ClusterError(f"there is no example {name}{hint}; `yarnbox examples` lists them", status=2)


def run(options: argparse.Namespace) -> int:
    examples = all_examples()
    if options.copy is not None:
        chosen = [named(options.name, examples)] if options.name else []
        _copy(chosen, Path(options.copy))
    elif options.name:
        print(named(options.name, examples).text(), end="")
    else:
        width = max(len(one.name) for one in examples)
        for one in examples:
            print(f"{one.name:{width}}  {one.about}")
        print("\n`yarnbox examples NAME` prints one, `yarnbox examples NAME --copy DIR` copies it")
    return 0


def _copy(chosen: list[Example], target: Path) -> None:
    """Copies these into the directory, or all that there are; nothing that is there already is replaced."""
    sources = [path for one in chosen for path in one.paths] or sorted(
        path for path in directory().iterdir() if path.name not in _LEFT_OUT
    )
    taken = [target / path.name for path in sources if (target / path.name).exists()]
    if taken:
        raise ClusterError(f"{taken[0]} exists already: name another directory with --copy, or remove it")
    if target.exists() and not target.is_dir():
        raise ClusterError(f"{target} is not a directory: name another one with --copy")
    copies: list[Path] = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in sources:
            copies.append(target / path.name)
            if path.is_dir():
                _copy_directory(path, copies[-1])
            else:
                shutil.copy(path, copies[-1])
    except OSError as error:
        for copy in copies:
            shutil.rmtree(copy) if copy.is_dir() else copy.unlink(missing_ok=True)
        raise ClusterError(f"{target} cannot be written: {error.strerror or error}") from error
    for copy in copies:
        print(copy)


def _copy_directory(source: Path, target: Path) -> None:
    """The first OSError ends it; `shutil.copytree` would go on, and raise a list of them."""
    target.mkdir()
    for path in source.iterdir():
        if path.is_dir() and path.name not in _LEFT_OUT:
            _copy_directory(path, target / path.name)
        elif path.name not in _LEFT_OUT:
            shutil.copy(path, target / path.name)


def _files(path: Path) -> Iterator[Path]:
    return (one for one in path.rglob("*") if one.is_file() and one.parent.name not in _LEFT_OUT)


def _heading(readme: Path) -> str:
    with readme.open(encoding="utf-8") as lines:
        return next(lines).lstrip("# ").strip()


def _about(scenario: Path) -> str:
    """The first sentence of the scenario's own description."""
    import yaml

    about = str(yaml.safe_load(scenario.read_text(encoding="utf-8")).get("about", ""))
    return " ".join(about.split()).partition(". ")[0].rstrip(".")
