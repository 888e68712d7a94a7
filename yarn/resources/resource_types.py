"""Which resource types the cluster knows, their units and limits; and resources written as text.

Owns the registry made from `yarn.resource-types` (yarn-site.xml, resource-types.xml), the mandatory types
`memory-mb` (MiB) and `vcores`, the rules for `yarn.io/gpu` and `yarn.io/fpga`, and the two grammars in which
people write resources. Does not know queues, nodes or limits. What a node offers is read in
node_resources.py. Hadoop: ResourceUtils and ResourceInformation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault
from yarnbox.yarn.enums import ResourceTypes
from yarnbox.yarn.records.basics import ResourceTypeInfo
from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource
from yarnbox.yarn.resources.units import MAXIMUM, UNITS, convert

T = TypeVar("T")

RESOURCE_TYPES_FILE = "resource-types.xml"
PREFIX = "yarn.resource-types"

GPU = "yarn.io/gpu"
FPGA = "yarn.io/fpga"

MEMORY_UNITS = "Mi"
VOLUME_TAG = "system:csi-volume"
"""A type with this tag is not counted against a node's capacity; such types come last."""

_MANDATORY = (MEMORY_MB, VCORES)
_RESERVED = ("memory", *_MANDATORY)
_SPECIAL_UNITS: Mapping[str, str] = {GPU: "", FPGA: ""}
_SHORT_NAMES: Mapping[str, str] = {"memory": MEMORY_MB, "gpu": GPU, "fpga": FPGA}

_WORD = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_NAME = re.compile(rf"(?:(?:{_WORD}\.)*{_WORD}/)?[A-Za-z][\w.-]*", re.ASCII)
_NAME_RULE = (
    "a resource name: letters, digits, `.`, `_` and `-`, beginning with a letter, "
    "after an optional namespace that is a domain name and a `/`"
)
_PAIR = re.compile(r"([^=]+)=([0-9]+)\s?(\w*)", re.ASCII)
_ABSOLUTE = re.compile(r"\[[\w.,\-= /]+\]", re.ASCII)
_AMOUNT = re.compile(r"([+-]?[0-9]+)([A-Za-z]*)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ResourceType:
    """One type, countable as all are: amounts are integers of its unit."""

    name: str
    units: str = ""
    minimum_allocation: int = 0
    maximum_allocation: int = MAXIMUM
    tags: tuple[str, ...] = ()

    @property
    def countable_on_nodes(self) -> bool:
        """Whether a node's capacity has an amount of it."""
        return VOLUME_TAG not in self.tags


class ResourceTypeRegistry:
    """The known types: memory, vcores, then the others as configured, volumes last."""

    __slots__ = ("_types",)

    def __init__(self, types: Iterable[ResourceType] = ()) -> None:
        given = {one.name: one for one in types}
        memory = given.pop(MEMORY_MB, ResourceType(MEMORY_MB, MEMORY_UNITS, 1024, 8192))
        vcores = given.pop(VCORES, ResourceType(VCORES, "", 1, 4))
        others = sorted(
            given.values(), key=lambda one: not one.countable_on_nodes
        )  # stable: configured order
        self._types = {one.name: one for one in (memory, vcores, *others)}

    @classmethod
    def read(cls, configuration: Configuration) -> ResourceTypeRegistry:
        """The registry that the configuration describes; ConfigurationError with every fault."""
        faults: list[Fault] = []
        types = [_mandatory(configuration, name, faults) for name in _MANDATORY]
        names = configuration.strings(PREFIX)
        seen: list[str] = []
        for name in names:
            complaint = _name_complaint(name, seen)
            if complaint is not None:
                found = configuration.value(PREFIX)
                faults.append(Fault(str(configuration.origin(PREFIX)), PREFIX, found, complaint))
                continue
            seen.append(name)
            types.append(_configured(configuration, name, faults))
        if faults:
            raise ConfigurationError(faults)
        return cls(types)

    @classmethod
    def of(cls, infos: Iterable[ResourceTypeInfo]) -> ResourceTypeRegistry:
        """The registry that a ResourceManager tells its clients: names and units alone."""
        return cls(ResourceType(info.name, info.units or "") for info in infos)

    def __iter__(self) -> Iterator[ResourceType]:
        return iter(self._types.values())

    def __len__(self) -> int:
        return len(self._types)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __getitem__(self, name: str) -> ResourceType:
        return self._types[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in their order."""
        return tuple(self._types)

    @property
    def units(self) -> Mapping[str, str]:
        """The unit of each type beyond memory and vcores, of which messages tell it."""
        return {one.name: one.units for one in self if one.name not in (MEMORY_MB, VCORES)}

    @property
    def minimum_allocation(self) -> Resource:
        """The least of each type that one container gets."""
        return Resource.of({one.name: one.minimum_allocation for one in self})

    @property
    def maximum_allocation(self) -> Resource:
        """The most of each type that one container may ask for."""
        return Resource.of({one.name: one.maximum_allocation for one in self})

    def infos(self) -> tuple[ResourceTypeInfo, ...]:
        """The types as getAllResourceTypeInfo and the AM's registration answer them."""
        return tuple(
            ResourceTypeInfo(name=one.name, units=one.units, type=ResourceTypes.COUNTABLE) for one in self
        )

    def unknown(self, resource: Resource) -> tuple[str, ...]:
        """The types of `resource` that nobody configured."""
        return tuple(name for name, _ in resource.others if name not in self._types)

    def parse(self, text: str) -> Resource:
        """`memory-mb=8Gi,vcores=4,yarn.io/gpu=2`: the grammar of command lines (createResourceFromString).

        `m`, `M`, `g` and `G` mean Mi and Gi here, as in Hadoop, which knows no others; the binary units are
        taken by their own names, too. Memory without a unit is MiB. `memory`, `gpu` and `fpga` are short
        names.
        """
        amounts: dict[str, int] = {}
        for pair in text.strip().split(","):
            match = _PAIR.fullmatch(pair.strip())
            if match is None:
                raise ValueError(f"pairs of type=amount separated by commas, not `{pair.strip()}`")
            name = _SHORT_NAMES.get(match.group(1), match.group(1))
            if name not in self._types:
                raise ValueError(
                    f"amounts of known resource types ({', '.join(self._types)}), not of `{name}`"
                )
            unit = _command_line_unit(match.group(3))
            amounts[name] = self._in_own_unit(name, int(match.group(2)), unit)
        return Resource.of(amounts)

    def parse_absolute(self, text: str, ignored: list[str] | None = None) -> Resource:
        """`[memory=10240,vcores=12]`: the grammar of capacity-scheduler.xml. No memory in it: nothing at all.

        As in Hadoop a part that is not name=amount, an unknown type or an unknown unit is passed over;
        `ignored` collects these parts for a notice. An amount with a unit becomes one in Mi, whatever the
        unit of its type. ValueError if the text is not of this form, or an amount no integer.
        """
        if not is_absolute(text):
            raise ValueError("resources as [memory=amount,vcores=amount,...]")
        amounts: dict[str, int] = {}
        for pair in text.strip()[1:-1].strip().split(","):
            parts = pair.split("=")
            name = _SHORT_NAMES.get(parts[0].strip(), parts[0].strip())
            amount = _AMOUNT.fullmatch(parts[1]) if len(parts) > 1 else None
            if len(parts) < 2 or name not in self._types or (amount and amount.group(2) not in UNITS):
                if ignored is not None:
                    ignored.append(pair.strip())
                continue
            if amount is None:
                raise ValueError(f"amounts that are integers with an optional unit, not `{pair.strip()}`")
            number, unit = int(amount.group(1)), amount.group(2)
            amounts[name] = convert(number, unit, MEMORY_UNITS) if unit else number
        return Resource.of(amounts) if amounts.get(MEMORY_MB) else NONE

    def _in_own_unit(self, name: str, amount: int, unit: str) -> int:
        return convert(amount, unit, self._types[name].units) if unit else amount


def is_absolute(text: str) -> bool:
    """Whether `text` is in the bracketed form of absolute resources."""
    return _ABSOLUTE.fullmatch(text.strip()) is not None


def _command_line_unit(unit: str) -> str:
    known = {"m": "Mi", "M": "Mi", "g": "Gi", "G": "Gi"}.get(unit, unit)
    if known not in ("", "Ki", "Mi", "Gi", "Ti", "Pi"):
        raise ValueError(f"amounts in M or G (or Ki, Mi, Gi, Ti, Pi), not in `{unit}`")
    return known


def _name_complaint(name: str, seen: list[str]) -> str | None:
    if name in _RESERVED:
        return f"a list without `{name}`, which is always there"
    if name in seen:
        return f"a list that names `{name}` once"
    return None if _NAME.fullmatch(name) else f"a list of names, and `{name}` is not {_NAME_RULE}"


def _mandatory(configuration: Configuration, name: str, faults: list[Fault]) -> ResourceType:
    """Memory or vcores: its limits stand under the type's own name, else under the scheduler's."""
    suffix, minimum, maximum = ("mb", 1024, 8192) if name == MEMORY_MB else ("vcores", 1, 4)

    def limit(which: str, default: int) -> int:
        own = _reading(faults, lambda: configuration.long(f"{PREFIX}.{name}.{which}-allocation", -1), -1)
        if own != -1:
            return own
        return _reading(
            faults,
            lambda: configuration.long(f"yarn.scheduler.{which}-allocation-{suffix}", default),
            default,
        )

    units = MEMORY_UNITS if name == MEMORY_MB else ""
    return ResourceType(name, units, limit("minimum", minimum), limit("maximum", maximum))


def _configured(configuration: Configuration, name: str, faults: list[Fault]) -> ResourceType:
    prefix = f"{PREFIX}.{name}"
    units = configuration.value(f"{prefix}.units") or ""
    kind = configuration.value(f"{prefix}.type") or ResourceTypes.COUNTABLE.name
    special = _SPECIAL_UNITS.get(name)
    if special is not None and units != special:
        faults.append(_fault(configuration, f"{prefix}.units", f"empty, for {name} is counted in pieces"))
    elif units not in UNITS:
        faults.append(_fault(configuration, f"{prefix}.units", f"one of {' '.join(UNITS).strip()}, or empty"))
    if kind not in ResourceTypes.__members__:
        faults.append(
            _fault(configuration, f"{prefix}.type", "one of " + ", ".join(ResourceTypes.__members__))
        )
    return ResourceType(
        name,
        units,
        _reading(faults, lambda: configuration.long(f"{prefix}.minimum-allocation", 0), 0),
        _reading(faults, lambda: configuration.long(f"{prefix}.maximum-allocation", MAXIMUM), MAXIMUM),
        configuration.strings(f"{prefix}.tags"),
    )


def _reading(faults: list[Fault], read: Callable[[], T], instead: T) -> T:
    """What `read` gives; or `instead`, and its faults join the others."""
    try:
        return read()
    except ConfigurationError as error:
        faults.extend(error.faults)
        return instead


def _fault(configuration: Configuration, name: str, allowed: str) -> Fault:
    return Fault(str(configuration.origin(name)), name, configuration.value(name), allowed)
