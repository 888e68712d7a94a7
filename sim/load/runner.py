"""sls-runner.xml: the sizes and intervals of Hadoop's Scheduler Load Simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from yarnbox.sim.load.reading import Defaults
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.settings import read, setting, settings

FILE = "sls-runner.xml"
_NM, _AM, _TASK = "yarn.sls.nm.", "yarn.sls.am.container.", "yarn.sls.container."
_NO_TYPES = ("memory", "memory.mb", "vcores", "resource", "heartbeat")


@settings
class _Runner:
    node_mb: int = setting("yarn.sls.nm.memory.mb", 10240, at_least=1)
    node_vcores: int = setting("yarn.sls.nm.vcores", 10, at_least=1)
    nm_interval_ms: int = setting("yarn.sls.nm.heartbeat.interval.ms", 1000, at_least=1)
    am_interval_ms: int = setting("yarn.sls.am.heartbeat.interval.ms", 1000, at_least=1)
    am_mb: int = setting("yarn.sls.am.container.memory", 1024, at_least=1)
    am_vcores: int = setting("yarn.sls.am.container.vcores", 1, at_least=1)
    task_mb: int = setting("yarn.sls.container.memory.mb", 1024, at_least=1)
    task_vcores: int = setting("yarn.sls.container.vcores", 1, at_least=1)
    metrics: str = setting("yarn.sls.metrics.switch", "ON")
    metrics_interval_ms: int = setting("yarn.sls.metrics.record.interval.ms", 1000, at_least=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerSettings:
    """What the file says, or Hadoop's defaults."""

    defaults: Defaults
    nm_interval_ms: int
    am_interval_ms: int
    metrics_interval_ms: int | None
    """None: no samples are taken."""


def read_runner(directory: Path | None) -> RunnerSettings:
    """The settings of the directory's sls-runner.xml, where there is one."""
    configuration = Configuration.of({})
    if directory is not None:
        configuration = configuration.with_files(directory, (FILE,))
    found = read(_Runner, configuration)
    others = {}
    for name in configuration.names(_NM):
        kind = name.removeprefix(_NM)
        if kind.partition(".")[0] not in _NO_TYPES or "/" in kind:
            others[kind] = configuration.long(name, 0)
    old = configuration.value("yarn.sls.runner.metrics.switch")
    is_on = (old or found.metrics).upper() != "OFF"
    return RunnerSettings(
        defaults=Defaults(
            task=Resource(found.task_mb, found.task_vcores),
            am=Resource(found.am_mb, found.am_vcores),
            node=Resource.of({**others, "memory-mb": found.node_mb, "vcores": found.node_vcores}),
        ),
        nm_interval_ms=found.nm_interval_ms,
        am_interval_ms=found.am_interval_ms,
        metrics_interval_ms=found.metrics_interval_ms if is_on else None,
    )
