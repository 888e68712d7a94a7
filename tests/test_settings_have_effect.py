"""Every property that a process declares is read somewhere: none is accepted and then without effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.tree import Module, modules

PACKAGES = ("yarn", "rm", "nm", "am", "client", "cluster", "sim")

WITHOUT_EFFECT = {
    "algorithm_pool_size": "turns, not threads, place containers; said in docs/placement-constraints.md",
    "scheduler_pool_size": "the same",
    "localizer_address": "localizers are tasks of the NodeManager's own process; Hadoop's site files name it",
}
"""Fields that are declared for what Hadoop's files say, and the reason why nothing reads them."""


def sources() -> list[Module]:
    """The modules of ours."""
    return [module for module in modules() if module.within(*PACKAGES)]


def declared(module: Module) -> Iterator[tuple[str, str]]:
    """Field and property of each setting that a module declares, as far as the property is written out."""
    for node in module.of(ast.AnnAssign):
        if isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "setting":
                assert isinstance(node.target, ast.Name)
                words = [one.value for one in ast.walk(call.args[0]) if isinstance(one, ast.Constant)]
                yield node.target.id, str(words[-1]) if words else "named by a constant"


def test_every_setting_is_read() -> None:
    found = sources()
    everything = "\n".join(module.text for module in found)
    idle = []
    for module in found:
        for field, ending in declared(module):
            is_read = re.search(rf"\.{field}\b", everything) is not None
            is_default_of_another = re.search(rf"\$\{{[\w.-]*{re.escape(ending)}\}}", everything) is not None
            if not is_read and not is_default_of_another and field not in WITHOUT_EFFECT:
                idle.append(f"{module.name}: {field} ({ending})")
    assert not idle, "\n" + "\n".join(idle)


def test_no_excuse_outlives_its_reason() -> None:
    found = sources()
    everything = "\n".join(module.text for module in found)
    fields = {field for module in found for field, _ in declared(module)}
    for field in WITHOUT_EFFECT:
        assert field in fields, f"{field} is not declared any more"
        assert re.search(rf"\.{field}\b", everything) is None, f"{field} is read now"
