"""Mapping rules that never match, because an earlier rule ends the search for all that they would match.

A rule ends the search if it places, rejects, or takes the default queue: not if it only sets the default
queue, nor if its target may turn out not to be valid and its fallback is to skip. What several earlier rules
catch only together is not looked for. Hadoop does not look at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.rm.scheduler.capacity.config.rules import Fallback, MappingRule, Match, Policy
from yarnbox.rm.scheduler.capacity.lifecycle.placement import QueueLookup, resolve


def unreachable(rules: Sequence[MappingRule], queues: QueueLookup) -> Iterator[tuple[int, int]]:
    """The place of each such rule and that of the first rule that catches all, both counted from 0."""
    ends = [place for place, rule in enumerate(rules) if _ends_the_search(rule, queues)]
    for place, rule in enumerate(rules):
        catcher = next((one for one in ends if one < place and _covers(rules[one], rule)), None)
        if catcher is not None:
            yield place, catcher


def _ends_the_search(rule: MappingRule, queues: QueueLookup) -> bool:
    """Whether no later rule sees a submission that this one matches."""
    if rule.policy is Policy.SET_DEFAULT_QUEUE:
        return False
    if rule.policy in (Policy.REJECT, Policy.DEFAULT_QUEUE) or rule.fallback is not Fallback.SKIP:
        return True
    is_fixed = "%" not in rule.target
    return is_fixed and resolve(rule.target, queues, may_create=rule.may_create) is not None


def _covers(earlier: MappingRule, later: MappingRule) -> bool:
    """Whether the earlier one matches whatever the later one matches."""
    if earlier.matches_everybody:
        return True
    if earlier.match is not later.match:
        return False
    if earlier.match is Match.USER and earlier.value == "%user":
        # A user with a dot is not equal to %user, which has _dot_ in its place.
        return later.value == "%user" or not any(sign in later.value for sign in "%*.")
    # What %default stands for may change between the two.
    return earlier.value == later.value and "%default" not in later.value
