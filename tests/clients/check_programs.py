"""YarnClient, AMRMClient, NMClient and their asynchronous kin, in programs of ours (java/)."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.jobs import patient
from tests.clients.jvm import PROGRAM_S, Programs, environment
from tests.clients.site import yarn
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until


@pytest.mark.parametrize("name", ["UnmanagedMaster", "Submission"])
def test_the_program_finds_everything_as_it_should_be(
    programs: Programs, cluster: Cluster, name: str
) -> None:
    said = programs.run(cluster.run.path, name)
    assert said.status == 0, str(said)
    assert said.out.endswith("done\n")


def test_clients_prove_to_masters_who_they_are(programs: Programs, cluster: Cluster, tmp_path: Path) -> None:
    """By the tokens that the ResourceManager gives them for two running jobs of ours."""
    text = tmp_path / "names.txt"
    text.write_text(f"{tmp_path / 'never'}\n", encoding="utf-8")
    with waiting_job(text, cluster, tmp_path / "one"), waiting_job(text, cluster, tmp_path / "two"):
        running: list[str] = []

        def both_run() -> bool:
            listed = yarn(cluster, "application", "-list", "-appStates", "RUNNING", "-appTypes", "MAPREDUCE")
            running[:] = re.findall(r"application_\d+_\d+", listed.out)
            return len(running) == 2

        assert wait_until(both_run, PATIENCE_S)
        said = programs.run(cluster.run.path, "ClientToAM", *running)
    assert said.status == 0, str(said)
    assert said.out.endswith("done\n")


@contextmanager
def waiting_job(text: Path, cluster: Cluster, target: Path) -> Iterator[None]:
    """A job that waits for a file that never comes; it ends with the block."""
    job = [sys.executable, "-m", "yarnbox.cluster.main", "job", "mapreduce", "--path", str(ROOT)]
    job += ["--mapper", f"{patient.__name__}.mapper", "--reducer", f"{patient.__name__}.reducer"]
    known = environment(YARNBOX_DIR=str(cluster.run.path))
    with subprocess.Popen(
        [*job, str(text), str(target)], cwd=ROOT, env=known, stdout=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


def test_a_master_survives_its_resource_manager(programs: Programs, cluster: Cluster, tmp_path: Path) -> None:
    """It registers again, keeps its containers, and hears of those that end later."""
    end = tmp_path / "end"
    with programs.started(cluster.run.path, "Survival", str(end)) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ok all of it runs\n", program.communicate()
        cluster.restart_rm(signal.SIGKILL)
        cluster.wait_until_ready()
        end.touch()
        said, complaints = program.communicate(timeout=PROGRAM_S)
    assert program.returncode == 0, said + complaints
    assert said.endswith("done\n")
