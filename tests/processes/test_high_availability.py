"""Clusters with two ResourceManagers and a ZooKeeper of their own: work goes on, whichever is active."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import zookeeper
from tests.processes.conftest import QUIET, Desk, wait_until
from tests.testing.masters import retrying
from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.cluster.daemons import several
from yarnbox.cluster.daemons import zookeeper as own
from yarnbox.cluster.directory import ClusterError
from yarnbox.testing import fail_over
from yarnbox.testing.real import YarnCluster
from yarnbox.yarn.records.ha import HAServiceState

pytestmark = zookeeper.MARKS

SESSION = "hadoop.zk.timeout-ms", str(MISSED_MS)
UP = ("up", "--detach", *QUIET, "--rms", "2", "--nodes", "2")
LASTING = ("-D", "=".join(SESSION))
SOON = ("-D", "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms=0")


def states(desk: Desk) -> dict[str, str]:
    return {row["name"]: row["state"] for row in desk.status()["daemons"]}


def containers(desk: Desk) -> int:
    """How many the active one knows of."""
    return sum(row.get("containers") or 0 for row in desk.status()["daemons"])


def active(desk: Desk) -> str:
    """The name of the active one, as soon as there is one."""
    found: list[str] = []

    def look() -> bool:
        rm = several.active_of(desk.run.load())
        found[:] = [rm.name] if rm is not None else []
        return bool(found)

    assert wait_until(look, PATIENCE_S)
    return found[0]


def other(name: str) -> str:
    return {"rm1": "rm2", "rm2": "rm1"}[name]


def test_a_job_goes_on_while_one_resourcemanager_after_the_other_is_killed(
    desk: Desk, tmp_path: Path
) -> None:
    said = desk.here(*UP, *LASTING, *SOON)
    assert "2 ResourceManagers and 2 NodeManagers" in said
    first = active(desk)
    shown = states(desk)
    assert (shown[first], shown[other(first)], shown["zookeeper"]) == ("ACTIVE", "STANDBY", "RUNNING")
    gate = tmp_path / "gate"
    hold = f"while [ ! -e {gate} ]; do sleep 0.2; done; echo done; touch {gate}-$CONTAINER_ID"
    with desk.start("job", "shell", "--containers", "2", "--", "sh", "-c", hold) as job:
        assert job.stdout is not None
        assert "Submitted application" in job.stdout.readline()
        desk.here("kill-rm", first)
        assert active(desk) == other(first)
        assert states(desk)[first] == "STOPPED"
        assert "is serving again" in desk.here("restart-rm", first)
        assert desk.here("failover") == f"yarnbox: {first} is active instead of {other(first)}\n"
        assert wait_until(lambda: containers(desk) == 3, PATIENCE_S)  # of the AM and of its two tasks
        gate.touch()
        out, err = job.communicate(timeout=PATIENCE_S)
    assert job.returncode == 0, out + err
    assert len(list(tmp_path.glob("gate-container_*"))) == 2
    assert out.count("\ndone\n") == 2  # each below its container's heading
    told = desk.here("events", "--type", "ResourceManagerStarted")
    assert told.count("epoch") == 3


def test_nodes_that_report_over_hadoops_wire_find_the_next_one(desk: Desk, tmp_path: Path) -> None:
    desk.here(*UP, *LASTING, *SOON, "--hadoop", "-D", "yarnbox.hadoop-ipc.heartbeats.enabled=true")
    gate = tmp_path / "gate"
    hold = f"while [ ! -e {gate} ]; do sleep 0.2; done; echo done"
    with desk.start("job", "shell", "--containers", "2", "--", "sh", "-c", hold) as job:
        assert wait_until(lambda: containers(desk) == 3, PATIENCE_S)
        first = active(desk)
        desk.here("failover")
        assert wait_until(lambda: containers(desk) == 3, PATIENCE_S)
        gate.touch()
        out, err = job.communicate(timeout=PATIENCE_S)
    assert active(desk) == other(first)
    assert (job.returncode, out.count("\ndone\n")) == (0, 2), out + err
    told = desk.here("events", "--type", "SchedulerNodeAdded")
    assert told.count("NODE_ADDED") == 4


def test_an_active_that_hangs_is_a_standby_when_it_goes_on(desk: Desk) -> None:
    desk.here(*UP, *LASTING, *SOON)
    first = active(desk)
    desk.here("kill-rm", first, "--signal", "STOP")
    assert active(desk) == other(first)
    desk.here("kill-rm", first, "--signal", "CONT")
    assert wait_until(lambda: states(desk)[first] == "STANDBY", PATIENCE_S)
    assert states(desk)[other(first)] == "ACTIVE"


def test_a_cluster_goes_on_with_the_applications_of_the_last(desk: Desk) -> None:
    desk.here(*UP, *LASTING)
    desk.here("job", "pi", "1", "10")
    desk.here("down")
    desk.here(*UP, *LASTING, "--recover")
    assert "application_" in desk.here("yarn", "application", "-list", "-appStates", "ALL")


def test_one_resourcemanager_is_not_several(desk: Desk) -> None:
    desk.up("--nodes", "0")
    for words, said in (
        (("failover",), "there is one ResourceManager: start several with `yarnbox up --rms 2`"),
        (("kill-rm", "rm2"), "there is no ResourceManager rm2; there is rm alone"),
        (("restart-rm", "rm2"), "there is no ResourceManager rm2; there is rm alone"),
    ):
        assert said in desk.here(*words, status=1)


def test_what_a_zookeeper_needs_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZOOKEEPER_HOME", "/opt/zookeeper")
    assert own.class_path() == "/opt/zookeeper/*:/opt/zookeeper/lib/*"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ClusterError, match="there is no java on the PATH"):
        own.class_path()


def test_the_test_kit_fails_over(tmp_path: Path) -> None:
    soon = {"yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "0"}
    late = dict([SESSION, ("yarn.nm.liveness-monitor.expiry-interval-ms", str(MISSED_MS))])
    with YarnCluster(1, conf=soon | late, rms=2) as cluster:
        app = cluster.submit(retrying)
        cluster.wait_for_event("AttemptRegistered")
        before = several.active_of(cluster.cluster.run.load())
        assert before is not None
        cluster.inject(fail_over())
        app.succeeds()
        now = several.active_of(cluster.cluster.run.load())
        assert now is not None
        assert now.name == other(before.name)
        assert several.state_of(before) is HAServiceState.STANDBY
