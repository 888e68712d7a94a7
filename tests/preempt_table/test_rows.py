"""The preemption tables: every row of the fidelity suite by its own name, and what a file must not say."""

import copy
import functools
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.preempt_table.command import main
from tests.preempt_table.player import play
from tests.preempt_table.rows import Row, TableError, read_table

TABLES = sorted((Path(__file__).parents[1] / "scenarios" / "preemption").glob("*tables.json"))
ROWS = [row for file in TABLES for row in read_table(file)]

PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
SMALL: dict[str, Any] = {
    "name": "two-queues",
    "source": "derived: example",
    "policy": {"yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": 0.2},
    "cluster": {"": {"memory-mb": 100}},
    "nodes": [{"name": "n1", "memory-mb": 100}],
    "queues": [
        {"name": "root", "guaranteed": 100, "max": 100, "used": 100},
        {
            "name": "a",
            "parent": "root",
            "guaranteed": 50,
            "max": 100,
            "used": 90,
            "apps": [{"name": "app1", "containers": [{"count": 90, "node": "n1"}]}],
        },
        {
            "name": "b",
            "parent": "root",
            "guaranteed": 50,
            "max": 100,
            "used": 10,
            "pending": 25,
            "apps": [{"name": "app2", "containers": [{"count": 10, "node": "n1"}]}],
        },
    ],
    "expect": {"root.a:ideal": 65, "root.a:to-preempt": 25, "root.a:obtain": 5, "app1": 5, "app2": 0},
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    assert play(row) == []


def write(path: Path, *rows: object) -> str:
    path.write_text(json.dumps(rows))
    return str(path)


def test_output_of_a_wrong_expectation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {**SMALL, "name": "wrong", "expect": {"app1": 6}}
    assert main([write(tmp_path / "t.json", SMALL, wrong)]) == 1
    assert capsys.readouterr().out == "ok two-queues\nFAILED wrong\n  at 0 ms, app1: expected 6, got 5\n"


def test_json_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "t.json", {**SMALL, "expect": {"app1": 6}})
    assert main(["--json", file]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "file": file,
        "name": "two-queues",
        "ok": False,
        "failures": [{"at": 0, "key": "app1", "expected": 6, "got": 5}],
    }


def test_a_resource_type_is_named_by_using_it(tmp_path: Path) -> None:
    """As in Hadoop's tests with res1: the types count wherever in the row they are written."""
    queues = copy.deepcopy(SMALL["queues"])
    queues[1]["used"] = {"memory-mb": 90, "res1": 30}
    queues[1]["apps"][0]["containers"] = [{"count": 90, "resource": {"memory-mb": 1, "res1": 2}}]
    nodes = [{"name": "n1", "memory-mb": 100, "res2": 4}]
    (row,) = read_table(Path(write(tmp_path / "t.json", {**SMALL, "queues": queues, "nodes": nodes})))
    assert row.types == ("memory-mb", "vcores", "res2", "res1")
    assert row.queues[1].apps[0].groups[0].resource.value("res1") == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cluster": {"": {"memory": 100}}}, "cluster '': the resource type is called memory-mb, not memory"),
        ({"nodes": [{"name": "n1", "labels": ["x"]}]}, "node n1: labels is an integer"),
        ({"surplus": 1}, "unknown key 'surplus'"),
        ({"calculator": "fast"}, "default or dominant"),
        ({"cluster": {"x": {"memory-mb": 1}}}, 'the default partition "" is missing'),
        ({"nodes": [{"name": "n1", "label": "y"}]}, "unknown partition 'y'"),
        ({"expect": {"app9": 1}}, "unknown application"),
        ({"expect": {"root.z:ideal": 1}}, "unknown queue root.z"),
        ({"expect": {"root.a:dreams": 1}}, "unknown figure dreams"),
        ({"expect": {"app1@n7": 1}}, "unknown node n7"),
        ({"expect": {"app1": "many"}}, "is an integer"),
        ({"passes": []}, "either expect or passes"),
        ({"nodes": []}, "nodes: there is none"),
        ({"policy": {PREEMPTION + "max_wait_before_kil": 1}}, "unknown property"),
        ({"cluster": {"": {"memory-mb": 100, "exclusive": 1}}}, "exclusive is true or false"),
        ({"queues": [{"name": "a", "parent": "root"}]}, "unknown parent root"),
        (
            {"policy": {PREEMPTION + "max_wait_before_kill": "soon"}},
            "soon",
        ),
    ],
)
def test_a_bad_row_is_refused_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object], reason: str
) -> None:
    assert main([write(tmp_path / "t.json", {**SMALL, **change})]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"preempt_table: {tmp_path / 't.json'}: row two-queues: ")
    assert reason in said


def test_passes_go_forward_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {key: value for key, value in SMALL.items() if key != "expect"}
    assert (
        main(
            [
                write(
                    tmp_path / "t.json", {**row, "passes": [{"at": 5, "expect": {}}, {"at": 4, "expect": {}}]}
                )
            ]
        )
        == 2
    )
    assert "earlier than the one before it" in capsys.readouterr().err
    assert main([write(tmp_path / "t.json", {**row, "passes": [{"at": -1, "expect": {}}]})]) == 2
    assert "at is 0 or more, not -1" in capsys.readouterr().err


def test_applications_are_in_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, *leaves = copy.deepcopy(SMALL["queues"])
    row = {**SMALL, "queues": [{**root, "apps": [{"name": "app0"}]}, *leaves]}
    assert main([write(tmp_path / "t.json", row)]) == 2
    assert capsys.readouterr().err.endswith("row two-queues: queue root: has applications and queues\n")


JUNK = [None, True, -1, 0, 3.5, "", "x", [], {}, [1], {"a": 1}, float("nan"), "root", "*"]


def _spoil(value: Any, chance: Random) -> Any:
    """Something in it replaced, left out or added."""
    path: list[Any] = []
    inner = value
    while isinstance(inner, dict | list) and inner and chance.random() < 0.8:
        path.append(chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner))))
        inner = inner[path[-1]]
    if not path:
        return chance.choice(JUNK)
    *above, last = path
    around = functools.reduce(lambda one, key: one[key], above, value)
    if chance.random() < 0.3:
        del around[last]
    else:
        around[last] = chance.choice(JUNK)
    return value


def test_nonsense_is_told_in_one_line(tmp_path: Path) -> None:
    """Whatever a row says, it is played, or refused by one line that names it."""
    chance, path = Random(6), tmp_path / "t.json"
    originals = [row for file in TABLES for row in json.loads(file.read_text())]
    complaints: list[str] = []
    for _ in range(600):
        write(path, _spoil(copy.deepcopy(chance.choice(originals)), chance))
        try:
            for one in read_table(path):
                play(one)
        except TableError as error:
            complaints.append(str(error))
    assert len(complaints) > 200
    assert [line for line in complaints if "\n" in line or "row " not in line] == []


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    for text in ("{", "[" * 100_000, "\udcff"):
        path.write_text(text, errors="surrogateescape")
        with pytest.raises(TableError, match="not JSON"):
            read_table(path)
    path.write_text("{}")
    with pytest.raises(TableError, match="not an array of rows"):
        read_table(path)
    with pytest.raises(TableError, match="No such file"):
        read_table(tmp_path / "none.json")
