"""Documents over time: every value that a document ever had can be had again, and no more is kept."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from yarnbox.sim.recording.limits import after_halving
from yarnbox.sim.recording.tracks import Documents, at, fields, value_at, whole

KEYS = st.text("ab/~#1", min_size=1, max_size=3).filter(lambda key: not key.startswith("#"))
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.integers(-3, 3), st.text("xy", max_size=2), st.just([]), st.just({})
)
DOCUMENTS = st.recursive(
    VALUES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=12), st.dictionaries(KEYS, inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


def test_a_field_is_named_by_the_way_to_it() -> None:
    document = {"queues": [{"name": "a/b"}, {}], "c~d": {"e/f": 1}, "none": None, "nan": float("nan")}
    assert fields(document) == {
        "/queues/#0/name": "a/b",
        "/queues/#1": {},
        "/c~0d/e~1f": 1,
    }


@settings(max_examples=20)
@given(DOCUMENTS)
def test_a_document_is_made_again_from_its_fields(document: Any) -> None:
    assert whole(fields(document)) == document


@settings(max_examples=20)
@given(st.lists(st.dictionaries(KEYS, DOCUMENTS, max_size=3), min_size=1, max_size=6))
def test_each_moment_has_the_document_of_then(history: list[Any]) -> None:
    documents = Documents()
    for moment, document in enumerate(history):
        documents.note("x", 2 * moment, document)
    for moment, document in enumerate(history):
        for later in (0, 1):
            assert at(documents["x"], 2 * moment + later) == (document if document else {})


def test_only_what_is_new_is_kept() -> None:
    documents = Documents()
    for moment, state in enumerate(["NEW", "NEW", "RUNNING", "RUNNING"]):
        documents.note("x", moment, {"state": state, "name": "n"})
    assert documents["x"] == {"/state": [0, "NEW", 2, "RUNNING"], "/name": [0, "n"]}
    assert documents.count == 3


def test_before_the_first_value_there_is_none() -> None:
    assert value_at([3, "a", 5, None, 7, "b"], 2) is None
    assert [value_at([3, "a", 5, None, 7, "b"], one) for one in (3, 4, 5, 6, 7, 9)] == [
        "a", "a", None, None, "b", "b",
    ]  # fmt: skip


def test_moments_that_became_one_keep_the_last_value() -> None:
    documents = Documents()
    for moment in range(5):
        documents.note("x", moment, {"n": moment})
    documents.halve()
    assert documents["x"] == {"/n": [0, 0, 1, 2, 2, 4]}
    assert documents.count == 3


def test_what_is_closed_keeps_what_was_noted() -> None:
    documents = Documents()
    documents.note("x", 0, {"n": 1})
    documents.close("x")
    assert at(documents["x"], 5) == {"n": 1}


STEPS = st.lists(
    st.one_of(st.tuples(st.sampled_from("abcd"), DOCUMENTS), st.just("halve"), st.sampled_from("ABCD")),
    max_size=40,
)


@settings(max_examples=40)
@given(STEPS)
def test_what_is_closed_is_as_if_it_had_stayed_open(steps: list[Any]) -> None:
    closing, staying, closed, moment = Documents(), Documents(), set[str](), 0
    for step in steps:
        if step == "halve":
            closing.halve()
            staying.halve()
            moment = after_halving(moment)
        elif isinstance(step, str):
            closed.add(step.lower())
            closing.close(step.lower())
        elif step[0] not in closed:
            moment += 1
            for documents in (closing, staying):
                documents.note(step[0], moment, {"it": step[1]})
        assert closing.count == staying.count
    assert list(closing.texts()) == list(staying.texts())
    for name, _ in staying.texts():
        assert closing[name] == staying[name]
