"""Searches: spaces, methods, trials that are kept and continued, the Pareto front."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import pytest

from tests.sim.whatif.conftest import CAPACITY
from yarnbox.sim.whatif.command import main
from yarnbox.sim.whatif.conditions import InvalidConditionError
from yarnbox.sim.whatif.engines.pool import Done, LocalPool
from yarnbox.sim.whatif.search import command as searches
from yarnbox.sim.whatif.search.methods import BATCH, METHODS, Drawn, Grid
from yarnbox.sim.whatif.search.space import read_dimension, read_space
from yarnbox.sim.whatif.search.trials import Trial, TrialFile, front, read_goal
from yarnbox.sim.whatif.study import Case, Played, Study
from yarnbox.sim.whatif.variants import InvalidChangeError
from yarnbox.yarn.configuration import Configuration

ETL, ADHOC = f"{CAPACITY}root.etl", f"{CAPACITY}root.adhoc"
SPACE = ("--vary", "root.etl.capacity=20..60/20", "--rest", "root.adhoc")
FULL = ("--vary", f"{ETL}.maximum-capacity=100", "--vary", f"{ADHOC}.maximum-capacity=100")
GOAL = ("--goal", "min queue:root.etl response.mean")
FEW = ("--num-nodes", "2", "--node-mb", "6144", "--seeds", "1", "--workers", "1", "--jobs", "6")


def search(conf: Path, load: Path, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(["search", "--base", str(conf), "--load", str(load), *FEW, *words], out=out, err=err)
    told = [line for line in err.getvalue().splitlines(keepends=True) if " plays on " not in line]
    return status, out.getvalue(), "".join(told)


def test_a_grid_is_searched_and_a_stopped_search_goes_on(conf: Path, load: Path, tmp_path: Path) -> None:
    words = (*SPACE, *FULL, *GOAL, "--subject-to", "jobs >= 1", "--out", str(tmp_path / "one"))
    status, out, err = search(conf, load, *words)
    assert (status, err) == (0, "")
    file = tmp_path / "one" / "trials.jsonl"
    heading, *trials = [json.loads(line) for line in file.read_text().splitlines()]
    assert heading["vary"] == ["root.etl.capacity=20..60/20", FULL[1], FULL[3]]
    assert [one["point"][f"{ETL}.capacity"] for one in trials] == ["20", "40", "60"]
    assert out.startswith("3 trials\nthe best trial\n")
    assert f"--change -D{ETL}.capacity=60 " in out
    assert out.endswith(f" -D{ADHOC}.capacity=40\n")
    whole = file.read_bytes()
    stopped = whole[: whole.index(b'"number": 1') + 20]
    file.write_bytes(stopped)
    status, out, _ = search(conf, load, *words)
    assert out.startswith("3 trials, 1 of them of an earlier run\n")
    assert file.read_bytes() == whole
    assert (tmp_path / "one" / "trials.csv").read_text().count("\n") == 4
    status, out, err = search(conf, load, *words, "--goal", "max utilization")
    assert (status, out) == (2, "")
    assert "is of another search (goals differs): name another directory" in err
    assert file.read_bytes() == whole


class Interrupted(LocalPool):
    """Ends with Ctrl-C after so many plays."""

    def __init__(self, plays: int) -> None:
        super().__init__(1)
        self.plays, self.ran = plays, 0

    def run(self, study: Study, cases: Sequence[Case], done: Done) -> Mapping[Case, Played]:
        def counted(played: Played) -> None:
            self.ran += 1
            done(played)
            if self.ran == self.plays:
                raise KeyboardInterrupt

        return super().run(study, cases, counted)


def test_an_interrupted_search_keeps_what_is_over(
    conf: Path, load: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (*SPACE, *FULL, *GOAL, "--seeds", "2", "--out")
    assert search(conf, load, *words, str(tmp_path / "whole"))[0] == 0
    played = []
    for plays in (
        1,
        4,
        100,
    ):  # one play of two of the base; the other, a trial and half of the next; the rest
        engine = Interrupted(plays)
        monkeypatch.setattr(searches, "engine_of", lambda options, engine=engine: nullcontext(engine))
        with nullcontext() if plays == 100 else pytest.raises(KeyboardInterrupt):
            assert search(conf, load, *words, str(tmp_path / "parts"))[0] == 0
        played.append(engine.ran)
    assert played == [1, 4, 4]
    for name in ("base.jsonl", "trials.jsonl", "trials.csv"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_which_trial_ends_first_shows_nowhere(tmp_path: Path) -> None:
    trials = [Trial(number=number, point={}, goals=(1.0,), is_feasible=True) for number in range(3)]
    file = TrialFile(tmp_path / "trials.jsonl", {"goals": ["min wait.p95"]})
    file.add(trials[2])
    file.add(trials[0])
    again = TrialFile(tmp_path / "trials.jsonl", {"goals": ["min wait.p95"]})
    assert again.known == [trials[0], trials[2]]
    assert list(islice(again.free_numbers(), 2)) == [1, 3]
    again.add(trials[1])
    again.sort_by_number()
    assert TrialFile(tmp_path / "trials.jsonl", {"goals": ["min wait.p95"]}).known == trials


def test_a_figure_that_a_trial_does_not_have_is_null(tmp_path: Path) -> None:
    heading = {"goals": ["min wait.p95", "max utilization"]}
    trial = Trial(number=0, point={}, goals=(math.inf, -math.inf), is_feasible=True)
    file = tmp_path / "trials.jsonl"
    TrialFile(file, heading).add(trial)
    assert json.loads(file.read_text().splitlines()[1])["goals"] == [None, None]
    assert TrialFile(file, heading).known == [trial]


def test_points_that_cannot_be_played_are_kept_with_the_reason(
    conf: Path, load: Path, tmp_path: Path
) -> None:
    words = ("--vary", "root.etl.capacity=50|60", *GOAL, "--subject-to", "unfinished > 0")
    status, out, err = search(conf, load, *words, "--out", str(tmp_path))
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "2 trials"
    assert lines[1].startswith("  1 cannot be played, the first because ")
    assert lines[2:] == ["  1 break a constraint", "no trial keeps all constraints"]


def test_optuna_suggests_points_within_the_space(conf: Path, load: Path, tmp_path: Path) -> None:
    words = (
        *("--vary", "root.etl.capacity=20..60", "--rest", "root.adhoc", *FULL, *GOAL),
        *("--goal", "min queue:root.adhoc response.mean", "--method", "optuna", "--out", str(tmp_path)),
    )
    assert search(conf, load, *words, "--trials", "3")[0] == 0
    status, out, _ = search(conf, load, *words, "--trials", "5", "--json")
    assert status == 0
    found = json.loads(out)
    assert len(found["base"]) == 2
    assert 1 <= len(found["front"]) <= 5
    assert all(20 <= float(one["point"][f"{ETL}.capacity"]) <= 60 for one in found["front"])
    assert len((tmp_path / "trials.jsonl").read_text().splitlines()) == 6


def test_values_of_a_dimension() -> None:
    assert read_dimension("root.a.capacity=1..2/0.5w").values == ("1w", "1.5w", "2w")
    assert read_dimension("yarn.x=fifo | fair").values == ("fifo", "fair")
    free = read_dimension("root.a.user-limit-factor=0.5..2")
    assert (free.name, free.at(0), free.at(0.5)) == (f"{CAPACITY}root.a.user-limit-factor", "0.5", "1.25")


@pytest.mark.parametrize(
    "text, why",
    [
        ("root.a.capacity", "is not of the form"),
        ("root.a.capacity=5..1", "5 is more than 1"),
        ("root.a.capacity=1..x", "1..x is not of the form LOW..HIGH or LOW..HIGH/STEP"),
        ("root.a.capacity=0..1/0.00001", "more than 10000 values"),
        ("root.a.capacity=0..1/0", "a step is more than 0"),
    ],
)
def test_a_dimension_that_cannot_be_read(text: str, why: str) -> None:
    with pytest.raises(InvalidChangeError, match=why):
        read_dimension(text)


def test_a_queue_takes_what_its_siblings_leave() -> None:
    base = Configuration.of({f"{CAPACITY}root.queues": "a,b,c", f"{CAPACITY}root.b.capacity": "12.5"})
    space = read_space(["root.a.capacity=20..30/10"], ["root.c"])
    found = space.definitions({f"{CAPACITY}root.a.capacity": "20"}, base)
    assert found[f"{CAPACITY}root.c.capacity"] == "67.5"
    with pytest.raises(InvalidChangeError, match=r"--rest root\.d: is no queue; root has a, b, c"):
        read_space(["root.a.capacity=20"], ["root.d"]).definitions({}, base)
    with pytest.raises(InvalidChangeError, match="is not set: percentages alone leave a rest"):
        space.definitions(
            {f"{CAPACITY}root.a.capacity": "20"}, Configuration.of({f"{CAPACITY}root.queues": "a,b,c"})
        )


def test_methods_try_every_point_once() -> None:
    space = read_space(["x=1..3/1", "y=a|b"], [])
    for method in (Grid(space, (), 1), Drawn(space, (), 1)):
        found = []
        while points := method.batch(100):
            assert len(points) <= BATCH
            found += [tuple(point.values()) for point in points]
        assert sorted(found) == [(x, y) for x in "123" for y in "ab"]
    continued = Grid(space, (), 1)
    continued.told(Trial(number=0, point={"x": "1", "y": "a"}, goals=(1.0,), is_feasible=True))
    assert continued.batch(1) == [{"x": "1", "y": "b"}]
    with pytest.raises(InvalidChangeError, match="a grid needs a step"):
        METHODS["grid"](read_space(["x=1..3"], []), (), 1)


def test_the_front_is_what_nothing_else_beats() -> None:
    goals = [read_goal("min wait.p95"), read_goal("max utilization")]
    values = [(10.0, 0.5), (20.0, 0.9), (20.0, 0.8), (9.0, 0.4), (9.0, 0.4), (1.0, 1.0)]
    trials = [
        Trial(number=number, point={}, goals=one, is_feasible=number != 5)
        for number, one in enumerate(values)
    ]
    assert [one.number for one in front(trials, goals)] == [0, 1, 3, 4]


def test_a_goal_that_cannot_be_read() -> None:
    for text in ("wait.p95", "least wait.p95", ""):
        with pytest.raises(InvalidConditionError, match="expected min or max"):
            read_goal(text)
    with pytest.raises(InvalidConditionError, match="at character 5: there is no metric wiat"):
        read_goal("min wiat")


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text("hello\n")
    with pytest.raises(InvalidChangeError, match="is no file of a search"):
        TrialFile(tmp_path / "trials.jsonl", {"goals": ["min wait.p95"]})
    assert (tmp_path / "trials.jsonl").read_text() == "hello\n"


def test_what_nobody_has_is_refused_before_a_point_is_played(conf: Path, load: Path, tmp_path: Path) -> None:
    words = (*SPACE, *FULL, "--out", str(tmp_path))
    status, out, err = search(conf, load, *words, "--goal", "min queue:root.elt wait.p95")
    assert (status, out) == (2, "")
    assert "no queue of the load matches root.elt (did you mean queue:root.etl?)" in err
    status, out, err = search(conf, load, *words, *GOAL, "--subject-to", "user:mie wait.p95 < 5s")
    assert "no user of the load matches mie" in err
    assert [one.name for one in tmp_path.iterdir()] == ["base.jsonl"]


def test_how_many_points_a_space_has() -> None:
    assert read_space(["x=1..3/1", "y=a|b"], []).size == 6
    assert read_space(["x=1..3/1", "y=1..2"], []).size is None


def test_a_misspelt_property_is_told(conf: Path, load: Path, tmp_path: Path) -> None:
    words = ("--vary", "root.etl.capcity=20", *GOAL, "--jobs", "1", "--out", str(tmp_path))
    _, _, err = search(conf, load, *words)
    assert err.startswith(f"warning: --vary {ETL}.capcity")
