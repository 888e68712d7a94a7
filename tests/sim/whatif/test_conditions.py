"""The language of --fail-if: what it means, and what it says of what it does not understand."""

from __future__ import annotations

import pytest

from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.conditions import InvalidConditionError, judge, read_condition

LESS, SAME = 1, 2
_OF_JOBS = ("queue:NAME", "user:NAME", "class:NAME", "type:NAME")


def holds(text: str, comparison: Comparison, variant: int = LESS) -> bool:
    return judge(read_condition(text), text, comparison, variant).holds


@pytest.mark.parametrize(
    "text, expected",
    [
        ("queue:root.etl wait.mean > +10%", True),
        ("queue:root.* wait.mean > +10%", True),
        ("queue:root.adhoc wait.mean > +10%", False),
        ("user:mei response.mean > +1s", True),
        ("user:mei response.mean > +1h", False),
        ("user:mei response.mean > 1ms", True),
        ("user:mei response.mean >  1 s", True),
        ("surely queue:root.etl wait.mean > +10%", True),
        ("surely queue:root.etl wait.mean > +100000%", False),
        ("unfinished > 0", False),
        ("unfinished <= 0 and jobs >= 8", True),
        ("not unfinished > 0", True),
        ("unfinished > 0 or not (jobs < 8 or class:small slowdown.p50 > +900%)", True),
        ("utilization < 100%", True),
        ("utilization < +0points", True),
        ("fairness.queues >= -100points", True),
    ],
)
def test_what_a_condition_means(text: str, expected: bool, comparison: Comparison) -> None:
    assert holds(text, comparison) is expected


def test_a_change_that_changes_nothing_fails_nothing(comparison: Comparison) -> None:
    assert not holds("queue:* wait.p95 > +0%", comparison, SAME)
    assert holds("queue:* wait.p95 <= +0%", comparison, SAME)


def test_it_says_for_which_figures_it_holds(comparison: Comparison) -> None:
    judgement = judge(read_condition("queue:root.* wait.mean > +10%"), "", comparison, LESS)
    (why,) = judgement.reasons
    assert why.startswith("queue:root.etl wait.mean ")
    assert ", was " in why


@pytest.mark.parametrize(
    "text, position, why",
    [
        ("wiat.p95 > +10%", 1, "there is no metric wiat.p95 (did you mean wait.p95?)"),
        ("wait > +10%", 1, "there is no metric wait: say which, wait.mean, wait.p50, wait.p95, wait.p99"),
        (
            "qeue:root.a wait.p95 > 1s",
            1,
            "qeue is none of queue, user, class, type, partition (did you mean queue?)",
        ),
        ("queue: wait.p95 > 1s", 1, "expected a name or a pattern behind queue:"),
        ("wait.p95 = 1s", 10, "expected one of >, >=, <, <="),
        ("wait.p95 > 5", 12, "wait.p95 is a time: compare it with 60s or +5s or +10%"),
        ("wait.p95 > 5points", 12, "wait.p95 is a time: compare it with 60s or +5s or +10%"),
        ("utilization > +5s", 15, "utilization is a share: compare it with 70% or -3points or -10%"),
        ("utilization > +5parsec", 15, "parsec is none of the units %, points, ms, s, min, h"),
        ("jobs > 5s", 8, "jobs is a count: compare it with 5 or +5 or +10%"),
        ("jobs >", 7, "expected an amount, such as 5 or +5 or +10%"),
        ("(jobs > 5", 10, "a closing ) is missing"),
        ("jobs > 5 jobs > 6", 10, "nothing may follow a condition but and, or"),
        ("", 1, "expected a metric, such as wait.p95"),
        (
            "jobs > 5 or queue:root.a utilization > 5%",
            13,
            "utilization is a figure of all or partition:NAME, not of queue:root.a",
        ),
        ("guarantee-used > 2", 1, "guarantee-used is a figure of queue:NAME, not of all"),
        (
            "partition:gpu wait.p95 > 1s",
            1,
            "wait.p95 is a figure of " + " or ".join(["all", *_OF_JOBS]) + ", not of partition:gpu",
        ),
    ],
)
def test_what_is_wrong_and_where(text: str, position: int, why: str) -> None:
    with pytest.raises(InvalidConditionError) as caught:
        read_condition(text)
    assert str(caught.value) == f"{text!r}, at character {position}: {why}"


def test_a_group_that_nobody_is_in_is_an_error(comparison: Comparison) -> None:
    with pytest.raises(InvalidConditionError, match=r"no queue of the load matches root.elt") as caught:
        holds("queue:root.elt wait.p95 > 1s", comparison)
    assert "(did you mean queue:root.etl?); there are: root.adhoc, root.etl" in str(caught.value)
