"""The report: one page that needs nothing else, with the change beside its effect; and what queues lent."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring

import pytest

from yarnbox.sim.load.formats import Load
from yarnbox.sim.whatif.comparison import Comparison, Row
from yarnbox.sim.whatif.metrics import METRICS, Metric
from yarnbox.sim.whatif.reports.capacity import queue_uses
from yarnbox.sim.whatif.reports.page import page_of, strip
from yarnbox.sim.whatif.reports.settings import Setting, differences
from yarnbox.sim.whatif.reports.table import cells, leading
from yarnbox.sim.whatif.statistics import difference
from yarnbox.sim.whatif.study import Case
from yarnbox.yarn.drawing.markup import Html


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    return page_of(comparison, ["*"], [])


def test_the_page_is_whole_and_loads_nothing(page: str) -> None:
    root = fromstring(page.removeprefix("<!DOCTYPE html>"))
    assert {one.tag for one in root.iter()} >= {"svg", "table", "section", "figure"}
    used = [one.get(name) for one in root.iter() for name in ("src", "href")]
    assert [one for one in used if one] == []
    assert "<script" not in page
    assert "light-dark(" in page
    assert "@media print" in page


def test_each_change_stands_beside_its_effect(page: str) -> None:
    for text in ("less for etl", "Nothing changes", "a node more", "Method and limits", "Waits by queue"):
        assert text in page
    assert "yarn.scheduler.capacity.root.etl.capacity</td><td>60</td><td>40" in page


def test_what_differs_between_configurations(comparison: Comparison) -> None:
    study = comparison.study
    load = Load.of(study.jobs)
    found = differences(study.variants[0], study.variants[1], load)
    assert Setting("yarn.scheduler.capacity.root.etl.capacity", "60", "40") in found.settings
    assert differences(study.variants[0], study.variants[2], load).settings == ()
    (nodes,) = differences(study.variants[0], study.variants[3], load).settings
    assert nodes == Setting("nodes", "2", "3")


def test_a_strip_has_a_dot_for_each_seed(comparison: Comparison) -> None:
    drawn = strip(comparison.row(1, "queue:root.etl", METRICS["response.mean"]))
    assert isinstance(drawn, Html)
    assert drawn.count("<circle") == len(comparison.study.seeds)
    assert drawn.count("<rect") == 1


def test_what_is_borrowed_was_lent(comparison: Comparison) -> None:
    plays = [comparison.plays[Case(0, seed)] for seed in comparison.study.seeds]
    for one in queue_uses(comparison, 0):
        assert one.guarantee_mb == plays[0].guarantee_mb[one.queue]
        assert max(one.used_mb) <= max(max(play.used_mb[one.queue]) for play in plays)
        assert len(one.waits_ms) == sum(len(play.waits[one.queue]) for play in plays)
    uses = queue_uses(comparison, 0)
    assert sum(one.lent_gb_hours for one in uses) <= sum(one.borrowed_gb_hours for one in uses) + 1e-9


def test_gains_are_shown_beside_many_regressions() -> None:
    bad, good = METRICS["wait.p95"], METRICS["utilization"]
    rows = [(row_of(bad if number < 30 else good, 1.0, 2.0 + number), str(number)) for number in range(40)]
    assert [group for _, group in leading(rows, 9)] == ["0", "1", "2", "3", "4", "5", "30", "31", "32"]
    assert [group for _, group in leading(rows[:31], 9)] == [*map(str, range(8)), "30"]
    assert [group for _, group in leading(rows[28:], 9)] == ["28", "29", *map(str, range(30, 37))]
    assert leading(rows[:5], 9) == rows[:5]


def test_a_difference_has_a_unit_of_its_own() -> None:
    shown = cells(row_of(METRICS["response.mean"], 900_000.0, 900_040.0), "all")
    assert shown[3:] == ("15.0 min", "15.0 min", "+40 ms", "+0.004 %", "+40 ms to +40 ms")
    shown = cells(row_of(METRICS["wait.mean"], 3_000.0, 903_000.0), "all")
    assert shown[3:7] == ("0.1 min", "15.1 min", "+15.0 min", "+30000 %")


def row_of(metric: Metric, base: float, changed: float) -> Row:
    """A row whose difference is the same under each of six seeds."""
    before, after = [base] * 6, [changed] * 6
    return Row(
        change="c",
        group="all",
        metric=metric,
        base=base,
        changed=changed,
        difference=difference(before, after, 0.95),
        base_values=tuple(before),
        changed_values=tuple(after),
    )
