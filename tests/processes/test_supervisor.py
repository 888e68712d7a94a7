"""A cluster of real processes, handled as a person does: up, status, kill, restart, down."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.processes.conftest import QUIET, Desk, wait_until
from tests.rm.edge.test_durability import fill_up, make_room, submit
from tests.rm.edge.test_process import CLIENT
from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.errors import NotReadyError
from yarnbox.yarn.records.client import GetApplicationReportRequest


def states(desk: Desk) -> dict[str, str]:
    return {row["name"]: row["state"] for row in desk.status()["daemons"]}


def test_a_cluster_comes_up_shows_itself_and_goes(desk: Desk) -> None:
    desk.up("--racks", "2")  # how long that takes is measured by bench/startup.py
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING", "nm2": "RUNNING", "nm3": "RUNNING"}
    assert [row["rack"] for row in desk.status()["daemons"]] == ["", "/rack1", "/rack2", "/rack1"]
    assert "nm1" in desk.yarnbox("status")
    assert json.loads(desk.yarnbox("status", "--json"))["daemons"][1] == desk.daemon("nm1")
    assert "nm3" in desk.yarnbox("yarn", "node", "-list")
    assert (desk.directory / "yarn-site.xml").exists()
    assert (desk.directory / "pids" / "nm1.pid").read_text().strip().isdigit()
    desk.cluster.down()
    assert desk.leftovers() == []
    desk.yarnbox("status", status=1)


@pytest.mark.long
def test_neither_a_reader_that_has_enough_nor_a_second_start_ends_the_cluster(desk: Desk) -> None:
    command = desk.start("up", "--detach", *QUIET, "--nodes", "1")
    assert command.stdout is not None
    command.stdout.close()
    assert command.wait(timeout=PATIENCE_S) == 0
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING"}
    # Nor does somebody who would like another one there.
    said = desk.yarnbox("up", "--detach", status=1)
    assert said.count("\n") == 1
    assert f"a cluster is running in {desk.directory} already" in said
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING"}


def test_a_taken_port_is_named(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = desk.yarnbox("up", "--detach", *QUIET, "--port", str(port), status=1)
    assert said.count("\n") == 1
    assert f"port {port}" in said
    assert "yarnbox.resourcemanager.grpc.address" in said
    assert not desk.directory.exists()


@pytest.mark.long
def test_two_clusters_do_not_disturb_one_another(desk: Desk, tmp_path: Path) -> None:
    other = Desk(tmp_path / "other")
    desk.up("--nodes", "1")
    other.up("--nodes", "1")
    try:
        other.here("kill-node", "nm1")
        assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING"}
    finally:
        other.here("down")
    assert other.leftovers() == []
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING"}


def test_ctrl_c_ends_everything(desk: Desk) -> None:
    with desk.in_foreground("--nodes", "1") as command:
        assert len(desk.leftovers()) >= 2
        command.send_signal(signal.SIGINT)
        out, err = command.communicate(timeout=PATIENCE_S)
        assert command.returncode == 0, err
        assert "stopping" in out
    assert desk.leftovers() == []


def test_down_ends_a_cluster_in_the_foreground(desk: Desk) -> None:
    with desk.in_foreground("--nodes", "1") as command:
        desk.here("down")
        out, err = command.communicate(timeout=PATIENCE_S)
        assert command.returncode == 0, err
        assert "the cluster was stopped" in out


@pytest.mark.long
def test_a_command_that_comes_late_leaves_the_next_cluster_alone(desk: Desk) -> None:
    """Between two looks of `yarnbox up` its cluster may end, and another begin in the same directory."""
    with desk.in_foreground("--nodes", "1") as late:
        late.send_signal(signal.SIGSTOP)
        desk.here("down")
        desk.up("--nodes", "1")
        late.send_signal(signal.SIGCONT)
        out, err = late.communicate(timeout=PATIENCE_S)
        assert late.returncode == 0, err
        assert "the cluster was stopped" in out
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING"}


def test_nodes_are_added_killed_stopped_and_started_again(desk: Desk) -> None:
    desk.up("--nodes", "1")
    assert "nm2 is RUNNING on /rack9" in desk.here("add-node", "--rack", "/rack9")
    desk.here("kill-node", "nm2")
    desk.wait_for("nm2", "LOST")
    desk.here("kill-node", "nm2", status=1)
    desk.here("kill-node", "nm9", status=1)
    desk.here("restart-node", "nm2")
    assert states(desk) == {"rm": "RUNNING", "nm1": "RUNNING", "nm2": "RUNNING"}
    desk.here("kill-node", "nm1", "--signal", "STOP")
    desk.wait_for("nm1", "LOST")
    desk.here("kill-node", "nm1", "--signal", "CONT")
    desk.wait_for("nm1", "RUNNING")
    desk.here("kill-node", "nm1", "--signal", "TERM")
    desk.wait_for("nm1", "SHUTDOWN")


@pytest.mark.parametrize("number", ["TERM", "KILL"])
def test_the_rm_is_started_again_and_its_nodes_come_back(desk: Desk, number: str) -> None:
    desk.up("--nodes", "1")
    before = desk.daemon("rm")["pid"]
    desk.here("restart-rm", "--signal", number)
    assert desk.daemon("rm")["pid"] != before
    desk.wait_for("nm1", "RUNNING")


@pytest.mark.long
def test_status_says_why_a_daemon_has_ended(desk: Desk) -> None:
    desk.up("--nodes", "1", "-D", "yarn.nm.liveness-monitor.expiry-interval-ms=600000")
    rm = desk.run.load().rm
    assert rm is not None
    assert rm.send(signal.SIGTERM)
    assert wait_until(lambda: not rm.is_alive(), PATIENCE_S)
    told = desk.here("status").splitlines()[-2:]
    assert told == ["rm: STOPPED: ended by SIGTERM", "nm1: WAITING: the ResourceManager does not answer it"]
    desk.here("restart-rm")
    desk.wait_for("nm1", "RUNNING")
    desk.here("kill-node", "nm1")
    assert "nm1: RUNNING, process ended: killed, or the machine stopped; see " in desk.here("status")


@pytest.mark.long
def test_an_rm_whose_store_failed_is_started_again_when_there_is_room(desk: Desk) -> None:
    with desk.in_foreground("--nodes", "1") as command:
        before = desk.daemon("rm")["pid"]
        with BlockingStub(desk.status()["rm_address"], CLIENT, user="ann") as stub:
            sound = submit(stub)
            fill_up(desk.directory)
            with pytest.raises(NotReadyError, match="its state store failed"):
                submit(stub)
        assert wait_until(lambda: "database or disk is full" in desk.daemon("rm")["reason"], PATIENCE_S)
        make_room(desk.directory)
        desk.wait_for("rm", "RUNNING")
        desk.wait_for("nm1", "RUNNING")
        assert desk.daemon("rm")["pid"] != before
        with BlockingStub(desk.status()["rm_address"], CLIENT, user="ann") as stub:
            request = GetApplicationReportRequest(application_id=sound)
            assert stub.call("getApplicationReport", request).application_report.user == "ann"
        command.send_signal(signal.SIGINT)
        out, _ = command.communicate(timeout=PATIENCE_S)
        assert "it is started again in 1 s" in out
        assert "rm: started again" in out


@pytest.mark.long
def test_an_rm_that_stood_still_declares_nobody_lost(desk: Desk) -> None:
    desk.up("--nodes", "2")
    rm = desk.run.load().rm
    assert rm is not None
    assert rm.send(signal.SIGSTOP)
    begun = time.monotonic()
    assert wait_until(lambda: time.monotonic() > begun + 1.5 * MISSED_MS / 1000, PATIENCE_S)
    assert rm.send(signal.SIGCONT)
    at_ms = int(time.time() * 1000)

    def was_heard_again() -> bool:
        nodes = {
            re.sub(":.*", "", one.subject)
            for one in desk.events()
            if one.type == "NodeStatusUpdate" and one.time_ms > at_ms
        }
        return nodes == {"nm1", "nm2"}

    assert wait_until(was_heard_again, PATIENCE_S), desk.events()[-20:]
    assert not [one for one in desk.events() if one.type == "NodeExpire"]
    assert "the process stood still" in (desk.run.logs / "rm.log").read_text()


def test_events_tell_what_was_dispatched(desk: Desk) -> None:
    desk.up("--nodes", "1")
    assert wait_until(lambda: "NodeStarted" in desk.here("events"), PATIENCE_S)
    assert '"type": "NodeStarted"' in desk.here("events", "--json")
    with desk.start("events", "--follow", "--json") as command:
        assert command.stdout is not None
        assert '"time"' in command.stdout.readline()
        command.send_signal(signal.SIGINT)
        command.communicate(timeout=PATIENCE_S)
    assert command.returncode == 130


def test_wrong_values_end_the_start_before_anything_happens(desk: Desk) -> None:
    said = desk.yarnbox("up", *QUIET, "-D", "yarn.resourcemanager.application.max-tags=no", status=2)
    assert said.count("\n") == 1
    assert "-D: yarn.resourcemanager.application.max-tags = 'no': must be" in said
    assert not desk.directory.exists()


@pytest.mark.long
def test_what_only_the_daemon_finds_is_told_as_well(desk: Desk) -> None:
    said = desk.yarnbox(
        "up", *QUIET, "-D", "yarn.resourcemanager.scheduler.class=no.such.Scheduler", status=2
    )
    assert said.count("\n") == 1
    assert "rm does not start" in said
    assert "no.such.Scheduler" in said
    assert desk.leftovers() == []


def test_when_the_command_is_killed_nothing_survives_it(desk: Desk) -> None:
    with desk.in_foreground("--nodes", "1") as command:
        command.kill()
    assert wait_until(lambda: desk.leftovers() == [], PATIENCE_S)


@pytest.mark.long
def test_a_cluster_that_goes_on_listens_where_it_did(desk: Desk) -> None:
    said = desk.here("up", "--detach", *QUIET, "--hadoop", "--nodes", "1")
    assert "yarnbox kill-node 127.0.1.1 --dir" in said
    assert f"HADOOP_CONF_DIR={desk.directory}\n" in said
    assert "  job history      http://127.0.0.1:" in said  # or Hadoop's job client waits for one in vain
    before = desk.run.load()
    names = "yarn.resourcemanager.address", "mapreduce.jobhistory.address"
    ports = [Configuration.load(desk.directory).value(name) for name in names]
    desk.here("down")
    desk.here("up", "--detach", "--recover", "--scheduler", "fifo", "--hadoop", "--nodes", "1")
    after = desk.run.load()
    assert (after.rm_address, after.web_address) == (before.rm_address, before.web_address)
    assert after.history_address == before.history_address is not None
    assert [Configuration.load(desk.directory).value(name) for name in names] == ports
