"""Shrinking a walk, and writing it down, with a play that fails for a known reason."""

from __future__ import annotations

from sim.scenario.document import parse_scenario
from sim.walk.clusters import Document
from sim.walk.shrink import shrink
from sim.walk.walker import Defect
from sim.walk.writing import written

DEFECT = Defect(("raised", "AssertionError", "charge"), "the text")


def document(steps: list[dict[str, object]]) -> Document:
    return {
        "name": "walk-fifo-7",
        "about": 'With "quotes" and: colons',
        "conf": {"yarn.resourcemanager.scheduler.class": "fifo", "a.b": True},
        "nodes": [{"name": "n1", "memory-mb": 1024}, {"name": "n2", "memory-mb": 1024}],
        "steps": steps,
    }


def fails_when(needed: list[dict[str, object]]) -> tuple[list[int], object]:
    """A play that fails as long as the needed steps are there in their order, and counts its plays."""
    plays: list[int] = []

    def play(candidate: Document) -> Defect | None:
        plays.append(len(candidate["steps"]))
        rest = iter(candidate["steps"])
        return DEFECT if all(each in rest for each in needed) else None

    return plays, play


def test_only_the_steps_that_are_needed_stay() -> None:
    noise: list[dict[str, object]] = [{"advance": f"{number}s"} for number in range(1, 40)]
    needed: list[dict[str, object]] = [{"submit": {"app": "a1"}}, {"kill": "a1"}]
    steps = [*noise[:9], needed[0], *noise[9:30], needed[1], *noise[30:]]
    plays, play = fails_when(needed)
    shrunk = shrink(document(steps), DEFECT, play)  # type: ignore[arg-type]
    assert shrunk["steps"] == needed
    assert len(shrunk["nodes"]) == 0
    assert len(plays) < 200


def test_a_defect_of_another_kind_does_not_count() -> None:
    steps: list[dict[str, object]] = [{"submit": {"app": "a1"}}, {"kill": "a1"}]

    def play(candidate: Document) -> Defect | None:
        is_whole = len(candidate["steps"]) == 2 and len(candidate["nodes"]) == 2
        return DEFECT if is_whole else Defect(("raised", "KeyError", "elsewhere"), "")

    assert shrink(document(steps), DEFECT, play)["steps"] == steps


def test_what_is_written_is_the_scenario_that_was_walked() -> None:
    steps: list[dict[str, object]] = [
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
