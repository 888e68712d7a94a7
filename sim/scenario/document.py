"""A scenario file as a whole: everything in it read and checked, or every problem it has.

Reads and validates; plays nothing. Whoever holds a Scenario holds one whose verbs, types and names are in
order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from sim.scenario.fields import (
    NO_PROPERTIES,
    Fields,
    Problem,
    Problems,
    as_list,
    as_mapping,
    as_properties,
    as_text,
    as_word,
)
from sim.scenario.names import Names
from sim.scenario.source import SourceError, Tree, read_tree, tree_of
from sim.scenario.steps import NodeSpec, Step
from sim.scenario.verbs import APPLICATION_VERBS, Reading, Verb, read_step
from sim.scenario.verbs_cluster import CLUSTER_VERBS, read_label_definitions, read_nodes

VERBS: Mapping[str, Verb] = {**APPLICATION_VERBS, **CLUSTER_VERBS}

HEARTBEAT_MS = "yarnbox.scenario.heartbeat-ms"
"""The player's own property: how often, within `advance`, all nodes heartbeat and all AMs pull."""

_KEYS = (
    "name",
    "about",
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


def read_scenario(path: Path, called: str | None = None) -> Scenario:
    """The scenario in the file; raises InvalidScenarioError, and OSError where the file cannot be read."""
    file = called or str(path)
    try:
        tree = read_tree(path)
    except SourceError as error:
        raise InvalidScenarioError(file, (Problem(error.line, error.reason),)) from None
    return scenario_of(tree, file)


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


def read_document(tree: Tree, file: str) -> tuple[Scenario, Reading]:
    """The scenario, and the reading with which further steps can be read by `read_next_step`.

    Keys are taken in the order in which later ones need earlier ones.
    """
    problems = Problems()
    names = Names(problems)
    reading = Reading(problems, names)
    fields = Fields(problems, tree, "a scenario", _KEYS)
    name = fields.word("name")
    if name and _NAME.fullmatch(name) is None:
        problems.add(fields.line, f"name must be one word with dashes, not {name!r}")
    conf = fields.read("conf", as_properties, NO_PROPERTIES)
    names.take_conf(conf)
    capacity = fields.read("capacity-scheduler", as_properties, None)
    if capacity is not None:
        names.take_capacity_file(capacity)
    labels = fields.tree("labels")
    definitions = {} if labels is None else read_label_definitions(reading, labels, "labels")
    nodes = [node for each in fields.items("nodes") for node in _new_nodes(reading, each)]
    scenario = Scenario(
        file=file,
        name=name,
        about=fields.read("about", as_text, ""),
        conf=conf,
        capacity_scheduler=capacity,
        fair_scheduler=fields.read("fair-scheduler", as_text, None),
        groups=fields.read("groups", _groups, _NO_GROUPS),
        labels=definitions,
        nodes=tuple(nodes),
        steps=_steps(reading, fields),
    )
    _files_fit_scheduler(problems, names, fields)
    _period_is_a_number(problems, conf, fields)
    if problems.found:
        raise InvalidScenarioError(file, tuple(sorted(problems.found)))
    return scenario, reading


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
