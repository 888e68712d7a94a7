"""A real Dask cluster of worker processes, one of which is killed while it plays: the same, to the byte."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.dask_cluster import dask_cluster
from yarnbox.sim.whatif.command import main
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.engines.dask import connected
from yarnbox.sim.whatif.study import Played
from yarnbox.yarn.connection.dask import DaskAddress

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    place = tmp_path_factory.mktemp("dask")
    with dask_cluster(place, threads_per_worker=1, dashboard_address="127.0.0.1:0") as found:
        yield found


def as_text(plays: dict[Any, Played]) -> bytes:
    return json.dumps([one.data() for one in plays.values()]).encode()


def test_a_lost_workers_plays_are_played_again(comparison: Comparison, cluster: Any) -> None:
    study = replace(comparison.study, variants=comparison.study.variants[:2], seeds=(1, 2, 3))
    killed: list[int] = []

    def done(played: Played) -> None:
        if not killed:
            killed.append(next(iter(cluster.workers.values())).process.pid)
            os.kill(killed[0], signal.SIGKILL)

    with connected(DaskAddress(cluster.scheduler_address)) as engine:
        found = dict(engine.run(study, study.cases, done))
    assert len(killed) == 1
    assert list(found) == list(study.cases)
    assert as_text(found) == as_text({case: comparison.plays[case] for case in study.cases})


def test_the_command_plays_on_the_cluster(conf: Path, load: Path, cluster: Any) -> None:
    words = ["--base", str(conf), "--load", str(load), "--jobs", "2", "--seeds", "1", "--scheduler", "fifo"]
    words += ["--node-mb", "6144", "--num-nodes", "2", "--json"]
    local, far = io.StringIO(), io.StringIO()
    assert main([*words, "--workers", "1"], out=local, err=io.StringIO()) == 0
    address = ["--engine", "dask", "--scheduler-address", cluster.scheduler_address]
    assert main([*words, *address], out=far, err=io.StringIO()) == 0
    assert far.getvalue() == local.getvalue()


@pytest.mark.parametrize(
    "words, why",
    [
        (["--engine", "dask"], "--scheduler-address says where its scheduler is"),
        (["--scheduler-address", "tcp://h:1"], "--scheduler-address: goes with --engine dask"),
        (["--engine", "dask", "--scheduler-address", "x", "--workers", "2"], "--workers: the cluster of"),
        (["--engine", "dask", "--scheduler-address", "nowhere:x"], "--scheduler-address nowhere:x: "),
        (
            ["--engine", "dask", "--scheduler-address", "tls://h:1", "--tls-ca", "no.pem"],
            "no.pem: there is no",
        ),
    ],
)
def test_an_engine_that_cannot_be_used_is_one_line(
    conf: Path, load: Path, words: list[str], why: str
) -> None:
    err = io.StringIO()
    given = ["--base", str(conf), "--load", str(load), "--load-factor", "2", *words]
    assert main(given, out=io.StringIO(), err=err) == 2
    (line,) = err.getvalue().splitlines()
    assert why in line
