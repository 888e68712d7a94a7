"""Sums that are taken at once are those that are taken step by step."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from yarnbox.yarn.resources.resource import NONE, Resource, exchanged, total

AMOUNTS = st.dictionaries(st.sampled_from(["memory-mb", "vcores", "gpu"]), st.integers(0, 5)).map(Resource.of)


@settings(max_examples=30)
@given(st.lists(AMOUNTS, max_size=4))
def test_a_total(amounts: list[Resource]) -> None:
    assert total(amounts) == sum(amounts, NONE)


@settings(max_examples=30)
@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_a_part_that_changed(rest: Resource, before: Resource, after: Resource) -> None:
    assert exchanged(rest + before, before, after) == rest + after
