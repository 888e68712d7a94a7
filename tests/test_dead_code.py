"""Nothing is kept that nobody uses: vulture reads the packages, the examples and the benchmarks.

What it cannot see is told to it by rules (messages, RPCs, settings, what a text names by its module) or, one
name a line with its reason, in dead_code.txt beside this file. A line there that is not needed any more
fails, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from vulture import Vulture  # type: ignore[import-untyped]
from vulture.core import Item  # type: ignore[import-untyped]

from tests.tree import PACKAGES, ROOT, Module, modules, read_module
from yarnbox.yarn.connection.rpc import SERVICES

LIST = Path(__file__).with_name("dead_code.txt")
DOTTED = re.compile(r'"((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*)"')
ELSEWHERE = ("yarn/records/", "yarn/enums.py", "rm/settings/", "nm/settings/", "testing/")
"""Fields and constants of Hadoop's messages, there because peers send or read them; settings, which
test_settings_have_effect.py judges; what users' own tests call.
"""


def snake(name: str) -> str:
    """An RPC's name as the method that answers it is called."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def rpc_methods() -> dict[str, None]:
    """The methods of services, which are found by the names of the RPCs."""
    return {snake(rpc): None for rpcs in SERVICES.values() for rpc in rpcs}


def allowed() -> dict[str, str]:
    """Name to reason."""
    lines = (line for line in LIST.read_text(encoding="utf-8").splitlines() if line and line[0] != "#")
    return {name: reason.strip() for name, _, reason in (line.partition(" ") for line in lines)}


def dotted_names() -> dict[str, None]:
    """Texts such as `fifo.FifoOrderingPolicy`, by which registries name what is imported late."""
    return {
        name.removeprefix("yarnbox."): None
        for module in modules()
        if module.package in PACKAGES
        for name in DOTTED.findall(module.text)
    }


def json_keys(module: Module) -> Iterator[str]:
    """The keys of its TypedDicts, which scripts of pages read."""
    typed = {"TypedDict": None}
    for node in module.of(ast.ClassDef):
        if any(getattr(base, "id", "") in typed for base in node.bases):
            typed[node.name] = None
            yield from (ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign))


def is_named(item: Item, names: Iterable[str]) -> bool:
    """Whether one of the names is where the item is defined, from the top or from a package above it."""
    path = item.filename.relative_to(ROOT).with_suffix("")
    where = ".".join(("", *path.parts, item.name))
    return any(where.endswith(f".{name}") for name in names)


def unused() -> list[Item]:
    """What nobody uses, as far as vulture and the rules see."""
    vulture = Vulture()
    folders = [str(ROOT / room) for room in (*PACKAGES, "examples", "bench")]
    vulture.scavenge(folders, exclude=["*_pb2*"])
    rpcs, named = rpc_methods(), dotted_names()
    keys = cache(lambda path: dict.fromkeys(json_keys(read_module(path))))
    return [
        item
        for item in vulture.get_unused_code(min_confidence=60)
        if not str(item.filename.relative_to(ROOT)).startswith(ELSEWHERE)
        and not ("service" in item.filename.stem + item.filename.parent.name and item.name in rpcs)
        and not is_named(item, named)
        and item.name not in keys(item.filename)
    ]


def test_there_is_no_code_that_nobody_uses() -> None:
    reasons = allowed()
    found = unused()
    faults = [
        f"{one.filename}:{one.first_lineno} {one.typ} {one.name}" for one in found if one.name not in reasons
    ]
    assert not faults, "\n".join(faults)
    names = {one.name for one in found}
    assert not [name for name in reasons if name not in names], "these lines of dead_code.txt are not needed"
    assert all(reasons.values()), "each line says why"


def test_dead_code_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def lonely():\n    pass\n", encoding="utf-8")
    vulture = Vulture()
    vulture.scavenge([str(tmp_path)])
    assert [item.name for item in vulture.get_unused_code()] == ["lonely"]
