"""When the compiled core is taken, and what is said when it is not. What is compiled here is made up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from pathlib import Path

import pytest

from yarnbox import CORE, SOURCES
from yarnbox.yarn.compiled import MANIFEST, CompiledCore, fingerprint, refusal, take

SOURCE = "rm/thing.py"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """One source, and what says that it was compiled."""
    (tmp_path / "rm").mkdir()
    (tmp_path / SOURCE).write_text("A = 1\n")
    (tmp_path / "_compiled").mkdir()
    write(tmp_path, suffix=EXTENSION_SUFFIXES[0])
    return tmp_path


def write(package: Path, suffix: str) -> None:
    """The manifest for the present sources."""
    document = {
        "suffix": suffix,
        "modules": {"yarnbox.rm.thing": f"yarnbox.rm.thing{suffix}"},
        "sources": [SOURCE],
        "fingerprint": fingerprint([SOURCE], package),
    }
    (package / "_compiled" / MANIFEST).write_text(json.dumps(document))


def test_it_is_taken_where_nothing_has_changed(package: Path) -> None:
    assert refusal(package / "_compiled", package) is None


def test_it_is_not_taken_where_a_source_has_changed_or_is_gone(package: Path) -> None:
    for change in (lambda: (package / SOURCE).write_text("A = 2\n"), (package / SOURCE).unlink):
        change()
        said = refusal(package / "_compiled", package)
        assert said == "out of date"


def test_it_is_not_taken_by_another_python(package: Path) -> None:
    write(package, suffix=".cpython-39-other.so")
    said = refusal(package / "_compiled", package)
    assert said == "for another Python, .cpython-39-other.so"


def test_it_is_not_taken_where_there_is_none(tmp_path: Path) -> None:
    assert refusal(tmp_path, tmp_path) == "not built"


def test_a_draft_that_was_left_behind_is_not_taken(package: Path) -> None:
    (package / "_compiled" / MANIFEST).unlink()
    assert refusal(package / "_compiled", package) == "not built"


def test_the_finder_knows_its_modules_and_no_others(tmp_path: Path) -> None:
    finder = CompiledCore(tmp_path, {"yarnbox.rm.thing": "thing.so"})
    spec = finder.find_spec("yarnbox.rm.thing", None)
    assert spec is not None
    assert isinstance(spec.loader, ExtensionFileLoader)
    assert spec.origin == str(tmp_path / "thing.so")
    assert finder.find_spec("yarnbox.rm.other", None) is None


def test_the_switch_turns_it_off_and_takes_nothing_else() -> None:
    assert take("0") == "pure Python"
    with pytest.raises(ImportError, match="YARNBOX_COMPILED=yes: 0, 1 or nothing is allowed"):
        take("yes")


def test_a_process_runs_one_core_for_all_modules() -> None:
    line = "import yarnbox; from yarnbox.rm import container; from yarnbox.rm.scheduler import fifo; "
    line += "print(yarnbox.CORE, container.__file__.endswith('.py'), fifo.__file__.endswith('.py'), sep='|')"
    for switch, core in (("0", "pure Python"), (os.environ.get("YARNBOX_COMPILED", ""), CORE)):
        environ = {**os.environ, "YARNBOX_COMPILED": switch, "PYTHONPATH": str(SOURCES)}
        done = subprocess.run(
            [sys.executable, "-c", line], capture_output=True, text=True, check=True, env=environ
        )
        is_pure = core.startswith("pure")
        assert done.stdout.strip() == f"{core}|{is_pure}|{is_pure}"
