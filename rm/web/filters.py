"""The filter of every list: words that have to occur somewhere, `state:RUNNING` and the like for one field,
`mem>4096` for numbers. All must hold, and nothing typed is wrong.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Protocol

from yarnbox.rm.web.values import Answer

_COMPARED = re.compile(r"([a-z]+)(<=|>=|<|>|=)(-?\d+(?:\.\d+)?)")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_WORDS = re.compile(r'(?:[^\s"]|"[^"]*")+')
MOST_VALUES = 200
"""So many values of a facet are counted for the page."""


class HasFields(Protocol):
    """A row: its texts, and its numbers when asked for."""

    @property
    def texts(self) -> Mapping[str, str]:
        """By the names that filters use."""
        ...

    @property
    def number(self) -> Callable[[str], float]:
        """One of the numbers, by name."""
        ...


@dataclass(frozen=True, slots=True)
class Query:
    """A filter that was typed, parsed."""

    words: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str, float], ...] = ()

    def holds(self, one: HasFields) -> bool:
        """Whether the row matches the filter."""
        for key, wanted in self.texts:
            has = one.texts[key].lower()
            if key == "queue":
                if not is_within(has, wanted):
                    return False
            elif key == "state" or key == "final":
                if has not in wanted.split("|"):
                    return False
            elif wanted not in has:
                return False
        if any(not _OPERATORS[sign](one.number(key), bound) for key, sign, bound in self.numbers):
            return False
        everything = "\n".join(one.texts.values()).lower() if self.words else ""
        return all(word in everything for word in self.words)


def parse(text: str, names: Collection[str], numbers: Collection[str]) -> Query:
    """Parses the filter as it is typed, so an unfinished word is accepted as a word. `names` are those of the
    texts.
    """
    words, texts, compared_numbers = [], [], []
    for found in _WORDS.findall(text.lower()):
        whole = found.replace('"', "")
        key, colon, value = whole.partition(":")
        compared = _COMPARED.fullmatch(whole)
        if colon and key in names:
            if value:
                texts.append((key, value))
        elif compared and compared[1] in numbers:
            compared_numbers.append((compared[1], compared[2], float(compared[3])))
        elif whole:
            words.append(whole)
    return Query(tuple(words), tuple(texts), tuple(compared_numbers))


def is_within(path: str, queue: str) -> bool:
    """Whether a queue is that one, by path or by its last name, or below it."""
    return queue in (path, path.rpartition(".")[2]) or path.startswith(queue + ".")


class Facets:
    """Fields of which values are chosen, and how often each value occurs. A field counts what the others let
    through, so that one sees what another choice would bring.
    """

    def __init__(self, chosen: Mapping[str, Sequence[str]]) -> None:
        self._chosen = {name: values for name, values in chosen.items() if values}
        self._counts: dict[str, dict[str, int]] = {name: {} for name in chosen}

    def passes(self, texts: Mapping[str, str]) -> bool:
        """Counts a row; whether it has the values that are chosen."""
        missed = [name for name, wanted in self._chosen.items() if not _is_one_of(texts[name], name, wanted)]
        for name in self._counts if not missed else missed if len(missed) == 1 else ():
            counts, has = self._counts[name], texts[name]
            counts[has] = counts.get(has, 0) + 1
        return not missed

    def counts(self) -> dict[str, dict[str, int]]:
        """Of many values the most frequent."""
        return {name: _most_frequent(counts) for name, counts in self._counts.items()}


def _is_one_of(has: str, name: str, wanted: Sequence[str]) -> bool:
    return any(is_within(has, value) for value in wanted) if name == "queue" else has in wanted


def _most_frequent(counts: dict[str, int]) -> dict[str, int]:
    if len(counts) <= MOST_VALUES:
        return counts
    return dict(nlargest(MOST_VALUES, counts.items(), key=operator.itemgetter(1)))


class _Texts(Mapping[str, str]):
    """Made when asked for: most rows of most lists are asked for few of them."""

    __slots__ = ("_fields", "_row")

    def __init__(self, row: Answer, fields: Mapping[str, str]) -> None:
        self._row, self._fields = row, fields

    def __getitem__(self, key: str) -> str:
        return str(self._row.get(self._fields[key], ""))

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


class Listed:
    """A row of a list as its filter looks at it; fields of rows by the names that filters use."""

    __slots__ = ("_numbers", "_row", "texts")

    def __init__(self, row: Answer, texts: Mapping[str, str], numbers: Mapping[str, str]) -> None:
        self._row, self._numbers = row, numbers
        self.texts: Mapping[str, str] = _Texts(row, texts)

    def number(self, key: str) -> float:
        """0 where the row has none."""
        return float(self._row.get(self._numbers[key]) or 0)
