"""Which tests share a cluster of real processes, by the marker's scope."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.tree import ROOT
from tests.waiting import PATIENCE_S

TESTS = """
import pytest

seen = {}

@pytest.mark.yarn(nodes=1)
@pytest.mark.parametrize("number", range(2))
def test_shared(yarn_cluster, number):
    seen.setdefault("session", []).append(yarn_cluster)

@pytest.mark.yarn(nodes=1, scope="function")
@pytest.mark.parametrize("number", range(2))
def test_own(yarn_cluster, number):
    seen.setdefault("function", []).append(yarn_cluster)

@pytest.mark.yarn(nodes=1, scope="class")
class TestTogether:
    def test_one(self, yarn_cluster):
        seen["class"] = [yarn_cluster]

    def test_two(self, yarn_cluster):
        seen["class"].append(yarn_cluster)

def test_counts():
    assert {scope: len(set(map(id, clusters))) for scope, clusters in seen.items()} == {
        "session": 1, "function": 2, "class": 1,
    }
    assert len({id(cluster) for clusters in seen.values() for cluster in clusters}) == 4

@pytest.mark.yarn(scope="town")
def test_no_scope(yarn_cluster):
    pass
"""


def test_scopes(tmp_path: Path) -> None:
    (tmp_path / "test_these.py").write_text(TESTS, encoding="utf-8")
    words = ["-q", "-p", "no:cacheprovider", "-p", "yarnbox.testing.plugin", str(tmp_path / "test_these.py")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE_S,
        check=False,
    )
    assert "7 passed, 1 error" in done.stdout, done.stdout + done.stderr
    assert "scope='town': it is one of session, module, class, function" in done.stdout
