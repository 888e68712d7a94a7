"""Amounts of resources as the allocation file writes them: absolute or as percentages of the cluster.

Two grammars, an old one (`5120 mb, 2 vcores`, `50% memory, 40% cpu`) and a new one (`memory-mb=5120,
vcores=2`). The first that fits decides. Pure. Hadoop: ConfigurableResource and the parsing part of
FairSchedulerConfiguration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, VCORES, Resource
from yarnbox.yarn.resources.units import MAXIMUM

_OLD_PARTS = re.compile(r"-?\d+(?:\.\d*)?\s*[a-z]+\s*", re.ASCII)
_PERCENTAGE = r"^(-?\d+(?:\.\d*)?)\s*%\s*"
_VALUE = r"^(-?\d+)(?:\.\d*)?\s*"
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_MAXIMUM_INT = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Amount:
    """An absolute amount; or, where `ratios` is given, that part of whatever the cluster has now."""

    absolute: Resource = NONE
    ratios: Mapping[str, float] | None = None

    @property
    def is_relative(self) -> bool:
        """Whether it follows the size of the cluster."""
        return self.ratios is not None

    def of(self, cluster: Resource) -> Resource:
        """The amount in a cluster of this size, cut to integers."""
        if self.ratios is None:
            return self.absolute
        return Resource.of({name: int(cluster.value(name) * ratio) for name, ratio in self.ratios.items()})


def unbounded(types: Iterable[str]) -> Resource:
    """The largest amount of every type."""
    return Resource.of(dict.fromkeys(types, MAXIMUM))


def parse_amount(text: str, types: tuple[str, ...], missing: int = MAXIMUM) -> Amount:
    """The amount that `text` stands for; ValueError says what is wrong with it.

    `missing` is the value of the types that an absolute value in the new grammar does not name.
    """
    if not text.strip():
        raise ValueError("Error reading resource config--the resource string is empty.")
    if "=" in text:
        return _parse_named(text, types, missing)
    if "%" in text:
        return _parse_old_percentages(text.lower(), types)
    return _parse_old_absolute(text)


def _parse_named(text: str, types: tuple[str, ...], missing: int) -> Amount:
    are_percentages = "%" in text
    ratios = dict.fromkeys(types, 1.0)
    values = dict.fromkeys(types, missing)
    for part in _split(text):
        pair = _split(part, "=")
        if len(pair) != 2:
            raise ValueError(f"{_invalid(text)} Every resource must be of the form: name=value.")
        name, value = pair[0].strip(), pair[1].strip()
        if are_percentages:
            match = re.fullmatch(_PERCENTAGE, value, re.ASCII)
            if match is None or float(match.group(1)) < 0:
                raise ValueError(
                    f'{_invalid(text)} The resource values must all be percentages. "{value}" is either not '
                    "a non-negative number or does not include the '%' symbol."
                )
            ratios[name] = float(match.group(1)) / 100.0
        else:
            values[name] = _absolute(text, name, value)
        if name not in types:
            raise ValueError(
                f'{_invalid(text)} The resource name, "{name}" was not recognized. Please check the value of '
                "yarn.resource-types in the Resource Manager's configuration files."
            )
    return Amount(ratios=ratios) if are_percentages else Amount(Resource.of(values))


def _absolute(text: str, name: str, value: str) -> int:
    if _INTEGER.fullmatch(value) is None or int(value) > MAXIMUM:
        raise ValueError(
            f'{_invalid(text)} The resource values must all be integers. "{value}" is not an integer.'
        )
    if int(value) < 0:
        raise ValueError(f"Invalid value of {name}: {int(value)}, value should not be negative!")
    return int(value)


def _parse_old_percentages(text: str, types: tuple[str, ...]) -> Amount:
    parts = _split(text)
    if len(parts) == 1:
        return Amount(ratios=dict.fromkeys(types, _percentage(parts[0], "")))
    ratios = dict.fromkeys(types, 0.0)
    ratios[MEMORY_MB] = _percentage(_part_with(parts, "memory"), "memory")
    ratios[VCORES] = _percentage(_part_with(parts, "cpu"), "cpu")
    return Amount(ratios=ratios)


def _percentage(part: str, name: str) -> float:
    # The file's own parser trims the whole value, so blanks around a single percentage do not matter.
    match = re.fullmatch(_PERCENTAGE + name, part.strip(), re.ASCII)
    if match is None:
        of_name = f" of {name}" if name else ""
        raise ValueError(f"Invalid percentage{of_name}: {part}")
    ratio = float(match.group(1)) / 100.0
    if ratio < 0:
        raise ValueError(f"Invalid percentage: {part}, percentage should not be negative!")
    return ratio


def _parse_old_absolute(text: str) -> Amount:
    parts = _split(text.lower())
    if len(parts) != 2:
        parts = _OLD_PARTS.findall(text.lower())
        if len(parts) != 2:
            raise ValueError(f"Cannot parse resource values from input: {text}")
    memory = _old_value(parts, "mb", "memory")
    vcores = _old_value(parts, "vcores", "vcores")
    return Amount(Resource(memory, vcores))


def _old_value(parts: list[str], unit: str, name: str) -> int:
    part = _part_with(parts, unit)
    match = re.match(_VALUE + unit, part, re.ASCII)
    if match is None or abs(int(match.group(1))) > _MAXIMUM_INT:
        raise ValueError(f"Invalid value of {name}: {part}")
    value = int(match.group(1))
    if value < 0:
        raise ValueError(f"Invalid value of {name}: {value}, value should not be negative!")
    return value


def _part_with(parts: list[str], name: str) -> str:
    for part in parts:
        if name in part:
            return part.strip()
    raise ValueError(f"Missing resource: {name}")


def _split(text: str, separator: str = ",") -> list[str]:
    """As Java splits: empty parts at the end do not count."""
    parts = text.split(separator)
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    return parts


def _invalid(text: str) -> str:
    return f"Error reading resource config--invalid resource definition: {text}."
