"""Which sub-clusters a job's tasks go to, by what the sub-clusters said of themselves at the last join.

Names are those of Hadoop's classes. A router policy chooses the sub-cluster of an application's AM, its
home; an AMRMProxy policy says how the AM's requests are divided. HashBasedRouterPolicy goes by the hash of
the queue's name, here by the queue's number modulo the sub-clusters, so that every sub-cluster is home to
equally many queues. LoadBasedRouterPolicy takes the sub-cluster with most available memory.
LocalityMulticastAMRMProxyPolicy divides requests for anywhere in proportion to weights; here the weight is
the available memory, and tasks are divided once, when their job comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from yarnbox.sim.load.jobs import Job


class State(NamedTuple):
    """What a sub-cluster says of itself at a join."""

    available: int
    """Slots without a task."""
    waiting: int
    """Tasks that wait."""


Split = Mapping[int, int]
"""Tasks of a job by sub-cluster; the first one is its home."""
Policy = Callable[[Job, Sequence[State], Random], Split]


def home(job: Job, states: Sequence[State], chance: Random) -> Split:
    """HashBasedRouterPolicy and HomeAMRMProxyPolicy."""
    return {int(job.user[1:]) % len(states): job.task_count}


def uniform(job: Job, states: Sequence[State], chance: Random) -> Split:
    """UniformRandomRouterPolicy and HomeAMRMProxyPolicy."""
    return {chance.randrange(len(states)): job.task_count}


def load(job: Job, states: Sequence[State], chance: Random) -> Split:
    """LoadBasedRouterPolicy and HomeAMRMProxyPolicy."""
    return {_emptiest(states): job.task_count}


def multicast(job: Job, states: Sequence[State], chance: Random) -> Split:
    """LoadBasedRouterPolicy and LocalityMulticastAMRMProxyPolicy."""
    first = _emptiest(states)
    weights = [state.available for state in states]
    if not any(weights):
        weights = [1] * len(states)
    total, left = sum(weights), job.task_count
    parts = {}
    for number in (first, *(number for number in range(len(states)) if number != first)):
        parts[number] = min(left, -(-job.task_count * weights[number] // total))
        left -= parts[number]
    return {number: count for number, count in parts.items() if count}


def _emptiest(states: Sequence[State]) -> int:
    return max(range(len(states)), key=lambda number: (states[number].available, -number))


POLICIES: Mapping[str, Policy] = {"home": home, "uniform": uniform, "load": load, "multicast": multicast}
