"""`yarnbox scenario run` and `check`: what is printed where, and the exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from yarnbox.sim.scenario import command
from yarnbox.sim.scenario.command import main
from yarnbox.sim.scenario.playing.expectations import Failure
from yarnbox.sim.scenario.playing.player import Outcome
from yarnbox.sim.scenario.reading.document import Scenario
from yarnbox.yarn.configuration.document import write

GOOD = "name: good\nsteps: []\n"
POOR = "name: poor\nsteps: []\n"
BAD = "name: bad\nsteps:\n  - sleep: 1\n  - heartbeat: n9\n"


def played(scenario: Scenario, *, with_reasons: bool = False) -> Outcome:
    """A play that fails for the scenario called poor."""
    events = ({"step": 1, "at": 0, "kind": "RMApp", "event": "AppStart"},)
    if scenario.name == "poor":
        return Outcome(
            (Failure(2, "apps.a1.containers", 6, 5), Failure(3, "queues.root.b", "x", None)), events
        )
    return Outcome((), events, {"a1": [{"reason": "USER_LIMIT", "text": "..."}]} if with_reasons else {})


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in (("good", GOOD), ("poor", POOR), ("bad", BAD)):
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def run(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(argv, out=out, err=err, play=played), out.getvalue(), err.getvalue()


def test_a_line_for_a_file_that_held(files: Path) -> None:
    assert run("run", str(files / "good.yaml")) == (0, "ok good\n", "")


def test_what_did_not_hold_stands_below_the_name(files: Path) -> None:
    status, out, _ = run("run", str(files / "poor.yaml"), str(files / "good.yaml"))
    assert status == 1
    assert out.splitlines() == [
        "FAILED poor",
        "  step 2: apps.a1.containers: expected 6, got 5",
        "  step 3: queues.root.b: expected x, got nothing",
        "ok good",
    ]


def test_json_has_one_object_a_file(files: Path) -> None:
    poor = str(files / "poor.yaml")
    status, out, _ = run("run", "--json", poor, str(files / "good.yaml"))
    assert status == 1
    first, second = (json.loads(line) for line in out.splitlines())
    assert first == {
        "file": poor,
        "name": "poor",
        "ok": False,
        "failures": [
            {"step": 2, "path": "apps.a1.containers", "expected": 6, "got": 5},
            {"step": 3, "path": "queues.root.b", "expected": "x", "got": None},
        ],
        "events": [{"step": 1, "at": 0, "kind": "RMApp", "event": "AppStart"}],
        "pending": {},
    }
    assert (second["name"], second["ok"], second["failures"]) == ("good", True, [])
    assert second["pending"] == {"a1": [{"reason": "USER_LIMIT", "text": "..."}]}


def test_a_file_that_is_no_scenario_is_told_and_the_others_are_played(files: Path) -> None:
    bad = str(files / "bad.yaml")
    status, out, err = run("run", bad, str(files / "poor.yaml"), str(files / "good.yaml"))
    assert status == 2
    assert [line.split(": ")[0] for line in err.splitlines()] == [f"{bad}:3", f"{bad}:4"]
    assert out.splitlines()[0] == "FAILED poor"
    assert out.splitlines()[-1] == "ok good"


def test_a_trace_is_told_from_a_scenario(tmp_path: Path) -> None:
    trace = tmp_path / "day.tsv"
    trace.write_text("job0\t1\t0\n")
    status, _, err = run("run", str(trace))
    assert status == 2
    assert "a scenario is a YAML file, and `yarnbox sim run` plays traces" in err


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.yaml"
    told = f"yarnbox: {nowhere}: cannot be read: No such file or directory\n"
    assert run("run", str(nowhere)) == (2, "", told)
    assert run("check", str(nowhere)) == (2, told, "")
    assert run("run", str(tmp_path))[2] == f"yarnbox: {tmp_path}: cannot be read: Is a directory\n"


def test_what_cannot_be_recorded_is_one_line(files: Path) -> None:
    good = str(files / "good.yaml")
    refused = "yarnbox: --record: one file is recorded at a time, not 2\n"
    assert run("run", "--record", str(files / "r"), good, good) == (2, "", refused)
    status, out, err = run("run", "--record", str(files / "none" / "r"), good)
    assert (status, out) == (2, "")
    assert err == f"yarnbox: {files / 'none' / 'r'}: cannot be written: No such file or directory\n"


def test_a_recording_has_its_name_when_it_is_whole(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = sorted(files.iterdir())
    monkeypatch.setattr(command, "play_recorded", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("run", "--record", str(files / "r"), str(files / "good.yaml"))
    assert sorted(files.iterdir()) == before


def test_check_reads_only(files: Path) -> None:
    assert run("check", str(files / "good.yaml"), str(files / "poor.yaml")) == (0, "ok good\nok poor\n", "")
    status, out, err = run("check", str(files / "bad.yaml"))
    assert (status, err) == (2, "")
    assert out.splitlines()[0].startswith(f"{files / 'bad.yaml'}:3: unknown verb 'sleep'")


@pytest.mark.parametrize("argv", [[], ["play"], ["run"], ["check", "--json", "x"]])
def test_a_wrong_command_line_ends_with_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    assert "yarnbox scenario" in capsys.readouterr().err


def test_another_configuration_for_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "yarn-site.xml").write_text(
        write([("yarn.resourcemanager.scheduler.class", "fifo", False)])
    )
    file = tmp_path / "s.yaml"
    file.write_text(
        "name: s\nconf: {yarnbox.scenario.heartbeat-ms: 1000}\ncapacity-scheduler: {a: b}\nsteps: []\n"
    )
    seen: list[Scenario] = []

    def note(scenario: Scenario, *, with_reasons: bool = False) -> Outcome:
        seen.append(scenario)
        return Outcome((), ())

    assert main(["run", "--conf", str(tmp_path / "conf"), str(file)], out=io.StringIO(), play=note) == 0
    assert seen[0].conf == {
        "yarn.resourcemanager.scheduler.class": "fifo",
        "yarnbox.scenario.heartbeat-ms": "1000",
    }
    assert seen[0].capacity_scheduler is None


def test_a_directory_that_is_none(files: Path) -> None:
    status, out, _ = run("check", "--conf", str(files / "none"), str(files / "good.yaml"))
    assert status == 2
    assert f"good.yaml:1: --conf: {files / 'none'}: is not a directory" in out


def test_what_each_step_changes_is_told(tmp_path: Path) -> None:
    file = tmp_path / "steps.yaml"
    file.write_text(
        """\
name: steps
conf: {yarn.resourcemanager.scheduler.class: fair}
nodes: [{name: n1, memory-mb: 2048}]
steps:
  - submit: {app: a1, queue: q}
  - ask: {app: a1, requests: [{count: 3, memory-mb: 1024}]}
  - update-shares: true
  - heartbeat: {node: n1, times: 2}
  - expect: {apps: {a1: {containers: 2}}}
  - kill: a1
""",
        encoding="utf-8",
    )
    out = io.StringIO()
    assert main(["run", "--steps", str(file)], out=out) == 0
    assert out.getvalue().splitlines() == [
        "   0.0 s  step 1 submit           a1            0 containers",
        "   0.0 s  step 2 ask              a1            0 containers, 3 pending",
        "                                  root.q        0.0 % used, 0.0 % fair share",
        "   0.0 s  step 3 update-shares    root.q        0.0 % used, 100.0 % fair share",
        "   0.0 s  step 4 heartbeat        a1            2 containers, 1 pending",
        "                                  root.q        100.0 % used, 100.0 % fair share",
        "   0.0 s  step 6 kill             a1            KILLED",
        "                                  root.q        0.0 % used, 100.0 % fair share",
        "ok steps",
    ]
    err = io.StringIO()
    assert main(["run", "--steps", "--json", str(file)], out=out, err=err) == 2
    assert err.getvalue() == "yarnbox: --steps goes without --json and --record\n"
