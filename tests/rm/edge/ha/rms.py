"""Several RMs of one cluster, as processes that can be killed and stopped, and their clients."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from tests.daemons import Daemon
from tests.rm.edge.test_process import CLIENT
from tests.waiting import MISSED_MS, PATIENCE_S
from tests.zookeeper import LONGEST_SESSION_MS
from yarnbox.cluster.hadoop_site import yarn_properties
from yarnbox.cluster.ports import free_ports
from yarnbox.yarn.connection.rpc import BlockingStub, RpcError
from yarnbox.yarn.errors import NotReadyError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationsRequest,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.ha import GetServiceStatusRequest, HAServiceState

T = TypeVar("T")

IDS = ("rm1", "rm2")
HA = "HAServiceProtocolService"
LONG_MS = LONGEST_SESSION_MS
"""No pause of a busy machine ends such a session: who is active stays so until the test changes it."""
SHORT_MS = MISSED_MS
"""For tests that wait for a session to end."""
_LOOK_EVERY_S = 0.02
_RM = "yarn.resourcemanager."


def properties(tree: str, tmp_path: Path, session_ms: int = LONG_MS) -> dict[str, str]:
    """The configuration that both read; each port is free."""
    ports = iter(free_ports("127.0.0.1", 2 * len(IDS)))
    addresses: dict[str, str] = {}
    for rm_id in IDS:
        addresses[f"yarnbox.resourcemanager.grpc.address.{rm_id}"] = f"127.0.0.1:{next(ports)}"
        addresses[f"{_RM}webapp.address.{rm_id}"] = f"127.0.0.1:{next(ports)}"
        hadoop = yarn_properties("127.0.0.1")
        for service in ("", "scheduler.", "resource-tracker.", "admin."):
            addresses[f"{_RM}{service}address.{rm_id}"] = hadoop[f"{_RM}{service}address"]
    return {
        **addresses,
        _RM + "ha.enabled": "true",
        _RM + "ha.rm-ids": ",".join(IDS),
        _RM + "cluster-id": "box",
        "hadoop.zk.address": tree,
        "hadoop.zk.timeout-ms": str(session_ms),
        _RM + "recovery.enabled": "true",
        _RM + "store.class": "zookeeper",
        _RM + "scheduler.class": "fifo",
        _RM + "work-preserving-recovery.scheduling-wait-ms": "0",
        "yarnbox.hadoop-ipc.enabled": "true",
        "yarn.node-labels.fs-store.root-dir": str(tmp_path / "unused"),
    }


class Machine:
    """One RM's process."""

    def __init__(self, rm_id: str, given: dict[str, str], tmp_path: Path) -> None:
        self.rm_id = rm_id
        self.given = given
        self.web = given[f"{_RM}webapp.address.{rm_id}"]
        self.address = given[f"yarnbox.resourcemanager.grpc.address.{rm_id}"]
        (tmp_path / "conf").mkdir(exist_ok=True)
        words = [word for one in given.items() for word in ("-D", "=".join(one))]
        line = ["--conf", str(tmp_path / "conf"), *words]
        line += ["-D", f"{_RM}ha.id={rm_id}", "--dir", str(tmp_path / rm_id)]
        self.log = tmp_path / rm_id / "logs" / "rm.log"
        self._said = tmp_path / f"{rm_id}.said"
        self.process = Daemon("yarnbox.rm", line, self._said)

    def state(self) -> HAServiceState | None:
        """What it says of itself; None if it does not answer."""
        with BlockingStub(self.address, HA, timeout_s=PATIENCE_S) as stub:
            try:
                found: HAServiceState = stub.call("getServiceStatus", GetServiceStatusRequest()).state
            except (RpcError, YarnError):
                return None
            return found

    def wait_for(self, state: HAServiceState) -> None:
        eventually(lambda: self.state() is state, self)

    def client(self) -> BlockingStub:
        """To be closed."""
        return BlockingStub(self.address, CLIENT, user="ann", timeout_s=PATIENCE_S)

    def submit(self) -> ApplicationId:
        """An application whose AM is run by whoever submits it; it was acknowledged."""
        with self.client() as stub:
            new: ApplicationId = stub.call("getNewApplication", GetNewApplicationRequest()).application_id
            context = ApplicationSubmissionContext(application_id=new, unmanaged_am=True)
            stub.call("submitApplication", SubmitApplicationRequest(application_submission_context=context))
            return new

    def applications(self) -> list[ApplicationId]:
        with self.client() as stub:
            found = stub.call("getApplications", GetApplicationsRequest()).applications
            return sorted(report.application_id for report in found)

    def __str__(self) -> str:
        return f"{self.rm_id}: {self._said.read_text()}{self.log.read_text() if self.log.exists() else ''}"


def eventually(condition: Callable[[], T | None], *explain: object) -> T:
    """What the condition gives as soon as it is something."""
    deadline, pause = time.monotonic() + PATIENCE_S, threading.Event()
    while not (found := condition()):
        pause.wait(_LOOK_EVERY_S)
        assert time.monotonic() < deadline, "\n".join(map(str, explain))
        for one in explain:
            assert not isinstance(one, Machine) or one.process.poll() is None, str(one)
    return found


@contextmanager
def machines(
    tree: str, tmp_path: Path, session_ms: int = LONG_MS, *, more: dict[str, str] | None = None
) -> Iterator[tuple[Machine, Machine]]:
    """Both RMs: the first is active, the second a standby. With `more`, both are standbys at first."""
    given = properties(tree, tmp_path, session_ms) | (more or {})
    started: list[Machine] = []
    try:
        for rm_id in IDS:
            started.append(Machine(rm_id, given, tmp_path))
            if not more:
                active = HAServiceState.ACTIVE if rm_id == IDS[0] else HAServiceState.STANDBY
                started[-1].wait_for(active)
            else:
                started[-1].wait_for(HAServiceState.STANDBY)
        yield started[0], started[1]
    finally:
        for one in started:
            one.process.kill()
            one.process.wait()


def is_refused(machine: Machine) -> bool:
    """Whether it does nothing for clients, and says that it is a standby or is not there."""
    try:
        machine.applications()
    except NotReadyError:
        return True
    except RpcError:
        return True
    return False
