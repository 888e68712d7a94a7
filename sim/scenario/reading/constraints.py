"""Placement constraints in a scenario file, in the short form that DistributedShell takes.

`constraint` and `tags` of a request make it a SchedulingRequest; `constraints` of a submit are what its AM
registers, by tag.
"""

from __future__ import annotations

from yarnbox.am.placement import PlacementConstraintParseError, parse_constraint
from yarnbox.sim.scenario.reading.fields import Fields, Problems, as_mapping, as_text, as_word
from yarnbox.sim.scenario.reading.source import Tree
from yarnbox.sim.scenario.reading.steps import RequestSpec
from yarnbox.yarn.records.request import (
    ExecutionTypeRequest,
    PlacementConstraint,
    PlacementConstraintMapEntry,
    ResourceSizing,
    SchedulingRequest,
)
from yarnbox.yarn.resources.resource import Resource

OF_PLAIN_REQUESTS = ("at", "relax", "label", "execution", "update")
"""Keys that say nothing beside `tags` or `constraint`."""


def as_constraint(problems: Problems, tree: Tree, what: str) -> PlacementConstraint | None:
    """One constraint; None where it is none, and the problem is noted."""
    text = as_text(problems, tree, what)
    try:
        return parse_constraint(text)
    except PlacementConstraintParseError as error:
        problems.add(tree.line, f"{what}: {error}")
        return None


def read_constraint(fields: Fields) -> tuple[bool, tuple[str, ...], PlacementConstraint | None]:
    """Whether a request is a scheduling request, its tags, and its own constraint."""
    problems = fields.problems
    tags = tuple(as_word(problems, each, "a tag of a request") for each in fields.items("tags"))
    tree = fields.tree("constraint")
    constraint = as_constraint(problems, tree, "constraint of a request") if tree is not None else None
    is_constrained = "tags" in fields or "constraint" in fields
    wrong = [key for key in OF_PLAIN_REQUESTS if key in fields] if is_constrained else []
    if wrong:
        problems.add(fields.line, f"a request with tags or constraint has no {', '.join(wrong)}")
    return is_constrained, tags, constraint


def read_registered(problems: Problems, tree: Tree | None) -> tuple[PlacementConstraintMapEntry, ...]:
    """What an AM registers: constraints by source tag."""
    found = []
    for key, value in as_mapping(problems, tree, "constraints of submit") if tree is not None else ():
        tag = as_word(problems, key, "a tag of constraints")
        constraint = as_constraint(problems, value, f"the constraint of {tag}")
        found.append(PlacementConstraintMapEntry(allocation_tags=(tag,), placement_constraint=constraint))
    return tuple(found)


def scheduling_request(spec: RequestSpec) -> SchedulingRequest:
    """The request of one line of an ask, with all that Hadoop's builder of requests sets."""
    return SchedulingRequest(
        allocation_request_id=spec.allocation_id,
        priority=spec.priority,
        execution_type=ExecutionTypeRequest(),
        allocation_tags=spec.tags,
        resource_sizing=ResourceSizing(num_allocations=spec.count, resources=Resource.of(spec.resource)),
        placement_constraint=spec.constraint,
    )
