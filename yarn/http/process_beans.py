"""What a process says of itself: memory, threads, collections, lines of its log, calls that it answered.

The names are those of the Java daemons, for dashboards know them; the values are this process's own: heap
is resident memory, a collection is one of Python's. What has no meaning here is left out. Hadoop:
JvmMetrics, RpcMetrics, RpcDetailedMetrics and the beans of java.lang.
"""

from __future__ import annotations

import gc
import logging
import os
import platform
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil

from yarnbox.yarn.connection.rpc import Caller, Handler
from yarnbox.yarn.http.jmx import Bean, named
from yarnbox.yarn.rate import Rate
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.version import HADOOP_VERSION

_MB = 1024 * 1024
_OTHER_THREADS = tuple(f"Threads{one}" for one in ("New", "Blocked", "Waiting", "TimedWaiting", "Terminated"))
"""Python does not tell what a thread is at: all count as runnable."""
_RPC_TIMES = ("RpcEnQueueTime", "RpcLockWaitTime", "RpcQueueTime", "RpcResponseTime")
_RPC_ZEROS = (
    *("RpcAuthenticationFailures", "RpcAuthenticationSuccesses"),
    *("RpcAuthorizationFailures", "RpcAuthorizationSuccesses"),
    *("RpcClientBackoff", "RpcClientBackoffDisconnected", "RpcRequeueCalls", "RpcSlowCalls"),
    *("CallQueueLength", "NumDroppedConnections", "NumInProcessHandler"),
)
"""What never happens here, or is not measured."""


class ProcessBeans:
    """The beans of one process, of a service by Hadoop's name."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._process = psutil.Process()
        self._started_ms = int(self._process.create_time() * 1000)
        self._lines = _Lines()
        self._collections = _Collections()
        self.meters: list[RpcMeter] = []

    def start(self) -> None:
        """Counts from now on."""
        logging.getLogger().addHandler(self._lines)
        gc.callbacks.append(self._collections.note)

    def stop(self) -> None:
        """Counts no longer."""
        logging.getLogger().removeHandler(self._lines)
        gc.callbacks.remove(self._collections.note)

    def beans(self) -> Iterator[Bean]:
        """Every bean."""
        with self._process.oneshot():
            memory = self._process.memory_info()
            times = self._process.cpu_times()
            descriptors = self._process.num_fds()
        whole = psutil.virtual_memory()
        threads = threading.enumerate()
        yield self._jvm(memory.rss, whole.total, len(threads))
        for meter in self.meters:
            yield from meter.beans(self._service)
        yield _java(
            "Runtime",
            Uptime=int(time.time() * 1000) - self._started_ms,
            StartTime=self._started_ms,
            Name=f"{os.getpid()}@{socket.gethostname()}",
            VmName=platform.python_implementation(),
            VmVersion=platform.python_version(),
            InputArguments=list(sys.orig_argv[1:]),
        )
        used = {"init": 0, "used": memory.rss, "committed": memory.rss, "max": whole.total}
        yield _java("Memory", HeapMemoryUsage=used, ObjectPendingFinalizationCount=0)
        yield _java(
            "OperatingSystem",
            Name=platform.system(),
            Version=platform.release(),
            Arch=platform.machine(),
            AvailableProcessors=psutil.cpu_count() or 1,
            SystemLoadAverage=os.getloadavg()[0],
            TotalPhysicalMemorySize=whole.total,
            FreePhysicalMemorySize=whole.available,
            CommittedVirtualMemorySize=memory.vms,
            ProcessCpuTime=int((times.user + times.system) * 1_000_000_000),
            OpenFileDescriptorCount=descriptors,
            MaxFileDescriptorCount=resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        )
        yield _java(
            "Threading", ThreadCount=len(threads), DaemonThreadCount=sum(one.daemon for one in threads)
        )

    def _jvm(self, resident: int, whole: int, threads: int) -> Bean:
        lines = self._lines.counts
        return {
            **named(self._service, "JvmMetrics"),
            "tag.Context": "jvm",
            "tag.ProcessName": self._service,
            "MemHeapUsedM": round(resident / _MB, 2),
            "MemHeapCommittedM": round(resident / _MB, 2),
            "MemHeapMaxM": round(whole / _MB, 2),
            "MemMaxM": round(whole / _MB, 2),
            "GcCount": self._collections.count,
            "GcTimeMillis": int(self._collections.total_s * 1000),
            "ThreadsRunnable": threads,
            **dict.fromkeys(_OTHER_THREADS, 0),
            "LogFatal": lines[logging.CRITICAL],
            "LogError": lines[logging.ERROR],
            "LogWarn": lines[logging.WARNING],
            "LogInfo": lines[logging.INFO],
        }


class _Lines(logging.Handler):
    """Counts the lines of the log."""

    def __init__(self) -> None:
        super().__init__()
        self.counts = dict.fromkeys((logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO), 0)

    def emit(self, record: logging.LogRecord) -> None:
        """One line; what is below INFO is not counted."""
        if record.levelno in self.counts:
            self.counts[record.levelno] += 1


class _Collections:
    """Counts the collections of Python's garbage collector, and their time."""

    def __init__(self) -> None:
        self.count = 0
        self.total_s = 0.0
        self._begun_s = 0.0

    def note(self, phase: str, info: dict[str, Any]) -> None:
        """The collector begins or ends."""
        if phase == "start":
            self._begun_s = time.perf_counter()
        else:
            self.count += 1
            self.total_s += time.perf_counter() - self._begun_s


class RpcMeter:
    """The calls of one service: how many, how long, how much; told by whoever answers them."""

    __slots__ = ("_second", "calls", "failed", "open_connections", "port", "received", "sent", "server")

    def __init__(self, server: str, port: int) -> None:
        self.server = server
        self.port = port
        """The port by which Hadoop's dashboards know the service."""
        self.calls: dict[str, Rate] = {}
        self.failed = 0
        """Calls that ended in an error."""
        self.received = 0
        self.sent = 0
        self.open_connections: Callable[[], int] = int
        """How many there are; only connections of Hadoop's wire can be counted."""
        self._second = [0, 0, 0]
        """A second, the calls in it, and those in the one before."""

    def note(self, rpc: str, spent_s: float, received: int = 0, sent: int = 0) -> None:
        """A call was answered, or refused."""
        rate = self.calls.get(rpc)
        if rate is None:
            rate = self.calls[rpc] = Rate()
        rate.add(spent_s * 1000)
        self._turn_second()
        self._second[1] += 1
        self.received += received
        self.sent += sent

    def _turn_second(self) -> None:
        now, (second, count, _) = int(time.monotonic()), self._second
        if now != second:
            self._second = [now, 0, count if now == second + 1 else 0]

    def mean(self, rpc: str | None = None) -> tuple[int, float]:
        """The number of calls of one rpc, or of all, and their mean time in milliseconds."""
        if rpc is not None:
            return self.calls.get(rpc, Rate()).mean()
        count = sum(rate.count for rate in self.calls.values())
        total_ms = sum(rate.total_ms for rate in self.calls.values())
        return count, total_ms / count if count else 0.0

    def beans(self, service: str) -> Iterator[Bean]:
        """RpcActivity and RpcDetailedActivity."""
        count, mean = self.mean()
        self._turn_second()
        yield {
            **named(service, f"RpcActivityForPort{self.port}"),
            "tag.port": str(self.port),
            "tag.serverName": self.server,
            "tag.Context": "rpc",
            **_unmeasured(("DeferredRpcProcessingTime", 0)),
            "ReceivedBytes": self.received,
            "SentBytes": self.sent,
            **dict.fromkeys(_RPC_ZEROS, 0),
            **_unmeasured(*((name, count) for name in _RPC_TIMES)),
            "RpcCallSuccesses": count - self.failed,
            "RpcProcessingTimeNumOps": count,
            "RpcProcessingTimeAvgTime": round(mean, 4),
            "TotalRequests": count,
            "TotalRequestsPerSecond": self._second[2],
            "NumOpenConnections": self.open_connections(),
        }
        detailed: Bean = {
            **named(service, f"RpcDetailedActivityForPort{self.port}"),
            "tag.port": str(self.port),
            "tag.Context": "rpcdetailed",
        }
        for rpc in sorted(self.calls):
            number, mean = self.mean(rpc)
            name = rpc[:1].upper() + rpc[1:]
            detailed |= {f"{name}NumOps": number, f"{name}AvgTime": round(mean, 4)}
        yield detailed


def metered(handler: Handler, meter: RpcMeter) -> Handler:
    """The handler, and the meter told of every call."""

    def handle(rpc: str, request: Record, caller: Caller) -> Any:
        begun = time.perf_counter()
        try:
            return handler(rpc, request, caller)
        except BaseException:
            meter.failed += 1
            raise
        finally:
            meter.note(rpc, time.perf_counter() - begun)

    return handle


def _unmeasured(*counts: tuple[str, int]) -> Bean:
    """Times that are not measured: so many, of no length."""
    shown: Bean = {}
    for name, count in counts:
        shown |= {f"{name}NumOps": count, f"{name}AvgTime": 0.0}
    return shown


def _java(kind: str, **attributes: Any) -> Bean:
    return {
        "name": f"java.lang:type={kind}",
        "modelerType": f"yarnbox {HADOOP_VERSION} on Python",
        **attributes,
    }
