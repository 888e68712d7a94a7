"""What a conversion to the CapacityScheduler is asked for, and what came of it.

Each thing without an equivalent falls under a rule, by the name that Hadoop's rules file has for it; rules
are warnings unless they are made faults. Hadoop: ConversionOptions, FSConfigToCSConfigRuleHandler and
DryRunResultHolder.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MAX_RESOURCES: Final = "maxResources.action"
MAX_CHILD_CAPACITY: Final = "maxChildCapacity.action"
MIN_RESOURCES: Final = "minResources.action"
DYNAMIC_MAX_ASSIGN: Final = "dynamicMaxAssign.action"
RESERVATION_SYSTEM: Final = "reservationSystem.action"
FAIR_AS_DRF: Final = "fairAsDrf.action"
QUEUE_DYNAMIC_CREATE: Final = "queueDynamicCreate.action"
PARENT_DYNAMIC_CREATE: Final = "parentDynamicCreate.action"
STATIC_DYNAMIC_CONFLICT: Final = "childStaticDynamicConflict.action"
CREATE_DIFFERS: Final = "parentChildCreateDiff.action"
MAX_CHILDREN: Final = "maxChildQueue.limit"

RULES: Final = (
    MAX_RESOURCES,
    MAX_CHILD_CAPACITY,
    MIN_RESOURCES,
    DYNAMIC_MAX_ASSIGN,
    RESERVATION_SYSTEM,
    FAIR_AS_DRF,
    QUEUE_DYNAMIC_CREATE,
    PARENT_DYNAMIC_CREATE,
    STATIC_DYNAMIC_CONFLICT,
    CREATE_DIFFERS,
    "maxCapacityPercentage.action",
    "queueAutoCreate.action",
)
"""The last two are known to Hadoop and nothing falls under them any more."""
_WARNING, _ABORT = "warning", "abort"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionOptions:
    """How to convert."""

    percentages: bool = False
    """Capacities in percent instead of weights."""
    converts_placement: bool = True
    placement_file: str | None = None
    """Where the mapping rules will be instead of among the properties."""
    is_asynchronous: bool = False
    has_preemption: bool = True
    """Whether the preemption policy is put in where the FairScheduler preempts."""
    only_observes: bool = False
    """Whether preemption is left at saying what it would do."""
    aborting: tuple[str, ...] = ()
    """Rules whose breach is a fault."""
    most_children: int | None = None


@dataclass(slots=True)
class Conversion:
    """What came of it."""

    options: ConversionOptions = field(default_factory=ConversionOptions)
    capacity: dict[str, str] = field(default_factory=dict)
    """Properties of capacity-scheduler.xml."""
    site: dict[str, str] = field(default_factory=dict)
    """Properties to set in yarn-site.xml."""
    site_removed: tuple[str, ...] = ()
    """Properties of yarn-site.xml that nobody reads any more."""
    rules: list[dict[str, object]] = field(default_factory=list)
    """The mapping rules, as in the JSON among `capacity`."""
    without_equivalent: list[str] = field(default_factory=list)
    """Sentences about what is lost or changes its meaning."""
    faults: list[str] = field(default_factory=list)
    """Sentences about what must not be lost: nothing should be written."""

    def tell(self, sentence: str, rule: str | None = None) -> None:
        """Notes what is lost, once."""
        found = self.faults if rule in self.options.aborting else self.without_equivalent
        if sentence not in found:
            found.append(sentence)

    def count_children(self, path: str, count: int) -> None:
        """A queue has so many children."""
        most = self.options.most_children
        if most is not None and count > most:
            self.faults.append(f"Queue {path} has too many children: {count}")


def read_rule_actions(properties: Mapping[str, str]) -> tuple[tuple[str, ...], int | None]:
    """The rules that are faults, and the most children that a queue may have; ValueError says what is bad."""
    aborting = []
    for name, value in properties.items():
        if name == MAX_CHILDREN:
            continue
        if name not in RULES:
            raise ValueError(f"{name}: there is no such rule")
        if value.lower() not in (_WARNING, _ABORT):
            raise ValueError(f"{name}: {value!r} is neither {_WARNING} nor {_ABORT}")
        if value.lower() == _ABORT:
            aborting.append(name)
    most = properties.get(MAX_CHILDREN)
    if most is not None and not (most.isascii() and most.isdigit()):
        raise ValueError(f"Rule setting: {MAX_CHILDREN} is not an integer")
    return tuple(aborting), int(most) if most is not None else None
