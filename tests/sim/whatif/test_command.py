"""`yarnbox whatif`: what is printed and written, what is refused, and the exit status."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
from pathlib import Path
from typing import NoReturn

import pytest

from tests.sim.whatif.conftest import CAPACITY, capacities, properties
from yarnbox.sim.reports.progress import Plays
from yarnbox.sim.whatif.arguments import changes_of
from yarnbox.sim.whatif.command import main, parser
from yarnbox.sim.whatif.variants import Change

FEW = ("--num-nodes", "2", "--node-mb", "6144", "--seeds", "2", "--workers", "1", "--jobs", "4")


@pytest.fixture
def run(conf: Path, load: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    return Run(conf, load)


class Run:
    """Runs the command on the small load."""

    def __init__(self, conf: Path, load: Path) -> None:
        self._words = ["--base", str(conf), "--load", str(load), *FEW]

    def __call__(self, *words: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        status = main([*self._words, *words], out=out, err=err)
        told = [line for line in err.getvalue().splitlines(keepends=True) if " plays on " not in line]
        return status, out.getvalue(), "".join(told)  # a slow machine tells how far it has come


def test_an_overlay_is_compared_and_everything_written(run: Run, tmp_path: Path) -> None:
    overlay = tmp_path / "less.xml"
    shares = {"etl.capacity": "20", "adhoc.capacity": "80"}
    maxima = {"etl.maximum-capacity": "20", "adhoc.maximum-capacity": "80"}
    found = {f"{CAPACITY}root.{name}": value for name, value in {**shares, **maxima}.items()}
    overlay.write_text(properties(found))
    status, out, err = run(
        *("--change", str(overlay), "--name", "less", "--out", "out", "--summary", "summary.md"),
        *("--fail-if", "queue:root.etl response.mean > +1%", "--fail-if", "unfinished > 0"),
    )
    assert (status, err) == (3, "")
    assert "less: fails, because queue:root.etl response.mean > +1%" in out
    assert "unfinished > 0" not in out
    written = json.loads(Path("out", "comparison.json").read_text())
    assert [one["name"] for one in written["variants"]] == ["base", "less"]
    assert [one["condition"] for one in written["fails"]] == ["queue:root.etl response.mean > +1%"]
    assert len(written["plays"]) == 4
    with Path("out", "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(written["rows"])
    assert rows[0]["change"] == "less"
    assert "fails: `queue:root.etl" in Path("summary.md").read_text()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["less.xml", "out", "summary.md"]


def test_json_instead_of_the_table(run: Run) -> None:
    status, out, _ = run("--change", "--scheduler", "fifo", "--seeds", "1", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["plays"][1]["scheduler"] == "FifoScheduler"
    assert run("--change", "--scheduler", "fifo", "--seeds", "1")[1].splitlines()[1] == (
        "  1 seed cannot tell a difference from noise; 6 can."
    )


def test_options_belong_to_the_change_before_them() -> None:
    words = "--load l -D a=1 --change x y -D b=2 -D c=3 --nodes +2:gpu --nodes=-1"
    more = "--change --load-factor 1.3 --change --scheduler fair --name f"
    options = parser().parse_args(f"{words} {more}".split())
    assert changes_of(options) == [
        Change(definitions={"a": "1"}),
        Change(conf="x"),
        Change(conf="y", definitions={"b": "2", "c": "3"}, nodes=("+2:gpu", "-1")),
        Change(load_factor=1.3),
        Change(scheduler="fair", name="f"),
    ]
    assert changes_of(parser().parse_args(["--load", "l"])) == []


@pytest.mark.parametrize(
    "words, why",
    [
        (("--change", "no/such"), "no/such: there is no such file or directory"),
        ((), "there is no change to compare the base with"),
        (
            ("--load-factor", "2", "--fail-if", "jbos > 3"),
            "'jbos > 3', at character 1: there is no metric jbos",
        ),
        (
            ("--load-factor", "2", "--summary", "no/such/file.md"),
            "--summary no/such/file.md: there is no such",
        ),
        (("--load-factor", "2", "--load", "no-such.jsonl"), "no-such.jsonl: there is no such file"),
        (("--load-factor", "2", "--load", "."), ".: there is no load.jsonl in it"),
        (("--load-factor", "2", "--base", "no-such"), "no-such: is not a directory"),
        (("--load-factor", "2", "--base", "empty"), "empty: is not a configuration directory: neither"),
        (("--change", "empty"), "empty: is not a configuration directory: neither capacity-scheduler.xml"),
        (("-D", f"{CAPACITY}root.etl.capacity=70"), f"{CAPACITY}root.etl.capacity=70: "),
        (("--nodes", "+100000"), "nodes +100000: more than 100000 nodes in all"),
        (("--change", "bad.xml"), "bad.xml: not well-formed XML: "),
        (("--change", "other.xml"), "other.xml: begins with <html>, not <configuration> or <allocations>"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    run: Run, tmp_path: Path, words: tuple[str, ...], why: str
) -> None:
    (tmp_path / "bad.xml").write_text("<configuration>")
    (tmp_path / "other.xml").write_text("<html/>")
    (tmp_path / "empty").mkdir()
    status, out, err = run("--out", "out", *words)
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"yarnbox: {why}")
    assert not (tmp_path / "out").exists()


def test_a_place_for_results_is_tried_before_anything_is_played(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, out, err = run("--load-factor", "2", "--out", "file/results")
    assert (status, out) == (2, "")
    assert err == "yarnbox: file/results: Not a directory\n"


def test_where_nothing_can_be_written_no_directory_is_left(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**where: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(where["dir"]))

    monkeypatch.setattr("yarnbox.sim.reports.files.TemporaryFile", full)
    status, out, err = run("--load-factor", "2", "--out", "new/results")
    assert (status, out, err) == (2, "", "yarnbox: new/results: No space left on device\n")
    assert not (tmp_path / "new").exists()


def test_a_directory_that_cannot_be_used_is_called_by_its_own_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "worse").mkdir()
    (tmp_path / "worse" / "capacity-scheduler.xml").write_text(capacities(60).replace(">40<", ">30<"))
    status, out, err = run("--change", "worse")
    assert (status, out) == (2, "")
    assert "yarnbox-whatif-" not in err
    assert err.startswith("yarnbox: worse: ")


@pytest.mark.parametrize(
    "words",
    [["--seeds", "0"], ["--seeds", "10001"], ["--confidence", "1"], ["--metrics", "wiat"], ["-D", "novalue"]],
)
def test_a_bad_command_line_is_status_2(
    run: Run, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run("--load-factor", "2", *words)
    assert caught.value.code == 2
    assert words[-1] in capsys.readouterr().err


def test_what_another_scheduler_reads_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "fair.xml").write_text("<allocations><queue name='etl'/></allocations>")
    fair = "yarn.scheduler.fair.assignmultiple"
    words = ["--change", "fair.xml", "--name", "other", "-D", f"{fair}=true"]
    words += ["--change", "--scheduler", "fifo", "--name", "first", "-D", f"{CAPACITY}root.etl.capacity=5"]
    status, _, err = run(*words, "--seeds", "1")
    assert status == 0
    assert err.splitlines() == [
        f"warning: other: {fair} has no effect under the CapacityScheduler",
        "warning: other: the allocation file has no effect under the CapacityScheduler",
        f"warning: first: {CAPACITY}root.etl.capacity has no effect under the FifoScheduler",
    ]


def test_a_property_that_nobody_reads_is_told(run: Run) -> None:
    names = (
        f"{CAPACITY}root.etl.maximum-capcity",
        "yarn.scheduler.minimum-alocation-mb",
        "scheduler.minimum-mb",
        f"{CAPACITY}root.elt.capacity",
    )
    words = [word for name in names for word in ("-D", f"{name}=5")]
    status, _, err = run("--change", *words, "--name", "slips", "--seeds", "1")
    assert status == 0
    first, nobodys, second, third = err.splitlines()
    assert nobodys == (
        f"warning: slips: {names[3]} has no effect: there is no queue root.elt (did you mean root.etl?)"
    )
    assert first == (
        f"warning: slips: {names[0]} is not a property of the CapacityScheduler and has no effect"
        " (did you mean maximum-capacity?)"
    )
    assert second == (
        f"warning: slips: {names[1]} is no property, and has no effect"
        " (did you mean yarn.scheduler.minimum-allocation-mb?)"
    )
    assert third == (
        f"warning: slips: {names[2]} is no property of Hadoop's, and has no effect, unless a class of yours"
        " reads it (did you mean yarn.scheduler.minimum-allocation-mb?)"
    )


def test_a_condition_of_nobody_is_refused_after_the_first_seed(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []
    monkeypatch.setattr(Plays, "done", lambda self, play: played.append(play.case.seed))
    status, out, err = run("--load-factor", "2", "--fail-if", "jobs > 5 or queue:root.elt wait.p95 > 1s")
    assert (status, out) == (2, "")
    assert err.endswith(
        "no queue of the load matches root.elt (did you mean queue:root.etl?); there are: "
        "root.adhoc, root.etl\n"
    )
    assert played == [1, 1]


SYNTH = {
    "num_nodes": 2,
    "num_jobs": 3,
    "rand_seed": 5,
    "workloads": [
        {
            "workload_name": "w",
            "queue_name": "root.etl",
            "time_distribution": [{"time": 0, "weight": 1}],
            "job_classes": [
                {
                    "class_name": "c",
                    "tasks": [{"type": "map", "count": {"val": 9, "std": 4}, "time": {"val": 4000}}],
                }
            ],
        }
    ],
}


def test_a_synthetic_load_is_drawn_anew_under_each_seed(conf: Path, tmp_path: Path) -> None:
    file = tmp_path / "synth.json"
    file.write_text(json.dumps(SYNTH))
    words = ["--base", str(conf), "--load", str(file), "--tracetype", "SYNTH", "--seeds", "2"]
    words += ["--workers", "1", "--json", "--change"]

    def containers(*more: str) -> list[list[float]]:
        out = io.StringIO()
        assert main([*words, *more], out=out, err=io.StringIO()) == 0
        plays = json.loads(out.getvalue())["plays"]
        found = [[one["figures"]["all"]["containers"] for one in plays if one["seed"] == n] for n in (1, 2)]
        assert all(base == change for base, change in found)
        return found

    once, again = containers(), containers("--synth-redraw")
    assert once[0] == once[1]
    assert again[0] != again[1]
    assert again == containers("--synth-redraw")


@pytest.mark.parametrize(
    "words, why",
    [
        (["--synth-redraw"], "only a load of --tracetype SYNTH is drawn"),
        (["--synth-redraw", "--synth-seed", "3"], "only a load of --tracetype SYNTH is drawn"),
    ],
)
def test_a_load_of_jobs_is_not_drawn(run: Run, words: list[str], why: str) -> None:
    status, out, err = run(*words, "--change", "--name", "x", "--scheduler", "fifo")
    assert (status, out) == (2, "")
    assert err == f"yarnbox: --synth-redraw: {why}\n"
