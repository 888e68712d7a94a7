"""Map output: an encoding that keeps order, segments that notice damage, merges that lose nothing."""

from __future__ import annotations

import io
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from am.mapreduce.api import Reducer, Tally
from am.mapreduce.jobs.wordcount import SumReducer
from am.mapreduce.map_output import MapOutput, hash_partition, merge_files
from am.mapreduce.records import CorruptSegmentError, decode, encode, read_segment, write_segment
from yarn.shuffle import OUTPUT_FILE, read_index

SCALARS = st.one_of(
    st.integers(-(10**30), 10**30),
    st.text(),
    st.binary(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.none(),
)


@given(SCALARS)
def test_a_value_is_read_as_it_was_written(value: Any) -> None:
    again = decode(encode(value))
    assert again == value
    assert type(again) is type(value)


@pytest.mark.parametrize(
    "values",
    [st.integers(-(10**20), 10**20), st.binary(), st.text(), st.floats(allow_nan=False)],
    ids=["integers", "bytes", "texts", "floats"],
)
def test_the_bytes_have_the_order_of_the_values(values: st.SearchStrategy[Any]) -> None:
    @given(values, values)
    def check(one: Any, two: Any) -> None:
        if one == two:
            return
        assert (encode(one) < encode(two)) == (one < two)

    check()


def test_structures_come_back_as_json_has_them() -> None:
    assert decode(encode({"a": [1, None, True]})) == {"a": [1, None, True]}
    assert decode(encode(("a", 1))) == ["a", 1]


def test_a_segment_notices_damage() -> None:
    stream = io.BytesIO()
    assert write_segment([(b"a", b"1"), (b"b", b"")], stream) == (2, len(stream.getvalue()))
    data = stream.getvalue()
    assert list(read_segment(io.BytesIO(data))) == [(b"a", b"1"), (b"b", b"")]
    for broken in (data[:-1], data[:5], data[:9], data.replace(b"a1", b"a2")):
        with pytest.raises(CorruptSegmentError):
            list(read_segment(io.BytesIO(broken)))


def segments(directory: Path, reduces: int) -> list[list[tuple[Any, Any]]]:
    data = (directory / OUTPUT_FILE).read_bytes()
    found = []
    for start, _, length in read_index(directory / f"{OUTPUT_FILE}.index"):
        records = read_segment(io.BytesIO(data[start : start + length]))
        found.append([(decode(key), decode(value)) for key, value in records])
    assert len(found) == reduces
    return found


@given(
    st.lists(st.sampled_from(["a", "b", "c", "dd", "e" * 50]), max_size=80),
    st.integers(1, 4),
    st.sampled_from([300, 2000, 1 << 20]),
    st.booleans(),
)
def test_what_goes_in_comes_out_sorted_at_its_reduce(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], reduces: int, limit: int, combines: bool
) -> None:
    directory = tmp_path_factory.mktemp("output")
    tally = Tally()
    combiner: Reducer | None = SumReducer() if combines else None
    output = MapOutput(directory, reduces, hash_partition, combiner, limit, 10, tally)
    for word in words:
        output.emit(word, 1)
    output.finish()
    counted: Counter[str] = Counter()
    for number, records in enumerate(segments(directory, reduces)):
        assert [key for key, _ in records] == sorted(key for key, _ in records)
        for key, value in records:
            assert hash_partition(encode(key), reduces) == number
            counted[key] += value
    assert counted == Counter(words)
    if combines:
        assert sum(map(len, segments(directory, reduces))) == len(set(words))
    assert sorted(path.name for path in directory.iterdir()) == ["file.out", "file.out.index"]
    counters = tally.groups["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["MAP_OUTPUT_RECORDS"] == len(words)


def test_a_partitioner_of_ones_own_must_keep_within_the_reduces(tmp_path: Path) -> None:
    output = MapOutput(tmp_path, 2, lambda _key, _reduces: 2, None, 1 << 20, 10, Tally())
    with pytest.raises(ValueError, match=r"Illegal partition for 'a' \(2\)"):
        output.emit("a", 1)


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=9), st.integers(2, 4))
def test_many_files_are_merged_in_several_passes(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[str]], factor: int
) -> None:
    directory = tmp_path_factory.mktemp("runs")
    paths = []
    for number, run in enumerate(runs):
        path = directory / f"run{number}"
        with path.open("wb") as stream:
            write_segment([(encode(key), encode(number)) for key in sorted(run)], stream)
        paths.append(path)
    merged = [decode(key) for key, _ in merge_files(paths, factor, directory)]
    assert merged == sorted(key for run in runs for key in run)
    groups = [key for key, _ in groupby(merged)]
    assert groups == sorted(set(merged))
