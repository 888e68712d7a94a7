"""Which columns a list shows, and in what order its rows come."""

from __future__ import annotations

from typing import Any

import pytest

from yarnbox.rm.web.grids import Arrangement, natural, value_in
from yarnbox.rm.web.pages.blocks import column, grid
from yarnbox.rm.web.values import Answer

COLUMNS = (
    column("id", "ID", isCard=True),
    column("name", "Name"),
    column("mem", "Memory", "gib", "memoryMB"),
    column("ended", "Ended", "moment"),
    column("held", "Held", "amount"),
    column("host", "Host", isOff=True),
    column("logs", "Logs", isFixed=True),
)


def ids(rows: list[Answer], order: str = "", **asked: str) -> list[str]:
    found = Arrangement("list", COLUMNS, asked, is_main=True, order=order)
    for row in rows:
        found.take(row)
    return [row["id"] for row in found.taken()]


def test_names_are_ordered_as_people_do() -> None:
    assert sorted(["n10", "n2", "n", "2n"], key=natural) == ["2n", "n", "n2", "n10"]


def test_what_has_not_happened_has_no_value() -> None:
    by_key = {one["key"]: one for one in COLUMNS}
    row = {"id": "a", "name": "", "ended": 0, "held": {"memory": 1024, "vCores": 1}}
    assert [value_in(one, row) for one in COLUMNS[:5]] == ["a", None, None, None, 1024]
    assert value_in(by_key["ended"], {"ended": 7}) == 7
    assert value_in(by_key["held"], {"held": None}) is None


ROWS: list[Answer] = [
    {"id": "n10", "name": "b", "memoryMB": 512, "ended": 7, "held": {"memory": 2, "vCores": 1}},
    {"id": "n2", "name": "A", "memoryMB": 2048, "ended": 0, "held": {"memory": 10, "vCores": 1}},
    {"id": "n3", "name": "", "ended": 5, "held": None},
    {"id": "n4", "name": "b", "memoryMB": -1, "ended": 5, "held": {"memory": 2, "vCores": 3}},
]


@pytest.mark.parametrize(
    "sort, expected",
    [
        ("id", ["n2", "n3", "n4", "n10"]),
        ("-id", ["n10", "n4", "n3", "n2"]),
        ("name", ["n3", "n2", "n10", "n4"]),
        ("-name", ["n10", "n4", "n2", "n3"]),
        ("mem", ["n3", "n4", "n10", "n2"]),
        ("-mem", ["n2", "n10", "n4", "n3"]),
        ("ended", ["n2", "n3", "n4", "n10"]),
        ("-held", ["n2", "n10", "n4", "n3"]),
        ("nothing", ["n10", "n2", "n3", "n4"]),
        ("", ["n10", "n2", "n3", "n4"]),
    ],
)
def test_rows_are_sorted_by_a_column(sort: str, expected: list[str]) -> None:
    assert ids(ROWS, sort=sort) == expected


def test_the_address_says_otherwise_than_usual() -> None:
    assert ids(ROWS, order="-mem") == ["n2", "n10", "n4", "n3"]
    assert ids(ROWS, order="-mem", sort="id") == ["n2", "n3", "n4", "n10"]


def shown(rows: list[Answer], order: str = "", **asked: Any) -> Answer:
    return grid(Arrangement("list", COLUMNS, asked, order=order), "A list", rows)


def keys(part: Answer) -> list[str]:
    return [one["key"] for one in part["columns"]]


def test_columns_in_which_there_is_nothing_are_left_out() -> None:
    some = [{"id": "a", "name": "", "ended": 0}, {"id": "b", "name": "", "memoryMB": 0}]
    assert keys(shown(some)) == ["id", "mem", "logs"]
    assert keys(shown([])) == ["id", "name", "mem", "ended", "held", "logs"], "it may come"
    assert keys(shown(some, **{"list.columns": "name,id"})) == ["name", "id"], "chosen ones are shown"


def test_the_columns_are_chosen_by_the_address() -> None:
    part = shown(ROWS, **{"list.columns": "host,,id,nothing,host"})
    assert (keys(part), part["chosen"], part["chooseBy"]) == (["host", "id"], "host,id", "list.columns")
    usual = shown(ROWS, **{"list.columns": "usual"})
    assert (keys(usual)[0], usual["chosen"]) == ("id", "")
    assert keys(shown(ROWS, columns="host"))[0] == "id", "that is another list's"


def test_a_column_says_its_order_and_the_next_one() -> None:
    def heads(sort: str) -> dict[str, tuple[str | None, str | None]]:
        part = shown(ROWS, **{"list.sort": sort})
        assert part["sortBy"] == "list.sort"
        return {one["key"]: (one.get("order"), one.get("next")) for one in part["columns"]}

    assert heads("id")["id"] == ("ascending", "-id")
    assert heads("-id")["id"] == ("descending", "id")
    assert heads("-id")["name"] == (None, "name")
    assert heads("-id")["mem"] == (None, "-mem"), "numbers from the largest"
    assert heads("mem")["mem"] == ("ascending", "-mem")
    assert heads("-mem")["mem"] == ("descending", "mem")
    assert heads("id")["logs"] == (None, None)


def test_a_phone_shows_the_columns_of_cards_where_there_are_any() -> None:
    assert [one["isWide"] for one in shown(ROWS)["columns"][:2]] == [False, True]
    assert not any(one["isWide"] for one in shown(ROWS, **{"list.columns": "name,mem"})["columns"])


def test_columns_are_shown_hidden_and_moved_by_links() -> None:
    (folded,) = shown(ROWS, **{"list.columns": "id,name,host"})["chooser"]
    entries, usual = folded["folded"]
    links = {
        str(link.get("label", link["link"])): link["ask"]
        for entry in entries["items"]
        for link in entry
        if isinstance(link, dict)
    }
    (reset,) = usual["paragraph"]
    assert (reset["link"], reset["ask"]) == ("Reset columns", ["list.columns", "usual"])
    of_name = {label: ask[1] for label, ask in links.items() if "Name" in label}
    assert of_name == {
        "☑ Name: hide": "id,host",
        "Name to the left": "name,id,host",
        "Name to the right": "id,host,name",
    }
    assert links["☐ Memory: show"] == ["list.columns", "id,name,host,mem"]
    assert "ID to the left" not in links
    assert "Host to the right" not in links
    (only,) = shown(ROWS, **{"list.columns": "id"})["chooser"]
    assert only["folded"][0]["items"][0] == ["☑ ID"], "one is shown at least"
