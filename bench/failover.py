"""Fail-overs under load: the active ResourceManager is killed again and again, while applications are
submitted and jobs run. How long until the next one has granted a container, and what became of all that was
acknowledged.

    python -m bench.failover [--times N]

Needs Java and ZooKeeper's jars. Each time: SIGKILL, an ApplicationMaster waits for a container of the new
epoch, the dead one is started again as a standby.
"""

from __future__ import annotations

import argparse
import getpass
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench._report import report
from yarnbox.am.asks import ContainerRequest
from yarnbox.am.connection import Connection
from yarnbox.am.unmanaged import launch_unmanaged
from yarnbox.cluster.cluster import Cluster, Options, wait_until
from yarnbox.cluster.daemons import several
from yarnbox.cluster.directory import RMRecord, RunDirectory
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.connection.failover import blocking_stub_of
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import GetApplicationsRequest
from yarnbox.yarn.resources.resource import Resource

TIMES = 10
SUBMIT_EVERY_S = 0.1
JOB = ("shell", "--containers", "3", "--", "sleep", "12")
PATIENCE_S = 60.0
CLIENT = "ApplicationClientProtocolService"
DEFINITIONS = {
    "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "0",
    "yarn.am.liveness-monitor.expiry-interval-ms": "60000",  # ours is silent while an RM is started again
}
REQUEST = ContainerRequest(capability=Resource(256, 1), priority=1)


class Master:
    """An ApplicationMaster that wants a container of each epoch."""

    def __init__(self, connection: Connection) -> None:
        context = ApplicationSubmissionContext(application_name="master")
        attempt = launch_unmanaged(connection.submitter(getpass.getuser()), context)
        self._rm = connection.blocking_rm_client(attempt.token)
        self._rm.register("here")
        self._epoch = -1

    def container_of_a_new_epoch(self) -> None:
        """Returns when it has one."""
        self._rm.asks.add(REQUEST)
        while True:
            for container in self._rm.allocate(0.5).allocated_containers:
                self._rm.asks.release(container.id)
                if container.id.epoch > self._epoch:
                    self._epoch = container.id.epoch
                    self._rm.asks.remove(REQUEST)
                    return
            self._rm.pause(0.05)

    def finish(self) -> None:
        """It has seen enough."""
        self._rm.finish(FinalApplicationStatus.SUCCEEDED)


class Load:
    """Submissions and jobs, until it is told to stop."""

    def __init__(self, run: RunDirectory, connection: Connection) -> None:
        self._run = run
        self._connection = connection
        self._is_enough = threading.Event()
        self._threads = [threading.Thread(target=one) for one in (self._submit, self._run_jobs)]
        self.acknowledged: list[ApplicationId] = []
        self.jobs: list[int] = []
        """How each ended."""

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_enough.set()
        for thread in self._threads:
            thread.join()

    def _submit(self) -> None:
        submitter = self._connection.submitter(getpass.getuser())
        while not self._is_enough.wait(SUBMIT_EVERY_S):
            try:
                application_id = submitter.new_application().application_id
                context = ApplicationSubmissionContext(application_id=application_id, unmanaged_am=True)
                submitter.submit(context)
            except (RpcError, YarnError):
                continue  # it was not acknowledged
            self.acknowledged.append(application_id)

    def _run_jobs(self) -> None:
        words = ["job", "--dir", str(self._run.path), *JOB]
        while not self._is_enough.is_set():
            line = [sys.executable, "-m", "yarnbox.cluster.main", *words]
            self.jobs.append(subprocess.run(line, capture_output=True, check=False).returncode)


def active_of(run: RunDirectory) -> RMRecord:
    """The active one, as soon as there is one."""
    record, found = run.load(), list[RMRecord]()

    def look() -> bool:
        rm = several.active_of(record)
        found[:] = [rm] if rm is not None else []
        return bool(found)

    if not wait_until(look, PATIENCE_S):
        raise RuntimeError(f"no ResourceManager is active after {PATIENCE_S:g} s")
    return found[0]


def kill_once(cluster: Cluster, master: Master) -> float:
    """One fail-over; from the kill to the first container, in seconds."""
    active = active_of(cluster.run)
    assert active.process is not None
    begun = time.monotonic()
    active.process.send(signal.SIGKILL)
    master.container_of_a_new_epoch()
    spent_s = time.monotonic() - begun
    cluster.restart_rm(signal.SIGKILL, active.name)
    cluster.wait_for_rm(active.name)
    return spent_s


def lost(run: RunDirectory, acknowledged: list[ApplicationId]) -> int:
    """How many applications nobody knows any more."""
    with blocking_stub_of(run.load().rm_addresses, CLIENT, user=getpass.getuser()) as stub:
        known = stub.call("getApplications", GetApplicationsRequest()).applications
    return len({*acknowledged} - {one.application_id for one in known})


def main() -> int:
    """Measures; the exit status is 1 if anything was lost or failed."""
    parser = argparse.ArgumentParser(prog="python -m bench.failover", description="Fail-overs under load.")
    parser.add_argument("--times", metavar="N", type=int, default=TIMES, help=f"how many (default: {TIMES})")
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        try:
            cluster.up(Options(nodes=2, rms=2, port=0, web_port=0, scheduler="fifo", definitions=DEFINITIONS))
            cluster.wait_until_ready()
            connection = Connection.of(Configuration.load(cluster.run.path, SITE_FILES))
            master = Master(connection)
            master.container_of_a_new_epoch()
            with Load(cluster.run, connection) as load:
                waits = [kill_once(cluster, master) for _ in range(times)]
                master.finish()
            missing, failed = lost(cluster.run, load.acknowledged), sum(map(bool, load.jobs))
        finally:
            cluster.down()
            cluster.close()
    figures = {
        "from the kill to the first container": statistics.median(waits),
        "the longest": max(waits),
        "fail-overs": times,
        "applications acknowledged": len(load.acknowledged),
        "of them lost": missing,
        "jobs run": len(load.jobs),
        "of them failed": failed,
    }
    seconds = ("from the kill to the first container", "the longest")
    report("failover", figures, {name: "s" if name in seconds else "" for name in figures})
    return 1 if missing or failed else 0


if __name__ == "__main__":
    sys.exit(main())
