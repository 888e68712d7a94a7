"""The tools that judge the tree are tests like the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tree import ROOT

GATES = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
}


@pytest.mark.timeout(3600)  # types of a fresh clone, on a busy machine
@pytest.mark.parametrize("gate", GATES)
def test_the_gate_is_open(gate: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *GATES[gate]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"
