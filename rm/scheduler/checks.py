"""What a scheduler checks before it gives a container, and how the outcome is shown.

A scheduler declares its reasons as a subclass of Reason. Its allocator refuses by predicates that return one
of them, or None; when somebody asks why an application waits, the same predicates are called again and their
answers become Checks, with the numbers that they looked at. So a rule is written once, and what `yarnbox
why`, the pages, REST and diagnostics show is what the allocator does. Nothing is recorded on its way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Self, TypeVar

from yarnbox.rm.asks import KeyAsks, RequestKey

NODES = "nodes"
"""The level of checks that concern nodes."""


class Reason(Enum):
    """Why a container is refused. A scheduler subclasses it, a member for each check:

    NODE_FULL = "the node has too little free", "has room for the request", "containers on the node end"
    """

    checked: str
    """What holds where the container is not refused: `has room for the request`."""
    remedy: str
    """What would help: `containers on the node end`."""

    def __new__(cls, text: str, checked: str = "", remedy: str = "") -> Self:
        member = object.__new__(cls)
        member._value_ = text
        member.checked = checked or text
        member.remedy = remedy
        return member


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must hold before a request is served."""

    reason: Reason
    """Why the request is refused where it does not hold."""
    holds: bool
    numbers: str = ""
    """What was compared: `used <memory:1024, vCores:1>, maximum <memory:2048, vCores:2>`."""
    level: str = ""
    """Where: the path of a queue, `user alice`, or `nodes`."""
    nodes: int = 0
    """How many nodes it concerns; 0 where it is no check of a node."""

    def __str__(self) -> str:
        """The refusal, for a line of text."""
        where = f"{self.nodes} {'node' if self.nodes == 1 else 'nodes'}: " if self.nodes else ""
        return f"{where}{self.reason.value}" + (f" ({self.numbers})" if self.numbers else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestChecks:
    """All that is checked for one request of an application, in the allocator's order, failing or not.

    Without a key it concerns the whole application: it may not run yet, or asks for nothing.
    """

    asked: str
    """`5 of <memory:1024, vCores:1>, priority 1`."""
    checks: tuple[Check, ...]
    key: RequestKey | None = None

    @property
    def failing(self) -> tuple[Check, ...]:
        """What refuses the request; nodes that refuse it do not count where another one takes it."""
        is_taken = any(one.holds for one in self.checks if one.level == NODES)
        return tuple(one for one in self.checks if not one.holds and not (is_taken and one.nodes))

    @property
    def foremost(self) -> Check | None:
        """The one refusal to name where there is room for one: of many on nodes, that of the most nodes."""
        failing = self.failing
        on_nodes = [one for one in failing if one.nodes]
        if on_nodes and failing[0].level == NODES:
            return max(on_nodes, key=lambda one: one.nodes)
        return failing[0] if failing else None

    @property
    def lines(self) -> list[str]:
        """What refuses it, a line each."""
        start = "" if self.key is None else f"priority {self.key.request_priority}: "
        return [f"{start}{one}" for one in self.failing]


def asked(key_asks: KeyAsks) -> str:
    """The request as people read it."""
    return f"{key_asks.outstanding} of {key_asks.any.capability}, priority {key_asks.key.request_priority}"


N = TypeVar("N")


def node_checks(
    nodes: Iterable[N], refusal: Callable[[N], tuple[Reason, str] | None], nobody: Reason
) -> Iterator[Check]:
    """Each reason for which nodes refuse a request, with the number of these nodes.

    `nobody` is the check before them: that one of the nodes serves it.
    """
    counts: dict[tuple[Reason, str], int] = {}
    total = free = 0
    for node in nodes:
        total += 1
        found = refusal(node)
        if found is None:
            free += 1
        else:
            counts[found] = counts.get(found, 0) + 1
    yield Check(reason=nobody, holds=free > 0, numbers=f"{free} of {total} nodes can", level=NODES)
    for (reason, numbers), count in counts.items():
        yield Check(reason=reason, holds=False, numbers=numbers, level=NODES, nodes=count)
