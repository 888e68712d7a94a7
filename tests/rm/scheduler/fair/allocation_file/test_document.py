"""The allocation file as elements: lines kept, comments left out, entities refused."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.fair.allocation_file.document import read_document
from yarnbox.yarn.configuration import ConfigurationError


def test_elements_have_lines_attributes_and_text() -> None:
    top = read_document('<?xml version="1.0"?>\n<a>\n  <b name="x">one<!-- no --> two</b>\n</a>\n', "f.xml")
    (child,) = top.children
    assert (top.name, top.line, child.line, child.attributes) == ("a", 2, 3, {"name": "x"})
    assert child.text == "one two"


@pytest.mark.parametrize(
    "text, fault",
    [
        ("<a>\n<b></a>", r"f\.xml:2: not well-formed"),
        ("", r"f\.xml:1: not well-formed"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "entity"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "f">]><a/>', "entity"),
    ],
)
def test_what_is_no_safe_xml_is_refused(text: str, fault: str) -> None:
    with pytest.raises(ConfigurationError, match=fault):
        read_document(text, "f.xml")
