"""The node's metrics as a bean: containers by what became of them, and what is allocated and used.

Counters listen to the story, gauges are read off the registers when somebody looks. Hadoop:
NodeManagerMetrics.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from yarnbox.nm.containers.container_state import Container, ContainerState
from yarnbox.nm.core import Core
from yarnbox.nm.executor.layout import Layout
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.http.jmx import Bean, named
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.rate import Rate
from yarnbox.yarn.resources.resource import Resource, total
from yarnbox.yarn.runtime.story import Line

_MB_IN_GB = 1024
_STARTING = (ContainerState.NEW, ContainerState.LOCALIZING)
_FAILED = (ContainerState.EXITED_WITH_FAILURE.name, ContainerState.LOCALIZATION_FAILED.name)
_LOCALIZING = ContainerState.LOCALIZING.name
_DONE = ContainerState.DONE.name
_RUNNING = ContainerState.RUNNING.name
_SCHEDULED = ContainerState.SCHEDULED.name


class NodeMetrics:
    """The metrics of one node."""

    def __init__(self, core: Core, layout: Layout) -> None:
        self._core = core
        self._layout = layout
        self._context = core.context
        self._launched = self._completed = self._failed = self._killed = 0
        self._launch, self._localization = Rate(), Rate()
        self._since_ms: dict[ContainerId, int] = {}
        """Of containers that are localized or launched: since when."""
        self._context.story.listeners.append(self._note)

    def _note(self, line: Line) -> None:
        if not isinstance(line.subject, ContainerId) or line.before == line.after:
            return
        if line.before == ContainerState.NEW.name:
            self._launched += 1
        if line.after == _LOCALIZING:
            self._since_ms[line.subject] = line.now_ms
        elif line.after == _SCHEDULED:
            if line.before == _LOCALIZING:
                self._localization.add(line.now_ms - self._since_ms.get(line.subject, line.now_ms))
            self._since_ms[line.subject] = line.now_ms
        elif line.after == _RUNNING and line.subject in self._since_ms:
            self._launch.add(line.now_ms - self._since_ms.pop(line.subject))
        elif line.after == _DONE:
            self._since_ms.pop(line.subject, None)
            if line.before == ContainerState.EXITED_WITH_SUCCESS.name:
                self._completed += 1
            elif line.before in _FAILED:
                self._failed += 1
            else:
                self._killed += 1

    def bean(self) -> Bean:
        """NodeManagerMetrics."""
        containers = list(self._context.containers.values())
        alive = [one for one in containers if not one.is_done]
        states = [one.state for one in alive]
        held = [one for one in alive if one.is_guaranteed]
        allocated = _sum(held)
        total = self._context.total
        status, health = self._core.status, self._core.health
        used, used_here = status.containers_utilization, status.node_utilization
        others = [one for one in alive if not one.is_guaranteed and one.has_process]
        opportunistic = _sum(others)
        waiting = [one for one in alive if one.state is ContainerState.SCHEDULED]
        return {
            **named("NodeManager", "NodeManagerMetrics"),
            "tag.Context": "yarn",
            "ContainersLaunched": self._launched,
            "ContainersCompleted": self._completed,
            "ContainersFailed": self._failed,
            "ContainersKilled": self._killed,
            "ContainersIniting": sum(states.count(one) for one in _STARTING),
            "ContainersReIniting": states.count(ContainerState.REINITIALIZING),
            "ContainersRunning": states.count(ContainerState.RUNNING),
            "ContainersPaused": states.count(ContainerState.PAUSED),
            "AllocatedGB": -(-allocated.memory_mb // _MB_IN_GB),
            "AllocatedContainers": len(held),
            "AvailableGB": (total - allocated).memory_mb // _MB_IN_GB,
            "AllocatedVCores": allocated.vcores,
            "AvailableVCores": total.vcores - allocated.vcores,
            **_times("ContainerLaunchDuration", self._launch),
            **_times("LocalizationDurationMillis", self._localization),
            "ContainersGuaranteedQueued": _count(waiting, ExecutionType.GUARANTEED),
            "ContainersOpportunisticQueued": _count(waiting, ExecutionType.OPPORTUNISTIC),
            "AllocatedOpportunisticGB": -(-opportunistic.memory_mb // _MB_IN_GB),
            "AllocatedOpportunisticVCores": opportunistic.vcores,
            "RunningOpportunisticContainers": len(others),
            "BadLocalDirs": health.bad_directories("local-dirs"),
            "BadLogDirs": health.bad_directories("log-dirs"),
            "GoodLocalDirsDiskUtilizationPerc": _used_percent(self._layout.local),
            "GoodLogDirsDiskUtilizationPerc": _used_percent(self._layout.logs),
            "ContainerUsedMemGB": (used.pmem or 0) // _MB_IN_GB,
            "ContainerUsedVMemGB": (used.vmem or 0) // _MB_IN_GB,
            "ContainerCpuUtilization": used.cpu or 0.0,
            "NodeUsedMemGB": (used_here.pmem or 0) // _MB_IN_GB,
            "NodeUsedVMemGB": (used_here.vmem or 0) // _MB_IN_GB,
            "NodeCpuUtilization": used_here.cpu or 0.0,
            "NodeGpuUtilization": 0.0,
            "ApplicationsRunning": len(self._context.applications),
        }


def _times(name: str, rate: Rate) -> Bean:
    count, mean_ms = rate.mean()
    return {f"{name}NumOps": count, f"{name}AvgTime": mean_ms}


def _used_percent(paths: Iterable[Path]) -> int:
    """How full the disks of the directories are, on the average."""
    used = total = 0
    for path in paths:
        try:
            usage = shutil.disk_usage(path)
        except OSError:
            continue
        used, total = used + usage.total - usage.free, total + usage.total
    return used * 100 // total if total else 0


def _sum(containers: list[Container]) -> Resource:
    return total(one.resource for one in containers)


def _count(containers: list[Container], kind: ExecutionType) -> int:
    return sum(1 for one in containers if one.execution_type is kind)
