"""What may be compiled: classes that others derive from, patterns that say what they mean."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator

from compile_core import chosen, read_from
from tests.tree import ROOT, Module, descendants, modules
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.scheduler.fair.queues.policies import (
    DominantResourceFairnessPolicy,
    FairPolicy,
    FifoPolicy,
    Policy,
)
from yarnbox.rm.scheduler.fifo import FifoScheduler

MARK = "mypyc_attr(allow_interpreted_subclasses=True)"


def classes(module: Module) -> Iterator[ast.ClassDef]:
    """Those of a module."""
    return iter(module.of(ast.ClassDef))


def split() -> tuple[list[Module], list[Module]]:
    """The modules that are compiled, and the others."""
    names = {path.removesuffix(".py").replace("/", ".") for path in chosen()}
    return [m for m in modules() if m.name in names], [m for m in modules() if m.name not in names]


def imported(module: Module) -> dict[str, str]:
    """What it calls the names that it takes from the package's modules: the module and the name there."""
    found: dict[str, str] = {}
    for node in module.of(ast.ImportFrom):
        if node.module and node.module.startswith("yarnbox."):
            for alias in node.names:
                origin = node.module.removeprefix("yarnbox.")
                found[alias.asname or alias.name] = f"{origin}.{alias.name}"
    return found


def test_every_pattern_of_what_is_compiled_matches_something() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        patterns = tomllib.load(file)["tool"]["yarnbox"]["compiled"]
    for pattern in (*patterns["include"], *patterns["exclude"]):
        assert any(ROOT.glob(pattern)), pattern
    assert "rm/container.py" in chosen()
    assert "rm/scheduler/checks.py" not in chosen()


def test_what_a_compiled_module_imports_makes_it_out_of_date() -> None:
    sources = read_from(chosen())
    assert set(chosen()) < set(sources)
    assert "yarn/enums.py" in sources  # rm/container.py has names from there, and it is not compiled itself
    assert "rm/edge/active.py" not in sources


def test_no_class_derives_from_a_compiled_one_that_does_not_allow_it() -> None:
    compiled, others = split()
    closed, protocols = set(), set()
    for module in compiled:
        for one in classes(module):
            if MARK not in map(ast.unparse, one.decorator_list):
                closed.add(f"{module.name}.{one.name}")
            if "Protocol" in map(ast.unparse, one.bases):
                protocols.add(f"{module.name}.{one.name}")
    assert protocols < closed
    wrong = []
    for module in others:
        names = imported(module)
        for one in classes(module):
            bases = (base.value if isinstance(base, ast.Subscript) else base for base in one.bases)
            wrong += [
                f"{module.name}.{one.name} derives from {names[base.id]}"
                for base in bases
                if isinstance(base, ast.Name) and names.get(base.id) in closed
            ]
    assert not wrong


def declared(one: ast.ClassDef) -> set[str]:
    """The attributes whose types the class writes down: in its body, or where a method first sets them."""
    found = set()
    for node in descendants(one):
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("ClassVar"):
            target = node.target
            if isinstance(target, ast.Name) and node in one.body:
                found.add(target.id)
            elif isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                found.add(target.attr)
    return found


def test_no_compiled_class_declares_an_attribute_of_its_base_again() -> None:
    """mypyc shows such an attribute to the garbage collector twice, which then never frees what it is in."""
    attributes: dict[str, set[str]] = {}
    bases: dict[str, list[str]] = {}
    for module in split()[0]:
        names = imported(module)
        for one in classes(module):
            name = f"{module.name}.{one.name}"
            attributes[name] = declared(one)
            written = map(ast.unparse, one.bases)
            bases[name] = [names.get(base, f"{module.name}.{base}") for base in written]

    def above(name: str) -> Iterator[str]:
        for base in bases.get(name, ()):
            yield base
            yield from above(base)

    assert not [
        f"{name}.{attribute} is declared in {base}, too"
        for name, own in attributes.items()
        for base in above(name)
        for attribute in sorted(own & attributes.get(base, set()))
    ]


def test_an_abstract_class_knows_its_own_instances_from_those_of_its_sisters() -> None:
    """Whoever asked, and of which class first: each has a register of its own, compiled or not."""
    fair = FairPolicy(("memory-mb", "vcores"))
    kinds = (Policy, FifoPolicy, DominantResourceFairnessPolicy, FairPolicy)
    assert [isinstance(fair, kind) for kind in kinds] == [True, False, False, True]
    assert [issubclass(CapacityScheduler, kind) for kind in (Scheduler, FifoScheduler)] == [True, False]
    assert [isinstance([], kind) for kind in kinds] == [False] * 4
