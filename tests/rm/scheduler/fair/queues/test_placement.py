"""Placement rules: the table of the document, and every way in which a policy is refused."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.fair.allocation_file.document import read_document
from yarnbox.rm.scheduler.fair.queues.placement import (
    Rule,
    Submission,
    place,
    read_rules,
    rules_of_properties,
)
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError


class Queues:
    """Declared queues, and leaves."""

    def __init__(self, declared: tuple[str, ...] = (), leaves: tuple[str, ...] = ()) -> None:
        self._declared = declared
        self._leaves = leaves

    def is_declared(self, path: str) -> bool:
        """Whether the test says so."""
        return path in self._declared

    def is_leaf(self, path: str) -> bool:
        """Whether the test says so."""
        return path in self._leaves


def rules(inside: str, notices: list[str] | None = None) -> tuple[Rule, ...]:
    """The rules of a policy element."""
    element = read_document(f"<queuePlacementPolicy>{inside}</queuePlacementPolicy>", "f.xml")
    return read_rules(element, "f.xml", [] if notices is None else notices)


def placed(
    inside: str,
    queue: str = "default",
    user: str = "ann",
    groups: tuple[str, ...] = ("eng", "ops"),
    queues: Queues | None = None,
) -> str | None:
    """Where that policy puts the submission."""
    return place(rules(inside), Submission(queue, user, groups), queues or Queues())


REJECT = '<rule name="reject"/>'


@pytest.mark.parametrize(
    "inside, queue, expected",
    [
        ('<rule name="specified"/>' + REJECT, "a.b", "root.a.b"),
        ('<rule name="specified"/>' + REJECT, "root.a", "root.a"),
        ('<rule name="specified"/>' + REJECT, "root", "root"),
        ('<rule name="specified"/>' + REJECT, "rooted", "root.rooted"),
        ('<rule name="specified"/>' + REJECT, "default", None),
        ('<rule name="specified" create="FALSE"/>' + REJECT, "a", None),
        ('<rule name="specified" create="no"/>' + REJECT, "declared", "root.declared"),
        ('<rule name="user"/>', "a", "root.ann"),
        ('<rule name="user" create="false"/><rule name="default"/>', "a", "root.default"),
        ('<rule name="primaryGroup"/>', "a", "root.eng"),
        ('<rule name="secondaryGroupExistingQueue"/>' + REJECT, "a", "root.ops"),
        ('<rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>', "a", "root.eng.ann"),
        ('<rule name="user"><rule name="default" queue="users"/></rule>', "a", "root.users.ann"),
        ('<rule name="primaryGroup"><rule name="specified"/></rule>' + REJECT, "a", "root.a.eng"),
        ('<rule name="nestedUserQueue"><rule name="specified"/></rule>' + REJECT, "leaf", None),
        ('<rule name="nestedUserQueue"><rule name="specified"/></rule>' + REJECT, "default", None),
        ('<rule name="default" queue="some.where"/>', "a", "root.some.where"),
        ('<rule name="default" queue=".bad"/>', "a", "root.default"),
        ("<other/><RULE name='user'/>", "a", "root.ann"),
    ],
)
def test_the_first_rule_with_an_answer_wins(inside: str, queue: str, expected: str | None) -> None:
    queues = Queues(("root.declared", "root.ops"), ("root.leaf",))
    assert placed(inside, queue, queues=queues) == expected


def test_names_are_cleaned() -> None:
    assert placed('<rule name="user"/>', user=" first.last\u00a0") == "root.first_dot_last"
    assert placed('<rule name="primaryGroup"/>', groups=("a.b",)) == "root.a_dot_b"


@pytest.mark.parametrize("queue", [".A", "A.", " A", "A\u00a0"])
def test_an_illegal_name_refuses_the_submission(queue: str) -> None:
    with pytest.raises(YarnError, match="illegal queue name"):
        placed('<rule name="specified"/>' + REJECT, queue)


def test_a_user_without_groups_is_refused_by_the_group_rule() -> None:
    with pytest.raises(YarnError, match="No groups returned for user ann"):
        placed('<rule name="primaryGroup"/>', groups=())
    assert placed('<rule name="secondaryGroupExistingQueue"/>' + REJECT, groups=()) is None


@pytest.mark.parametrize(
    "inside, reason",
    [
        ("", "Empty configuration for QueuePlacementPolicy is not allowed"),
        ("<rule/>", "No name provided"),
        ('<rule name="User"/>', "No rule class found for User"),
        ('<rule name="user"/>' + REJECT, "Rules after rule 1 .* can never be reached"),
        ('<rule name="specified"/>', "Could get past last queue placement rule"),
        ('<rule name="user" create="false"/>', "Could get past last queue placement rule"),
        ('<rule name="nestedUserQueue"/>', "must have a parent rule set"),
        ('<rule name="nestedUserQueue"><rule name="reject"/></rule>', "is not allowed as a parent rule"),
        ('<rule name="nestedUserQueue"><rule name="user"/></rule>', "may not be the same type"),
        ('<rule name="user"><rule name="user"/></rule>', "may not be the same type"),
        ('<rule name="specified"><rule name="user"/></rule>' + REJECT, "should not be configured"),
        ('<rule name="default"><rule name="user"/></rule>', "should not be configured"),
        ('<rule name="nestedUserQueue"><rule name="primaryGroup" create="false"/></rule>', "Could get past"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(inside: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        rules(inside)


def test_of_several_inner_rules_the_last_counts() -> None:
    notices: list[str] = []
    inside = '<rule name="nestedUserQueue"><rule name="specified"/><rule name="primaryGroup"/></rule>'
    (rule,) = rules(inside, notices)
    assert rule.inner is not None
    assert rule.inner.name == "primaryGroup"
    assert len(notices) == 1


def test_a_policy_without_rules_keeps_those_in_force() -> None:
    assert rules("<!-- nothing --> \n") == ()


def test_a_rule_behind_a_terminal_one_may_be_a_warning() -> None:
    element = read_document(f"<q><rule name='user'/>{REJECT}</q>", "f.xml")
    notices: list[str] = []
    assert len(read_rules(element, "f.xml", notices, skip_terminal_check=True)) == 2
    assert "can never be reached" in notices[0]


@pytest.mark.parametrize(
    "undeclared, user_as_default, queue, expected",
    [
        (True, True, "q", "root.q"),
        (True, True, "default", "root.ann"),
        (True, False, "default", "root.default"),
        (False, True, "q", "root.default"),
        (False, False, "q", "root.default"),
        (False, True, "declared", "root.declared"),
    ],
)
def test_without_a_policy_two_properties_decide(
    undeclared: bool, user_as_default: bool, queue: str, expected: str
) -> None:
    found = place(
        rules_of_properties(undeclared, user_as_default),
        Submission(queue, "ann"),
        Queues(("root.declared",)),
    )
    assert found == expected
