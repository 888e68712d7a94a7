"""Real processes: a shell whose containers keep apart; what cannot be placed waits, or comes back."""

from __future__ import annotations

import json
import re
import urllib.request
from pathlib import Path

import pytest

from tests.processes.conftest import Desk, wait_until
from tests.processes.test_commands import run_here
from tests.waiting import PATIENCE_S
from yarnbox.rm.booking import ALLOCATED

pytestmark = pytest.mark.long

HANDLER = "yarn.resourcemanager.placement-constraints.handler="
SPEC = "zk(4),NOTIN,NODE,zk"


def up(desk: Desk, handler: str) -> None:
    desk.up("--scheduler", "capacity", "--nodes", "3", "-D", HANDLER + handler)


def hosts(directory: Path) -> list[str]:
    """Where the commands that have begun run."""
    return sorted(file.read_text().strip() for file in directory.glob("host.*"))


def placed(desk: Desk) -> list[str]:
    """The nodes that were given to the shell, after the one of its AM."""
    given = [event for event in desk.events() if event.type == ALLOCATED]
    return [event.details["node"] for event in given[1:]]


def command(directory: Path) -> tuple[str, str, str]:
    """Says where it runs, in a file that is whole from the moment it has its name, and waits."""
    gate = f"while [ ! -e {directory}/gate ]; do sleep 0.2; done"
    said, name = f"{directory}/said.$YARN_SHELL_ID", f"{directory}/host.$YARN_SHELL_ID"
    return "sh", "-c", f"echo $NM_HOST > {said} && mv {said} {name}; {gate}"


def tags_on_nodes(desk: Desk) -> dict[str, int]:
    """What REST says of each node's tags."""
    address = desk.run.load().web_address
    with urllib.request.urlopen(f"http://{address}/ws/v1/cluster/nodes", timeout=PATIENCE_S) as answer:
        nodes = json.load(answer)["nodes"].get("node", [])  # none yet, right after a restart
    return {
        node["nodeHostName"]: entry["allocationsCount"]
        for node in nodes
        for entry in node["allocationTags"].get("allocationTagInfo", ())
    }


def test_three_keep_apart_and_the_fourth_waits_for_a_node(desk: Desk, tmp_path: Path) -> None:
    up(desk, "scheduler")
    shell = desk.start("job", "shell", "--placement-spec", SPEC, "--", *command(tmp_path))
    assert wait_until(lambda: len(hosts(tmp_path)) == 3, PATIENCE_S)
    first = hosts(tmp_path)
    assert len(set(first)) == 3
    (application,) = re.findall(r"application_\d+_\d+", run_here(desk, "application", "-list"))[:1]
    why = desk.here("why", application)
    assert "3 nodes: Node does not satisfy the placement constraint of the request (notin,node,zk)" in why
    assert tags_on_nodes(desk) == dict.fromkeys(first, 1)
    # The tags come back with the nodes, the request with the AM.
    desk.here("restart-rm", "--signal", "KILL")
    assert wait_until(lambda: tags_on_nodes(desk) == dict.fromkeys(first, 1), PATIENCE_S)
    desk.here("add-node")
    assert wait_until(lambda: len(hosts(tmp_path)) == 4, PATIENCE_S)
    assert len(set(hosts(tmp_path))) == 4
    (tmp_path / "gate").touch()
    out, err = shell.communicate(timeout=PATIENCE_S)
    assert shell.returncode == 0, out + err


def test_the_fourth_is_rejected_until_the_shell_gives_up(desk: Desk, tmp_path: Path) -> None:
    up(desk, "placement-processor")
    heartbeat = "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms=100"
    shell = desk.start("job", "shell", "-D", heartbeat, "--placement-spec", SPEC, "--", *command(tmp_path))
    out, err = shell.communicate(timeout=PATIENCE_S)
    assert shell.returncode != 0
    assert "COULD_NOT_PLACE_ON_NODE, retries are exhausted" in out + err
    # The shell may give up before those that were placed say anything.
    assert wait_until(lambda: len(placed(desk)) == 3, PATIENCE_S), placed(desk)
    assert len(set(placed(desk))) == 3


def test_without_a_handler_the_shell_is_told_so(desk: Desk, tmp_path: Path) -> None:
    up(desk, "disabled")
    once = ("-D", "mapreduce.am.max-attempts=1")
    shell = desk.start("job", "shell", *once, "--placement-spec", SPEC, "--", *command(tmp_path))
    out, err = shell.communicate(timeout=PATIENCE_S)
    assert shell.returncode != 0
    assert "did not succeed" in out + err
    assert hosts(tmp_path) == []
    (application,) = set(re.findall(r"application_\d+_\d+", out))
    refusal = "cannot handle placement constraints. Rejecting this registerApplicationMaster"

    def logs() -> str:
        return run_here(desk, "logs", "-applicationId", application, status=None)

    assert wait_until(lambda: refusal in logs(), PATIENCE_S)
