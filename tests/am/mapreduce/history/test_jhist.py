"""The file's form: the schema that is embedded, values in Avro's JSON, torn ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.am.mapreduce.history.written import eventful, write
from yarnbox.am.mapreduce.history.jhist import (
    FIELDS,
    NAMESPACE,
    RECORD_OF,
    UnreadableHistoryError,
    decoded,
    encoded,
    read_events,
    schema,
)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "s": st.text(),
    "l": st.integers(-(2**63), 2**63 - 1),
    "i": st.integers(-(2**31), 2**31 - 1),
    "n": st.integers(-(2**31), 2**31 - 1),
    "b": st.booleans(),
    "I": st.lists(st.integers(-(2**31), 2**31 - 1), max_size=3),
    "M": st.dictionaries(st.text(), st.text(), max_size=2),
    "C": st.dictionaries(st.text(), st.dictionaries(st.text(), st.integers(0, 2**63 - 1))),
}


@st.composite
def events(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    type_ = draw(st.sampled_from([*RECORD_OF]))
    fields = {}
    for name, kind in FIELDS[RECORD_OF[type_]].items():
        strategy = VALUES[kind.removeprefix("?")]
        fields[name] = draw(st.none() | strategy if kind.startswith("?") else strategy)
    return type_, fields


@given(events())
def test_what_is_written_is_read(event: tuple[str, dict[str, Any]]) -> None:
    assert decoded(json.loads(json.dumps(encoded(*event)))) == event


def test_nullable_text_is_written_as_avro_wants_it() -> None:
    fields = {"taskid": "t", "taskType": "MAP", "finishTime": 1, "error": "", "status": "KILLED"}
    written = encoded("TASK_FAILED", {**fields, "failedDueToAttempt": "a"})
    (record,) = written["event"].values()
    assert (record["failedDueToAttempt"], record["counters"]) == ({"string": "a"}, None)
    with pytest.raises(KeyError, match="taskid"):
        encoded("TASK_FAILED", {})


def test_the_schema_names_each_type_once_before_it_is_used() -> None:
    known: list[str] = []

    def look(written: Any) -> None:
        if isinstance(written, list):
            for one in written:
                look(one)
        elif isinstance(written, str):
            assert written in ("null", "string", "long", "int", "boolean", *known), written
        elif written["type"] in ("array", "map"):
            look(written.get("items") or written["values"])
        else:
            assert written["name"] not in known
            known.append(written["name"])
            for field in written.get("fields", ()):
                look(field["type"])

    look(json.loads(schema()))
    assert {"Event", "EventType", "JhCounters", "JhCounter", *FIELDS} <= {*known}
    assert json.loads(schema())["namespace"] == NAMESPACE
    assert "\n" not in schema()


def test_a_file_is_read_up_to_where_it_was_torn(tmp_path: Path) -> None:
    path = tmp_path / "job.jhist"
    write(eventful(), path)
    whole = read_events(path)
    text = path.read_bytes()
    first = text.index(b"\n", text.index(b"\n") + 1) + 1
    for cut in range(first, len(text), 997):
        path.write_bytes(text[:cut])
        kept = read_events(path)
        assert kept == whole[: len(kept)]
        assert len(kept) == text[first:cut].count(b"\n") or not text[first:cut].endswith(b"\n")


def test_events_may_be_spread_over_lines(tmp_path: Path) -> None:
    path = tmp_path / "job.jhist"
    write(eventful(), path)
    whole = read_events(path)
    head, schema_line, *lines = path.read_text().splitlines()
    spread = "\n\n".join(json.dumps(json.loads(line), indent=1) for line in lines)
    path.write_text(f"{head}\n{schema_line}\n{spread}")
    assert read_events(path) == whole


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"Avro-Binary\n{}\n\x00\x01", "set mapreduce.jobhistory.jhist.format to json"),
        (b"", "begins with ''"),
        (b"\x7fELF", "begins with 'no text'"),
    ],
)
def test_what_is_no_history_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "job.jhist"
    path.write_bytes(content)
    with pytest.raises(UnreadableHistoryError, match=said):
        read_events(path)
