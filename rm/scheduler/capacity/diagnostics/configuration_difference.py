"""The differences between the queues of two configurations, and amounts in readable units.

`yarnbox check-conf --diff` compares directories, the page of a queue a change with what is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from yarnbox.rm.scheduler.capacity.diagnostics.configuration_check import ACTIVE_USERS, QueueNumbers
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource

ABSENT = "-"
_STEP = 1024
_PRINTED = re.compile(r"<memory:(-?\d+), vCores:(-?\d+)((?:, [^<>]*)?)>")


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity of one queue in both configurations."""

    queue: str
    quantity: str
    before: str
    after: str
    change: str = ""


Quantity = Callable[[QueueNumbers], object]


def _of_leaf(look: Callable[[QueueNumbers], object]) -> Quantity:
    return lambda queue: None if queue.leaf is None else look(queue)


def _user_limit(place: int) -> Quantity:
    return _of_leaf(lambda queue: queue.leaf.user_limits[place].memory_mb if queue.leaf else None)


_AMOUNTS: Mapping[str, Callable[[QueueNumbers], Resource]] = {
    "guaranteed": lambda queue: queue.effective_minimum,
    "maximum": lambda queue: queue.effective_maximum,
}
_SHARES: Mapping[str, Callable[[QueueNumbers], float]] = {
    "share of the cluster": lambda queue: queue.absolute,
    "maximum share of the cluster": lambda queue: queue.absolute_maximum,
}
_COUNTS: Mapping[str, Quantity] = {
    "applications": _of_leaf(lambda queue: queue.leaf.maximum_applications if queue.leaf else None),
    "applications of a user": _of_leaf(
        lambda queue: queue.leaf.maximum_applications_per_user if queue.leaf else None
    ),
}
_MEMORY: Mapping[str, Quantity] = {
    "ApplicationMasters": _of_leaf(lambda queue: queue.leaf.am_limit.memory_mb if queue.leaf else None),
    **{f"a user, of {users} active": _user_limit(place) for place, users in enumerate(ACTIVE_USERS)},
}


def differences(one: Sequence[QueueNumbers], two: Sequence[QueueNumbers]) -> list[Difference]:
    """Queue by queue, in the order of the first tree, those of the second alone at the end."""
    left = {(queue.path, queue.partition): queue for queue in one}
    right = {(queue.path, queue.partition): queue for queue in two}
    found: list[Difference] = []
    for key in dict.fromkeys([*left, *right]):
        name = key[0] + (f" [{key[1]}]" if key[1] else "")
        mine, theirs = left.get(key), right.get(key)
        if mine is not None and theirs is not None:
            found.extend(_of_queue(name, mine, theirs))
        else:
            found.append(Difference(name, "queue", _whole(mine), _whole(theirs)))
    return found


def _whole(queue: QueueNumbers | None) -> str:
    if queue is None:
        return ABSENT
    return f"{queue.configured}: {readable(queue.effective_minimum)}"


def _of_queue(name: str, one: QueueNumbers, two: QueueNumbers) -> Iterator[Difference]:
    if one.configured != two.configured:
        yield Difference(name, "configured capacity", one.configured, two.configured)
    for quantity, share in _SHARES.items():
        before, after = share(one), share(two)
        if f"{before:.4%}" != f"{after:.4%}":
            points = f"{(after - before) * 100:+.2f} points"
            yield Difference(name, quantity, f"{before:.2%}", f"{after:.2%}", points)
    for quantity, amount in _AMOUNTS.items():
        least, most = amount(one), amount(two)
        if least != most:
            same = readable(least) == readable(most)
            shown = exact if same else readable
            yield Difference(name, quantity, shown(least), shown(most), change(least, most))
    if (one.leaf is None) != (two.leaf is None):
        kinds = ("parent" if queue.leaf is None else "leaf" for queue in (one, two))
        yield Difference(name, "kind", *kinds)
        return
    for quantity, count in _COUNTS.items():
        few, many = count(one), count(two)
        if few != many and isinstance(few, int) and isinstance(many, int):
            yield Difference(name, quantity, str(few), str(many), f"{many - few:+d}")
    for quantity, count in _MEMORY.items():
        few, many = count(one), count(two)
        if few != many and isinstance(few, int) and isinstance(many, int):
            signed = ("+" if many > few else "-") + memory(abs(many - few))
            texts = (memory(few), memory(many))
            if texts[0] == texts[1]:
                texts = (f"{few} MiB", f"{many} MiB")
            yield Difference(name, quantity, *texts, signed)


# Amounts


def exact(resource: Resource) -> str:
    """Memory and vcores, and whatever else there is, as the scheduler counts it."""
    others = "".join(f" {name.rpartition('/')[2]}={value}" for name, value in resource.others)
    return f"{resource.memory_mb} MiB {resource.vcores} vc{others}"


def exact_amounts(text: str) -> str:
    """A sentence whose amounts are not written as Hadoop prints them, but as `exact` does."""
    return _PRINTED.sub(lambda found: f"{found[1]} MiB {found[2]} vc{found[3]}", text)


def memory(memory_mb: int) -> str:
    """An amount as a person reads it: `512 MiB`, `7 GiB`, `68.4 GiB`, `1.5 TiB`."""
    amount, unit = float(memory_mb), "MiB"
    for larger in ("GiB", "TiB", "PiB"):
        if abs(amount) < _STEP:
            break
        amount, unit = amount / _STEP, larger
    return f"{amount:.1f}".removesuffix(".0") + f" {unit}"


def readable(resource: Resource) -> str:
    """An amount as a person reads it."""
    others = "".join(f", {value} {name.rpartition('/')[2]}" for name, value in resource.others)
    return f"{memory(resource.memory_mb)}, {resource.vcores} vcores{others}"


def change(before: Resource, after: Resource) -> str:
    """The difference with its sign: `+2 GB, -1 vcores`."""
    parts = []
    for name in dict.fromkeys([*(name for name, _ in before.items()), *(name for name, _ in after.items())]):
        more = after.value(name) - before.value(name)
        if more:
            sign = "+" if more > 0 else "-"
            what = memory(abs(more)) if name == MEMORY_MB else f"{abs(more)} {_short(name)}"
            parts.append(sign + what)
    return ", ".join(parts)


def _short(name: str) -> str:
    return name if name == VCORES else name.rpartition("/")[2]
