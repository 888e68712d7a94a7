"""What a node offers its containers, from the NodeManager's configuration and, if asked for, its hardware.

`yarn.nodemanager.resource.memory-mb`, `.cpu-vcores` and, for other types, `yarn.nodemanager.resource-
type.<name>` with a unit (yarn-site.xml, node-resources.xml). The hardware is measured by the caller: nothing
here looks at the machine. Hadoop: NodeManagerHardwareUtils and the node half of ResourceUtils.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.resources.units import convert
from yarnbox.yarn.settings import read, setting, settings

NODE_RESOURCES_FILE = "node-resources.xml"
PREFIX = "yarn.nodemanager.resource-type."

DEFAULT_MEMORY_MB = 8192
DEFAULT_VCORES = 8

_AMOUNT = re.compile(r"([0-9]+) ?([A-Za-z]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine as its NodeManager measured it."""

    memory_mb: int
    physical_cores: int
    logical_processors: int


@settings
class NodeResourceSettings:
    """The properties behind a node's memory and vcores; -1 stands for a default, or for what was detected."""

    memory_mb: int = setting(
        "yarn.nodemanager.resource.memory-mb",
        -1,
        "Memory of the node for containers; -1: 8192, or as detected",
        unit="MiB",
        check=lambda value: None if value == -1 or value > 0 else "more than 0, or -1",
    )
    reserved_memory_mb: int = setting(
        "yarn.nodemanager.resource.system-reserved-memory-mb",
        -1,
        "Memory kept from containers when it is detected; -1: a fifth",
        unit="MiB",
        at_least=-1,
    )
    vcores: int = setting(
        "yarn.nodemanager.resource.cpu-vcores",
        -1,
        "Vcores of the node for containers; -1: 8, or as detected",
        check=lambda value: None if value == -1 or value > 0 else "more than 0, or -1",
    )
    count_logical_processors: bool = setting(
        "yarn.nodemanager.resource.count-logical-processors-as-cores",
        False,
        "Detection counts hyper-threads as cores",
    )
    vcores_per_core: float = setting(
        "yarn.nodemanager.resource.pcores-vcores-multiplier", 1.0, "Detection: vcores for each core", above=0
    )
    cpu_percent: int = setting(
        "yarn.nodemanager.resource.percentage-physical-cpu-limit",
        100,
        "Detection: share of the cores that containers may use; more than 100 counts as 100",
        unit="percent",
        at_least=1,
    )
    detect_hardware: bool = setting(
        "yarn.nodemanager.resource.detect-hardware-capabilities",
        False,
        "Take memory and vcores that are -1 from the machine",
    )


def node_resource(
    configuration: Configuration, types: ResourceTypeRegistry, hardware: Hardware | None = None
) -> Resource:
    """The node's capacity; ConfigurationError with every fault. Without `hardware` nothing is detected."""
    faults: list[Fault] = []
    amounts = _other_amounts(configuration, types, faults)
    try:
        basic = read(NodeResourceSettings, configuration)
    except ConfigurationError as error:
        raise ConfigurationError([*error.faults, *faults]) from None
    detected = hardware if basic.detect_hardware else None
    amounts[MEMORY_MB] = _memory_mb(basic, detected)
    amounts[VCORES] = _vcores(basic, detected)
    if amounts[MEMORY_MB] <= 0:
        what = (
            f"set, because the machine's memory minus {basic.reserved_memory_mb} MiB "
            "leaves no memory for containers"
        )
        faults.append(Fault("default", "yarn.nodemanager.resource.memory-mb", "-1", what))
    if faults:
        raise ConfigurationError(faults)
    return Resource.of(amounts)


def _memory_mb(basic: NodeResourceSettings, hardware: Hardware | None) -> int:
    if basic.memory_mb != -1:
        return basic.memory_mb
    if hardware is None:
        return DEFAULT_MEMORY_MB
    if basic.reserved_memory_mb != -1:
        return hardware.memory_mb - basic.reserved_memory_mb
    # Hadoop first takes off twice the daemon's heap, for the NodeManager and a DataNode; neither is a JVM
    # here.
    return hardware.memory_mb * 8 // 10


def _vcores(basic: NodeResourceSettings, hardware: Hardware | None) -> int:
    if basic.vcores != -1:
        return basic.vcores
    if hardware is None:
        return DEFAULT_VCORES
    cores = hardware.logical_processors if basic.count_logical_processors else hardware.physical_cores
    usable = min(basic.cpu_percent, 100) * cores / 100 * basic.vcores_per_core
    return max(1, math.floor(usable + 0.5))


def _other_amounts(
    configuration: Configuration, types: ResourceTypeRegistry, faults: list[Fault]
) -> dict[str, int]:
    amounts: dict[str, int] = {}
    for name in configuration.names(PREFIX):
        kind = name.removeprefix(PREFIX)
        value = configuration.value(name) or ""
        match = _AMOUNT.fullmatch(value)
        if kind in ("memory", MEMORY_MB, VCORES):
            wrong = "left out: memory and vcores have properties of their own"
        elif kind not in types:
            wrong = f"of a known resource type ({', '.join(types.names)})"
        elif match is None:
            wrong = "an integer with an optional unit"
        else:
            try:
                own = types[kind].units
                amounts[kind] = (
                    convert(int(match.group(1)), match.group(2), own)
                    if match.group(2)
                    else int(match.group(1))
                )
                continue
            except ValueError as error:
                wrong = str(error)
        faults.append(Fault(str(configuration.origin(name)), name, value, wrong))
    return amounts
