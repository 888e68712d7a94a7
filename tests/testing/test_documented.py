"""docs/testing.md is true: its examples run, and its tables name what there is, faults without exception."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox import testing
from yarnbox.testing import FakeResourceManager, VirtualCluster, YarnCluster

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
PREAMBLE = """
from concurrent.futures import ThreadPoolExecutor
import pytest
from yarnbox.am import FinalApplicationStatus
from yarnbox.testing import *
from tests.testing.masters import retrying as master
"""


def examples() -> Iterator[str]:
    """The indented blocks that are tests."""
    for block in re.findall(r"(?:^(?:    .*)?\n)+", PAGE, re.MULTILINE):
        if "def test_" in block:
            yield "\n".join(line[4:] for line in block.splitlines())


def table(heading: str) -> dict[str, str]:
    """What the first column of a section's table calls, and the rest of the line."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = {}
    for line in section.splitlines():
        if line.startswith("| `"):
            first, rest = line[2:].split(" | ", 1)
            found.update(dict.fromkeys(re.findall(r"`(\w+)\(", first), rest))
    return found


@pytest.mark.long
def test_the_examples_run(tmp_path: Path) -> None:
    pieces = [one for one in examples() if "cluster" in one or "fake_rm" in one]
    assert len(pieces) == 5
    (tmp_path / "test_page.py").write_text(PREAMBLE + "\n\n".join(pieces), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_page.py")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )
    assert "14 passed" in done.stdout, done.stdout + done.stderr
    played = "\n".join(pieces)
    assert [name for name in (*table("Faults"), "fake_nm", "fake_am") if name not in played] == []


def test_the_table_of_faults_is_complete() -> None:
    makers = [name for name in testing.__all__ if str(getattr(testing, name)).startswith("<function")]
    assert sorted(table("Faults")) == sorted(set(makers) - {"runs"})


@pytest.mark.parametrize(
    "heading, kinds",
    [
        ("A ResourceManager that a test scripts", [FakeResourceManager]),
        ("Waiting and asserting", [VirtualCluster, YarnCluster]),
    ],
)
def test_the_tables_of_calls_name_what_there_is(heading: str, kinds: list[type]) -> None:
    named = [name for name in table(heading) if name != "succeeds"]
    assert len(named) > 5
    missing = [f"{kind.__name__}.{name}" for kind in kinds for name in named if not hasattr(kind, name)]
    assert missing == []
