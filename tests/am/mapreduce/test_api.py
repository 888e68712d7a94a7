"""What a user's mappers and reducers are given."""

from __future__ import annotations

import pytest

from yarnbox.am.mapreduce.api import SHUFFLE_ERRORS, CounterLimits, LimitExceededError, Tally


def test_a_tasks_own_counters_are_limited_and_hadoops_are_not() -> None:
    tally = Tally(CounterLimits(counters=3, groups=2, group_name=6, counter_name=5))
    for number in range(10):
        tally.add(f"MAP_{number}")
        tally.add(f"ERROR_{number}", group=SHUFFLE_ERRORS)
    for _ in range(2):
        tally.add("first", group="mine")
        tally.add("second", group="a group")
    tally.add("second", 5, group="mine")
    assert (tally.groups["mine"], tally.groups["a gro"]) == ({"first": 2, "seco": 5}, {"seco": 2})
    with pytest.raises(LimitExceededError, match="Too many counters: 4 max=3"):
        tally.add("third", group="mine")
    tally.add("first", group="mine")
    groups = Tally(CounterLimits(groups=1))
    groups.add("x", group="one")
    with pytest.raises(LimitExceededError, match="Too many counter groups: 2 max=1"):
        groups.add("x", group="two")
