"""The preemption tables: every row of the fidelity suite by its own name, and what a file must not say."""

import json
from pathlib import Path

import pytest

from sim.preempt_table.command import main
from sim.preempt_table.player import play
from sim.preempt_table.rows import Row, TableError, read_table

TABLES = Path(__file__).parents[1] / "scenarios" / "preemption" / "tables.json"
ROWS = read_table(TABLES)

SMALL = {
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


@pytest.mark.parametrize(
    ("change", "reason"),
    [
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
        ({"queues": [{"name": "a", "parent": "root"}]}, "unknown parent root"),
        (
            {"policy": {"yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": "soon"}},
            "soon",
        ),
    ],
)
def test_a_bad_row_is_refused_with_its_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object], reason: str
) -> None:
    assert main([write(tmp_path / "t.json", {**SMALL, **change})]) == 2
    said = capsys.readouterr().err
    assert "two-queues" in said
    assert reason in said


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text("{")
    with pytest.raises(TableError, match="not JSON"):
        read_table(path)
    with pytest.raises(TableError, match="No such file"):
        read_table(tmp_path / "none.json")
