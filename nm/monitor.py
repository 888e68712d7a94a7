"""Memory of containers against their limits, measured over whole process trees.

The verdict is a function of numbers; measuring is psutil's. Virtual memory is judged first. A tree that has
just grown by fork and exec is given one more look. Hadoop: ContainersMonitorImpl and
ProcfsBasedProcessTree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import psutil

from yarnbox.nm.executor.group import descendants
from yarnbox.nm.settings.monitoring import MonitorSettings
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.basics import ResourceUtilization

KILLED_EXCEEDED_VMEM = -103
KILLED_EXCEEDED_PMEM = -104

_MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessSample:
    """One process at one look."""

    pid: int
    parent: int
    group: int
    name: str
    command: str
    physical: int
    virtual: int
    cpu_s: float
    has_been_seen: bool
    """Whether it was there at the look before."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a container may take, in bytes."""

    physical: int
    virtual: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """A container that has to go, and why."""

    exit_status: int
    diagnostics: str


def is_over(total: int, aged: int, limit: int) -> bool:
    """Over the limit: twice as much as allowed, or more than allowed in processes that were there before."""
    return total > 2 * limit or aged > limit


def judge(
    container_id: ContainerId, pid: int, tree: list[ProcessSample], limits: Limits, settings: MonitorSettings
) -> Verdict | None:
    """What one look at a container's tree means."""
    virtual = sum(process.virtual for process in tree)
    physical = sum(process.physical for process in tree)
    aged = [process for process in tree if process.has_been_seen]
    if settings.virtual_checked and is_over(virtual, sum(one.virtual for one in aged), limits.virtual):
        text = _text(container_id, pid, tree, limits, "VIRTUAL", virtual - limits.virtual)
        return Verdict(KILLED_EXCEEDED_VMEM, text)
    if settings.physical_checked and is_over(physical, sum(one.physical for one in aged), limits.physical):
        text = _text(container_id, pid, tree, limits, "PHYSICAL", physical - limits.physical)
        return Verdict(KILLED_EXCEEDED_PMEM, text)
    return None


def _text(
    container_id: ContainerId, pid: int, tree: list[ProcessSample], limits: Limits, kind: str, beyond: int
) -> str:
    physical = sum(process.physical for process in tree)
    virtual = sum(process.virtual for process in tree)
    return (
        f"Container [pid={pid},containerID={container_id}] is running {beyond}B beyond the '{kind}' "
        f"memory limit. Current usage: {amount(physical)} of {amount(limits.physical)} physical memory used; "
        f"{amount(virtual)} of {amount(limits.virtual)} virtual memory used. Killing container.\n"
        f"Dump of the process-tree for {container_id} :\n{dump(tree)}"
    )


def amount(count: int) -> str:
    """Bytes as Hadoop prints them: `12.5 MB`, and whole numbers of a unit without a fraction: `1 GB`."""
    for power, unit in ((5, "PB"), (4, "TB"), (3, "GB"), (2, "MB"), (1, "KB")):
        whole = 1024**power
        if abs(count) >= whole:
            return f"{count // whole} {unit}" if count % whole == 0 else f"{count / whole:.1f} {unit}"
    return f"{count} B"


def dump(tree: Iterable[ProcessSample]) -> str:
    """A line per process."""
    head = (
        "\t|- PID PPID PGRPID SESSID CMD_NAME USER_MODE_TIME(MILLIS) SYSTEM_TIME(MILLIS) VMEM_USAGE(BYTES) "
        "RSSMEM_USAGE(PAGES) FULL_CMD_LINE"
    )
    lines = [head]
    for one in tree:
        lines.append(
            f"\t|- {one.pid} {one.parent} {one.group} {one.group} ({one.name}) {int(one.cpu_s * 1000)} 0 "
            f"{one.virtual} {one.physical // 4096} {one.command}"
        )
    return "\n".join(lines) + "\n"


@dataclass(slots=True)
class _Watched:
    limits: Limits
    seen: dict[int, float] = field(default_factory=dict)
    """Creation time by pid at the last look."""


class ContainersMonitor:
    """The containers that are held to limits, and what they use."""

    def __init__(self, settings: MonitorSettings) -> None:
        self._settings = settings
        self._watched: dict[ContainerId, _Watched] = {}
        self._cpu_s: dict[ContainerId, float] = {}
        self.utilization = ResourceUtilization(pmem=0, vmem=0, cpu=0.0)

    def start(self, container_id: ContainerId, physical: int, virtual: int) -> None:
        """Holds a container to limits; again with others, to those."""
        limits = Limits(physical, virtual)
        watched = self._watched.setdefault(container_id, _Watched(limits))
        watched.limits = limits

    def stop(self, container_id: ContainerId) -> None:
        """Lets it be."""
        self._watched.pop(container_id, None)
        self._cpu_s.pop(container_id, None)

    def watched(self) -> list[ContainerId]:
        """Whom to look at."""
        return list(self._watched)

    def look(self, pids: dict[ContainerId, int], elapsed_s: float) -> dict[ContainerId, Verdict]:
        """Measures all; those that have to go."""
        verdicts: dict[ContainerId, Verdict] = {}
        physical = virtual = 0
        cpu = 0.0
        for container_id, watched in list(self._watched.items()):
            pid = pids.get(container_id)
            if pid is None:
                continue
            tree = measure(pid, watched.seen)
            watched.seen = {process.pid: 0.0 for process in tree}
            physical += sum(process.physical for process in tree)
            virtual += sum(process.virtual for process in tree)
            cpu += self._cpu_since(container_id, tree, elapsed_s)
            verdict = judge(container_id, pid, tree, watched.limits, self._settings)
            if verdict is not None:
                verdicts[container_id] = verdict
        self.utilization = ResourceUtilization(pmem=physical // _MB, vmem=virtual // _MB, cpu=cpu)
        return verdicts

    def _cpu_since(self, container_id: ContainerId, tree: list[ProcessSample], elapsed_s: float) -> float:
        total_s = sum(process.cpu_s for process in tree)
        before_s = self._cpu_s.get(container_id, total_s)
        self._cpu_s[container_id] = total_s
        return max(0.0, total_s - before_s) / elapsed_s if elapsed_s > 0 else 0.0


def measure(pid: int, seen: dict[int, float]) -> list[ProcessSample]:
    """The process tree below a pid, as it is now."""
    samples = []
    for process in descendants(pid):
        try:
            with process.oneshot():
                memory, cpu = process.memory_info(), process.cpu_times()
                samples.append(
                    ProcessSample(
                        pid=process.pid,
                        parent=process.ppid(),
                        group=pid,
                        name=process.name(),
                        command=" ".join(process.cmdline()),
                        physical=memory.rss,
                        virtual=memory.vms,
                        cpu_s=cpu.user + cpu.system,
                        has_been_seen=process.pid in seen,
                    )
                )
        except psutil.Error:
            continue
    return samples


def node_utilization() -> ResourceUtilization:
    """Memory and cores in use on the whole machine."""
    memory, swap = psutil.virtual_memory(), psutil.swap_memory()
    cpu = psutil.cpu_percent() / 100 * (psutil.cpu_count() or 1)
    return ResourceUtilization(
        pmem=memory.used // _MB, vmem=(memory.used + swap.used) // _MB, cpu=round(cpu, 3)
    )
