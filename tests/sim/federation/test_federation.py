"""Sub-clusters that share a load: whom policies choose, what comes of it; processes change nothing."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from yarnbox.sim.federation.command import WAYS
from yarnbox.sim.federation.load import Demand, drawn
from yarnbox.sim.federation.play import Federation, Figures, Played, PolicyVariant, play
from yarnbox.sim.federation.policies import POLICIES, State
from yarnbox.sim.federation.report import markdown, rows
from yarnbox.sim.federation.subcluster import Shape
from yarnbox.sim.load.jobs import Job, Task
from yarnbox.sim.workload.command import main

pytestmark = pytest.mark.long

NODES, SUBCLUSTERS = 40, 4
SMALL = Federation(
    subclusters=SUBCLUSTERS,
    shape=Shape(nodes=NODES),
    demand=Demand(slots=NODES * SUBCLUSTERS, minutes=8, most_tasks=20, task_s=120, skew=1.0),
)


@cache
def played(policy: str, interval_s: int = 10) -> Played:
    return play(SMALL, PolicyVariant(policy, interval_s), 1, lambda text: None)


def figures(policy: str, interval_s: int = 10) -> Figures:
    return played(policy, interval_s).figures


def job(queue: int, tasks: int) -> Job:
    return Job(job_id="j", submit_ms=0, user=f"q{queue:02d}", tasks=(Task(count=tasks, duration_ms=1000),))


@pytest.mark.parametrize(
    "policy, free, expected",
    [
        ("home", (0, 9, 9), {1: 10}),
        ("load", (3, 5, 5), {1: 10}),
        ("load", (0, 0, 0), {0: 10}),
        ("multicast", (10, 30, 60), {2: 6, 0: 1, 1: 3}),
        ("multicast", (0, 0, 0), {0: 4, 1: 4, 2: 2}),
        ("multicast", (0, 7, 0), {1: 10}),
    ],
)
def test_a_policy_chooses_by_what_the_subclusters_said(
    policy: str, free: tuple[int, ...], expected: dict[int, int]
) -> None:
    states = [State(count, 0) for count in free]
    split = POLICIES[policy](job(4, 10), states, Random(1))
    assert dict(split) == expected
    assert next(iter(split)) == next(iter(expected)), "the first one is its home"


def test_uniform_chooses_every_subcluster_about_equally_often() -> None:
    chance = Random(1)
    chosen = [next(iter(POLICIES["uniform"](job(0, 1), [State(1, 0)] * 4, chance))) for _ in range(400)]
    assert all(70 <= chosen.count(number) <= 130 for number in range(4))


def test_the_load_needs_the_part_of_the_slots_that_was_asked_for() -> None:
    demand = Demand(slots=10_000, minutes=600, most_tasks=1000)
    jobs = drawn(demand, 1)
    work_ms = sum(one.task_count * one.tasks[0].duration_ms for one in jobs)
    assert work_ms / (600 * 60_000 * 10_000) == pytest.approx(0.75, abs=0.05)
    assert sum(one.user == "q00" for one in jobs) > 2 * sum(one.user == "q19" for one in jobs)


def test_who_knows_more_of_the_others_waits_less() -> None:
    """The hottest queue fills its home; chance evens out; knowing better; the parts of a job best."""
    assert figures("home").mean_slowdown > figures("uniform").mean_slowdown
    assert figures("uniform").mean_slowdown > figures("load").mean_slowdown
    assert figures("load").mean_slowdown >= figures("multicast").mean_slowdown
    assert figures("home").most_busy - figures("home").least_busy > 0.2
    assert figures("multicast").most_busy - figures("multicast").least_busy < 0.1
    assert figures("multicast").parts > 1 == figures("load").parts


def test_all_that_comes_between_two_joins_goes_to_the_same_subcluster() -> None:
    assert figures("load", 120).mean_slowdown > 1.1 * figures("load", 10).mean_slowdown


def test_every_way_plays_the_same_jobs_to_their_end() -> None:
    for policy in POLICIES:
        found = played(policy)
        assert found.figures.jobs == len(drawn(SMALL.demand, SMALL.seed))
        assert found.moments[-1].waiting == 0
        assert found.moments[-1].busy == 0


def test_processes_change_nothing(tmp_path: Path) -> None:
    words = ["federation", "--subclusters", "3", "--nodes", "5", "--minutes", "2", "--task-s", "30"]
    words += ["--way", "multicast:20", "--out"]
    for count in ("1", "3"):
        err = io.StringIO()
        assert main([*words, str(tmp_path / count), "--processes", count], out=io.StringIO(), err=err) == 0
        assert err.getvalue().startswith("playing ")
    for name in ("federation.json", "federation.svg"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()
    (way,) = json.loads((tmp_path / "1" / "federation.json").read_text())["ways"]
    assert way["figures"]["jobs"] > 0


@pytest.mark.parametrize(
    "words, said",
    [
        (("--way", "lod"), "there is no policy lod (did you mean load?)"),
        (("--way", "load:0"), "'0' is not a whole number of at least 1"),
        (("--busy", "none"), "none: a part of the slots, more than 0"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["federation", *words])
    assert left.value.code == 2
    assert said in capsys.readouterr().err


def test_a_load_without_a_job_is_refused() -> None:
    err = io.StringIO()
    words = ["federation", "--subclusters", "1", "--nodes", "1", "--minutes", "1", "--task-s", "100000"]
    assert main(words, out=io.StringIO(), err=err) == 2
    assert err.getvalue() == "yarnbox: no job comes: give more --minutes, more --nodes or shorter tasks\n"


def test_the_manual_shows_the_figures_that_the_command_wrote() -> None:
    """`yarnbox sim federation --out docs/scale`, some minutes: its table stands in the page."""
    docs = Path(__file__).parents[3] / "docs"
    ways = json.loads((docs / "scale" / "federation.json").read_text())["ways"]
    shown = [
        Played(
            way=PolicyVariant(way["policy"], way["intervalS"]), figures=Figures(**way["figures"]), moments=()
        )
        for way in ways
    ]
    assert [one.way for one in shown] == list(WAYS)
    assert "\n".join(markdown(rows(shown))) in (docs / "scale.md").read_text()
