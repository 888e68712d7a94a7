"""The source tree as the tests of style see it: which files are ours, as text and as syntax trees."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeVar, cast

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("protos", "yarn", "rm", "nm", "am", "client", "cluster", "sim", "testing")
GENERATED = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")
NOT_OURS = (
    "node_modules",
    "vendor",
    "build",
    "dist",
    "test-artifacts",
    "bench-results",
    "_compiled",
    "__pycache__",
)
TEXT = (
    ".py",
    ".proto",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".xml",
    ".sh",
    ".html",
    ".css",
    ".js",
    ".txt",
)


N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True)
class Module:
    """One Python file: its dotted name and its text."""

    name: str
    text: str
    is_package: bool = False

    @cached_property
    def syntax(self) -> ast.Module:
        """The file, parsed."""
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of it, walked once for all the rules that look."""
        return descendants(self.syntax)

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        found: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.nodes:
            found.setdefault(type(node), []).append(node)
        return found

    def of(self, kind: type[N]) -> list[N]:
        """Its nodes of one kind."""
        return cast("list[N]", self._by_kind.get(kind, []))

    @property
    def package(self) -> str:
        """The top-level package, or the name of a file beside them."""
        return self.name.partition(".")[0]

    def within(self, *packages: str) -> bool:
        """Whether this is one of the named modules, or lies in one of them."""
        return any(self.name == package or self.name.startswith(f"{package}.") for package in packages)


def descendants(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, as ast.walk tells them, in a third of the time."""
    found = [node]
    for one in found:  # which grows meanwhile
        for value in vars(one).values():
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
    return found


def files() -> Iterator[Path]:
    """Every file that is written by hand: none that is generated, vendored or left behind by a build."""
    for directory, names, entries in os.walk(ROOT):
        names[:] = sorted(n for n in names if n not in NOT_OURS and (n == ".ci" or not n.startswith(".")))
        names[:] = [n for n in names if not n.endswith(".egg-info")]
        for entry in sorted(entries):
            if not entry.endswith(GENERATED) and entry != ".git":
                yield Path(directory, entry)


@cache
def modules() -> list[Module]:
    """Every Python file of the tree; read and parsed once for all the rules."""
    return [read_module(path) for path in files() if path.suffix == ".py"]


def read_module(path: Path) -> Module:
    """A file of the tree as a module; `x/__init__.py` is the module x."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), path.read_text(encoding="utf-8"), is_package)


def texts() -> Iterator[tuple[str, str]]:
    """Every text file of the tree: its path from the top, and what it says."""
    for path in files():
        if path.suffix in TEXT or not path.suffix:
            try:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")
            except UnicodeDecodeError as error:
                raise AssertionError(f"{path} is not UTF-8 text") from error
