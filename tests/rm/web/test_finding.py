"""A page of a long list: what is counted beside it stays short, however many values there are."""

from __future__ import annotations

from dataclasses import dataclass

from yarnbox.rm.web.filters import MOST_VALUES
from yarnbox.rm.web.finding import TEXTS, Row, find, parse
from yarnbox.yarn.ids import ApplicationId


@dataclass(frozen=True)
class App:
    application_id: ApplicationId


def row(number: int, user: str) -> Row[App]:
    texts = {**dict.fromkeys(TEXTS, "x"), "user": user}
    return Row(App(ApplicationId(1, number)), texts, lambda key: number)


def test_of_many_values_a_facet_counts_the_most_frequent() -> None:
    rows = [row(number, f"u{number}") for number in range(MOST_VALUES + 50)]
    rows += [row(MOST_VALUES + 50 + number, "often") for number in range(2)]
    found = find(rows, parse(""), {}, "-id", 0, 3)
    assert (found.total, found.matching) == (MOST_VALUES + 52, MOST_VALUES + 52)
    assert [one.app.application_id.id for one in found.rows] == [MOST_VALUES + 51 - one for one in range(3)]
    assert len(found.facets["user"]) == MOST_VALUES
    assert next(iter(found.facets["user"].items())) == ("often", 2)
    assert found.facets["queue"] == {"x": MOST_VALUES + 52}
