"""Storms against real processes: what may go wrong goes wrong, and nothing that was promised may be lost.

    python -m bench.storm [--minutes M] [--seed N] [DRIVER ...]

Each driver has its part of the time, and prints one line:

kill         ResourceManager, NodeManagers, AMs and tasks are killed while jobs run: every job succeeds
acknowledge  applications are submitted and killed while the ResourceManager dies again and again: what was
             answered stays
disk         the ResourceManager may write no more: it acknowledges nothing, ends, and loses nothing
pause        the ResourceManager stands still for longer than it waits for anybody: nobody is lost
fuzz         every port is sent noise: the daemons live and answer
"""

from __future__ import annotations

import argparse
import getpass
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom

import grpc
import psutil

from yarnbox.am.submit import Submitter
from yarnbox.cluster import processes
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.connection.failover import blocking_stub_of
from yarnbox.yarn.connection.rpc import SERVICES, RpcError, rpcs_of
from yarnbox.yarn.enums import NodeState, YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.processes import runs
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import GetApplicationsRequest, KillApplicationRequest
from yarnbox.yarn.storage.event_log import EventLogReader

CLIENT = "ApplicationClientProtocolService"
NODES = 3
PATIENCE_S = 240.0
EXPIRY_MS = 4000
PAUSE_S = 6.0
PATIENT = ("mapreduce.am.max-attempts=50", "mapreduce.map.maxattempts=50", "mapreduce.reduce.maxattempts=50")
JOB = ("pi", *(word for one in PATIENT for word in ("-D", one)), "4", "20000")
DEFINITIONS = {
    "yarn.resourcemanager.am.max-attempts": "50",
    "yarn.resourcemanager.max-completed-applications": "100000",
    "yarn.nm.liveness-monitor.expiry-interval-ms": str(EXPIRY_MS),
    "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "500",
}
_TRACEBACK = "Traceback (most recent call last)"


class BrokenPromiseError(Exception):
    """Something was lost."""


class Storm:
    """One cluster, and chance."""

    def __init__(self, cluster: Cluster, chance: Random) -> None:
        self.cluster = cluster
        self.chance = chance
        self.run = cluster.run

    @property
    def rm_pid(self) -> int:
        """The ResourceManager's process."""
        rm = self.run.load().rm
        assert rm is not None
        return rm.pid

    def restart_rm(self) -> None:
        """Kills the ResourceManager and starts another one."""
        self.cluster.restart_rm(signal.SIGKILL)

    def wait_for_nodes(self) -> None:
        """Waits until all nodes are there."""
        for name in self.run.load().nodes:
            self.cluster.wait_for_state(name, NodeState.RUNNING, PATIENCE_S)

    def applications(self) -> dict[ApplicationId, YarnApplicationState | None]:
        """All that the ResourceManager knows."""
        with blocking_stub_of(self.run.load().rm_addresses, CLIENT, user=getpass.getuser()) as stub:
            found = stub.call("getApplications", GetApplicationsRequest(), PATIENCE_S).applications
        return {one.application_id: one.yarn_application_state for one in found}

    def tracebacks(self) -> int:
        """How many are in the logs of the daemons."""
        logs = self.run.logs.glob("*.log")
        return sum(log.read_text(encoding="utf-8", errors="replace").count(_TRACEBACK) for log in logs)


class Clients:
    """Somebody submits applications and kills some of them, and remembers what was answered."""

    def __init__(self, storm: Storm) -> None:
        self._storm = storm
        self._chance = Random(storm.chance.random())
        self._is_enough = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self.submitted: list[ApplicationId] = []
        self.killed: list[ApplicationId] = []

    def __enter__(self) -> Clients:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_enough.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._is_enough.wait(0.02):
            with suppress(RpcError, YarnError):  # it was not acknowledged
                self.submit_one()
            if self.submitted and self._chance.random() < 0.3:
                with suppress(RpcError, YarnError):
                    self._kill(self._chance.choice(self.submitted))

    def submit_one(self) -> None:
        """One application. RpcError or YarnError: it may be there or not."""
        with blocking_stub_of(self._storm.run.load().rm_addresses, CLIENT, user=getpass.getuser()) as stub:
            submitter = Submitter(stub)
            application_id = submitter.new_application().application_id
            submitter.submit(ApplicationSubmissionContext(application_id=application_id, unmanaged_am=True))
        self.submitted.append(application_id)

    def _kill(self, application_id: ApplicationId) -> None:
        request = KillApplicationRequest(application_id=application_id)
        with blocking_stub_of(self._storm.run.load().rm_addresses, CLIENT, user=getpass.getuser()) as stub:
            while not stub.call("forceKillApplication", request).is_kill_completed:
                if self._is_enough.wait(0.05):
                    return
        self.killed.append(application_id)

    def check(self) -> None:
        """BrokenPromiseError: what was answered is gone."""
        known = self._storm.applications()
        lost = [one for one in self.submitted if one not in known]
        alive = [one for one in self.killed if known.get(one) is not YarnApplicationState.KILLED]
        if lost or alive:
            raise BrokenPromiseError(f"lost {lost[:3]}, killed and alive {alive[:3]}")


# The drivers: each returns what it did, or raises BrokenPromiseError.


def kill(storm: Storm, until_s: float) -> str:
    """Daemons, AMs and tasks die while jobs run."""
    kills: dict[str, int] = {}
    jobs: list[subprocess.Popen[str]] = []
    line = [sys.executable, "-m", "yarnbox.cluster.main", "job", "--dir", str(storm.run.path), *JOB]

    def job() -> subprocess.Popen[str]:
        return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    jobs.append(job())
    while time.monotonic() < until_s:
        time.sleep(storm.chance.uniform(0.5, 2))
        what = storm.chance.choices(("container", "NodeManager", "ResourceManager"), (6, 2, 2))[0]
        if what == "ResourceManager":
            storm.restart_rm()
        elif what == "NodeManager":
            storm.cluster.restart_node(storm.chance.choice(list(storm.run.load().nodes)))
        elif not _kill_a_container(storm):
            continue
        kills[what] = kills.get(what, 0) + 1
        if jobs[-1].poll() is not None:
            jobs.append(job())
    for one in jobs:
        try:
            out, _ = one.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            one.kill()
            raise BrokenPromiseError(f"a job did not end within {PATIENCE_S:g} s") from None
        if one.returncode:
            raise BrokenPromiseError(f"a job ended with status {one.returncode}:\n{out[-2000:]}")
    storm.wait_for_nodes()
    told = ", ".join(f"{times} {what}s" for what, times in sorted(kills.items()))
    return f"killed {told or 'nothing'}; {len(jobs)} of {len(jobs)} jobs succeeded"


def _kill_a_container(storm: Storm) -> bool:
    running = [
        one for name in storm.run.load().nodes for one in processes.containers_of(storm.run.node(name))
    ]
    return bool(running) and storm.chance.choice(running).send(signal.SIGKILL)


def acknowledge(storm: Storm, until_s: float) -> str:
    """The ResourceManager dies while clients submit and kill."""
    deaths = 0
    with Clients(storm) as clients:
        while time.monotonic() < until_s:
            time.sleep(storm.chance.uniform(0.3, 1.5))
            storm.restart_rm()
            deaths += 1
    storm.wait_for_nodes()
    clients.check()
    return (
        f"{deaths} deaths of the ResourceManager, {len(clients.submitted)} submissions and "
        f"{len(clients.killed)} kills acknowledged, none lost"
    )


def disk(storm: Storm, until_s: float) -> str:
    """The ResourceManager may write no more: as if its disk were full, by its limit of the size of files."""
    rounds, clients = 0, Clients(storm)
    while rounds == 0 or time.monotonic() < until_s:
        storm.wait_for_nodes()
        clients.submit_one()
        rm = psutil.Process(storm.rm_pid)
        rm.rlimit(resource.RLIMIT_FSIZE, (0, 0))
        acknowledged = len(clients.submitted)
        ends_s = time.monotonic() + PATIENCE_S
        while runs(rm) and time.monotonic() < ends_s:
            with suppress(RpcError, YarnError):
                clients.submit_one()
            time.sleep(0.05)
        if len(clients.submitted) > acknowledged:
            raise BrokenPromiseError("a submission was acknowledged that could not be stored")
        if runs(rm):
            raise BrokenPromiseError("the ResourceManager goes on, and cannot store anything")
        storm.cluster.restart_rm()
        rounds += 1
    storm.wait_for_nodes()
    clients.check()
    return f"{rounds} full disks: nothing acknowledged meanwhile, {len(clients.submitted)} applications kept"


def pause(storm: Storm, until_s: float) -> str:
    """The ResourceManager stands still."""
    rounds = 0
    storm.wait_for_nodes()
    rm = storm.run.load().rm
    assert rm is not None
    begun_ms = int(time.time() * 1000)
    while rounds == 0 or time.monotonic() < until_s:
        rm.send(signal.SIGSTOP)
        time.sleep(PAUSE_S)
        rm.send(signal.SIGCONT)
        storm.wait_for_nodes()
        time.sleep(EXPIRY_MS / 1000 / 3 + 0.5)  # when it looks around next
        states = storm.cluster.node_states(storm.run.load()) or {}
        lost = [name for name, state in states.items() if state is not NodeState.RUNNING]
        rounds += 1
        if lost or _were_lost(storm, begun_ms):
            raise BrokenPromiseError(f"lost after a pause: {lost or _were_lost(storm, begun_ms)}")
    return f"{rounds} pauses of {PAUSE_S:g} s, longer than a node's {EXPIRY_MS / 1000:g} s: nobody lost"


def _were_lost(storm: Storm, since_ms: int) -> list[str]:
    events = [
        one for path in storm.run.event_logs(storm.run.load()) for one in EventLogReader(path).read_all()
    ]
    return [str(one) for one in events if one.type == "NodeExpire" and one.time_ms >= since_ms]


def fuzz(storm: Storm, until_s: float) -> str:
    """Every port is sent noise, and messages that are nearly right."""
    storm.wait_for_nodes()
    before, pids = storm.tracebacks(), _pids(storm)
    record = storm.run.load()
    ports = [
        one.laddr.port
        for pid in pids
        for one in psutil.Process(pid).net_connections("tcp")
        if one.status == psutil.CONN_LISTEN
    ]
    sent = 0
    rpcs = [(service, rpc) for service in SERVICES for rpc in rpcs_of(service)]
    with grpc.insecure_channel(record.rm_address) as channel:
        while time.monotonic() < until_s:
            sent += 1
            if storm.chance.random() < 0.3:
                _send(storm.chance.choice(ports), _noise(storm.chance))
                continue
            service, rpc = storm.chance.choice(rpcs)
            call: Callable[..., bytes] = channel.unary_unary(f"/hadoop.yarn.{service}/{rpc}")
            with suppress(grpc.RpcError):
                call(storm.chance.randbytes(storm.chance.randrange(200)), timeout=5)
    if _pids(storm) != pids or not all(psutil.pid_exists(pid) for pid in pids):
        raise BrokenPromiseError("a daemon has ended")
    storm.applications()
    storm.wait_for_nodes()
    if storm.tracebacks() > before:
        raise BrokenPromiseError(f"{storm.tracebacks() - before} tracebacks in {storm.run.logs}")
    return f"{sent} messages to {len(ports)} ports: every daemon lives and answers, no traceback"


def _pids(storm: Storm) -> list[int]:
    return [one.pid for one in storm.run.load().processes()]


def _noise(chance: Random) -> bytes:
    if chance.random() < 0.5:
        return chance.randbytes(chance.randrange(1, 4000))
    verb, length = chance.choice(("GET", "POST", "PUT", "BREW")), chance.randrange(-5, 10**6)
    line = f"{verb} /{chance.randbytes(20).hex()} HTTP/1.{chance.randrange(4)}"
    return f"{line}\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n".encode()


def _send(port: int, noise: bytes) -> None:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as peer:
        peer.sendall(noise)
        peer.settimeout(0.05)
        peer.recv(1000)


Driver = Callable[[Storm, float], str]
DRIVERS: dict[str, Driver] = {
    "kill": kill,
    "acknowledge": acknowledge,
    "disk": disk,
    "pause": pause,
    "fuzz": fuzz,
}


def play(names: Sequence[str], minutes: float, seed: int) -> int:
    """The drivers, one after the other, on one cluster; the exit status."""
    print(f"storm: seed {seed}", flush=True)
    broken = 0
    with tempfile.TemporaryDirectory(prefix="yarnbox-storm-") as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        storm = Storm(cluster, Random(seed))
        try:
            cluster.up(Options(nodes=NODES, port=0, web_port=0, scheduler="fifo", definitions=DEFINITIONS))
            cluster.wait_until_ready()
            for name in names:
                until_s = time.monotonic() + minutes * 60 / len(names)
                try:
                    print(f"storm: {name}: {DRIVERS[name](storm, until_s)}", flush=True)
                except BrokenPromiseError as error:
                    broken += 1
                    print(f"storm: {name}: BROKEN: {error}", flush=True)
        finally:
            if cluster.run.record_file.exists():
                cluster.down()
            cluster.close()
    return 1 if broken else 0


def main() -> int:
    """The command; the exit status is 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m bench.storm", description="Storms on real processes.")
    parser.add_argument("drivers", nargs="*", help="default: all", metavar="DRIVER")
    parser.add_argument("--minutes", type=float, default=5.0, metavar="M", help="in all (default: 5)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**9), metavar="N")
    options = parser.parse_args()
    unknown = [name for name in options.drivers if name not in DRIVERS]
    if unknown:
        parser.error(f"there is no driver {unknown[0]!r}: {', '.join(DRIVERS)}")
    return play(options.drivers or list(DRIVERS), options.minutes, options.seed)


if __name__ == "__main__":
    sys.exit(main())
