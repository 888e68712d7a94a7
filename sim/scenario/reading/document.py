"""A scenario file as a whole: everything in it read and checked, or every problem it has.

Reads and validates; plays nothing. Whoever holds a Scenario holds one whose verbs, types and names are in
order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from yarnbox.sim.scenario.reading.fields import (
    Fields,
    Problem,
    Problems,
    as_list,
    as_mapping,
    as_text,
    as_word,
)
from yarnbox.sim.scenario.reading.guide import Guide, as_guide
from yarnbox.sim.scenario.reading.names import Names
from yarnbox.sim.scenario.reading.paths import NO_PATHS, NOTHING, Paths
from yarnbox.sim.scenario.reading.production import ProductionFiles, read_directory
from yarnbox.sim.scenario.reading.source import Entries, SourceError, Tree, read_tree, tree_of
from yarnbox.sim.scenario.reading.steps import NodeSpec, Step
from yarnbox.sim.scenario.reading.verbs import APPLICATION_VERBS, Reading, Verb, read_step
from yarnbox.sim.scenario.reading.verbs_cluster import CLUSTER_VERBS, read_label_definitions, read_nodes
from yarnbox.yarn.configuration import ConfigurationError

VERBS: Mapping[str, Verb] = {**APPLICATION_VERBS, **CLUSTER_VERBS}

PLAYERS = "yarnbox.scenario."
HEARTBEAT_MS = PLAYERS + "heartbeat-ms"
"""The player's own property: how often, within `advance`, all nodes heartbeat and all AMs pull."""

_KEYS = (
    "name",
    "about",
    "guide",
    "conf",
    "capacity-scheduler",
    "fair-scheduler",
    "groups",
    "labels",
    "nodes",
    "steps",
)
_NO_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType({})
_NAME = re.compile(r"[A-Za-z0-9_.]+(-+[A-Za-z0-9_.]+)*")


class InvalidScenarioError(Exception):
    """The file is no scenario; `problems` says why, in the order of the lines."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(f"{file}:{problem.line}: {problem.reason}" for problem in problems))
        self.file = file
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A cluster, what happens to it, and what must hold."""

    file: str
    name: str
    about: str
    conf: Mapping[str, str]
    capacity_scheduler: Mapping[str, str] | None
    fair_scheduler: str | None
    groups: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, bool]
    nodes: tuple[NodeSpec, ...]
    steps: tuple[Step, ...]
    texts: Mapping[str, str] = field(default_factory=dict)
    """Further files of the configuration directory by name."""
    guide: Guide | None = None


def read_scenario(path: Path, called: str | None = None, conf: Path | None = None) -> Scenario:
    """The scenario in the file; raises InvalidScenarioError, and OSError where the file cannot be read.

    `conf` is a configuration directory that stands in for the file's own configuration.
    """
    file = called or str(path)
    is_yaml = path.suffix in (".yaml", ".yml")
    try:
        tree = read_tree(path)
        if not is_yaml and not isinstance(tree, Entries):
            raise SourceError(tree.line, "this is no scenario")
    except SourceError as error:
        hint = "" if is_yaml else "; a scenario is a YAML file, and `yarnbox sim run` plays traces"
        raise InvalidScenarioError(file, (Problem(error.line, f"{error.reason}{hint}"),)) from None
    return read_document(tree, file, Paths(path.parent), conf)[0]


def parse_scenario(text: str, called: str = "scenario") -> Scenario:
    """The scenario that the text is."""
    try:
        tree = tree_of(text)
    except SourceError as error:
        raise InvalidScenarioError(called, (Problem(error.line, error.reason),)) from None
    return scenario_of(tree, called)


def scenario_of(tree: Tree, file: str) -> Scenario:
    """The scenario of a whole document."""
    return read_document(tree, file)[0]


def read_document(
    tree: Tree, file: str, paths: Paths = NO_PATHS, conf: Path | None = None
) -> tuple[Scenario, Reading]:
    """The scenario, and the reading with which further steps can be read by `read_next_step`.

    Keys are taken in the order in which later ones need earlier ones.
    """
    problems = Problems()
    names = Names(problems)
    reading = Reading(problems, names, paths)
    fields = Fields(problems, tree, "a scenario", _KEYS)
    name = fields.word("name")
    if name and _NAME.fullmatch(name) is None:
        problems.add(fields.line, f"name must be one word with dashes, not {name!r}")
    given = _configuration(reading, fields) if conf is None else _instead(reading, fields, conf)
    names.take_conf(given.conf)
    given = given.of_scheduler(names.scheduler)
    if given.capacity is not None:
        names.take_capacity_file(given.capacity)
    labels = fields.tree("labels")
    definitions = {} if labels is None else read_label_definitions(reading, labels, "labels")
    nodes = [node for each in fields.items("nodes") for node in _new_nodes(reading, each)]
    scenario = Scenario(
        file=file,
        name=name,
        about=fields.read("about", as_text, ""),
        conf=given.conf,
        capacity_scheduler=given.capacity,
        fair_scheduler=given.fair,
        groups={**given.groups, **fields.read("groups", _groups, _NO_GROUPS)},
        labels=definitions,
        nodes=tuple(nodes),
        steps=_steps(reading, fields),
        texts=given.texts,
        guide=fields.read("guide", as_guide, None),
    )
    if conf is None:
        _files_fit_scheduler(problems, names, fields)
    _period_is_a_number(problems, given.conf, fields)
    if problems.found:
        raise InvalidScenarioError(file, tuple(sorted(problems.found)))
    return scenario, reading


def _configuration(reading: Reading, fields: Fields) -> ProductionFiles:
    """What the file says itself; the file of the scheduler stands above that of the directory."""
    paths = reading.paths
    given = fields.read("conf", paths.as_conf, NOTHING)
    own = ProductionFiles(
        conf={},
        capacity=fields.read("capacity-scheduler", paths.as_capacity_file, None),
        fair=fields.read("fair-scheduler", paths.as_fair_file, None),
    )
    return given.below(own)


def _instead(reading: Reading, fields: Fields, conf: Path) -> ProductionFiles:
    """The directory, with no more of the file's own than the properties that are the player's."""
    own = _configuration(reading, fields).conf
    kept = {name: value for name, value in own.items() if name.startswith(PLAYERS)}
    try:
        found = read_directory(conf)
    except ConfigurationError as error:
        for fault in error.faults:
            reading.problems.add(fields.line, f"--conf: {fault}")
        found = NOTHING
    return found.below(ProductionFiles(conf=kept, capacity=None, fair=None))


def read_next_step(reading: Reading, tree: Tree, file: str) -> Step:
    """One more step of a document that was read."""
    step = read_step(reading, tree, VERBS)
    if reading.problems.found or step is None:
        raise InvalidScenarioError(file, tuple(sorted(reading.problems.found)))
    return step


def _new_nodes(reading: Reading, tree: Tree) -> tuple[NodeSpec, ...]:
    before = dict(reading.names.nodes)
    nodes = read_nodes(reading, tree)
    for node in nodes:
        if node.name in before:
            reading.problems.add(tree.line, f"node {node.name} is listed twice")
    return nodes


def _steps(reading: Reading, fields: Fields) -> tuple[Step, ...]:
    fields.required("steps")
    steps = (read_step(reading, tree, VERBS) for tree in fields.items("steps"))
    return tuple(step for step in steps if step is not None)


def _groups(problems: Problems, tree: Tree, what: str) -> Mapping[str, tuple[str, ...]]:
    groups = {}
    for key, value in as_mapping(problems, tree, what):
        user = as_word(problems, key, "a user of groups")
        each = as_list(problems, value, f"the groups of {user}")
        groups[user] = tuple(as_word(problems, group, f"a group of {user}") for group in each)
    return groups


def _period_is_a_number(problems: Problems, conf: Mapping[str, str], fields: Fields) -> None:
    period = conf.get(HEARTBEAT_MS, "1")
    if not period.isdecimal() or int(period) == 0:
        problems.add(fields.line, f"{HEARTBEAT_MS} must be a whole number of at least 1, not {period!r}")


def _files_fit_scheduler(problems: Problems, names: Names, fields: Fields) -> None:
    """A file of a scheduler that does not run would say something that does not hold."""
    for key in ("capacity-scheduler", "fair-scheduler"):
        tree = fields.tree(key)
        is_builtin = names.scheduler in ("fifo", "capacity", "fair")
        if tree is not None and is_builtin and names.scheduler != key.partition("-")[0]:
            problems.add(tree.line, f"{key} is given, but the scheduler is {names.scheduler}")
