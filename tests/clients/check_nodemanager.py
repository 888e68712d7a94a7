"""Hadoop's own NodeManager 3.4.1 in our cluster: AMs of both kinds and their containers run on it, and its
loss is the loss of a node.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clients.jvm import PROGRAM_S, Programs, environment
from tests.clients.nodemanager import HOST, HadoopNode, empty_cluster, joined
from tests.clients.site import yarn
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until
from yarnbox.yarn.enums import NodeState

# All of them, so that they stay together: the node is started once.
pytestmark = [
    pytest.mark.usefixtures("programs"),
    pytest.mark.parametrize("programs", ["3.4"], indirect=True),
]

ENOUGH_S = PATIENCE_S


@pytest.fixture(scope="module")
def alone(scratch: Path) -> Iterator[HadoopNode]:
    """The only node of a cluster of its own."""
    with empty_cluster(scratch / "alone") as cluster, joined(cluster, scratch / "hadoops-node") as node:
        yield node


def test_masters_on_hadoops_clients_run_there_to_the_end_and_are_killed(
    programs: Programs, alone: HadoopNode
) -> None:
    """AMRMClientAsync finds its AMRM token, NMClientAsync starts containers, and the kill stops the AM."""
    cluster = alone.cluster
    said = programs.run(cluster.run.path, "Submission")
    assert said.status == 0, str(said)
    assert said.out.endswith("done\n")
    assert wait_until(lambda: not alone.places(), ENOUGH_S), alone.places()
    ended = yarn(cluster, "application", "-list", "-appStates", "FINISHED").out
    (application,) = re.findall(r"application_\d+_\d+", ended)

    def is_collected() -> bool:
        said = yarn(cluster, "logs", "-applicationId", application, "-log_files", "stdout")
        return "\nhello\n" in said.out

    assert wait_until(is_collected, ENOUGH_S), yarn(cluster, "logs", "-applicationId", application)


def test_its_containers_grow_stop_and_tell_how_they_ended(programs: Programs, alone: HadoopNode) -> None:
    said = programs.run(alone.cluster.run.path, "UnmanagedMaster")
    assert said.status == 0, str(said)
    assert said.out.endswith("done\n")


@contextmanager
def waiting_job(cluster: Cluster, hosts: Path, end: Path) -> Iterator[subprocess.Popen[str]]:
    """A job of ours: two containers that write down their host and wait for a file."""
    command = f"echo $NM_HOST >> {hosts}; while [ ! -e {end} ]; do sleep 0.1; done"
    yarnbox = [sys.executable, "-m", "yarnbox.cluster.main"]
    line = [*yarnbox, "job", "shell", "--containers", "2", "--memory", "256"]
    with subprocess.Popen(
        [*line, "--", "sh", "-c", command],
        cwd=ROOT,
        env=environment(YARNBOX_DIR=str(cluster.run.path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            end.touch()
            process.kill()


def test_its_containers_outlive_the_resource_manager_and_a_new_attempt_it(
    alone: HadoopNode, tmp_path: Path
) -> None:
    """A job of ours runs there while the ResourceManager dies, and starts again elsewhere when the node
    does.
    """
    cluster, hosts, end = alone.cluster, tmp_path / "hosts", tmp_path / "end"

    def ran_on() -> list[str]:
        return hosts.read_text(encoding="utf-8").split() if hosts.exists() else []

    with waiting_job(cluster, hosts, end) as job:
        assert wait_until(lambda: ran_on() == [HOST, HOST], ENOUGH_S), alone.said
        cluster.restart_rm(signal.SIGKILL)
        alone.wait_for(NodeState.RUNNING)
        (application,) = re.findall(r"application_\d+_\d+", yarn(cluster, "application", "-list").out)
        attempts = yarn(cluster, "applicationattempt", "-list", application).out
        assert len(re.findall("appattempt_", attempts)) == 1

        ours = cluster.add_node().name
        cluster.wait_until_ready([ours])
        alone.process.kill()
        alone.wait_for(NodeState.LOST)
        assert wait_until(lambda: ran_on() == [HOST, HOST, ours, ours], ENOUGH_S), ran_on()
        end.touch()
        said, _ = job.communicate(timeout=PROGRAM_S)
    assert job.returncode == 0, str(said)
    attempts = yarn(cluster, "applicationattempt", "-list", application).out
    assert re.findall("FAILED|FINISH", attempts) == ["FAILED", "FINISH"], attempts
