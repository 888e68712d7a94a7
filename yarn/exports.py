"""Public names of a package that are imported when somebody first uses them.

A task of a MapReduce job imports `yarnbox.am.mapreduce.child`, and with it the package `yarnbox.am`: what
that package exports must not be loaded for every task.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A module's `__getattr__` (PEP 562) that imports a name from the module in `homes` at its first use.

    The name is AttributeError when it has no home.
    """

    def export(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return export
