"""Shrinking a walk, and writing it down, with a play that fails for a known reason."""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.sim.scenario.reading.document import parse_scenario
from yarnbox.sim.walk.choices import StepValue
from yarnbox.sim.walk.clusters import Document
from yarnbox.sim.walk.shrink import shrink, written
from yarnbox.sim.walk.walker import Coverage, Defect, Walk

DEFECT = Defect(("raised", "AssertionError", "charge"), "the text")
OTHER = Defect(("raised", "KeyError", "elsewhere"), "the text")


def document(steps: list[StepValue]) -> Document:
    return {
        "name": "walk-fifo-7",
        "about": 'With "quotes" and: colons',
        "conf": {"yarn.resourcemanager.scheduler.class": "fifo", "a.b": True},
        "nodes": [{"name": "n1", "memory-mb": 1024}, {"name": "n2", "memory-mb": 1024}],
        "steps": steps,
    }


def failed(whole: Document, steps: list[StepValue], defect: Defect | None) -> Walk:
    return Walk({**whole, "steps": [*steps, {"heartbeat": "n1"}]}, len(steps), Coverage(), defect)


def fails_while(test: Callable[[Document, list[StepValue]], bool]) -> tuple[list[int], Callable[..., Walk]]:
    """A walk that has the defect as long as the test holds, another one else; and how long the walks were."""
    lengths: list[int] = []

    def again(whole: Document, steps: list[StepValue]) -> Walk:
        lengths.append(len(steps))
        return failed(whole, steps, DEFECT if test(whole, steps) else OTHER)

    return lengths, again


def test_only_the_steps_that_are_needed_stay() -> None:
    noise: list[StepValue] = [{"advance": f"{number}s"} for number in range(1, 40)]
    needed: list[StepValue] = [{"submit": {"app": "a1"}}, {"kill": "a1"}]
    steps = [*noise[:9], needed[0], *noise[9:30], needed[1], *noise[30:]]

    def has_both(whole: Document, shorter: list[StepValue]) -> bool:
        rest = iter(shorter)
        return all(each in rest for each in needed)

    lengths, again = fails_while(has_both)
    shrunk = shrink(failed(document(steps), steps, DEFECT), again)
    assert shrunk.document["steps"][: shrunk.head] == needed
    assert shrunk.document["nodes"] == []
    assert len(lengths) < 200


def test_a_defect_of_another_kind_does_not_count() -> None:
    steps: list[StepValue] = [{"submit": {"app": "a1"}}, {"kill": "a1"}]
    _, again = fails_while(lambda whole, shorter: len(shorter) == 2 and len(whole["nodes"]) == 2)
    walk = failed(document(steps), steps, DEFECT)
    assert shrink(walk, again) is walk


def test_heartbeats_are_said_once_where_that_is_enough() -> None:
    steps: list[StepValue] = [{"heartbeat": {"node": "n1", "times": 4}}]
    _, again = fails_while(lambda whole, shorter: bool(shorter))
    shrunk = shrink(failed(document(steps), steps, DEFECT), again)
    assert shrunk.document["steps"][: shrunk.head] == [{"heartbeat": "n1"}]


def test_what_is_written_is_the_scenario_that_was_walked() -> None:
    steps: list[StepValue] = [
        {"submit": {"app": "a1", "queue": "default", "user": "alice"}},
        {"ask": {"app": "a1", "requests": [{"count": 1, "memory-mb": 1024, "at": "*"}]}},
        {"expect-error": {"kill": "a1", "matching": "."}},
        {"heartbeat": ["n1", "n2"]},
        {"expect": {"apps": {"a1": {"state": "RUNNING", "pending": 0}}}},
    ]
    text = written(document(steps), "found by a walk", "seed 7")
    assert text.startswith("# found by a walk\n# seed 7\n")
    read = parse_scenario(text)
    assert read.conf["a.b"] == "true"
    assert [step.verb for step in read.steps] == ["submit", "ask", "expect-error", "heartbeat", "expect"]
