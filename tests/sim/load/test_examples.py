"""The loads that are shipped: each is played until all of its jobs have finished."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.tree import ROOT
from yarnbox.sim.load.command import main as load
from yarnbox.sim.workload.command import main as sim

LOADS = ROOT / "examples" / "loads"


@pytest.mark.long
@pytest.mark.parametrize(
    "words, jobs, queues",
    [
        (["--tracelocation", "three-tenants.jsonl"], 40, ["root.adhoc", "root.etl", "root.serving"]),
        (
            ["--tracetype", "SYNTH", "--tracelocation", "tenants.synth.json", "--scheduler", "fair"],
            40,
            ["root.adhoc", "root.etl", "root.serving"],
        ),
        (["--tracetype", "SLS", "--tracelocation", "morning.sls.json"], 3, ["root.etl", "root.lab"]),
        (["captured"], 3, ["root.default"]),
    ],
    ids=["yarnbox", "synth", "sls", "captured"],
)
def test_every_load_is_played_to_its_end(
    words: list[str], jobs: int, queues: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(LOADS)
    out, err = io.StringIO(), io.StringIO()
    assert sim(["run", *words, "--json"], out=out, err=err) == 0, err.getvalue()
    # A slow machine is told how far the run is.
    assert all("of virtual time" in line for line in err.getvalue().splitlines())
    found = json.loads(out.getvalue())
    assert found["jobs"]["finished"] == found["jobs"]["count"] == jobs
    assert list(found["by"]["queue"]) == queues


def test_the_three_tenants_are_those_of_the_synth_file(tmp_path: Path) -> None:
    words = ["--tracetype", "SYNTH", "--tracelocation", str(LOADS / "tenants.synth.json")]
    assert load(["convert", *words, "--output", str(tmp_path / "made.jsonl")], out=io.StringIO()) == 0
    assert (tmp_path / "made.jsonl").read_text() == (LOADS / "three-tenants.jsonl").read_text()
