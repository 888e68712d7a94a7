"""Map and reduce slots: no more maps than map slots run on a node, whatever memory is left."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from yarnbox.sim.load.jobs import REDUCE, Job, Task
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.whatif.command import main as whatif
from yarnbox.sim.workload.command import main


def run(tmp_path: Path, *words: str) -> tuple[int, str, str]:
    tasks = (Task(count=12, duration_ms=10_000), Task(stage=REDUCE, count=4, duration_ms=10_000))
    load = tmp_path / "load.jsonl"
    write_load(load, [Job(job_id="a", submit_ms=0, tasks=tasks)])
    out, err = io.StringIO(), io.StringIO()
    status = main(
        ["run", "--tracelocation", str(load), "--num-nodes", "2", "--json", *words], out=out, err=err
    )
    return status, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("scheduler", ["capacity", "fair"])
def test_maps_and_reduces_have_slots_of_their_own(tmp_path: Path, scheduler: str) -> None:
    """12 maps in 2 x 3 slots are two waves, 4 reduces in 2 x 1 slots are two more."""
    free, slots = (
        json.loads(run(tmp_path, "--scheduler", scheduler, *words)[1])
        for words in ((), ("--map-slots", "3", "--reduce-slots", "1"))
    )
    assert free["jobs"]["finished"] == slots["jobs"]["finished"] == 1
    assert free["makespanMs"] < 40_000
    assert 45_000 < slots["makespanMs"] < 75_000


def test_what_if_knows_slots_too(tmp_path: Path) -> None:
    run(tmp_path)
    words = ["--load", str(tmp_path / "load.jsonl"), "--num-nodes", "2", "--seeds", "1", "--workers", "1"]
    words += ["--map-slots", "3", "--reduce-slots", "1", "--nodes", "+1", "--json"]
    out = io.StringIO()
    assert whatif(words, out=out, err=io.StringIO()) == 0
    base, changed = json.loads(out.getvalue())["plays"]
    assert base["figures"]["all"]["unfinished"] == 0
    assert 45_000 < base["figures"]["all"]["makespan"] < 75_000
    assert changed["figures"]["all"]["makespan"] < base["figures"]["all"]["makespan"]


def test_one_kind_of_slots_alone_is_refused(tmp_path: Path) -> None:
    status, out, err = run(tmp_path, "--map-slots", "3")
    assert (status, out) == (2, "")
    assert err == "yarnbox: --map-slots and --reduce-slots go together\n"


def test_bandwidths_and_slowdowns_are_two_ways_to_say_the_same(tmp_path: Path) -> None:
    status, _, err = run(tmp_path, "--disk-mbps", "100", "--rack-slowdown", "2")
    assert (status, err) == (2, "yarnbox: --disk-mbps goes without --rack-slowdown and --remote-slowdown\n")
    status, _, err = run(tmp_path, "--rack-mbps", "100")
    assert (status, err) == (2, "yarnbox: --rack-mbps needs --disk-mbps\n")
