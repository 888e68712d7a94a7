"""Containers over time as a file: their lives as CSV, the part that is shown as a picture."""

from __future__ import annotations

import csv
import io
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import fromstring

from yarnbox.rm.web.pages.taskstream import traits
from yarnbox.rm.web.saved.files import file_of
from yarnbox.rm.web.saved.shapes import COLOURS
from yarnbox.rm.web.saved.stream import View, stream_svg

SVG = "{http://www.w3.org/2000/svg}"


def container(number: int, **more: Any) -> dict[str, Any]:
    usual = {
        "id": f"c{number}",
        "app": f"application_17_{number // 2:04}",
        "node": f"n{number % 3}",
        "queue": f"root.q{number}",
        "user": "mei",
        "priority": number,
        "locality": "NODE_LOCAL",
        "isAM": number == 0,
        "memoryMB": 1024,
        "state": "COMPLETE",
        "kind": "done",
        "reserved": 0,
        "allocated": 1000 * number,
        "running": 0,
        "started": 1000 * number,
        "finished": 1000 * number + 1500,
        "elapsed": 1500,
        "exitStatus": 0,
        "diagnostics": "=ok",
    }
    return {**usual, **more}


def answer(*containers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"now": 20_000, "container": list(containers), "traits": traits(counts_vcores=False), **more}


def drawn(found: dict[str, Any], **view: Any) -> Element:
    tree: Element = fromstring(stream_svg(found, View(**view), lambda ms: f"{ms} ms"))
    return tree


def words(tree: Element) -> list[str]:
    return [one.text or "" for one in tree.iter(f"{SVG}text")]


def bars(tree: Element) -> list[Element]:
    """Those right of the names, except lines."""
    whole = [one for one in tree if one.tag == f"{SVG}rect"]
    return [
        one for one in whole[1:] if float(one.attrib["x"]) >= 150 and one.get("fill") != COLOURS["--line"]
    ]


FOUND = answer(*(container(number) for number in range(8)))


def test_the_life_of_every_container_is_in_the_file() -> None:
    found = answer(container(1), container(2, state="RUNNING", finished=0))
    text = file_of(found, {"save": ["csv"]}, str).text
    first, second = csv.DictReader(io.StringIO(text, newline=""))
    assert (first["Container"], first["Ended"], first["Reserved"]) == ("c1", "2500", "")
    assert (second["State"], second["Ended"], second["Diagnostics"]) == ("RUNNING", "", "'=ok")
    assert "VCores" not in first


def test_a_picture_has_bars_in_groups_with_names() -> None:
    tree = drawn(FOUND, name="root.<a>")
    assert tree[0].text == "root.<a>"
    assert [one for one in words(tree) if one.startswith("n")] == ["n0", "n1", "n2"]
    assert len(bars(tree)) == 8
    assert {one.get("fill") for one in bars(tree)} == {COLOURS["--accent"]}
    assert words(tree)[-1] == "completed: 8"
    assert "2000 ms" in words(tree)
    assert float(tree.attrib["height"]) == 3 * 15 + 18 + 2 * 18


def test_lanes_and_colours_are_those_that_were_chosen() -> None:
    tree = drawn(FOUND, lanes="app", colour="role")
    shown = words(tree)
    assert [one for one in shown if one.startswith("…")] == ["… 0000", "… 0001", "… 0002", "… 0003"]
    assert shown[-2:] == ["ApplicationMaster: 1", "other: 7"]
    assert [one.get("fill") for one in bars(tree)][:2] == [COLOURS["--over"], COLOURS["--used"]]
    assert words(drawn(FOUND, lanes="of old", colour="of old")) == words(drawn(FOUND))


def test_what_went_wrong_is_hatched() -> None:
    tree = drawn(answer(container(1, kind="preempted"), container(2)))
    (pattern,) = tree.iter(f"{SVG}pattern")
    fills = [one.get("fill") for one in bars(tree)]
    assert fills == [f"url(#{pattern.get('id')})", COLOURS["--accent"]]
    assert [one.get("fill") for one in pattern] == [COLOURS["--over"], COLOURS["--field"]]


def test_names_get_the_colours_in_turn_and_then_hatched() -> None:
    names = {"application_17_0001": "sort"}
    tree = drawn(answer(*(container(number) for number in range(30)), names=names), colour="app")
    shown = words(tree)
    assert "sort: 2" in shown
    assert shown[-1] == "and 3 more"
    assert len(list(tree.iter(f"{SVG}pattern"))) == 15 - 6
    by_priority = drawn(FOUND, colour="priority")
    assert [one for one in words(by_priority) if one.endswith(": 1")] == [f"{one}: 1" for one in range(8)]


def test_a_part_of_the_time_and_of_the_lanes() -> None:
    tree = drawn(FOUND, time=(3000, 5000), rows=(1, 2))
    assert [one for one in words(tree) if one.startswith("n")] == ["n1"]
    (bar,) = bars(tree)
    assert float(bar.attrib["x"]) == 150 + 1050 / 2
    assert not bars(drawn(FOUND, time=(90_000, 80_000)))
    marked = drawn(FOUND, present_ms=2000)
    assert [one.get("width") for one in bars(marked) if one.get("height") == "45"] == ["2"]
