"""Typed reading of one JSON object: each fault names file, position and key.

SLS's files hold numbers as numbers or as strings; ours hold numbers. Keys that nobody has asked for are told
at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.yarn.resources.resource import Resource

LARGEST = 2**53
"""Amounts and times: what every reader of JSON can hold."""
LARGEST_INT = 2**31 - 1


class Fields:
    """One object of a file."""

    def __init__(self, value: Any, where: str, path: str = "", *, is_lax: bool = False) -> None:
        """`where` is file and line, `path` the way to the object; `is_lax` takes numbers in strings."""
        self.where, self.path, self._is_lax = where, path, is_lax
        self._asked: dict[str, None] = {}
        if not isinstance(value, Mapping):
            raise self.fault("", f"has to be an object, not {shown(value)}")
        self._data: Mapping[str, Any] = value

    def fault(self, key: str, what: str) -> InvalidTraceError:
        """What is wrong with the value at a key."""
        name = ".".join(part for part in (self.path, key) if part)
        return InvalidTraceError(f"{self.where}: {name}: {what}" if name else f"{self.where}: {what}")

    def __contains__(self, key: str) -> bool:
        return key in self._data

    @property
    def keys(self) -> Sequence[str]:
        """All keys of the object."""
        return list(self._data)

    def first_of(self, *keys: str) -> str | None:
        """The first of these keys that is there."""
        for key in keys:
            self._asked[key] = None
        return next((key for key in keys if self._data.get(key) is not None), None)

    def unknown(self) -> list[str]:
        """The keys that nobody has asked for."""
        return [key for key in self._data if key not in self._asked]

    def value(self, key: str) -> Any:
        """Whatever stands there; None where nothing does."""
        self._asked[key] = None
        return self._data.get(key)

    def text(self, key: str, default: str | None = None, *, choices: Sequence[str] = ()) -> str:
        """A text that is not empty."""
        found = self.value(key)
        if found is None:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        if self._is_lax and type(found) is int:
            found = str(found)
        if not isinstance(found, str) or not found.strip():
            raise self.fault(key, f"has to be a text, not {shown(found)}")
        if choices and found not in choices:
            raise self.fault(key, f"has to be one of {', '.join(choices)}, not {shown(found)}")
        return found.strip()

    def optional_text(self, key: str) -> str | None:
        """A text; None where there is none."""
        return None if self.value(key) is None else self.text(key)

    def label(self, key: str) -> str | None:
        """A label expression: "" is the default partition, None leaves it to the queue."""
        found = self.value(key)
        if found is not None and not isinstance(found, str):
            raise self.fault(key, f"has to be a text, not {shown(found)}")
        return None if found is None else str(found)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; () where there is none."""
        found = self.value(key)
        if found is None:
            return ()
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            raise self.fault(key, f"has to be a list of texts, not {shown(found)}")
        return tuple(found)

    def integer(
        self, key: str, default: int | None = None, *, at_least: int = 0, at_most: int = LARGEST
    ) -> int:
        """A whole number within bounds."""
        found = self.value(key)
        if found is None:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        return self._whole(key, found, at_least, at_most)

    def _whole(self, key: str, found: Any, at_least: int, at_most: int) -> int:
        number: int | None = None
        if type(found) is int:
            number = found
        elif self._is_lax and isinstance(found, float) and found.is_integer():
            number = int(found)
        elif self._is_lax and isinstance(found, str):
            digits = found.strip().removeprefix("-")
            if digits.isascii() and digits.isdigit() and len(digits) < 20:
                number = int(found)
        if number is None:
            raise self.fault(key, f"has to be a whole number, not {shown(found)}")
        if not at_least <= number <= at_most:
            bound = f"at least {at_least}" if number < at_least else f"at most {at_most}"
            raise self.fault(key, f"has to be {bound}, not {number}")
        return number

    def integers(self, key: str, *, at_least: int = 0) -> tuple[int, ...]:
        """A list of whole numbers; () where there is none."""
        found = self.value(key)
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self.fault(key, f"has to be a list of whole numbers, not {shown(found)}")
        return tuple(
            self._whole(f"{key}[{place}]", one, at_least, LARGEST) for place, one in enumerate(found)
        )

    def number(self, key: str, default: float | None = None, *, at_least: float | None = None) -> float:
        """A finite number."""
        found = self.value(key)
        if found is None:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        if self._is_lax and isinstance(found, str):
            with suppress(ValueError):
                found = float(found)
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            raise self.fault(key, f"has to be a number, not {shown(found)}")
        if at_least is not None and found < at_least:
            raise self.fault(key, f"has to be at least {at_least:g}, not {found:g}")
        return float(found)

    def numbers(self, key: str) -> list[float]:
        """A list of finite numbers that is not empty."""
        found = self.value(key)
        if not isinstance(found, list) or not found:
            raise self.fault(key, f"has to be a list of numbers, not {shown(found)}")
        return [
            Fields({"": one}, self.where, self._below(f"{key}[{place}]")).number("")
            for place, one in enumerate(found)
        ]

    def resource(self, key: str, default: Resource | None = None) -> Resource:
        """An object of amounts by resource type."""
        found = self.value(key)
        if found is None:
            if default is None:
                raise self.fault(key, "is missing")
            return default
        below = Fields(found, self.where, self._below(key), is_lax=self._is_lax)
        return Resource.of({name: below.integer(name) for name in below.keys})

    def amounts(self, prefix: str, default: Resource, *, but: Sequence[str] = ()) -> Resource:
        """The amounts that stand at `prefix` + resource type, above the default."""
        named = [key for key in self._data if key.startswith(prefix) and key not in but]
        keys = [key for key in named if self.value(key) is not None]
        if not keys:
            return default
        found = default.as_dict()
        for key in keys:
            name = key.removeprefix(prefix)
            found[MEMORY_NAMES.get(name, name)] = self.integer(key)
        return Resource.of(found)

    def below(self, key: str) -> Fields:
        """The object at a key."""
        return Fields(self.value(key), self.where, self._below(key), is_lax=self._is_lax)

    def each(self, key: str) -> Iterator[Fields]:
        """The objects of the list at a key; nothing where there is none."""
        found = self.value(key)
        if found is None:
            return
        if not isinstance(found, list):
            raise self.fault(key, f"has to be a list, not {shown(found)}")
        for place, one in enumerate(found):
            yield Fields(one, self.where, self._below(f"{key}[{place}]"), is_lax=self._is_lax)

    def _below(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


MEMORY_NAMES = {"memory": "memory-mb"}


def shown(value: Any) -> str:
    """A value for a message: not longer than one can read."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
