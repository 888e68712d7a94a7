"""From an answer to a file: which part, of which kind, under which name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from yarnbox.rm.web.grids import Arrangement
from yarnbox.rm.web.pages.blocks import chart, column, folded, grid, heading, line, section
from yarnbox.rm.web.refusals import RestError
from yarnbox.rm.web.saved.files import File, file_of

COLUMNS = (column("id", "ID", isCard=True), column("used", "Used", "gib"))
ROWS = [{"id": "n2", "used": 1}, {"id": "n10", "used": 2}]
ANSWER = {
    "node": ROWS,
    "block": [
        heading("Nodes"),
        section([grid(Arrangement("nodes", COLUMNS, {}), "Nodes", "node")]),
        folded("More", [grid(Arrangement("others", COLUMNS, {"others.sort": "-id"}), "Others", ROWS)]),
    ],
}


def one(key: str) -> Any:
    return {"block": [grid(Arrangement(key, COLUMNS, {}), "One", ROWS)]}


def saved(answer: Any = ANSWER, **asked: str) -> File:
    return file_of(answer, {name: [value] for name, value in asked.items()}, str)


def refusal(answer: Any = ANSWER, **asked: str) -> str:
    with pytest.raises(RestError) as refused:
        saved(answer, **asked)
    assert refused.value.status == 400
    return refused.value.message


def test_a_list_beside_the_page() -> None:
    file = saved(save="csv", part="nodes")
    assert (file.name, file.kind) == ("nodes.csv", "text/csv")
    assert file.headers == {"Content-Disposition": 'attachment; filename="nodes.csv"'}
    assert file.text == "ID,Used\r\nn2,1\r\nn10,2\r\n"
    assert json.loads(saved(save="json", part="nodes").text) == ROWS


def test_a_list_within_the_page() -> None:
    assert json.loads(saved(save="json", part="others").text) == ROWS[::-1]


def test_the_columns_are_those_that_are_shown() -> None:
    shown = Arrangement("one", COLUMNS, {"one.columns": "used"})
    assert saved({"block": [grid(shown, "One", ROWS)]}, save="csv").text == "Used\r\n1\r\n2\r\n"


def test_the_only_part_needs_no_name() -> None:
    assert saved(one("one"), save="csv").name == "one.csv"


def test_containers_are_saved_by_what_tells_their_life() -> None:
    rows = [{"id": "c1", "elapsed": 30, "finished": 0}, {"id": "c2", "elapsed": 10, "finished": 60}]
    columns = (column("id", "Container"), column("elapsed", "Elapsed", "duration"))
    file = saved({"container": rows, "traits": {"life": columns}}, save="csv")
    assert file.text == "Container,Elapsed\r\nc1,30\r\nc2,10\r\n"


USED = {"block": [folded("Each", [section([chart("root: used", [1000, 3000], [line("a", [1, 2])])])])]}


def test_a_chart() -> None:
    file = saved(USED, save="csv", part="root: used")
    assert (file.name, file.text) == ("root-used.csv", "time,a\r\n1000,1\r\n3000,2\r\n")
    file = saved(USED, save="svg", begin="1500.5", end="-2")
    assert (file.name, file.kind) == ("root-used.svg", "image/svg+xml")
    assert file.text.startswith("<svg ")
    assert ">a</text>" in file.text
    assert ">a</text>" not in saved(USED, save="svg", without="a").text


@pytest.mark.parametrize("number", ["12.345678901234567", "946684801234.5677", "5e-7", "-0.1"])
def test_a_part_is_named_by_numbers_as_browsers_write_them(number: str) -> None:
    assert saved(USED, save="svg", begin=number).text.startswith("<svg ")


@pytest.mark.parametrize("number", ["noon", "nan", "1e300", "9" * 16, "1_000", "\u0661"])
def test_other_words_are_no_numbers(number: str) -> None:
    assert refusal(USED, save="svg", begin=number) == f"begin has to be a number, not {number}"


def test_a_chart_that_cannot_be_drawn() -> None:
    assert refusal(USED, save="svg", end="noon") == "end has to be a number, not noon"
    assert refusal(USED, save="json") == "root: used can be saved as csv or svg"
    young = {"block": [chart("used", [1000], [line("a", [1])])]}
    assert refusal(young, save="svg") == "there are no samples yet"


def test_what_there_is_not_is_refused_in_a_sentence() -> None:
    assert refusal(save="pdf", part="nodes") == "save has to be csv, json, svg, not pdf"
    assert refusal(save="csv", part="node") == "part has to be one of: nodes, others"
    assert refusal(save="csv") == "part has to be one of: nodes, others"
    assert refusal(save="svg", part="nodes") == "nodes can be saved as csv or json"
    said = "there is nothing here that can be saved"
    assert refusal({"block": [heading("Nodes")]}, save="csv") == said
    assert refusal({}, save="csv") == refusal(None, save="csv") == said


@pytest.mark.parametrize(
    ("key", "name"),
    [("a b/c", "a-b-c.csv"), ("../..", "saved.csv"), ("é", "saved.csv"), ('x"\r\ny', "x-y.csv")],
)
def test_every_file_system_takes_the_name(key: str, name: str) -> None:
    assert saved(one(key), save="csv").name == name
