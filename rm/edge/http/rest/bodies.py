"""What callers send: JSON or XML, as plain data; and how to read it without surprises.

A list of one may come as the bare element, a number as a string, a map as a list of entries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import defusedxml.ElementTree
from defusedxml import DefusedXmlException

from yarnbox.rm.web.refusals import RestError, bad_request, text

_MEDIA_TYPES = ("application/json", "application/xml", "text/xml")


def is_xml(content_type: str) -> bool:
    """Whether a body of this type is XML."""
    return _kind(content_type) in _MEDIA_TYPES[1:]


def _kind(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def parse(content_type: str, raw: bytes) -> dict[str, object]:
    """The body as a mapping; 415 for another type, 400 for what cannot be read."""
    if not raw.strip():
        return {}
    kind = _kind(content_type)
    if kind not in _MEDIA_TYPES:
        raise text(415, f"Unsupported Media Type: {kind or 'none'}")
    try:
        value = _of_json(raw) if kind == "application/json" else _of_element(_root(raw))
    except (ValueError, RecursionError, DefusedXmlException, SyntaxError) as error:
        raise bad_request(f"the body cannot be read: {error}") from None
    if value == "":
        return {}
    if not isinstance(value, dict):
        raise bad_request("the body has to be an object")
    return value


def _of_json(raw: bytes) -> object:
    """ValueError, too, for half a character behind an escape: no message could hold it, no list show it."""
    value = json.loads(raw)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _root(raw: bytes) -> Element:
    root: Element = defusedxml.ElementTree.fromstring(raw)
    return root


def _of_element(element: Element) -> object:
    found: dict[str, Any] = {}
    for child in element:
        name, value = child.tag.rpartition("}")[2], _of_element(child)
        if name not in found:
            found[name] = value
        elif isinstance(found[name], list):
            found[name].append(value)
        else:
            found[name] = [found[name], value]
    return found if found else (element.text or "").strip()


class Body:
    """The mapping in a request's body."""

    def __init__(
        self, values: Mapping[str, Any], where: str = "", *, is_xml: bool = False, was_sent: bool = True
    ) -> None:
        self.values = values
        self.is_xml = is_xml
        """Whether it was sent as XML, whose root has a name that JSON may not have."""
        self.was_sent = was_sent
        self._where = where

    def check_sent(self) -> None:
        """400 when the body is missing; an empty object is accepted."""
        if not self.was_sent:
            raise RestError(
                400,
                "javax.ws.rs.WebApplicationException",
                "javax.xml.bind.UnmarshalException: there is nothing where an object has to be",
            )

    def _wrong(self, name: str, wanted: str) -> RestError:
        return bad_request(f"{self._where}{name} has to be {wanted}")

    def string(self, name: str) -> str | None:
        """A text; None when it is not there."""
        value = self.values.get(name)
        if value is None:
            return None
        if isinstance(value, dict | list):
            raise self._wrong(name, "a text")
        return ("true" if value else "false") if isinstance(value, bool) else str(value)

    def integer(self, name: str) -> int | None:
        """A whole number of 32 bits; None when it is not there."""
        return self.number(name, bits=32)

    def number(self, name: str, *, bits: int = 64) -> int | None:
        """A whole number; None when it is not there."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        try:
            if isinstance(value, bool | dict | list):
                raise ValueError
            number = int(value)
        except (ValueError, TypeError, OverflowError):
            raise self._wrong(name, "a number") from None
        if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
            raise self._wrong(name, f"a number of {bits} bits")
        return number

    def flag(self, name: str, default: bool = False) -> bool:
        """A truth value."""
        value = self.values.get(name, default)
        return value if isinstance(value, bool) else str(value).strip().lower() == "true"

    def inner(self, name: str) -> Body | None:
        """An object in it; None when it is not there."""
        value = self.values.get(name)
        if value is None or value == "":
            return None
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return Body(value, f"{self._where}{name}.")

    def items(self, name: str) -> list[Any]:
        """A list; a single value counts as a list of one."""
        value = self.values.get(name)
        if value is None or value == "":
            return []
        return list(value) if isinstance(value, list) else [value]

    def bodies(self, name: str) -> list[Body]:
        """A list of objects; a single one counts as a list of one."""
        found = self.items(name)
        if any(not isinstance(one, dict) for one in found):
            raise self._wrong(name, "a list of objects")
        return [Body(one, f"{self._where}{name}.") for one in found]

    def strings(self, name: str) -> tuple[str, ...]:
        """A list of texts, or the only one."""
        return tuple(str(one) for one in self.items(name))

    def entries(self, name: str) -> dict[str, object]:
        """A map, written as entries of key and value."""
        inner = self.inner(name)
        if inner is None:
            return {}
        return {str(one.values.get("key", "")): one.values.get("value") for one in inner.bodies("entry")}
