"""Policies: who goes first, in tables of numbers; keys that sort as comparisons do."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from functools import cmp_to_key
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rm.scheduler.fair.own_policy import LeastFirst
from yarnbox.rm.scheduler.fair.allocation_file.amounts import unbounded
from yarnbox.rm.scheduler.fair.queues.policies import (
    DominantResourceFairnessPolicy,
    FairPolicy,
    FifoPolicy,
    Policy,
    Schedulable,
    policy_class,
)
from yarnbox.yarn.resources.resource import NONE, Resource

TWO = ("memory-mb", "vcores")
THREE = (*TWO, "gpu")
CLUSTER = Resource(1000, 100, (("gpu", 10),))
FAIR, FIFO = FairPolicy(TWO), FifoPolicy(TWO)
DRF, DRF3 = DominantResourceFairnessPolicy(TWO), DominantResourceFairnessPolicy(THREE)


def one(
    used: Resource = NONE,
    demand: Resource | None = None,
    least: Resource = NONE,
    weight: float = 1.0,
    start: int = 0,
    name: str = "a",
    share: Resource = NONE,
    is_active: bool = True,
) -> Schedulable:
    """A standing with what matters; it wants a little more than it has, unless told otherwise."""
    wanted = used + Resource(1, 1) if demand is None else demand
    return Schedulable(
        weight, least, unbounded(THREE), wanted, used, share, start, name.encode("utf-16-be"), is_active
    )


def mb(amount: int) -> Resource:
    """Memory alone."""
    return Resource(amount)


@pytest.mark.parametrize(
    "policy, first, second",
    [
        # fair: demand at all
        (FAIR, one(mb(500), name="b"), one(mb(0), demand=NONE, name="a")),
        # fair: the needy first; among them the smaller part of the minimum
        (FAIR, one(mb(50), least=mb(60), name="b"), one(mb(10), name="a")),
        (
            FAIR,
            one(mb(20), demand=mb(200), least=mb(100), name="b"),
            one(mb(10), demand=mb(200), least=mb(40), name="a"),
        ),
        (FAIR, one(mb(10), name="b"), one(mb(50), demand=mb(50), least=mb(60), name="a")),
        (FAIR, one(mb(0), least=mb(1), name="a"), one(mb(0), least=mb(100), name="b")),
        # fair: use per weight, also after a tie of the needy
        (FAIR, one(mb(40), weight=4.0, name="b"), one(mb(20), weight=1.0, name="a")),
        (
            FAIR,
            one(mb(20), least=mb(40), weight=2.0, name="b"),
            one(mb(20), least=mb(40), weight=1.0, name="a"),
        ),
        # fair: weights of nothing come last, among themselves by use
        (FAIR, one(mb(900), weight=1.0, name="b"), one(mb(0), weight=0.0, name="a")),
        (FAIR, one(mb(1), weight=0.0, name="b"), one(mb(2), weight=0.0, name="a")),
        # fair: vcores do not count; start, then name
        (FAIR, one(Resource(5, 90), start=1, name="b"), one(Resource(5, 0), start=2, name="a")),
        (FAIR, one(name="application_1_10000"), one(name="application_1_9999")),
        # fifo
        (FIFO, one(mb(900), start=1, name="b"), one(start=2, name="a")),
        (FIFO, one(mb(900), name="a"), one(name="b")),
        # drf: the dominant share per weight, then the other
        (DRF, one(Resource(300, 10), name="b"), one(Resource(100, 40), name="a")),
        (DRF, one(Resource(300, 10), weight=3.0, name="b"), one(Resource(100, 20), name="a")),
        (DRF, one(Resource(300, 10), name="b"), one(Resource(300, 20), name="a")),
        (DRF, one(Resource(10, 30), name="b"), one(Resource(300, 20), name="a")),
        # drf: need of the dominant type, whatever the demand
        (DRF, one(Resource(100, 50), least=Resource(0, 60), name="b"), one(name="a")),
        (DRF, one(name="a"), one(Resource(500, 50), least=Resource(0, 60), name="b")),
        (
            DRF,
            one(Resource(100, 20), least=Resource(0, 60), name="b"),
            one(Resource(300, 20), least=Resource(400, 0), name="a"),
        ),
        # drf: a weight of nothing
        (DRF, one(Resource(900, 90), name="b"), one(Resource(1, 0), weight=0.0, name="a")),
        (DRF, one(weight=0.0, name="a"), one(Resource(900, 90), name="b")),
        # drf with more types
        (DRF3, one(Resource(500, 10), name="b"), one(Resource(100, 10, (("gpu", 6),)), name="a")),
        (
            DRF3,
            one(Resource(600, 10, (("gpu", 1),)), name="b"),
            one(Resource(100, 20, (("gpu", 6),)), name="a"),
        ),
        (
            DRF3,
            one(Resource(0, 0, (("gpu", 5),)), least=Resource(0, 0, (("gpu", 6),)), name="b"),
            one(name="a"),
        ),
    ],
)
def test_who_is_served_first(policy: Policy, first: Schedulable, second: Schedulable) -> None:
    assert policy.compare(first, second, CLUSTER) < 0
    assert policy.compare(second, first, CLUSTER) > 0
    keys = [policy.order_key(schedulable, CLUSTER) for schedulable in (first, second)]
    if None not in keys:
        full = [
            (*(key or ()), one.start_ms, one.name) for key, one in zip(keys, (first, second), strict=True)
        ]
        assert full[0] < full[1]


AMOUNTS = st.builds(Resource, st.sampled_from([0, 1, 100, 250, 500]), st.sampled_from([0, 1, 10, 25, 50]))
STANDINGS = st.builds(
    one,
    used=AMOUNTS,
    demand=AMOUNTS,
    least=AMOUNTS,
    weight=st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    start=st.integers(0, 2),
    name=st.sampled_from("abc"),
)


@pytest.mark.parametrize("policy", [FAIR, FIFO, DRF, DRF3], ids=["fair", "fifo", "drf", "drf of three"])
@given(some=st.lists(STANDINGS, max_size=6))
def test_keys_sort_as_comparisons_do(policy: Policy, some: list[Schedulable]) -> None:
    keyed: list[tuple[tuple[Any, ...], Schedulable]] = []
    for schedulable in some:
        key = policy.order_key(schedulable, CLUSTER)
        if key is not None:
            assert not any(math.isnan(part) for part in key)
            keyed.append(((*key, schedulable.start_ms, schedulable.name), schedulable))
    by_key = sorted(keyed, key=lambda pair: pair[0])

    def compare(a: tuple[Any, Schedulable], b: tuple[Any, Schedulable]) -> int:
        return int(policy.compare(a[1], b[1], CLUSTER))

    by_comparison = sorted(keyed, key=cmp_to_key(compare))
    assert [key for key, _ in by_key] == [key for key, _ in by_comparison]


def test_fair_divides_memory_and_keeps_the_rest() -> None:
    siblings = [one(share=Resource(7, 3)), one(share=Resource(0, 5)), one(is_active=False)]
    assert FAIR.shares(siblings, Resource(100, 10)) == [Resource(50, 3), Resource(50, 5), NONE]
    assert FAIR.steady_shares(siblings, Resource(99, 10)) == [Resource(33, 3), Resource(33, 5), mb(33)]


def test_drf_divides_every_type_by_itself() -> None:
    siblings = [one(least=Resource(0, 6)), one()]
    assert DRF.shares(siblings, Resource(100, 10)) == [Resource(50, 6), Resource(50, 4)]
    gpus = Resource(100, 10, (("gpu", 4),))
    assert DRF3.shares([one(), one()], gpus) == [Resource(50, 5, (("gpu", 2),))] * 2


class Generous(FairPolicy):
    """A user's policy that divides in a way of its own."""

    name = "generous"

    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        return [total for _ in siblings]


@pytest.mark.parametrize("policy", [FAIR, DRF, DRF3], ids=lambda policy: f"{policy.name}{len(policy.types)}")
def test_applications_are_given_the_same_shares_without_standings(policy: Policy) -> None:
    before = [Resource(7, 3, (("gpu", 1),)), NONE, Resource(512, 2)]
    most = unbounded(policy.types)
    standings = [
        Schedulable(weight, NONE, most, NONE, NONE, share, 0, b"")
        for weight, share in zip((1.0, 2.5, 0.0), before, strict=True)
    ]
    total = Resource(1024, 9, (("gpu", 4),))
    assert policy.application_shares([1.0, 2.5, 0.0], before, total) == policy.shares(standings, total)


def test_a_policy_that_derives_from_fair_divides_as_it_says() -> None:
    assert Generous(TWO).application_shares([1.0], [NONE], CLUSTER) is None
    assert FIFO.application_shares([1.0], [NONE], CLUSTER) is None
    assert LeastFirst(TWO).application_shares([1.0], [NONE], CLUSTER) is None


def test_fifo_gives_all_to_the_earliest_and_leaves_the_others_alone() -> None:
    siblings = [one(start=5, share=mb(3)), one(start=2), one(start=2, share=mb(4))]
    assert FIFO.shares(siblings, mb(100)) == [mb(3), mb(100), mb(4)]
    assert FIFO.steady_shares(siblings, mb(100)) == [mb(3), NONE, mb(4)]
    assert FIFO.shares([], mb(100)) == []


def test_headroom_is_bounded_by_the_share_in_the_types_that_count() -> None:
    share, used, free = Resource(100, 10), Resource(60, 8), Resource(70, 70)
    assert FAIR.headroom(share, used, free) == Resource(40, 70)
    assert DRF.headroom(share, used, free) == Resource(40, 2)
    assert FAIR.headroom(used, share, free) == Resource(0, 70)


def test_below_looks_at_one_type() -> None:
    assert FAIR.is_below(Resource(5, 90), Resource(6, 0), CLUSTER)
    assert not DRF.is_below(Resource(5, 90), Resource(800, 0), CLUSTER)
    assert DRF.is_below(Resource(5, 10), Resource(800, 0), CLUSTER)
    assert not DRF.is_below(Resource(5, 5), Resource(5, 5), CLUSTER)
    assert DRF.is_below(Resource(5, 5), Resource(6, 6), NONE)


@pytest.mark.parametrize(
    "parent, child, is_allowed",
    [
        (FAIR, FAIR, True),
        (FAIR, FIFO, True),
        (FAIR, DRF, False),
        (DRF, FAIR, True),
        (DRF, FIFO, True),
        (DRF, DRF, True),
        (FIFO, FAIR, False),
        (FIFO, FIFO, False),
        (LeastFirst(TWO), DRF, True),
    ],
)
def test_which_policies_go_below_which(parent: Policy, child: Policy, is_allowed: bool) -> None:
    assert parent.allows_child(child) is is_allowed


class Unfinished(FairPolicy):
    """One without an order."""

    @abstractmethod
    def order(self) -> int: ...


@pytest.mark.parametrize(
    "wrong, why",
    [
        ("mistaken_fair_policy.Policy", "class not found! .*cannot be imported: SyntaxError: "),
        (f"{__name__}.NoSuch", f"class not found! .there is no NoSuch in {__name__}"),
        (f"{__name__}.one", "does not extend SchedulingPolicy"),
        (f"{__name__}.Unfinished", "lacks the method order"),
    ],
)
def test_what_is_no_policy_is_refused_with_the_reason(
    wrong: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mistaken_fair_policy.py").write_text("class Policy(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=f"{wrong} .*{why}"):
        policy_class(wrong)


def test_policies_are_found_by_word_by_hadoop_s_class_and_by_path() -> None:
    hadoop = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies.FifoPolicy"
    assert policy_class("Fair") is FairPolicy
    assert policy_class(hadoop) is FifoPolicy
    assert policy_class("tests.rm.scheduler.fair.own_policy.LeastFirst") is LeastFirst
