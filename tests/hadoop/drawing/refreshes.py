"""Draws what an administrator writes into a running cluster's capacity-scheduler.xml before a refresh.

Queues come and go, stop and run, become parents or leaves, and get other shares and limits; now and then a
file is one that Hadoop refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.hadoop.drawing.clusters import PREFIX, shares

NEW = ("n", "m")
LIMITS: Mapping[str, tuple[object, ...]] = {
    "user-limit-factor": (-1, 0.5, 1, 3),
    "minimum-user-limit-percent": (10, 33, 100),
    "maximum-applications": (1, 3, 50),
    "max-parallel-apps": (1, 2, 9),
    "maximum-am-resource-percent": (0.1, 0.4, 1.0),
    "ordering-policy": ("fifo", "fair"),
    "priority": (0, 2),
    "default-application-priority": (0, 2),
    "disable_preemption": (True, False),
    "maximum-allocation-mb": (2048, 3072, 4096, 8192),
    "maximum-capacity": (30, 60, 100),
    "maximum-application-lifetime": (30, 90),
}


class QueueRefreshes:
    """Changes files."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._busy: Mapping[str, None] = {}
        self._changes = {
            self._share_again: 3,
            self._stop: 3,
            self._run: 3,
            self._drop: 4,
            self._add: 3,
            self._to_parent: 2,
            self._to_leaf: 1,
            self._limit: 3,
            self._break: 1,
        }

    def draw(self, now: Mapping[str, object], busy: Mapping[str, None]) -> dict[str, object]:
        """The file after a few changes of it. Busy are queues with applications: few of them go."""
        self._busy = busy
        file = {name: value for name, value in now.items() if name.startswith(PREFIX)}
        changes = self._dice.choices(
            list(self._changes), list(self._changes.values()), k=self._dice.choice((1, 1, 2, 3))
        )
        for change in changes:
            change(file)
        return file

    def _stop(self, file: dict[str, object]) -> None:
        file[f"{PREFIX}{self._dice.choice(_queues(file))}.state"] = "STOPPED"

    def _run(self, file: dict[str, object]) -> None:
        """A queue, or all of them, run; some say nothing of their state."""
        stopped = [name for name, value in file.items() if name.endswith(".state") and value == "STOPPED"]
        if not stopped:
            return
        for name in stopped if self._dice.random() < 0.4 else [self._dice.choice(stopped)]:
            if self._dice.random() < 0.7:
                file[name] = "RUNNING"
            else:
                del file[name]

    def _drop(self, file: dict[str, object]) -> None:
        """A queue is not there any more: mostly one that is stopped, mostly with all that is said of it."""
        path = self._stopped_or_any(file, _queues(file))
        parent, _, name = path.rpartition(".")
        left = [child for child in children(file, parent) if child != name]
        if not left:
            return
        file[f"{PREFIX}{parent}.queues"] = ",".join(left)
        keeps = path not in self._busy and self._dice.random() < 0.15
        _forget(file, path, keeps_own=keeps)
        self._share_out(file, parent)

    def _add(self, file: dict[str, object]) -> None:
        """A new queue, perhaps with children."""
        parent = self._dice.choice(_parents(file))
        known = children(file, parent)
        name = self._dice.choice(NEW)
        if name in known:
            return
        file[f"{PREFIX}{parent}.queues"] = ",".join([*known, name])
        path = f"{parent}.{name}"
        _copy_form(file, f"{parent}.{known[0]}", path)
        self._share_out(file, parent)
        if self._dice.random() < 0.2:
            self._give_children(file, path)
        if self._dice.random() < 0.2:
            file[f"{PREFIX}{path}.state"] = self._dice.choice(("STOPPED", "RUNNING"))

    def _to_parent(self, file: dict[str, object]) -> None:
        leaves = [path for path in _queues(file) if f"{PREFIX}{path}.queues" not in file]
        self._give_children(file, self._stopped_or_any(file, leaves))

    def _give_children(self, file: dict[str, object], path: str) -> None:
        file[f"{PREFIX}{path}.queues"] = ",".join(NEW)
        file.pop(f"{PREFIX}{path}.ordering-policy", None)
        for name in NEW:
            _copy_form(file, path, f"{path}.{name}")
        self._share_out(file, path)

    def _to_leaf(self, file: dict[str, object]) -> None:
        parents = [path for path in _parents(file) if path != "root"]
        if parents:
            path = self._stopped_or_any(file, parents)
            _forget_below(file, path)
            del file[f"{PREFIX}{path}.queues"]
            file.pop(f"{PREFIX}{path}.ordering-policy", None)

    def _limit(self, file: dict[str, object]) -> None:
        leaves = [path for path in _queues(file) if f"{PREFIX}{path}.queues" not in file]
        name = self._dice.choice(list(LIMITS))
        file[f"{PREFIX}{self._dice.choice(leaves)}.{name}"] = self._dice.choice(LIMITS[name])

    def _break(self, file: dict[str, object]) -> None:
        """A share that does not fit to the others."""
        file[f"{PREFIX}{self._dice.choice(_queues(file))}.capacity"] = self._dice.choice((7, "2w", 0))

    def _share_again(self, file: dict[str, object]) -> None:
        self._share_out(file, self._dice.choice(_parents(file)))

    def _share_out(self, file: dict[str, object], parent: str) -> None:
        """New shares for the children, in each partition in which they have some, written as before."""
        for key in _capacity_keys(file, parent):
            names = [
                name
                for child in children(file, parent)
                if (name := f"{PREFIX}{parent}.{child}.{key}") in file
            ]
            for name, share in zip(names, shares(self._dice, len(names)), strict=True):
                text = str(file[name])
                if text.endswith("w"):
                    file[name] = f"{self._dice.randint(1, 4)}w"
                elif not text.startswith("["):
                    file[name] = share
                    maximum = name.removesuffix("capacity") + "maximum-capacity"
                    if str(file.get(maximum, "100")) != "100":
                        file[maximum] = 100

    def _stopped_or_any(self, file: Mapping[str, object], paths: list[str]) -> str:
        stopped = [
            path
            for path in paths
            if file.get(f"{PREFIX}{path}.state") == "STOPPED" and path not in self._busy
        ]
        if self._dice.random() < 0.9:
            paths = [path for path in paths if path not in self._busy] or paths
        return self._dice.choice(stopped if stopped and self._dice.random() < 0.8 else paths)


def children(file: Mapping[str, object], parent: str) -> list[str]:
    """The names of a queue's children, in the order of the file."""
    return [name for name in str(file.get(f"{PREFIX}{parent}.queues", "")).split(",") if name]


def _parents(file: Mapping[str, object]) -> list[str]:
    found = ["root"]
    for parent in found:  # which grows meanwhile
        paths = (f"{parent}.{name}" for name in children(file, parent))
        found += [path for path in paths if children(file, path)]
    return found


def _queues(file: Mapping[str, object]) -> list[str]:
    """The paths of all queues but the root."""
    return [f"{parent}.{name}" for parent in _parents(file) for name in children(file, parent)]


def _capacity_keys(file: Mapping[str, object], parent: str) -> list[str]:
    """Under which names its children have capacities, the default partition's first."""
    found = {"capacity": None}
    for child in children(file, parent):
        prefix = f"{PREFIX}{parent}.{child}.accessible-node-labels."
        for name in file:
            if name.startswith(prefix) and name.endswith(".capacity"):
                found[name.removeprefix(f"{PREFIX}{parent}.{child}.")] = None
    return list(found)


def _copy_form(file: dict[str, object], of: str, to: str) -> None:
    """Capacities and labels of a new queue, written like those of another one."""
    for name, value in list(file.items()):
        key = name.removeprefix(f"{PREFIX}{of}.")
        if key != name and (key == "capacity" or key.startswith("accessible-node-labels")):
            file[f"{PREFIX}{to}.{key}"] = value


def _forget(file: dict[str, object], path: str, *, keeps_own: bool) -> None:
    _forget_below(file, path)
    file.pop(f"{PREFIX}{path}.queues", None)
    if not keeps_own:
        for name in list(file):
            if name.startswith(f"{PREFIX}{path}."):
                del file[name]


def _forget_below(file: dict[str, object], path: str) -> None:
    for child in children(file, path):
        _forget(file, f"{path}.{child}", keeps_own=False)
