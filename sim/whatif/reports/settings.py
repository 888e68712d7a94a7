"""What differs between two variants: properties, allocation files, nodes, load."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim.load.formats import Load
from yarnbox.sim.whatif.variants import ALLOCATION_FILE, BASE, Variant
from yarnbox.yarn.configuration import Configuration

_FILES = ("core-site.xml", "yarn-site.xml", "resource-types.xml", "capacity-scheduler.xml")
_FAIR = "fair-scheduler.xml"


@dataclass(frozen=True, slots=True)
class Setting:
    """One thing that differs; None is not set."""

    name: str
    base: str | None
    changed: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """All that differs."""

    settings: tuple[Setting, ...]
    allocations: tuple[str, ...] = ()
    """The allocation file of the FairScheduler, as a unified diff."""


def differences(base: Variant, changed: Variant, load: Load) -> Differences:
    """What the change is, worked out from what was played."""
    with base.provider(load) as one, changed.provider(load) as two:
        properties = list(_differing(one.load(*_FILES), two.load(*_FILES)))
        before, after = (_allocations(provider).splitlines() for provider in (one, two))
    settings = [*_of_cluster(base, changed), *properties]
    lines = difflib.unified_diff(before, after, BASE, changed.name, lineterm="")
    return Differences(settings=tuple(settings), allocations=tuple(lines))


def _of_cluster(base: Variant, changed: Variant) -> Iterator[Setting]:
    counts = [_nodes(variant) for variant in (base, changed)]
    for label in dict.fromkeys((*counts[0], *counts[1])):
        before, after = (count.get(label, 0) for count in counts)
        if before != after:
            yield Setting(f"nodes with the label {label}" if label else "nodes", str(before), str(after))
    if base.load_factor != changed.load_factor:
        yield Setting("load", f"{base.load_factor:g}", f"{changed.load_factor:g}")


def _nodes(variant: Variant) -> dict[str, int]:
    found: dict[str, int] = {}
    for spec in variant.site.specs():
        label = (spec.labels[:1] or ("",))[0]
        found[label] = found.get(label, 0) + 1
    return found


def _differing(one: Configuration, two: Configuration) -> Iterator[Setting]:
    for name in sorted(dict.fromkeys((*one.names(), *two.names()))):
        before, after = one.raw(name), two.raw(name)
        if before != after:
            yield Setting(name, before, after)


def _allocations(provider: ConfigurationProvider) -> str:
    name = provider.load("yarn-site.xml").value(ALLOCATION_FILE) or _FAIR
    return provider.read_text(name) or ""
