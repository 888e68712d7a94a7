"""Elements as text."""

from __future__ import annotations

from yarnbox.yarn.drawing.markup import Html, element


def test_texts_and_attributes_are_escaped() -> None:
    assert element("p", "a<b", title='"x"&') == '<p title="&quot;x&quot;&amp;">a&lt;b</p>'
    assert element("p", Html("<b>1</b>"), None, 2, class_=None) == "<p><b>1</b>2</p>"
    assert element("line", stroke_width=2) == '<line stroke-width="2"/>'
