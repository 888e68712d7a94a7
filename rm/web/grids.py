"""What the address of a page says of a list: by which column its rows are sorted, and which columns are shown
in which order.

Rows that have nothing in a column stand before the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from yarnbox.rm.web.values import Answer

Natural = tuple[str | int, ...]
_DIGITS = re.compile(r"(\d+)")
_NOTHING = float("-inf")
_NUMBER_PX, _TEXT_PX = 120, 190
"""How wide columns are in lists of which a part is drawn."""


def natural(name: str) -> Natural:
    """A key of order: n2 comes before n10."""
    return tuple(int(part) if part.isdecimal() else part for part in _DIGITS.split(name))


def wants_file(asked: Mapping[str, object]) -> bool:
    """Whether what the address names is wanted as a file: of lists it has all rows, not those of one page."""
    return "save" in asked


def value_in(column: Answer, row: Answer) -> object:
    """What a row has in the column, as it is sorted and saved; None for what has not happened yet, too."""
    found = row.get(column["read"])
    if column["kind"] == "amount":
        return found["memory"] if found else None
    return None if found == "" or (column["kind"] in ("moment", "logged") and not found) else found


class Arrangement:
    """The columns of a list and the order of its rows.

    Parameters of the address are `sort` (`-` before the key of the column: the largest on top) and `columns`;
    of a list that is not what its page is about, with its key and a point before them. Columns in which no
    row had anything are left out until they are chosen: each row has to be seen.
    """

    def __init__(
        self,
        key: str,
        columns: Sequence[Answer],
        asked: Mapping[str, str],
        *,
        is_main: bool = False,
        order: str = "",
    ) -> None:
        self.key = key
        prefix = "" if is_main else f"{key}."
        self.sort_by, self.choose_by = f"{prefix}sort", f"{prefix}columns"
        """The parameters."""
        self.order = asked.get(self.sort_by) or order
        self.sorted_by, self.is_down = self.order.removeprefix("-"), self.order.startswith("-")
        self._asked = [one for one in asked.get(self.choose_by, "").split(",") if one]
        self._columns: dict[str, Answer] = {}
        self._unseen: dict[str, str] = {}
        """Columns in which no row had anything until now, and what they read."""
        self._has_rows = False
        self._taken: list[tuple[Any, Any]] = []
        """With keys of their order."""
        for one in columns:
            self.add(one)

    def add(self, column: Answer) -> None:
        """A further column."""
        self._columns[column["key"]] = column
        if not column.get("isFixed") and not column.get("isCard"):
            self._unseen[column["key"]] = column["read"]

    # Rows

    def see(self, row: Answer) -> None:
        """A row that is shown, where rows come in their order."""
        self._has_rows = True
        for key in [*self._unseen]:
            if value_in(self._columns[key], row) is not None:
                del self._unseen[key]

    def take(self, row: Answer, kept: Any = None) -> None:
        """A row that is to be sorted; what is kept for it may be smaller."""
        self.see(row)
        column = self._columns.get(self.sorted_by)
        self._taken.append((0 if column is None else _place(column, row), row if kept is None else kept))

    def taken(self) -> list[Any]:
        """All of these in their order; as they came where no column is named."""
        self._taken.sort(key=itemgetter(0), reverse=self.is_down)
        return [kept for _, kept in self._taken]

    # Columns

    @property
    def usual(self) -> list[str]:
        """The columns that are shown where none are chosen."""
        unseen = self._unseen if self._has_rows else {}
        return [key for key, one in self._columns.items() if not one.get("isOff") and key not in unseen]

    @property
    def chosen(self) -> list[str]:
        """The columns that the address names."""
        return [one for one in dict.fromkeys(self._asked) if one in self._columns]

    @property
    def names(self) -> dict[str, str]:
        """What every column is called."""
        return {key: one["name"] for key, one in self._columns.items()}

    def shown(self) -> list[Answer]:
        """The columns of the list, each with its present order and what `sort` is `next`: for numbers the
        largest first. A phone leaves out those that are `isWide`.
        """
        keys = self.chosen or self.usual
        has_cards = any(self._columns[key].get("isCard") for key in keys)
        return [self._said(self._columns[key], has_cards=has_cards) for key in keys]

    def _said(self, column: Answer, *, has_cards: bool) -> Answer:
        kept = {name: value for name, value in column.items() if name not in ("isOff", "isFixed", "isCard")}
        kept["isWide"] = has_cards and not column.get("isCard")
        kept.setdefault("width", _NUMBER_PX if column["isNumber"] else _TEXT_PX)
        if column["isNumber"]:
            kept["label"] = column["name"]
        if column.get("isFixed"):
            return kept
        key = column["key"]
        is_here = self.sorted_by == key
        goes_up = is_here and self.is_down
        kept["next"] = key if goes_up or (not is_here and not column["isNumber"]) else f"-{key}"
        if is_here:
            kept["order"] = "descending" if self.is_down else "ascending"
        return kept


def _place(column: Answer, row: Answer) -> float | Natural:
    found = value_in(column, row)
    if column["isNumber"]:
        return found if isinstance(found, int | float) else _NOTHING
    return natural("" if found is None else str(found).casefold())
