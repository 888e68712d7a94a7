"""Mapping rules to a queue: variables, matches, fallbacks, targets that can be made."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.capacity.config.rules import Fallback, MappingRule, Mappings, Match, Policy
from yarnbox.rm.scheduler.capacity.lifecycle.placement import (
    RejectedError,
    Submission,
    check_rules,
    place,
    resolve,
)


class Tree:
    """Leaves, parents, and parents under which queues may be made."""

    leaves = ("root.default", "root.dev", "root.ops.night", "root.users.ann", "root.twin.x", "root.ops.x")
    parents = ("root", "root.ops", "root.users", "root.managed", "root.flexible", "root.twin")

    def path_of(self, name: str) -> str | None:
        everything = (*self.leaves, *self.parents)
        if name in everything:
            return name
        bearers = [path for path in everything if path.rpartition(".")[2] == name]
        return bearers[0] if len(bearers) == 1 else None

    def is_leaf(self, path: str) -> bool:
        return path in self.leaves

    def can_create_below(self, path: str) -> bool:
        return path in ("root.managed", "root.flexible")

    def is_flexible(self, path: str) -> bool:
        return path == "root.flexible"


@pytest.mark.parametrize(
    "target, path",
    [
        ("dev", "root.dev"),
        ("night", "root.ops.night"),
        ("root.ops.night", "root.ops.night"),
        ("ops.night", "root.ops.night"),
        ("x", None),  # two bear it
        ("twin.x", "root.twin.x"),
        ("ops", None),  # a parent
        ("nowhere", None),
        ("managed.bob", "root.managed.bob"),
        ("managed.team.bob", None),
        ("flexible.bob", "root.flexible.bob"),
        ("flexible.team.bob", "root.flexible.team.bob"),
        ("flexible.a.b.c", None),
        ("users.bob", None),
        ("users.", None),
        ("", None),
    ],
)
def test_targets(target: str, path: str | None) -> None:
    assert resolve(target, Tree(), may_create=True) == path


def test_nothing_is_made_that_may_not_be() -> None:
    assert resolve("managed.bob", Tree(), may_create=False) is None


def custom(
    target: str, fallback: Fallback = Fallback.SKIP, value: str = "*", match: Match = Match.USER
) -> Mappings:
    rule = MappingRule(match=match, value=value, policy=Policy.CUSTOM, target=target, fallback=fallback)
    return Mappings(rules=(rule,))


ANN = Submission(user="ann", groups=("staff", "no", "night"), application="job", queue="default")


@pytest.mark.parametrize(
    "target, path",
    [
        ("root.users.%user", "root.users.ann"),
        ("root.managed.%primary_group", "root.managed.staff"),
        ("root.ops.%secondary_group", "root.ops.night"),
        ("%secondary_group", "root.ops.night"),
        ("root.managed.%application", "root.managed.job"),
        ("%default", "root.default"),
        ("root.managed.%nonsense", "root.managed.%nonsense"),
        ("root.managed.a%user", "root.managed.a%user"),  # whole segments only
    ],
)
def test_variables(target: str, path: str) -> None:
    assert place(custom(target), ANN, Tree()) == path


def test_a_dot_in_a_name_is_no_level() -> None:
    dotted = Submission(user="ann.b", groups=("x.y",))
    assert place(custom("managed.%user"), dotted, Tree()) == "root.managed.ann_dot_b"
    assert place(custom("managed.%primary_group"), dotted, Tree()) == "root.managed.x_dot_y"
    assert place(custom("managed.%user", value="ann.b"), dotted, Tree()) is not None


def test_a_user_without_groups_has_no_primary_one() -> None:
    assert place(custom("managed.%primary_group"), Submission(user="ann"), Tree()) is None


@pytest.mark.parametrize(
    "match, value, matches",
    [
        (Match.USER, "*", True),
        (Match.USER, "ann", True),
        (Match.USER, "bob", False),
        (Match.USER, "%user", True),
        (Match.USER, "%specified%user", True),  # nothing was specified; anywhere in the name
        (Match.GROUP, "st%specifiedaff", True),
        (Match.GROUP, "%user", False),
        (Match.APPLICATION, "*", False),  # everybody is a word for users alone
        (Match.GROUP, "night", True),
        (Match.GROUP, "day", False),
        (Match.APPLICATION, "job", True),
        (Match.APPLICATION, "Job", False),
    ],
)
def test_matches(match: Match, value: str, matches: bool) -> None:
    assert (place(custom("dev", value=value, match=match), ANN, Tree()) is not None) is matches


def test_fallbacks() -> None:
    assert place(custom("users.bob", Fallback.SKIP), ANN, Tree()) is None
    assert place(custom("users.bob", Fallback.PLACE_DEFAULT), ANN, Tree()) == "root.default"
    with pytest.raises(RejectedError, match=r"rejected by a mapping rule.*, rule .*users\.bob"):
        place(custom("users.bob", Fallback.REJECT), ANN, Tree())


def test_specified_means_a_queue_that_was_named() -> None:
    rules = Mappings(
        rules=(MappingRule(match=Match.USER, value="*", policy=Policy.SPECIFIED, target="%specified"),)
    )
    assert place(rules, ANN, Tree()) is None
    named = Submission(user="ann", queue="root.dev")
    assert place(rules, named, Tree()) == "root.dev"


def test_no_queue_named_is_no_level() -> None:
    assert place(custom("users.%specified"), Submission(user="bob"), Tree()) is None
    assert place(custom("users.%specified"), Submission(user="bob", queue="ann"), Tree()) == "root.users.ann"


def test_the_queue_of_a_secondary_group_is_found_by_its_full_path() -> None:
    assert place(custom("root.ops.%secondary_group"), ANN, Tree()) == "root.ops.night"
    assert place(custom("ops.%secondary_group"), ANN, Tree()) is None


def test_the_default_queue_is_never_made() -> None:
    def rule(policy: Policy, target: str) -> MappingRule:
        return MappingRule(match=Match.USER, value="*", policy=policy, target=target)

    rules = (rule(Policy.SET_DEFAULT_QUEUE, "root.managed.%user"), rule(Policy.DEFAULT_QUEUE, "%default"))
    with pytest.raises(RejectedError):
        place(Mappings(rules=rules), ANN, Tree())
    fallback = (rules[0], *custom("nowhere", Fallback.PLACE_DEFAULT).rules)
    with pytest.raises(RejectedError):
        place(Mappings(rules=fallback), ANN, Tree())


def test_a_rule_that_may_not_create_may_still_name_what_others_make() -> None:
    rule = MappingRule(
        match=Match.USER, value="*", policy=Policy.CUSTOM, target="root.managed.bob", may_create=False
    )
    assert not check_rules([rule], Tree())
    assert place(Mappings(rules=(rule,)), ANN, Tree()) is None


def test_the_first_rule_that_places_wins() -> None:
    rules = (*custom("users.bob").rules, *custom("dev").rules, *custom("night").rules)
    assert place(Mappings(rules=rules), ANN, Tree()) == "root.dev"


def test_a_failed_default_refuses() -> None:
    def rule(policy: Policy, target: str) -> MappingRule:
        return MappingRule(match=Match.USER, value="*", policy=policy, target=target)

    other = (rule(Policy.SET_DEFAULT_QUEUE, "root.dev"), rule(Policy.DEFAULT_QUEUE, "%default"))
    assert place(Mappings(rules=other), ANN, Tree()) == "root.dev"
    missing = (rule(Policy.SET_DEFAULT_QUEUE, "root.gone"), rule(Policy.DEFAULT_QUEUE, "%default"))
    with pytest.raises(RejectedError):
        place(Mappings(rules=missing), ANN, Tree())


@pytest.mark.parametrize(
    "target, is_right",
    [
        ("dev", True),
        ("nowhere", False),
        ("root.ops", False),
        ("root.dev.%user", False),
        ("root.users.%user", True),
        ("root.nowhere.%user", False),
        ("root.flexible.team.%user", True),
        ("root.managed.team.%user", True),  # never valid, but Hadoop looks no deeper
        ("root.users.%nobody", False),  # no variable of that name
        ("root.managed.bob", True),
        ("%user", True),
        ("root..dev", False),
    ],
)
def test_targets_are_judged_when_they_are_read(target: str, is_right: bool) -> None:
    assert (not check_rules(custom(target).rules, Tree())) is is_right
