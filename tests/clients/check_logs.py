"""Hadoop's own `yarn logs` reads the logs that our nodes have collected, and says what ours says."""

from __future__ import annotations

import subprocess

import pytest

from tests.clients import installed
from tests.clients.check_commands import APPLICATION, found, shell_job
from tests.clients.jvm import CLI, Said, environment
from tests.clients.site import yarn
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster

QUESTIONS = (
    "-applicationId {application}",
    "-applicationId {application} -log_files stdout -size 5",
    "-applicationId {application} -log_files nothing",
    "-applicationId {application} -list_nodes",
    "-applicationId {application} -show_application_log_info",
    "-applicationId {application} -show_container_log_info",
    "-containerId {container}",
    "-containerId {container} -log_files stdout,stderr",
)


@pytest.fixture(scope="module")
def application(cluster: Cluster) -> str:
    """A job of two containers that is over, and whose logs are collected."""
    with shell_job(cluster, 2, "sh", "-c", "echo owl: \N{OWL}; echo no >&2") as job:
        assert job.wait(PATIENCE_S) == 0
    return max(found(APPLICATION, yarn(cluster, "application", "-list", "-appStates", "ALL")))


def hadoops(cluster: Cluster, words: list[str]) -> Said:
    """Its `yarn logs`, with the one library that it needs and its MapReduce does not."""
    spark = installed.home("spark-4.0") / "jars"
    jars = [f"{installed.hadoop_home()}/*", *map(str, spark.glob("commons-math3-*.jar"))]
    line = [
        "java",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        ":".join([str(cluster.run.path), *jars]),
        f"{CLI}LogsCLI",
    ]
    done = subprocess.run(
        [*line, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment()
    )
    return Said(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("question", QUESTIONS)
def test_both_print_the_same(cluster: Cluster, application: str, question: str) -> None:
    """Whatever the order of the nodes: Hadoop takes them as the filesystem lists them."""
    container = f"{application.replace('application', 'container')}_01_000002"
    words = question.format(application=application, container=container).split()
    theirs, ours = hadoops(cluster, words), yarn(cluster, "logs", *words)
    assert theirs.status & 0xFF == ours.status & 0xFF, f"{theirs}{ours}"
    assert sorted(theirs.out.splitlines()) == sorted(ours.out.splitlines())
    if question == QUESTIONS[0]:
        assert "owl: \N{OWL}" in theirs.out
