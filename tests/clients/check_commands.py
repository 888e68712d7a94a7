"""Hadoop's commands on our cluster: each says what ours says, line by line, and does what it says.

What moves between two looks, ages and sums over time, is masked; help texts are our own, and not compared.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import pytest

from tests.clients.jvm import Commands, Said, environment
from tests.clients.site import NODES, yarn
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until

MOVING = re.compile(
    r"(?<=Aggregate Resource Allocation : ).*|(?<=Last-Health-Update : ).*|(?<=Utilization : ).*"
    r"|(?<=Last-Health-Report : ).*|(?<=PMem:).*|(?<=expiry time is ).*|(?<=RemainingTime : ).*"
)
_HELP = re.compile(r"\n\tat |^Usage: ", re.MULTILINE)
_LOGGED = re.compile(r"\d{4}-\d\d-\d\d .* (INFO|WARN) ")
READING = (
    "node -list",
    "node -list -all",
    "node -list -states RUNNING,LOST",
    "node -list -showDetails",
    "node -status {node}",
    "node -status 127.0.1.9:1",
    "application -list",
    "application -list -appStates ALL",
    "application -list -appStates FINISHED",
    "application -list -appStates WRONG",
    "application -list -appTypes NONE",
    "application -list -appTags none",
    "application -status {running}",
    "application -status {finished}",
    "application -status application_1_0001",
    "application -kill {finished}",
    "application -kill application_1_0001",
    "application -nothing",
    "applicationattempt -list {running}",
    "applicationattempt -list {finished}",
    "applicationattempt -status {attempt}",
    "applicationattempt -status appattempt_1_0001_000001",
    "container -list {attempt}",
    "container -status {container}",
    "container -status container_1_0001_01_000001",
    "application -movetoqueue {running} -queue nowhere",
    "application -movetoqueue {finished} -queue other",
    "application -changeQueue nowhere -appId {running}",
    "application -changeQueue other -appId {finished}",
    "application -updatePriority x -appId {running}",
    "application -updatePriority 3 -appId {finished}",
    "application -updateLifetime x -appId {running}",
    "applicationattempt -list x",
    "applicationattempt -list application_1_0001",
    "applicationattempt -status x",
    "applicationattempt -status appattempt_1",
    "applicationattempt -fail appattempt_1_0001_000001",
    "container -list appattempt_1_0001_000001",
    "container -status x",
    "container -status container_1",
    "container -signal {container} NEVER",
    "container -signal container_1_0001_01_000001",
    "node -status x",
    "node -list -states NEVER",
    "cluster -lnl -lna",
    "queue -status nowhere",
    "cluster -lnl",
    "cluster --list-node-attributes",
    "rmadmin -refreshQueues",
    "rmadmin -refreshNodes",
    "rmadmin -refreshNodesResources",
    "rmadmin -refreshAdminAcls",
    "rmadmin -refreshServiceAcl",
    "rmadmin -refreshUserToGroupsMappings",
    "rmadmin -refreshSuperUserGroupsConfiguration",
    "rmadmin -getGroups root",
    "rmadmin -getServiceState rm1",
    "rmadmin -wrong",
    "rmadmin -refreshClusterMaxPriority",
    "rmadmin -replaceLabelsOnNode 127.0.1.77=fast -failOnUnknownNodes",
    "rmadmin -replaceLabelsOnNode 127.0.1.1=never",
    "rmadmin -replaceLabelsOnNode 127.0.1.1=a,b",
    "rmadmin -addToClusterNodeLabels fast(exclusive=true)",
    "rmadmin -addToClusterNodeLabels wrong(exclusive=perhaps)",
    "rmadmin -addToClusterNodeLabels wrong#label",
    "rmadmin -removeFromClusterNodeLabels never",
    "rmadmin -updateNodeResource x 1 1",
    "rmadmin -updateNodeResource {node} -5 1",
    "rmadmin -updateNodeResource {node} vcores=1",
    "rmadmin -updateNodeResource 127.0.1.77:1 1024 1",
    "rmadmin -checkHealth rm1",
    "rmadmin -transitionToActive rm1",
    "nodeattributes -add 127.0.1.77:os=linux -failOnUnknownNodes",
    "nodeattributes -add 127.0.1.1:os(NEVER)=x",
    "nodeattributes -add 127.0.1.1:wrong#name=x",
    "nodeattributes -attributestonodes -attributes rm.yarn.io/never",
    "nodeattributes -list",
    "nodeattributes -nodestoattributes",
    "nodeattributes -attributestonodes",
)
APPLICATION = r"application_\d+_\d+"
ATTEMPT = r"appattempt_\d+_\d+_\d+"
CONTAINER = r"container_(?:e\d+_)?\d+_\d+_\d+_\d+"
NODE = r"127\.0\.1\.\d+:\d+"
SINCE_34 = ("queue -status default", "queue -status other", "queue -list all", "queue -list default")


@dataclass
class Applications:
    """What runs on the cluster while commands look at it."""

    running: str = ""
    finished: str = ""
    attempt: str = ""
    container: str = ""
    node: str = ""

    def words(self, line: str) -> list[str]:
        """A command line about them."""
        return line.format_map(vars(self)).split()


def shell_job(cluster: Cluster, containers: int, *command: str) -> subprocess.Popen[bytes]:
    """A job of ours, submitted from a process of its own."""
    line = [
        sys.executable,
        "-m",
        "yarnbox.cluster.main",
        "job",
        "shell",
        "--containers",
        str(containers),
        "--",
        *command,
    ]
    known = environment(YARNBOX_DIR=str(cluster.run.path))
    return subprocess.Popen(line, cwd=ROOT, env=known, stdout=subprocess.DEVNULL)


def found(pattern: str, said: Said) -> list[str]:
    """All that a command mentioned of a kind."""
    return list(dict.fromkeys(re.findall(pattern, said.out)))


@contextmanager
def running_job(cluster: Cluster) -> Iterator[Applications]:
    """A job whose two containers sleep until nobody looks any more."""
    before = yarn(cluster, "application", "-list", "-appStates", "ALL").out
    with shell_job(cluster, 2, "sleep", "600") as job:
        try:
            known = Applications()

            def is_running() -> bool:
                listed = found(APPLICATION, yarn(cluster, "application", "-list", "-appStates", "RUNNING"))
                new = [one for one in listed if one not in before]
                if not new:
                    return False
                known.running = new[0]
                known.attempt = found(ATTEMPT, yarn(cluster, "applicationattempt", "-list", new[0]))[-1]
                containers = yarn(cluster, "container", "-list", known.attempt)
                known.container = (found(CONTAINER, containers) or [""])[-1]
                return containers.out.count("RUNNING") == 3

            assert wait_until(is_running, PATIENCE_S), job.poll()
            yield known
        finally:
            job.terminate()
            yarn(cluster, "application", "-kill", known.running)


@pytest.fixture(scope="module")
def applications(cluster: Cluster) -> Iterator[Applications]:
    """One that is over, and one that runs."""
    with shell_job(cluster, 1, "true") as short:
        assert short.wait(PATIENCE_S) == 0
    finished = found(APPLICATION, yarn(cluster, "application", "-list", "-appStates", "FINISHED"))[-1]
    with running_job(cluster) as known:
        known.finished = finished
        known.node = found(NODE, yarn(cluster, "node", "-list"))[0]
        yield known


def agree(hadoop: Commands, cluster: Cluster, *words: str) -> None:
    """Both say the same and end alike."""
    theirs, expected = hadoop(*words), yarn(cluster, *words)
    assert (theirs.status, masked(theirs)) == (expected.status, masked(expected)), theirs.err
    if words[0] != "nodeattributes":  # it shows its help whenever something is wrong
        assert complaint(theirs) == complaint(expected)


def complaint(said: Said) -> list[str]:
    """What went to stderr, before stack frames and help, without log lines and where classes were moved."""
    text = said.err.replace('Exception in thread "main" ', "").replace("org.apache.hadoop.shaded.", "")
    text = _HELP.split(text)[0].strip()
    return [line for line in text.splitlines() if not _LOGGED.match(line)]


def masked(said: Said) -> list[str]:
    """The lines without what moves."""
    return MOVING.sub("...", said.out).splitlines()


@pytest.mark.parametrize("line", READING)
def test_both_say_the_same(hadoop: Commands, cluster: Cluster, applications: Applications, line: str) -> None:
    agree(hadoop, cluster, *applications.words(line))


@pytest.mark.parametrize("line", SINCE_34)
def test_both_say_the_same_of_queues_if_hadoop_is_of_our_version(
    hadoop: Commands, cluster: Cluster, applications: Applications, line: str
) -> None:
    words = applications.words(line)
    theirs, expected = hadoop(*words), yarn(cluster, *words)
    assert expected.status == 0
    if hadoop.release == "spark-4.0":
        assert (theirs.status, masked(theirs)) == (0, masked(expected))
    elif "-list" in words:
        assert theirs.status == 1  # the option came with 3.4
    else:
        kept = iter(masked(expected))
        assert all(one in kept for one in masked(theirs)), (theirs, expected)


def test_an_application_is_changed_and_killed(hadoop: Commands, cluster: Cluster) -> None:
    with running_job(cluster) as job:

        def says(text: str, *words: str) -> None:
            said = hadoop(*words)
            assert (said.status, text in said.out) == (0, True), str(said)

        def is_now(text: str) -> None:
            assert text in yarn(cluster, "application", "-status", job.running).out

        says("Successfully updated", "application", "-updatePriority", "3", "-appId", job.running)
        is_now("Application Priority : 3\n")
        says("Successfully completed move", "application", "-changeQueue", "other", "-appId", job.running)
        is_now("Queue : root.other\n")
        says("Successfully completed move", "application", "-movetoqueue", job.running, "-queue", "default")
        is_now("Queue : root.default\n")
        says("Successfully updated LIFETIME", "application", "-updateLifetime", "900", "-appId", job.running)
        is_now("TimeoutType : LIFETIME")
        says("Signalling container", "container", "-signal", job.container, "OUTPUT_THREAD_DUMP")
        says("Failing attempt", "applicationattempt", "-fail", job.attempt)
        assert wait_until(lambda: job.attempt in failed_attempts(cluster, job.running), PATIENCE_S)
        says(f"Killing application {job.running}", "application", "-kill", job.running)
        is_now("State : KILLED\n")
        says("has already finished", "application", "-kill", job.running)


def failed_attempts(cluster: Cluster, application: str) -> str:
    """The lines of attempts that failed."""
    listed = yarn(cluster, "applicationattempt", "-list", application).out.splitlines()
    return "\n".join(line for line in listed if "FAILED" in line)


def test_labels_come_and_go(hadoop: Commands, cluster: Cluster) -> None:
    def do(*words: str) -> None:
        said = hadoop("rmadmin", *words)
        assert said.status == 0, str(said)
        agree(hadoop, cluster, "cluster", "-lnl")
        agree(hadoop, cluster, "node", "-list", "-showDetails")

    do("-addToClusterNodeLabels", "slow(exclusive=false),large")
    assert "<slow:exclusivity=false>" in yarn(cluster, "cluster", "-lnl").out
    do("-replaceLabelsOnNode", f"{NODES[0]}=slow {NODES[1]}=large")
    assert "Node-Labels : slow" in yarn(cluster, "node", "-list", "-showDetails").out
    do("-replaceLabelsOnNode", f"{NODES[0]} {NODES[1]}")
    do("-removeFromClusterNodeLabels", "slow,large")
    assert "slow" not in yarn(cluster, "cluster", "-lnl").out
    agree(hadoop, cluster, "rmadmin", "-removeFromClusterNodeLabels", "slow")


def test_attributes_come_and_go(hadoop: Commands, cluster: Cluster) -> None:
    def do(*words: str) -> None:
        said = hadoop("nodeattributes", *words)
        assert said.status == 0, str(said)
        agree(hadoop, cluster, "nodeattributes", "-list")
        agree(hadoop, cluster, "nodeattributes", "-nodestoattributes", "-nodes", NODES[0])
        agree(hadoop, cluster, "nodeattributes", "-attributestonodes")
        agree(hadoop, cluster, "cluster", "-lna")

    do("-add", f"{NODES[0]}:os(STRING)=linux,rack=three")
    assert "rm.yarn.io/os" in yarn(cluster, "nodeattributes", "-list").out
    do("-replace", f"{NODES[0]}:os(STRING)=plan9")
    assert "plan9" in yarn(cluster, "nodeattributes", "-nodestoattributes").out
    do("-remove", f"{NODES[0]}:os")
    assert "plan9" not in yarn(cluster, "nodeattributes", "-nodestoattributes").out


def test_a_node_is_given_other_resources(hadoop: Commands, cluster: Cluster) -> None:
    node = found(NODE, yarn(cluster, "node", "-list"))[0]
    for memory in ("4096", "8192"):
        said = hadoop("rmadmin", "-updateNodeResource", node, memory, "8")
        assert said.status == 0, str(said)
        shown = partial(node_shows, hadoop, node, f"Memory-Capacity : {memory}MB")
        assert wait_until(shown, PATIENCE_S)
        agree(hadoop, cluster, "node", "-status", node)


def node_shows(hadoop: Commands, node: str, text: str) -> bool:
    """Whether a node's report contains it."""
    return text in hadoop("node", "-status", node).out
