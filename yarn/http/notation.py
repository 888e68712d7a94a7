"""Answers as text: JSON in the two notations that Hadoop's clients know, and XML.

The natural notation keeps numbers and lists of one; the mapped one writes every leaf as a string and a list
of one as its element. Hadoop: JAXBContextResolver and Jersey's two providers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape, quoteattr

JSON = "application/json"
XML = "application/xml"
_XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_TYPED = ("schedulerInfo", "queue", "rootQueue")


_natural = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def natural(value: Any) -> str:
    """Notation N; what is no finite number is written as a word."""
    try:
        return _natural(value)
    except ValueError:
        return _natural(_finite(value))


def mapped(value: dict[str, Any], *, empty: str = "null") -> str:
    """Notation M; an object with nothing in it is `null`, a root with nothing in it what `empty` says."""
    shown = _mapped(value)
    return json.dumps(shown, separators=(",", ":"), ensure_ascii=False) if shown else empty


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list) else value


def _mapped(value: Any) -> Any:
    if isinstance(value, dict):
        shown = {name: _mapped(each) for name, each in value.items() if each is not None and each != []}
        return shown or None
    if isinstance(value, list):
        parts = [_mapped(each) for each in value]
        return parts[0] if len(parts) == 1 else parts
    return leaf(value)


def leaf(value: Any) -> str | None:
    """A leaf as text."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    return str(value)


def element(name: str, value: Any) -> str:
    """A value as an XML element; a list as one element for each of its members. A key that is no name of an
    element, for some user wrote it, stands in an attribute.
    """
    if isinstance(value, list):
        return "".join(element(name, each) for each in value)
    attribute = ""
    if _NAME.fullmatch(name) is None:
        name, attribute = "entry", f" name={quoteattr(allowed(name))}"
    if not isinstance(value, dict):
        text = leaf(value)
        return "" if text is None else f"<{name}{attribute}>{escape(allowed(text))}</{name}>"
    if name in _TYPED and "type" in value:
        attribute = f" {_XSI} xsi:type={quoteattr(str(value['type']))}"
        value = {key: each for key, each in value.items() if key != "type"}
    inside = "".join(element(key, each) for key, each in value.items())
    return f"<{name}{attribute}>{inside}</{name}>"


def allowed(text: str) -> str:
    """Without the characters that XML has no way to write."""
    return "".join(
        one if one in "\t\n\r" or (one >= " " and one not in "\ufffe\uffff") else "\ufffd" for one in text
    )


def document(root: str, value: Any) -> str:
    """A whole XML document."""
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{element(root, value)}'


def preferred(accept: str | None) -> str | None:
    """JSON or XML, as the caller likes best; JSON when it does not mind; None when neither will do."""
    if not accept or not accept.strip():
        return JSON
    weights = {JSON: 0.0, XML: 0.0}
    for kind, weight in _weighed(accept):
        for known in (JSON, XML) if kind in ("*/*", "application/*") else (kind,):
            if known in weights:
                weights[known] = max(weights[known], weight)
    best = JSON if weights[JSON] >= weights[XML] else XML
    return best if weights[best] > 0 else None


def accepted(accept: str | None) -> list[str]:
    """The types that a caller takes, the dearest first; of those equally dear, the most specific one."""
    named = [(weight, kind) for kind, weight in _weighed(accept or "") if weight > 0]
    return [kind for _, kind in sorted(named, key=lambda one: (-one[0], one[1].count("*")))]


def _weighed(accept: str) -> Iterator[tuple[str, float]]:
    for part in accept.split(","):
        kind, *parameters = [word.strip().lower() for word in part.split(";")]
        weight = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    weight = float(parameter[2:])
                except ValueError:
                    weight = 0.0
        if kind:
            yield kind, weight
