"""Policies of a user's own that have no counterpart in Hadoop's configuration: the order of queues and nodes.

Like an application ordering policy they are named by the dotted path of a Python class. They have no state:
one object serves all queues.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import NamedTuple, TypeVar

from yarnbox.rm.scheduler.custom import class_named
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import Resource


class QueueForSorting(NamedTuple):
    """A queue beside its siblings, in one partition."""

    path: str
    priority: int
    capacity: float
    """Its guarantee, as a share of the partition."""
    used: float
    """What it uses, as a share of the partition."""
    used_capacity: float
    """What it uses over its guarantee; 0 without one."""


class QueueOrderingPolicy(ABC):
    """In which order a parent serves its children that ask for containers."""

    @abstractmethod
    def key(self, queue: QueueForSorting) -> tuple[object, ...]:
        """The child with the smallest key is served first; of equal ones the one that stands first."""


class NodeForSorting(NamedTuple):
    """A node that could take a container."""

    node_id: NodeId
    rack: str
    total: Resource
    allocated: Resource


class NodeSortingPolicy(ABC):
    """In which order multi-node placement looks at nodes."""

    @abstractmethod
    def key(self, node: NodeForSorting) -> tuple[object, ...]:
        """The node with the smallest key is looked at first; of equal ones the one with the smaller id."""


P = TypeVar("P", QueueOrderingPolicy, NodeSortingPolicy)


def queue_ordering(path: str) -> QueueOrderingPolicy | None:
    """The policy of that dotted path; None where there is none."""
    return _object(path, QueueOrderingPolicy)


def node_sorting(path: str) -> NodeSortingPolicy | None:
    """The policy of that dotted path; None where there is none."""
    return _object(path, NodeSortingPolicy)


@cache
def _object(path: str, kind: type[P]) -> P | None:
    try:
        return class_named(path, kind)()
    except LookupError:
        return None
