"""A chart as a file: every value, and the part that is shown as a picture."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

from yarnbox.rm.web.pages.blocks import chart, line
from yarnbox.rm.web.saved.chart import Part, chart_csv, chart_svg
from yarnbox.rm.web.saved.shapes import COLOURS, mixed

SVG = "{http://www.w3.org/2000/svg}"
TIMES = [0, 10_000, 20_000, 30_000]
SERIES = [line("root.a", [10, None, 30, 20]), line("root.b", [0, 20, 30, 40], hue=2, dashed="dashed")]
WHOLE = Part()


def drawn(found: dict[str, Any], part: Part = WHOLE) -> Element:
    tree: Element = fromstring(chart_svg(found, part, lambda ms: f"{ms // 1000} s"))
    return tree


def words(tree: Element) -> list[str]:
    return [one.text or "" for one in tree.iter(f"{SVG}text")]


def paths(tree: Element) -> list[str]:
    return [one.attrib["d"] for one in tree.iter(f"{SVG}path")]


def test_every_value_is_in_the_file() -> None:
    text = chart_csv(chart("used", TIMES, SERIES), lambda ms: f"{ms // 1000} s")
    assert text == "time,root.a,root.b\r\n0 s,10,0\r\n10 s,,20\r\n20 s,30,30\r\n30 s,20,40\r\n"


def test_steps_hold_until_the_next_moment_and_nothing_is_a_gap() -> None:
    first, second = paths(drawn(chart("used", TIMES, SERIES)))
    assert re.fullmatch(r"M66.0,\S+H334.7M603.3,\S+H872.0V\S+H872.0", first)
    assert second.count("M") == 1


def test_axes_have_round_values_and_times() -> None:
    shown = words(drawn(chart("used", TIMES, SERIES)))
    assert [one for one in shown if one.endswith(" %")] == ["0.0 %", "50.0 %", "100.0 %"]
    assert [one for one in shown if one.endswith(" s")] == [f"{at} s" for at in range(0, 31, 5)]
    counts = words(drawn(chart("used", TIMES, [line("a", [1, 2, 3, 1])], unit="count")))
    assert [one for one in counts if one.isdigit()] == ["0", "1", "2", "3", "4"]


def test_what_is_stacked_lies_on_top_of_what_is_below_it() -> None:
    tree = drawn(chart("used", TIMES, SERIES, isStacked=True, ceiling=75))
    fills = [one.get("fill") for one in tree.iter(f"{SVG}path")]
    own = [mixed(COLOURS[name], 45) for name in ("--line2", "--line0")]
    assert fills == [own[0], "none", own[1], "none"], "the topmost first"
    tops = re.findall(r"V([\d.]+)H", paths(tree)[1])
    lone = re.findall(r"V([\d.]+)H", paths(drawn(chart("used", TIMES, SERIES[1:])))[0])
    assert tops[1:] != lone[1:]
    assert tops[0] == lone[0], "nothing is below it there"
    (ceiling,) = (one for one in tree.iter(f"{SVG}line") if one.get("stroke-dasharray") == "8 4")
    assert ceiling.get("stroke") == COLOURS["--ink"]


def test_series_are_named_in_the_legend_unless_they_are_switched_off() -> None:
    found = chart("used", TIMES, SERIES, isStacked=True)
    both, one = drawn(found), drawn(found, Part(without=["root.a"]))
    assert words(both)[-2:] == ["root.a", "root.b"]
    assert words(one)[-1] == "root.b"
    assert "root.a" not in words(one)
    assert float(both.attrib["height"]) - float(one.attrib["height"]) == 16
    assert paths(one)[1] == paths(drawn(chart("used", TIMES, SERIES[1:])))[0], "what is above it falls"
    dashes = [line.get("stroke-dasharray") for line in one.iter(f"{SVG}line")]
    assert dashes[-1] == "6 4"


def test_a_part_is_all_of_the_picture() -> None:
    tree = drawn(chart("used", TIMES, SERIES), Part(begin_ms=12_000, end_ms=18_000))
    first, second = paths(tree)
    assert first == ""
    assert re.fullmatch(r"M66.0,\S+H872.0", second)
    assert [one for one in words(tree) if one.endswith(" s")] == [f"{at} s" for at in range(12, 19)]
    nothing = drawn(chart("used", TIMES, SERIES), Part(begin_ms=50_000, end_ms=40_000))
    assert paths(nothing) == ["", ""]


def test_marks_have_words_where_there_is_room() -> None:
    marks = [
        {"time": 1000, "kind": "node lost", "text": "n1:1"},
        {"time": 1100, "kind": "node lost", "text": "n2:1"},
        {"time": 29_990, "kind": "node joined", "text": "n3:1"},
        {"time": 15_000, "kind": "now", "text": ""},
        {"time": 31_000, "kind": "later", "text": ""},
    ]
    tree = drawn(chart("used", TIMES, SERIES, marks=marks))
    groups = list(tree.iter(f"{SVG}g"))
    assert [one[0].text for one in groups] == ["node lost n1:1", "node lost n2:1", "now", "node joined n3:1"]
    assert [len(one) for one in groups] == [3, 2, 3, 2]
    colours = [one[1].get("stroke") for one in groups]
    assert colours == [COLOURS[name] for name in ("--bad", "--bad", "--accent", "--used")]
