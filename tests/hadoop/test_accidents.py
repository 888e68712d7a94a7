"""Accidents that are recognized by what Hadoop says when it breaks."""

from __future__ import annotations

import pytest

from tests.hadoop.accidents import AMBIGUOUS, Accidents, EndedByAccidentError

LOST = "preempt: YarnRuntimeException: cannot find TempQueuePerPartition for queueName="
NOWHERE = (
    'preempt: NullPointerException: Cannot invoke "org.apache.hadoop.CSQueue.getQueuePath()" because the '
    'return value of "org.apache.hadoop.CapacityScheduler.getQueue(String)" is null'
)


@pytest.mark.parametrize("crash", [LOST + "x", NOWHERE])
def test_preemption_breaks_at_a_leaf_whose_name_is_not_its_own(crash: str) -> None:
    with pytest.raises(EndedByAccidentError, match=AMBIGUOUS):
        Accidents().in_preemption(crash, ("root", "a", "x", "b", "x"))


@pytest.mark.parametrize("crash", [LOST + "x", NOWHERE, LOST + "b"])
def test_where_names_are_their_own_it_is_no_accident(crash: str) -> None:
    Accidents().in_preemption(crash, ("root", "a", "x", "b"))


def test_another_exception_is_no_accident() -> None:
    Accidents().in_preemption("preempt: NullPointerException: null", ("root", "a", "x", "b", "x"))
