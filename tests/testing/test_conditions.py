"""Conditions in words: what they mean, and what is refused with the reason."""

from __future__ import annotations

import pytest

from yarnbox.testing.conditions import Arrival, Arrivals, DescribedCondition
from yarnbox.yarn.records.master import AllocateRequest


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("when ever it is", "a condition is like"),
        ("zeroth allocate", "a condition is like"),
        ("first alocate", "there is no rpc alocate .did you mean allocate"),
        ("first allocate after 2 registerings", "there is no rpc registerings"),
        ("first allocate on nm99", "allocate goes to the ResourceManager; .on nm99. is for startContainers"),
    ],
)
def test_what_can_never_happen_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        DescribedCondition(text)


def test_the_second_call_of_one_node() -> None:
    condition, so_far = DescribedCondition("second nodeHeartbeat on nm2"), Arrivals()
    hosts = ["nm2", "nm1", "nm2", "nm2"]
    arrivals = [Arrival("nodeHeartbeat", AllocateRequest(), host) for host in hosts]
    assert [condition(one, so_far) for one in arrivals] == [False, False, True, False]


def test_a_call_after_so_many_containers() -> None:
    condition = DescribedCondition("first allocate after 3 containers")
    call = Arrival("allocate", AllocateRequest(), None)
    assert [condition(call, Arrivals(granted=granted)) for granted in (2, 3)] == [False, True]
