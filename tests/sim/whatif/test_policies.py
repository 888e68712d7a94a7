"""Policies of one's own beside the built-in ones in one call; the program in the manual."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.sim.whatif.conftest import CAPACITY, SITE, jobs
from tests.sim.whatif.policies import FullestFirst, LastComeFirstServed, MyScheduler, QuestionsFirst
from tests.tree import ROOT
from yarnbox.sim import Change, Comparison, InvalidChangeError, compare
from yarnbox.sim.whatif.study import Case

SORTING = f"{CAPACITY}multi-node-sorting.policy"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Both queues may use everything, so that order decides."""
    open_queues = {
        f"{CAPACITY}root.queues": "etl,adhoc",
        f"{CAPACITY}root.etl.capacity": "90",
        f"{CAPACITY}root.adhoc.capacity": "10",
    }
    packed: dict[str, str | type] = {
        f"{CAPACITY}multi-node-placement-enabled": "true",
        SORTING: "mine",
        f"{SORTING}.names": "mine",
        f"{SORTING}.mine.class": FullestFirst,
    }
    spread: dict[str, str | type] = {
        **packed,
        f"{SORTING}.mine.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement"
        ".ResourceUsageMultiNodeLookupPolicy",
    }
    changes = [
        Change(name="last first", definitions={f"{CAPACITY}root.etl.ordering-policy": LastComeFirstServed}),
        Change(name="fair", definitions={f"{CAPACITY}root.etl.ordering-policy": "fair"}),
        Change(name="questions first", definitions={f"{CAPACITY}root.ordering-policy": QuestionsFirst}),
        Change(name="packed", definitions=packed),
        Change(name="spread", definitions=spread),
        Change(name="mine", scheduler=MyScheduler),
        Change(name="fifo", scheduler="fifo"),
    ]
    empty = tmp_path_factory.mktemp("empty")
    return compare(empty, changes, jobs(), seeds=1, site=SITE, workers=1, definitions=open_queues)


def figure(comparison: Comparison, change: str, group: str, metric: str) -> Any:
    variant = ["base", *comparison.changes].index(change)
    (value,) = comparison.values(variant, group, metric)
    return value


def test_each_kind_of_policy_decides_something(comparison: Comparison) -> None:
    last, first = (figure(comparison, name, "user:mei", "wait.p50") for name in ("last first", "base"))
    assert last != first
    waits = [figure(comparison, name, "user:tom", "wait.mean") for name in ("questions first", "base")]
    assert waits[0] < waits[1]
    packed, spread = (comparison.plays[Case(variant, 1)] for variant in (4, 5))
    assert packed.figures != spread.figures


def test_a_scheduler_of_ones_own_that_is_the_built_in_one_does_the_same(comparison: Comparison) -> None:
    mine, fifo = (comparison.plays[Case(variant, 1)] for variant in (6, 7))
    assert mine.figures == fifo.figures


def test_a_class_that_is_no_such_policy_is_refused(conf: Path) -> None:
    for name in ("root.ordering-policy", "root.etl.ordering-policy"):
        with pytest.raises(InvalidChangeError, match="Unable to construct"):
            compare(conf, [Change(definitions={CAPACITY + name: Path})], jobs(), seeds=1, workers=1)


def test_the_program_in_the_manual_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "examples")
    text = (ROOT / "docs" / "what-if.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    manual = ModuleType("manual")
    monkeypatch.setitem(sys.modules, "manual", manual)
    exec(compile(program, "what-if.md", "exec"), vars(manual))
    rows: list[dict[str, Any]] = vars(manual)["rows"]
    assert {row["change"] for row in rows} == {"etl may borrow", "fair order", "smallest first"}
    assert "smallest first root.etl wait.mean" in capsys.readouterr().out
