"""Node labels on real clusters: the commands and what they refuse, where a job's containers land, the three
ways to say where a node is, and an RM that is killed in the middle of changes.
"""

from __future__ import annotations

import getpass
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.processes import label_providers
from tests.processes.conftest import ROOT, Desk, wait_until, with_queues
from tests.processes.gated import ended_jobs, told
from tests.waiting import PATIENCE_S
from yarnbox.client import yarn_client
from yarnbox.client.admin_client import SERVICE, AdminClient
from yarnbox.client.command_line.console import Console
from yarnbox.client.main import main
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.connection.rpc import BlockingStub, RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.client import GetNodesToLabelsRequest
from yarnbox.yarn.records.node import NodeLabel

pytestmark = pytest.mark.long

CAPACITY = "yarn.scheduler.capacity."
LABELS = ("stable", "dynamic", "slow")
ENABLED = "yarn.node-labels.enabled=true"
NOT_CENTRALIZED = (
    "replaceLabelsOnNode: Error when invoke method=replaceLabelsOnNode because centralized node label "
    "configuration is not enabled."
)
PROVIDER = "yarn.nodemanager.node-labels.provider"
RM_PROVIDER = "yarn.resourcemanager.node-labels.provider"


def queues(**further: str) -> dict[str, str]:
    """One queue that may use every partition."""
    shares = {f"root.default.accessible-node-labels.{label}.capacity": "100" for label in LABELS}
    return {
        "root.queues": "default",
        "root.default.capacity": "100",
        "root.default.accessible-node-labels": "*",
        "maximum-am-resource-percent": "0.5",
        **shares,
        **further,
    }


def up(desk: Desk, tmp_path: Path, properties: dict[str, str], *words: str, nodes: int = 4) -> None:
    """A cluster with these queues."""
    conf = with_queues(tmp_path, {CAPACITY + name: value for name, value in properties.items()})
    options = ["--scheduler", "capacity", "--nodes", str(nodes), "--conf", conf]
    for definition in (ENABLED, *words):
        options += ["-D", definition]
    desk.up(*options)


def configure(directory: Path, properties: dict[str, str]) -> None:
    """Writes the queues."""
    rows = ((CAPACITY + name, value, False) for name, value in properties.items())
    (directory / "capacity-scheduler.xml").write_text(write(rows))


class Shell:
    """`yarn` on the desk's cluster, run in this process."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def __call__(self, *words: str, status: int = 0, user: str | None = None) -> str:
        """What it printed."""
        out, err = io.StringIO(), io.StringIO()
        environment = self._desk.environment() | ({"HADOOP_USER_NAME": user} if user else {})
        ended = main(["--dir", str(self._desk.directory), *words], Console(out, err, environment))
        assert ended == status, f"{words}: {ended}\n{out.getvalue()}{err.getvalue()}"
        return out.getvalue() + err.getvalue()

    def refuses(self, *words: str, user: str | None = None) -> str:
        """The first line of its complaint."""
        return self(*words, status=255, user=user).splitlines()[0]

    def label_of(self, node: str) -> str:
        """What `yarn node -list -showDetails` says of the node."""
        lines = iter(self("node", "-list", "-showDetails").splitlines())
        for line in lines:
            if line.strip().startswith(f"{node}:"):
                return next(one for one in lines if "Node-Labels" in one).partition(":")[2].strip()
        return "no such node"


@pytest.fixture
def yarn(desk: Desk) -> Shell:
    return Shell(desk)


def label_nodes(yarn: Shell) -> None:
    yarn("rmadmin", "-addToClusterNodeLabels", "stable(exclusive=true),dynamic(exclusive=false),slow")
    yarn("rmadmin", "-replaceLabelsOnNode", "nm1=stable nm2=dynamic nm3=slow", "-failOnUnknownNodes")


def eventually(wanted: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
    assert wait_until(wanted, timeout_s)


# Where a job's containers land


def hosts_of_job(desk: Desk, *options: str, maps: int) -> dict[str, set[str]]:
    """Runs a job; from its history, the hosts of its AM, its maps and its reduces."""
    before = ended_jobs(desk)
    definitions = [word for option in options for word in ("-D", option)]
    desk.here("job", "pi", *definitions, str(maps), "10")
    (job_id,) = (one for one in ended_jobs(desk) if one not in before)
    report = told(desk, job_id)
    found = {"AM": {one["nodeHost"] for one in report["jobAttempts"]}}
    for task in report["tasks"]:
        found.setdefault(task["type"], set()).update(one["nodeHost"] for one in task["attempts"])
    assert sum(task["type"] == "MAP" for task in report["tasks"]) == maps
    return found


def test_each_expression_decides_where_containers_land(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    up(desk, tmp_path, queues())
    label_nodes(yarn)
    job, am, maps, reduces = (
        f"mapreduce.{part}node-label-expression" for part in ("job.", "job.am.", "map.", "reduce.")
    )
    assert hosts_of_job(desk, f"{job}=dynamic", maps=5) == {"AM": {"nm2"}, "MAP": {"nm2"}, "REDUCE": {"nm2"}}
    assert hosts_of_job(desk, f"{am}=stable", f"{maps}=dynamic", f"{reduces}=slow", maps=3) == {
        "AM": {"nm1"},
        "MAP": {"nm2"},
        "REDUCE": {"nm3"},
    }
    assert hosts_of_job(desk, f"{job}=slow", f"{am}=stable", maps=2) == {
        "AM": {"nm1"},
        "MAP": {"nm3"},
        "REDUCE": {"nm3"},
    }
    # nm4 alone has no label, and nothing is borrowed while it has room
    assert hosts_of_job(desk, f"{reduces}=stable", maps=2) == {
        "AM": {"nm4"},
        "MAP": {"nm4"},
        "REDUCE": {"nm1"},
    }
    refused = desk.here("job", "pi", "-D", f"{job}=nowhere", "1", "1", status=1)
    assert "cluster do not contain , label= nowhere" in refused
    desk.here("restart-rm", "--signal", "KILL")
    assert "<dynamic:exclusivity=false>" in yarn("cluster", "--list-node-labels")
    eventually(lambda: [yarn.label_of(f"nm{number}") for number in (1, 2, 3, 4)] == [*LABELS, ""])


# The commands


ADDING, REMOVING, MAPPING = "addToClusterNodeLabels", "removeFromClusterNodeLabels", "replaceLabelsOnNode"
LISTED = "Node Labels: <stable:exclusivity=true>,<dynamic:exclusivity=false>,<slow:exclusivity=true>\n"
NONSENSE = {
    "stable(exclusive=false)": "Exclusivity cannot be modified for an existing label with : "
    "<stable:exclusivity=false>",
    "new,-bad": "label name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, "
    "now it is= -bad",
    "a(exclusive=maybe)": "Input format for adding node-labels is not correct, it should be "
    "labelName1[(exclusive=true/false)],LabelName2[] ..",
    " , ": "No cluster node-labels are specified",
}
"""What somebody may try to add, and what he is told."""


def test_the_commands_and_what_they_refuse(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    up(desk, tmp_path, queues(), f"yarn.admin.acl={getpass.getuser()}")
    assert yarn("cluster", "--list-node-labels") == "Node Labels: \n"
    label_nodes(yarn)
    assert yarn("cluster", "--list-node-labels") == LISTED
    assert yarn("cluster", "--list-node-labels", "--directly-access-node-label-store") == LISTED
    assert [yarn.label_of(node) for node in ("nm1", "nm2", "nm3", "nm4")] == ["stable", "dynamic", "slow", ""]
    for given, complaint in NONSENSE.items():
        assert yarn.refuses("rmadmin", f"-{ADDING}", given) == f"{ADDING}: {complaint}"
    assert yarn.refuses("rmadmin", f"-{MAPPING}", "nm1=stable,slow").endswith(
        "2 labels specified on host=nm1, please note that we do not support specifying multiple labels on a "
        "single host for now."
    )
    assert yarn.refuses("rmadmin", f"-{MAPPING}", "nm1=new").endswith("please check, new labels=[new]")
    assert yarn.refuses("rmadmin", f"-{MAPPING}", "nm9=slow nm1=slow", "-failOnUnknownNodes").endswith(
        "Failed to replace labels as there are unknown nodes:[nm9:0]"
    )
    assert yarn.label_of("nm1") == "stable"
    for words in ((ADDING, "mine"), (REMOVING, "slow"), (MAPPING, "nm4=slow"), ("refreshQueues",)):
        told = yarn.refuses("rmadmin", f"-{words[0]}", *words[1:], user="mallory")
        assert "mallory doesn't have permission to call" in told, told
    assert yarn("cluster", "--list-node-labels", user="mallory") == LISTED
    node_id = next(word for word in yarn("node", "-list").split() if word.startswith("nm2:"))
    assert "\tNode-Labels : dynamic\n" in yarn("node", "-status", node_id)


def test_a_label_that_a_queue_names(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    engineering = {
        "root.queues": "default,engineering",
        "root.default.capacity": "50",
        "root.engineering.capacity": "50",
        "root.engineering.accessible-node-labels": "stable",
        "root.engineering.default-node-label-expression": "stable",
    }
    up(desk, tmp_path, queues(**engineering))
    label_nodes(yarn)
    told = yarn("queue", "-status", "engineering")
    assert "\tDefault Node Label expression : stable\n\tAccessible Node Labels : stable\n" in told
    told = yarn("queue", "-status", "default")
    assert "\tDefault Node Label expression : <DEFAULT_PARTITION>\n\tAccessible Node Labels : *\n" in told
    assert yarn.refuses("rmadmin", f"-{REMOVING}", "stable") == (
        f"{REMOVING}: Cannot remove label=stable, because queue=root.engineering is using this label. Please "
        "remove label on queue before remove the label"
    )
    configure(tmp_path / "conf", queues())
    assert "cannot be deleted" in yarn.refuses("rmadmin", "-refreshQueues")
    engineering["root.engineering.accessible-node-labels"] = "dynamic"
    configure(tmp_path / "conf", queues(**engineering))
    assert "Invalid default label expression" in yarn.refuses("rmadmin", "-refreshQueues")
    engineering["root.engineering.default-node-label-expression"] = "dynamic"
    configure(tmp_path / "conf", queues(**engineering))
    yarn("rmadmin", "-refreshQueues")
    assert "\tAccessible Node Labels : dynamic\n" in yarn("queue", "-status", "engineering")
    yarn("rmadmin", f"-{REMOVING}", "stable")
    assert [yarn.label_of(node) for node in ("nm1", "nm2")] == ["", "dynamic"]


def test_attributes_of_nodes(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    up(desk, tmp_path, queues(), nodes=2)
    yarn("nodeattributes", "-add", "nm1:os=linux,disk(STRING)=ssd nm2:os=bsd")
    yarn("nodeattributes", "-remove", "nm2:os,never-there")
    yarn("nodeattributes", "-replace", "nm1:gpu=a100")
    desk.here("restart-rm", "--signal", "KILL")
    assert yarn("nodeattributes", "-nodestoattributes").split() == [
        *("Attribute", "Type", "Value", "nm1:"),
        *("rm.yarn.io/gpu", "STRING", "a100"),
    ]
    assert yarn("cluster", "--list-node-attributes") == "rm.yarn.io/gpu(STRING)\n\n"
    assert wait_until(lambda: "nm1:" in yarn("node", "-list"), PATIENCE_S)
    node_id = next(word for word in yarn("node", "-list").split() if word.startswith("nm1:"))
    assert "\tNode Attributes : rm.yarn.io/gpu(STRING)=a100\n" in yarn("node", "-status", node_id)
    assert yarn.refuses("nodeattributes", "-add", "nm9:os=x", "-failOnUnknownNodes").endswith(
        "Following nodes does not exist : [nm9]"
    )


# Who says where a node is


def test_nodes_say_their_labels_by_a_script(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    inventory = tmp_path / "inventory"
    inventory.mkdir()
    script = tmp_path / "label.sh"
    script.write_text(f'#!/bin/sh\nexec cat "{inventory}/$NM_HOST"\n')
    script.chmod(0o755)
    for node, said in {
        "nm1": "NODE_PARTITION:stable",
        "nm2": "NODE_PARTITION:nobody-knows",
        "nm3": "",
    }.items():
        (inventory / node).write_text(said + "\n")
    up(
        desk,
        tmp_path,
        queues(),
        "yarn.node-labels.configuration-type=distributed",
        f"{PROVIDER}=script",
        f"{PROVIDER}.script.path={script}",
        f"{PROVIDER}.fetch-interval-ms=300",
        "yarn.nodemanager.node-labels.resync-interval-ms=1000",
    )
    # the cluster has no label yet: every report is refused, and sent again
    assert [yarn.label_of(node) for node in ("nm1", "nm2", "nm3", "nm4")] == ["", "", "", ""]
    yarn("rmadmin", "-addToClusterNodeLabels", "stable,slow")
    eventually(lambda: yarn.label_of("nm1") == "stable")
    log = desk.directory / "logs" / "nm2.log"
    refused = "Not all labels being replaced contained by known label collections, please check"
    eventually(lambda: refused in log.read_text())
    (inventory / "nm1").write_text("NODE_PARTITION:slow\n")
    (inventory / "nm3").write_text("noise\nNODE_PARTITION:stable\n")
    eventually(lambda: (yarn.label_of("nm1"), yarn.label_of("nm3")) == ("slow", "stable"))
    # the script has no file for nm4 and fails; for nm2 it says what is not there
    assert (yarn.label_of("nm2"), yarn.label_of("nm4")) == ("", "")
    assert yarn.refuses("rmadmin", "-replaceLabelsOnNode", "nm4=slow") == NOT_CENTRALIZED
    desk.here("restart-rm", "--signal", "KILL")
    eventually(lambda: (yarn.label_of("nm1"), yarn.label_of("nm3")) == ("slow", "stable"))
    (inventory / "nm1").write_text("nothing to say\n")
    eventually(lambda: yarn.label_of("nm1") == "")


def test_nodes_say_their_label_by_configuration(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    up(
        desk,
        tmp_path,
        queues(),
        "yarn.node-labels.configuration-type=distributed",
        f"{PROVIDER}=config",
        f"{PROVIDER}.configured-node-partition=slow",
        "yarn.nodemanager.node-labels.resync-interval-ms=500",
        nodes=2,
    )
    yarn("rmadmin", "-addToClusterNodeLabels", "slow")
    eventually(lambda: [yarn.label_of(f"nm{number}") for number in (1, 2)] == ["slow"] * 2)
    assert yarn.refuses("rmadmin", "-replaceLabelsOnNode", "nm1=") == NOT_CENTRALIZED
    yarn("rmadmin", "-removeFromClusterNodeLabels", "slow")
    eventually(lambda: yarn.label_of("nm1") == "")


def test_a_provider_in_the_resource_manager(
    desk: Desk, tmp_path: Path, yarn: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = tmp_path / "inventory.json"
    inventory.write_text(json.dumps({"nm1": "stable", "nm2": None}))
    monkeypatch.setenv(label_providers.FILE, str(inventory))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # the class that the property names is a test's
    up(
        desk,
        tmp_path,
        queues(),
        "yarn.node-labels.configuration-type=delegated-centralized",
        f"{RM_PROVIDER}={label_providers.__name__}.Inventory",
        f"{RM_PROVIDER}.fetch-interval-ms=1000",
        f"{RM_PROVIDER}.update-newly-registered-nodes-interval-ms=300",
    )
    yarn("rmadmin", "-addToClusterNodeLabels", "stable,slow")
    eventually(lambda: yarn.label_of("nm1") == "stable")
    inventory.write_text(json.dumps({"nm1": "slow", "nm3": "stable"}))
    eventually(lambda: (yarn.label_of("nm1"), yarn.label_of("nm3")) == ("slow", "stable"))
    inventory.write_text("nonsense")
    desk.here("restart-rm", "--signal", "KILL")
    assert "stable" in yarn("cluster", "--list-node-labels")
    inventory.write_text(json.dumps({"nm4": "slow"}))
    eventually(lambda: yarn.label_of("nm4") == "slow")
    eventually(lambda: yarn.label_of("nm1") == "")
    assert yarn.refuses("rmadmin", "-replaceLabelsOnNode", "nm1=slow") == NOT_CENTRALIZED


# What survives


def test_no_answered_change_is_lost(desk: Desk, tmp_path: Path, yarn: Shell) -> None:
    """Change upon change, and in the middle of them the RM is killed: what it answered is there afterwards,
    and of the one that it did not answer all or nothing.
    """
    up(desk, tmp_path, queues(), nodes=1)
    with BlockingStub(desk.run.load().rm_address, SERVICE, user=getpass.getuser()) as stub:
        admin = AdminClient(stub)
        answered, killer = 0, threading.Timer(0.3, lambda: desk.here("restart-rm", "--signal", "KILL"))
        for number in range(1, 100_000):
            if number == 20:
                killer.start()
            try:
                admin.add_labels([NodeLabel(name=f"l{number}", is_exclusive=bool(number % 2))])
                admin.replace_labels({NodeId(f"h{number}", 0): (f"l{number}",)})
            except (RpcError, YarnError):
                break
            answered = number
        killer.join()
    assert answered >= 19
    labels = yarn("cluster", "--list-node-labels").removeprefix("Node Labels: ").strip().split(",")
    wanted = [f"<l{number}:exclusivity={str(bool(number % 2)).lower()}>" for number in range(1, answered + 2)]
    assert labels in (wanted[:-1], wanted)
    with BlockingStub(desk.run.load().rm_address, yarn_client.SERVICE, user=getpass.getuser()) as stub:
        mappings = stub.call("getNodeToLabels", GetNodesToLabelsRequest()).node_to_labels
    mapped = [(one.node_id.host, *one.node_labels) for one in mappings]
    assert mapped[:answered] == [(f"h{number}", f"l{number}") for number in range(1, answered + 1)]
    assert len(mapped) <= answered + 1
