"""Placement rules as values: what a mapping matches, the target queue, and the fallback where that is not
valid.

Hadoop: MappingRule, MappingRuleMatchers and MappingRuleActions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Match(Enum):
    """Which part of a submission a rule matches."""

    USER = "user"
    GROUP = "group"
    APPLICATION = "application"


class Policy(Enum):
    """The action of a rule."""

    SPECIFIED = "specified"
    USER = "user"
    PRIMARY_GROUP = "primaryGroup"
    PRIMARY_GROUP_USER = "primaryGroupUser"
    SECONDARY_GROUP = "secondaryGroup"
    SECONDARY_GROUP_USER = "secondaryGroupUser"
    APPLICATION_NAME = "applicationName"
    DEFAULT_QUEUE = "defaultQueue"
    SET_DEFAULT_QUEUE = "setDefaultQueue"
    CUSTOM = "custom"
    REJECT = "reject"


TARGETS = {
    Policy.SPECIFIED: "%specified",
    Policy.USER: "%user",
    Policy.PRIMARY_GROUP: "%primary_group",
    Policy.PRIMARY_GROUP_USER: "%primary_group.%user",
    Policy.SECONDARY_GROUP: "%secondary_group",
    Policy.SECONDARY_GROUP_USER: "%secondary_group.%user",
    Policy.APPLICATION_NAME: "%application",
    Policy.DEFAULT_QUEUE: "%default",
}
WITH_PARENT = (
    Policy.USER,
    Policy.PRIMARY_GROUP,
    Policy.PRIMARY_GROUP_USER,
    Policy.SECONDARY_GROUP,
    Policy.SECONDARY_GROUP_USER,
    Policy.APPLICATION_NAME,
)
"""The policies that take a parentQueue."""


class Fallback(Enum):
    """What happens when the target is not valid."""

    SKIP = "skip"
    REJECT = "reject"
    PLACE_DEFAULT = "placeDefault"


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingRule:
    """One rule. `target` is a path that may contain %variables, or the value of setDefaultQueue."""

    match: Match
    value: str
    policy: Policy
    target: str = ""
    may_create: bool = True
    fallback: Fallback = Fallback.SKIP
    text: str = ""
    """As the operator wrote it, for messages."""
    listed_in: str = ""
    """The property that lists it; and its place in that list, counted from 1."""
    number: int = 0

    @property
    def matches_everybody(self) -> bool:
        """Whether it matches every submission; an application `*` is one that is called so."""
        return (self.match, self.value) in ((Match.USER, "*"), (Match.APPLICATION, "%application"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mappings:
    """All placement rules."""

    rules: tuple[MappingRule, ...] = ()


NO_MAPPINGS = Mappings()
