"""Which names a scenario has brought into being so far: of applications, nodes, labels, queues and so on.

A name is a problem only where the file alone decides that it means nothing. Queues of the FairScheduler and
of an auto-creating parent come into being by being used, so nothing is said about them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from yarnbox.sim.scenario.reading.fields import (
    MEMORY,
    VCORES,
    Amounts,
    Problems,
    as_integer,
    as_mapping,
    as_text,
    as_word,
)
from yarnbox.sim.scenario.reading.source import Scalar, Tree

_PREFIX = "yarn.scheduler.capacity."
_GROWS = ("auto-create-child-queue.enabled", "auto-queue-creation-v2.enabled", "reservable")
_CONTAINER = re.compile(r"(?P<app>[^\s/]+)/(?P<number>\d{1,9})")


@dataclass(frozen=True, slots=True, order=True)
class ContainerName:
    """`a1/2`: the second container allocated to the application a1; `a1/0` is its ApplicationMaster's."""

    app: str
    number: int

    def __str__(self) -> str:
        return f"{self.app}/{self.number}"


@dataclass(slots=True)
class Names:
    """What the file has named, in the order of its steps."""

    problems: Problems
    managed: dict[str, bool] = field(default_factory=dict)
    refused: dict[str, None] = field(default_factory=dict)
    nodes: dict[str, None] = field(default_factory=dict)
    labels: dict[str, None] = field(default_factory=dict)
    reservations: dict[str, None] = field(default_factory=dict)
    resource_types: dict[str, None] = field(default_factory=lambda: dict.fromkeys((MEMORY, VCORES)))
    scheduler: str = "capacity"
    queues: dict[str, None] = field(default_factory=lambda: dict.fromkeys(("root", "root.default")))
    growing_queues: dict[str, None] = field(default_factory=dict)

    # ---- names that come into being

    def take_conf(self, conf: Mapping[str, str]) -> None:
        """The resource types beside memory and vcores, and the scheduler."""
        for each in conf.get("yarn.resource-types", "").split(","):
            if each.strip():
                self.resource_types[each.strip()] = None
        scheduler = conf.get("yarn.resourcemanager.scheduler.class", "capacity")
        self.scheduler = scheduler.rpartition(".")[2].removesuffix("Scheduler").lower()

    def take_capacity_file(self, properties: Mapping[str, str]) -> None:
        """The queues that a capacity-scheduler.xml declares, and those below which more may appear."""
        for name, value in properties.items():
            if not name.startswith(_PREFIX):
                continue
            queue, _, key = name.removeprefix(_PREFIX).rpartition(".")
            if key == "queues":
                for child in value.split(","):
                    self.queues[f"{queue}.{child.strip()}"] = None
            for grows in _GROWS:
                if name.endswith("." + grows):
                    self.growing_queues[name.removeprefix(_PREFIX).removesuffix("." + grows)] = None

    def submit(self, line: int, app: str, is_managed: bool, is_refused: bool) -> None:
        if app in self.managed and app not in self.refused:
            self.problems.add(line, f"application {app!r} has been submitted before")
        self.managed[app] = is_managed
        if is_refused:
            self.refused[app] = None
        else:
            self.refused.pop(app, None)

    # ---- names that must have come into being

    def known_app(self, problems: Problems, tree: Tree, what: str) -> str:
        """An application that an earlier step submits."""
        app = as_word(problems, tree, what)
        if app and app not in self.managed:
            problems.add(tree.line, f"unknown application {app!r}: no step before this one submits it")
        return app

    def known_node(self, problems: Problems, tree: Tree, what: str) -> str:
        """A NodeManager by its host, or by host and port where one host has several; answers `host:port`."""
        name = as_word(problems, tree, what)
        if not name or name in self.nodes:
            return name
        if ":" not in name:
            candidates = [node for node in self.nodes if node.rpartition(":")[0] == name]
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                problems.add(tree.line, f"node {name!r} is ambiguous: it may be {' or '.join(candidates)}")
                return name
        problems.add(tree.line, f"unknown node {name!r}: nothing before this step registers it")
        return name

    def known_container(self, problems: Problems, tree: Tree, what: str) -> ContainerName:
        """`a1/2`, of a known application; the number 0 only where there is an AM container."""
        text = as_word(problems, tree, what)
        match = _CONTAINER.fullmatch(text)
        if match is None:
            if text:
                problems.wrong(tree, what, "a container like a1/2")
            return ContainerName("", 0)
        name = ContainerName(match["app"], int(match["number"]))
        if name.app not in self.managed:
            problems.add(tree.line, f"unknown container {text!r}: no step before this one submits {name.app}")
        elif name.number == 0 and not self.managed[name.app]:
            problems.add(
                tree.line, f"unknown container {text!r}: {name.app} is unmanaged and has no AM container"
            )
        return name

    def known_label(self, problems: Problems, tree: Tree, what: str) -> str:
        """A label that was added."""
        return self._known_label(problems, tree, as_word(problems, tree, what))

    def sent_label(self, problems: Problems, tree: Tree, what: str) -> str:
        """A label that was added, as a step sends it: white space around it is no part of its name."""
        return self._known_label(problems, tree, as_text(problems, tree, what))

    def _known_label(self, problems: Problems, tree: Tree, label: str) -> str:
        if label and label.strip() not in self.labels:
            problems.add(tree.line, f"unknown node label {label!r}: nothing before this step adds it")
        return label

    def known_reservation(self, problems: Problems, tree: Tree, what: str) -> str:
        name = as_word(problems, tree, what)
        if name and name not in self.reservations:
            problems.add(tree.line, f"unknown reservation {name!r}: no step before this one makes it")
        return name

    def known_queue(self, problems: Problems, tree: Tree, what: str) -> str:
        """A queue by its whole path, where the file says all the queues there can be."""
        queue = as_word(problems, tree, what)
        if not queue:
            return queue
        if queue != "root" and not queue.startswith("root."):
            problems.add(tree.line, f"queue {queue!r} must be written with its whole path from root")
        elif self._are_queues_known() and queue not in self.queues and not self._may_grow(queue):
            problems.add(tree.line, f"unknown queue {queue!r}: no configuration before this step has it")
        return queue

    def amounts(
        self, problems: Problems, tree: Tree, what: str, instead: Mapping[str, int] | None = None
    ) -> Amounts:
        """A resource: its types to whole numbers; `instead` holds what stands for a type not written."""
        amounts = dict(instead or {})
        for key, value in as_mapping(problems, tree, what):
            self.known_resource_type(problems, key, what)
            amounts[key.text] = as_integer(problems, value, f"{key.text} of {what}")
        return amounts

    def known_resource_type(self, problems: Problems, key: Scalar, what: str) -> None:
        if key.text not in self.resource_types:
            known = ", ".join(self.resource_types)
            problems.add(key.line, f"unknown resource type {key.text!r} in {what}; there are {known}")

    def _are_queues_known(self) -> bool:
        return self.scheduler in ("capacity", "fifo")

    def _may_grow(self, queue: str) -> bool:
        return any(queue.startswith(parent + ".") for parent in self.growing_queues)
