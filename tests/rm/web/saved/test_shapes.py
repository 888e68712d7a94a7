"""Shapes, words and colours of pictures that stand alone."""

from __future__ import annotations

import re

from defusedxml.ElementTree import fromstring

from tests.tree import ROOT
from yarnbox.rm.web.pages.taskstream import HUES
from yarnbox.rm.web.saved.shapes import COLOURS, hue, mixed, picture, rect, word

STYLE = ROOT / "rm" / "edge" / "http" / "ui" / "style.css"


def test_the_colours_are_the_light_ones_of_the_pages() -> None:
    style = dict(re.findall(r"^  (--\w+): (.+);$", STYLE.read_text("utf-8"), re.MULTILINE))

    def light(name: str) -> str:
        value = re.sub(r"light-dark\((.+), .+\)", r"\1", style[name])
        led = re.fullmatch(r"var\((.+)\)", value)
        return light(led[1]) if led else value

    assert {name: light(name) for name in COLOURS} == COLOURS
    assert len([name for name in style if re.fullmatch(r"--line\d", name)]) == HUES
    assert hue(7) == COLOURS["--line1"]


def test_a_colour_is_mixed_with_the_ground() -> None:
    assert mixed("#000000", 100) == "#000000"
    assert mixed("#ffffff", 0) == COLOURS["--field"]
    assert mixed("#0b5cad", 45) == "#8bb0d6"


def test_a_picture_is_well_formed_whatever_names_hold() -> None:
    text = picture(
        "a & \0 b", 10, 20.25, [rect(0, 1.0, 2.55, 3, "none"), word(1, 2, "<c>\x1b", anchor="end")]
    )
    tree = fromstring(text)
    assert (tree.get("width"), tree.get("height")) == ("10", "20.2")
    assert [one.text for one in tree] == ["a & \ufffd b", None, None, "<c>\ufffd"]
    assert tree[2].attrib == {"x": "0", "y": "1", "width": "2.5", "height": "3", "fill": "none"}
