"""When a fault happens: at a call that is told by its name, its number and what has happened before it.

    "first allocate after 3 containers"     the first allocate once the AM was granted three
    "10th nodeHeartbeat on nm2"             the tenth heartbeat of that node
    "next startContainers after 1 ended"    the first one once the AM was told of an end

Knows neither clusters nor faults.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from yarnbox.yarn.connection.rpc import rpcs_of
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.text.words import did_you_mean

OF_NODES = ("ContainerManagementProtocolService", "ResourceTrackerService")
"""Those whose calls come from a node or go to one."""
SERVICES = ("ApplicationMasterProtocolService", "ApplicationClientProtocolService", *OF_NODES)
"""Those whose calls pass the faults."""

_WORDS = {"next": 1, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_SENTENCE = re.compile(
    r"(?:(?P<nth>[a-z]+|\d+(?:st|nd|rd|th)) )?(?P<rpc>[A-Za-z]+)(?: on (?P<node>\S+))?"
    r"(?: after (?P<count>\d+) (?P<unit>[A-Za-z]+))?"
)
_ALLOWED = (
    'a condition is like "first allocate after 3 containers": which one (first, next, 10th), the name of an'
    ' rpc, on which node ("on nm2"), and after how many containers, ended or calls of an rpc'
)


def check_rpc(name: str) -> str:
    """The name of an rpc that passes the faults; ValueError says which one may be meant."""
    known = [rpc for service in SERVICES for rpc in rpcs_of(service)]
    if name not in known:
        raise ValueError(f"there is no rpc {name}{did_you_mean(name, known)}")
    return name


def _rpcs_of_nodes() -> list[str]:
    return [rpc for service in OF_NODES for rpc in rpcs_of(service)]


@dataclass(slots=True)
class Arrivals:
    """What has been called, granted and ended so far."""

    calls: Counter[str] = field(default_factory=Counter)
    granted: int = 0
    ended: int = 0

    def count(self, unit: str) -> int:
        """How many there have been of `containers`, `ended`, or calls of an rpc."""
        if unit in ("container", "containers"):
            return self.granted
        return self.ended if unit == "ended" else self.calls[unit]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A call that has arrived and is not answered yet."""

    rpc: str
    request: Record
    node: str | None
    """The host of the node that is called or that calls; None for the calls of AMs and clients to the RM."""


Condition = Callable[[Arrival, Arrivals], bool]
"""Asked at each call that arrives; the fault happens when it says so."""


class DescribedCondition:
    """A condition in words."""

    def __init__(self, text: str) -> None:
        """ValueError when it cannot be meant."""
        found = _SENTENCE.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"{text!r} is no condition: {_ALLOWED}")
        self.text = text.strip()
        nth = found["nth"] or "first"
        number = _WORDS.get(nth) or int(re.sub(r"\D", "", nth) or 0)
        if not number:
            raise ValueError(f"{text!r} is no condition: {_ALLOWED}")
        self._left = number
        self._rpc = check_rpc(found["rpc"])
        self._node = found["node"]
        if self._node is not None and self._rpc not in (rpcs := _rpcs_of_nodes()):
            of_nodes = f'"on {self._node}" is for {", ".join(rpcs)}'
            why = f"{self._rpc} goes to the ResourceManager; {of_nodes}"
            raise ValueError(f"{text!r} would never happen: {why}")
        self._count = int(found["count"] or 0)
        self._unit = found["unit"] or "containers"
        if self._unit not in ("container", "containers", "ended"):
            check_rpc(self._unit)

    def __call__(self, arrival: Arrival, so_far: Arrivals) -> bool:
        """Whether this is the call."""
        if arrival.rpc != self._rpc or self._node not in (None, arrival.node):
            return False
        if so_far.count(self._unit) < self._count:
            return False
        self._left -= 1
        return self._left == 0

    def __str__(self) -> str:
        return self.text
