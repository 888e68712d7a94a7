"""Every module of the CapacityScheduler has a test file of its name, or a home in the package's docstring."""

from __future__ import annotations

from pathlib import Path

import tests.rm.scheduler.capacity as package
from tests.tree import ROOT

SOURCES = ROOT / "rm" / "scheduler" / "capacity"
HERE = Path(__file__).parent


def stated() -> dict[str, str]:
    """The home of each module in the list."""
    assert package.__doc__ is not None
    lines = [line.split() for line in package.__doc__.splitlines()[1:]]
    return {words[0]: words[1] for words in lines if len(words) == 2}


def modules() -> list[Path]:
    paths = [path.relative_to(SOURCES) for path in sorted(SOURCES.rglob("*.py"))]
    return [path for path in paths if path.name != "__init__.py" and "ordering" not in path.parts]


def test_each_module_has_its_tests() -> None:
    homes = stated()
    missing = [
        str(path)
        for path in modules()
        if not (HERE / path.parent / f"test_{path.name}").exists() and str(path.with_suffix("")) not in homes
    ]
    assert missing == []


def test_each_stated_home_exists() -> None:
    homes = stated()
    names = [str(path.with_suffix("")) for path in modules()]
    assert [name for name in homes if name not in names] == []
    gone = [home for home in homes.values() if not (ROOT / home).exists() and not (HERE / home).exists()]
    assert gone == []
