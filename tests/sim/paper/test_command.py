"""`yarnbox paper`: what is printed and written, what is refused. Cheapest is dominant resource fairness."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from yarnbox.sim.paper.command import main
from yarnbox.sim.paper.drawing import drawn
from yarnbox.sim.paper.figures import Line, Plot, Spread, Unit, value_text
from yarnbox.sim.paper.register import EXPERIMENTS


def run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(list(words), out=out, err=err)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    directory = tmp_path_factory.mktemp("paper")
    status, out, _ = run("drf", "--small", "--workers", "1", "--out", str(directory))
    assert status == 0
    return directory, out


def tables(directory: Path) -> dict[str, Any]:
    (told,) = json.loads((directory / "paper" / "paper.json").read_text())["experiments"]
    return {table["name"]: table["rows"] for table in told["tables"]}


def test_dominant_resources_are_shared_as_published(written: tuple[Path, str]) -> None:
    for row in tables(written[0])["example"]:
        assert row["literature"]["origin"] == "P"
        assert row["here"]["Fair, drf"] == row["literature"]["value"] == row["theory"]["value"]
        assert row["here"]["Capacity, Dominant"] == row["literature"]["value"]


def test_the_properties_hold_on_random_demands(written: tuple[Path, str]) -> None:
    rows = tables(written[0])["properties"]
    assert [(row["here"]["Fair, drf"], row["here"]["Capacity, Dominant"]) for row in rows] == [(0, 0)] * 3
    assert rows[0]["here"]["Fair, fair"] > 0, "memory alone leaves somebody with less than his part"


def test_the_page_has_the_figures_that_are_printed(written: tuple[Path, str]) -> None:
    directory, out = written
    page = (directory / "paper.md").read_text()
    assert "| tasks of A | 3 [P] | 3 [D] | 3 | 3 | 3 |" in page
    assert "    yarnbox paper --small --out docs" in page
    assert "tasks of A          3 [P]   3 [D]          3                   3           3" in out


def test_a_table_is_written_as_csv(written: tuple[Path, str]) -> None:
    with (written[0] / "paper" / "drf-example.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["of"], row["literature"], row["literature_origin"], row["Fair, drf"]) for row in rows] == [
        ("tasks of A", "3", "P", "3.0"),
        ("tasks of B", "2", "P", "2.0"),
    ]


def test_the_same_seed_writes_the_same_bytes(written: tuple[Path, str], tmp_path: Path) -> None:
    assert run("drf", "--small", "--workers", "1", "--out", str(tmp_path))[0] == 0
    for path in written[0].rglob("*.*"):
        assert (tmp_path / path.relative_to(written[0])).read_bytes() == path.read_bytes()


def test_experiments_that_are_not_played_stay_on_the_page(written: tuple[Path, str], tmp_path: Path) -> None:
    place = tmp_path / "docs"
    shutil.copytree(written[0], place)
    (place / "paper" / "reduces-old.csv").write_text("")
    data = json.loads((place / "paper" / "paper.json").read_text())
    (drf,) = data["experiments"]
    old = {"name": "reduces", "tables": [{**drf["tables"][0], "name": "old"}], "plots": [], "remarks": "Old."}
    data["experiments"].append(old)
    (place / "paper" / "paper.json").write_text(json.dumps(data))
    words = ("reduces", "--small", "--workers", "1", "--out", str(place))
    assert run(*words)[0] == 0
    page = (place / "paper.md").read_text()
    section = (written[0] / "paper.md").read_text().partition("\n## ")[2]
    assert page.endswith("\n## " + section)
    assert page.count("\n## ") == 2
    assert "Old." not in page
    names = {one.name for one in (place / "paper").iterdir()}
    assert names == {"drf-example.csv", "drf-properties.csv", "paper.json", "reduces-times.csv"}
    before = {path: path.read_bytes() for path in place.rglob("*.*")}
    for other, why in (
        (("--seed", "3"), "has other experiments, played by `yarnbox paper --small`: say the same"),
        ((), "is not what `yarnbox paper` wrote"),
        ((), "is there without"),
    ):
        status, out, err = run(*words, *other)
        assert (status, out) == (2, "")
        assert why in err
        assert err.count("\n") == 1
        if other:
            assert {path: path.read_bytes() for path in place.rglob("*.*")} == before
            (place / "paper" / "paper.json").write_text("{}")
        else:
            (place / "paper" / "paper.json").unlink(missing_ok=True)


def test_a_plot_stands_alone() -> None:
    here = Line(name="here", points=((0.0, 0.5), (1.0, 0.75)))
    theory = Line(name="theory, <here>", points=((0.0, 0.5), (1.0, 1.0)), is_theory=True)
    text = drawn(Plot(name="p", title="A & B", x="x", y="y", unit=Unit.SHARE, lines=(theory, here)))
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "A &amp; B" in text
    assert text.count("<circle") == 2


def test_values_are_read_with_their_spread() -> None:
    assert value_text(Spread.of([0.25, 0.75]), Unit.SHARE) == "50.0 % (25.0 % to 75.0 %)"
    assert value_text(Spread.of([2.0, 2.0]), Unit.SECONDS) == "2.0 s"


def test_all_are_listed() -> None:
    status, out, _ = run("--list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == list(EXPERIMENTS)


def test_a_day_of_a_trace_is_played_from_the_file(tmp_path: Path) -> None:
    """In scale: one job of 64 MB and one of a few bytes."""
    trace = tmp_path / "two.tsv"
    trace.write_text("one\t0\t0\t67108864\t0\t0\ntwo\t9\t9\t100\t100\t0\n")
    status, out, _ = run("day", "--small", "--workers", "1", "--trace", str(trace))
    assert status == 0
    row = next(line.split() for line in out.splitlines() if line.split()[:2] == ["with", "reduces"])
    assert row == ["with", "reduces", "24.5", "%", "[T]", "50.0", "%"]
    assert "1 (1 jobs), mean" in out


@pytest.mark.parametrize(
    "words, said",
    [
        (("day", "--trace", "nowhere.tsv"), "nowhere.tsv: No such file or directory"),
        (("day", "--trace", "/dev/null"), "/dev/null: has no job that can be played"),
        (("day", "--trace", __file__), "test_command.py:1: expected 6 columns, found 1"),
        (("water", "--trace", "any"), "--trace is for day, which is not among water"),
        (("watr",), "watr: there is no such experiment (did you mean water?)"),
        (("water", "--out", "/proc/none/results"), "/proc/none: No such file or directory"),
        (("water", "--out", __file__), f"--out {__file__}: is not a directory"),
    ],
)
def test_what_cannot_be_played_is_one_line(words: tuple[str, ...], said: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
