"""`yarn` on a cluster of real processes: one job is looked at, signalled, read, killed, and read again."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.processes.conftest import Desk, wait_until
from tests.waiting import PATIENCE_S
from yarnbox.client.command_line.console import Console
from yarnbox.client.main import main
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import RegisterNodeManagerRequest
from yarnbox.yarn.resources.resource import Resource

PROGRAM = """\
import signal, time
signal.signal(signal.SIGQUIT, lambda *_: print("asked", flush=True))
print("hello from a container", flush=True)
time.sleep(300)
"""


def run_here(desk: Desk, *words: str, status: int | None = 0) -> str:
    """Runs `yarn` in this process, which is faster where it is asked again and again; what it printed."""
    out, err = io.StringIO(), io.StringIO()
    ended = main(["--dir", str(desk.directory), *words], Console(out, err, desk.environment()))
    assert status in (None, ended), out.getvalue() + err.getvalue()
    return out.getvalue() + err.getvalue()


def column(listing: str, number: int) -> list[str]:
    """A column of a list, cut as scripts cut it."""
    rows = [line for line in listing.splitlines() if "\t" in line][1:]
    return [row.split("\t")[number].strip() for row in rows]


def test_a_job_from_its_list_to_its_logs(desk: Desk, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    yarn = partial(run_here, desk)

    def eventually(wanted: Callable[[], bool]) -> None:
        assert wait_until(wanted, PATIENCE_S)

    desk.up("--nodes", "2")
    assert column(yarn("node", "-list"), 1) == ["RUNNING", "RUNNING"]
    desk.start("job", "shell", "--containers", "1", "--", sys.executable, str(program))
    eventually(lambda: column(yarn("application", "-list"), 5) == ["RUNNING"])
    (application,) = column(yarn("application", "-list"), 0)
    assert f"\tApplication-Id : {application}\n" in yarn("application", "-status", application)

    (attempt,) = column(yarn("applicationattempt", "-list", application), 0)
    assert "\tState : RUNNING\n" in yarn("applicationattempt", "-status", attempt)
    eventually(lambda: len(column(yarn("container", "-list", attempt), 0)) == 2)
    container = column(yarn("container", "-list", attempt), 0)[-1]
    assert "\tState : RUNNING\n" in yarn("container", "-status", container)

    eventually(lambda: "hello from a container" in yarn("logs", "-containerId", container, status=None))
    running = yarn("logs", "-containerId", container, "-log_files", "stdout")
    assert re.match(rf"Container: {container} on nm\d:\d+\nLogAggregationType: LOCAL\n", running)
    assert "\nhello from a container\nEnd of LogType:stdout.This log file belongs to a running" in running
    assert yarn("container", "-signal", container) == f"Signalling container {container}\n"
    eventually(lambda: "\nasked\n" in yarn("logs", "-containerId", container, "-log_files", "stdout"))

    hosts = set(column(yarn("container", "-list", attempt), 4))  # both containers may be on one of the nodes
    killed = yarn("application", "-kill", application)
    assert killed.startswith(f"Killing application {application}\n")
    assert column(yarn("application", "-list", "-appStates", "KILLED"), 0) == [application]
    assert yarn("application", "-kill", application) == f"Application {application} has already finished \n"
    eventually(lambda: len(yarn("logs", "-applicationId", application, "-list_nodes").split()) == len(hosts))
    finished = yarn("logs", "-containerId", container, "-log_files", "stdout")
    assert "LogAggregationType: AGGREGATED\n" in finished
    assert "\nhello from a container\nasked\n\nEnd of LogType:stdout\n" in finished


def test_what_does_not_exist(desk: Desk) -> None:
    desk.up("--nodes", "1")
    stranger = RegisterNodeManagerRequest(node_id=NodeId("stranger", 1), resource=Resource(1024, 1))
    with (
        BlockingStub(desk.run.load().rm_address, "ResourceTrackerService") as stub,
        pytest.raises(AccessControlError, match="does not know the secret"),
    ):
        stub.call("registerNodeManager", stranger)
    unknown = "application_1_0099"
    assert "doesn't exist in RM" in desk.yarnbox("yarn", "application", "-status", unknown, status=255)
    yarn = partial(run_here, desk)
    assert "Cannot get queue" in yarn("queue", "-status", "nowhere", status=255)
    assert "ApplicationNotFoundException" in yarn("applicationattempt", "-list", unknown, status=1)
    assert "Could not find the node report" in yarn("node", "-status", "n9:1")


def test_the_scheduler_is_configured_over_rest(desk: Desk) -> None:
    store = "yarn.scheduler.configuration.store.class=memory"
    desk.up("--nodes", "1", "--scheduler", "capacity", "-D", store)
    yarn = partial(run_here, desk)
    change = ("-add", "root.lab:capacity=20", "-update", "root.default:capacity=80")
    assert yarn("schedulerconf", *change) == "Configuration changed successfully.\n"
    assert "\tCapacity : 20.00%\n" in yarn("queue", "-status", "root.lab")
    shown = yarn("schedulerconf", "-getconf")
    assert "<name>yarn.scheduler.capacity.root.lab.capacity</name>\n    <value>20</value>" in shown
    refused = yarn("schedulerconf", "-add", "root.bad:capacity=20", status=255)
    assert refused.startswith("Configuration change unsuccessful: ")
    assert "2 queues were found" in yarn("queue", "-list", "all")
