"""What random walks draw and reach, and what they do not: for `--coverage FILE`.

Of its document: features, steps, properties and elements of files, sizes. Of our ResourceManager, while it is
compared: transitions of the state machines, and the reasons for which requests wait.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median
from xml.etree import ElementTree

from tests.tables import cells
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.checks import Reason
from yarnbox.rm.scheduler.fair.reasons import FairReason
from yarnbox.rm.scheduler.fifo import FifoReason
from yarnbox.sim.scenario.playing.world import World
from yarnbox.sim.walk.clusters import Document
from yarnbox.yarn.runtime.story import Line

_LOOK_EVERY = 5
"""Steps between two looks at why requests wait."""
_NAMES = (
    (re.compile(r"\.root(\.\w+)*\.(?=[a-z])"), ".<queue-path>."),
    (re.compile(r"\.accessible-node-labels\.\w+\."), ".accessible-node-labels.<label>."),
    (re.compile(r"\.user-settings\.\w+\."), ".user-settings.<user>."),
    (re.compile(r"\.user\.\w+\.max-parallel-apps"), ".user.<user>.max-parallel-apps"),
    (re.compile(r"\.multi-node-sorting\.policy\.(?!names)\w+\."), ".multi-node-sorting.policy.<name>."),
)
"""What stands in the names of properties for queues, labels, users and policies."""
_REASONS: Mapping[str, type[Reason]] = {
    "CapacityScheduler": SkipReason,
    "FairScheduler": FairReason,
    "FifoScheduler": FifoReason,
}


@dataclass(slots=True)
class Reach:
    """What some walks have drawn and reached."""

    walks: int = 0
    features: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    properties: Counter[str] = field(default_factory=Counter)
    sizes: dict[str, list[int]] = field(default_factory=dict)
    transitions: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: Reach) -> None:
        """What other walks have."""
        self.walks += other.walks
        for mine, its in (
            (self.features, other.features),
            (self.verbs, other.verbs),
            (self.properties, other.properties),
            (self.transitions, other.transitions),
            (self.reasons, other.reasons),
        ):
            mine.update(its)
        for name, found in other.sizes.items():
            self.sizes.setdefault(name, []).extend(found)

    def add_walk(self, document: Document, features: Iterable[str]) -> None:
        """A walk with the steps that were carried out."""
        self.walks += 1
        self.features.update(features)
        of_queues = map(general, document.get("capacity-scheduler", ()))
        names = dict.fromkeys((*document["conf"], *of_queues, *_elements(document)), 1)
        self.properties.update(names)
        steps = document["steps"]
        verbs = [verb for step in steps for verb in step]
        self.verbs.update(verbs)
        for name, size in (
            ("nodes", len(document["nodes"]) + verbs.count("add-node")),
            ("steps", len(steps)),
            ("applications", verbs.count("submit")),
            ("properties", len(names)),
        ):
            self.sizes.setdefault(name, []).append(size)

    def lines(self) -> Iterator[str]:
        """The report, in Markdown."""
        yield f"# What {self.walks} walks drew and reached"
        yield from ("", "## Sizes", "", "| | least | median | most |", "| --- | --- | --- | --- |")
        for name, found in self.sizes.items():
            yield f"| {name} | {min(found)} | {median(found):g} | {max(found)} |"
        yield from _counted("Features", "feature", self.features)
        yield from _counted("Steps", "step", self.verbs)
        yield from _counted("Properties, and elements of allocation files", "name", self.properties)
        yield from _against("Transitions", self.transitions, list(cells()))
        for scheduler, reasons in _REASONS.items():
            met = Counter({name: count for name, count in self.reasons.items() if name.startswith(scheduler)})
            if met:
                every = [f"{scheduler} {one.name}" for one in reasons]
                yield from _against(f"Reasons for waiting, {scheduler}", met, every)


class Watch:
    """Watches our ResourceManager while a walk goes on, over its restarts."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._steps = 0
        self._watched: object = None

    def look(self, world: World) -> None:
        """A step has been carried out, or the walk begins."""
        context = world.rm.context
        if context is not self._watched:
            self._watched = context
            context.story.listeners.append(self._note)
        self._steps += 1
        if self._steps % _LOOK_EVERY:
            return
        scheduler = context.scheduler
        for application_id in context.apps:
            for request in scheduler.views.request_checks(application_id):
                for check in request.failing:
                    self._reach.reasons[f"{scheduler.name} {check.reason.name}"] += 1

    def _note(self, line: Line) -> None:
        if line.before:
            self._reach.transitions[f"{line.kind} {line.before} {line.event}"] += 1


def general(name: str) -> str:
    """The name of a property without the names of queues, labels, users and policies in it."""
    for pattern, stands in _NAMES:
        name = pattern.sub(stands, name, count=1)
    return name


def _elements(document: Document) -> Iterator[str]:
    text = document.get("fair-scheduler")
    if text:
        for one in ElementTree.fromstring(text).iter():
            kind = f" {one.get('name')}" if one.tag == "rule" else ""
            yield f"<{one.tag}>{kind}"


def _counted(title: str, what: str, counts: Counter[str]) -> Iterator[str]:
    yield from ("", f"## {title}: {len(counts)}", "", f"| {what} | times |", "| --- | --- |")
    for name, count in sorted(counts.items()):
        yield f"| `{name}` | {count} |"


def _against(title: str, counts: Counter[str], every: list[str]) -> Iterator[str]:
    """What was met of all that there is, and what was not."""
    met = [name for name in every if counts[name]]
    yield from ("", f"## {title}: {len(met)} of {len(every)}", "", "| met | times |", "| --- | --- |")
    for name in met:
        yield f"| `{name}` | {counts[name]} |"
    missed = [name for name in every if not counts[name]]
    if missed:
        yield from ("", f"Not met: {', '.join(f'`{name}`' for name in missed)}.")
