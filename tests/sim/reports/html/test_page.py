"""Pages of reports: well formed, escaped, with nothing from elsewhere; charts show what they are given."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from defusedxml.ElementTree import fromstring

from yarnbox.sim.reports.html.axes import (
    moment_text,
    span_text,
    span_ticks,
    thinned,
)
from yarnbox.sim.reports.html.charts import Bars, Series, bar_chart, distribution_chart, time_chart
from yarnbox.sim.reports.html.page import Column, figures, page, section, side_by_side, table
from yarnbox.yarn.drawing.markup import Html


def parsed(text: str) -> ElementTree.Element:
    return fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def test_a_page_is_well_formed_and_loads_nothing() -> None:
    chart = time_chart("used", [Series("root.<a>", [(0, 1), (1000, None), (2000, 3)])])
    columns = [Column("queue", is_number=False), Column("jobs", meaning="how many")]
    rows = table(columns, [["<a>", 3], ["b", None]])
    boxes = figures([("jobs", 4)])
    text = page("A & B", boxes, section("One", side_by_side(chart, rows), about="what it is"), about="of <x>")
    tree = parsed(text)
    assert [one.text for one in tree.iter("h2")] == ["One"]
    assert [one.text for one in tree.iter("td")] == ["<a>", "3", "b", "-"]
    assert not re.search(r"https?:|<script|src=|@import|url\(", text)
    assert "light-dark(" in text


def paths(chart: Html) -> list[str]:
    return [one.attrib["d"] for one in fromstring(chart).iter("path")]


def test_a_line_is_interrupted_where_there_is_no_value() -> None:
    (path,) = paths(time_chart("t", [Series("a", [(0, 0), (500, None), (1000, 10)])], step=False))
    assert path == "M60.0 226.0M690.0 10.0"
    (path,) = paths(time_chart("t", [Series("a", [(0, 0), (1000, 10)])]))
    assert path == "M60.0 226.0H690.0V10.0"


def test_the_values_under_the_pointer_are_told() -> None:
    chart = time_chart("t", [Series("a", [(0, 5), (60_000, 7)]), Series("b", [(60_000, 1)])])
    titles = [one.text for one in fromstring(chart).iter("title")]
    assert titles[0] == "0:00:00\na: 5"
    assert titles[-1] == "0:01:00\na: 5"


def test_a_distribution_ends_at_all_values() -> None:
    (path,) = paths(distribution_chart("waits", [("a", [1, 10, 100])]))
    assert path == "M60.0 154.0H375.0V82.0H690.0V10.0"
    assert paths(distribution_chart("waits", [("a", [])])) == [""]


def test_bars_have_a_row_for_each_name() -> None:
    tree = fromstring(
        bar_chart("waits", ["q", "r"], [Bars("before", [1000, None]), Bars("after", [2000, 500])])
    )
    assert [one.text for one in tree.iter("title")] == [
        "q",
        "q, before: 1 s",
        "q, after: 2 s",
        "r",
        "r, after: 500 ms",
    ]
    assert [one.attrib["width"] for one in tree.iter("rect")] == ["250.0", "500.0", "125.0"]


def test_ticks_of_spans_are_round() -> None:
    assert span_ticks(5, 70_000) == [10, 100, 1000, 10_000, 60_000]


def test_times_are_named_shortly() -> None:
    assert [span_text(one) for one in (0, 850, 12_500, 600_000, 36_000_000)] == [
        "0",
        "850 ms",
        "12.5 s",
        "10 min",
        "10 h",
    ]
    assert [moment_text(one) for one in (3_900_000, 90_000_000)] == ["1:05:00", "1d 1:00:00"]


def test_thinning_keeps_the_extremes() -> None:
    points = [(float(x), float(x % 100)) for x in range(10_000)]
    points[5_555] = (5555.0, 1e6)
    few = thinned(points, len(points), 100)
    assert len(few) <= 100
    assert max(y for _, y in few if y is not None) == 1e6
    assert few == sorted(few)
    assert thinned(points[:50], 50, 100) == points[:50]
