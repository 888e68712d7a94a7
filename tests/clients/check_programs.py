"""YarnClient, AMRMClient, NMClient and their asynchronous kin, in programs of ours (java/)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from cluster.cluster import Cluster
from tests.clients.jvm import PROGRAM_S, Programs


@pytest.mark.parametrize("name", ["UnmanagedMaster", "Submission"])
def test_the_program_finds_everything_as_it_should_be(
    programs: Programs, cluster: Cluster, name: str
) -> None:
    said = programs.run(cluster.run.path, name)
    assert said.status == 0, said
    assert said.out.endswith("done\n")


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
