"""Map output: an encoding that keeps order, segments that notice damage, merges that lose nothing."""

from __future__ import annotations

import io
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.am.mapreduce.task_rig import Surroundings, summing, write_segment
from yarnbox.am.mapreduce.api import ReduceContext, Reducer, Tally
from yarnbox.am.mapreduce.codecs import (
    CODEC_NAMES,
    Codec,
    MissingPackageError,
    codec_name,
    codec_named,
)
from yarnbox.am.mapreduce.jobs.wordcount import SumReducer
from yarnbox.am.mapreduce.shuffle.map_output import MapOutput, SortLimits, TooManySpillsError, hash_partition
from yarnbox.am.mapreduce.shuffle.merging import Combiner, Merges, Segment, UnsortedError, first_width, merged
from yarnbox.am.mapreduce.shuffle.records import decode, encode
from yarnbox.am.mapreduce.shuffle.segments import (
    BLOCK_BYTES,
    BLOCK_RECORDS,
    Batch,
    CorruptSegmentError,
    copy_segment,
    decompressed,
    read_segment,
)
from yarnbox.yarn.shuffle import OUTPUT_FILE, read_index

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


CODECS = [None, *CODEC_NAMES]


def codec_of(name: str | None) -> Codec | None:
    return codec_named(name) if name is not None else None


def written(batches: list[Batch], codec: Codec | None = None) -> bytes:
    stream = io.BytesIO()
    said = write_segment(batches, stream, codec)
    assert said.length == len(stream.getvalue())
    assert said.records == sum(map(len, batches))
    return stream.getvalue()


@pytest.mark.parametrize("name", CODECS)
def test_a_segment_is_read_as_it_was_written(name: str | None) -> None:
    codec = codec_of(name)
    records = [(b"key %06d" % number, b"value" * (number % 7)) for number in range(5000)]
    records[3000] = (b"key 003000", b"x" * (3 * BLOCK_BYTES))
    whole, single = written([records], codec), written([[record] for record in records], codec)
    for data in (whole, single):
        found = list(read_segment(io.BytesIO(data), codec))
        assert list(chain.from_iterable(found)) == records
        assert max(map(len, found)) <= BLOCK_RECORDS
    assert list(read_segment(io.BytesIO(written([], codec)), codec)) == []
    plain = decompressed(io.BytesIO(whole), codec)
    assert plain == written([records])
    copied = io.BytesIO()
    assert copy_segment(io.BytesIO(whole), copied) == len(whole)
    assert copied.getvalue() == whole
    if codec is not None:
        assert len(whole) < len(plain) / 3


def test_blocks_are_bounded_in_bytes() -> None:
    records = [(b"%04d" % number, b"x" * 10_000) for number in range(300)]
    for data in (written([records]), written([[record] for record in records])):
        assert all(len(batch) * 10_000 <= 2 * BLOCK_BYTES for batch in read_segment(io.BytesIO(data)))


@pytest.mark.parametrize("name", CODECS)
def test_a_segment_notices_damage(name: str | None) -> None:
    codec = codec_of(name)
    data = written([[(b"a", b"1" * 100), (b"b", b"")]], codec)
    for at in range(len(data)):
        flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        for broken in (data[:at], flipped):
            with pytest.raises(CorruptSegmentError):
                list(read_segment(io.BytesIO(broken), codec))
    two = written([[(b"a", b"1")] * BLOCK_RECORDS, [(b"b", b"2")]])
    shorter = two[: two.index(b"a" * 9)] + two[two.index(b"b2") :]
    with pytest.raises(CorruptSegmentError):
        list(read_segment(io.BytesIO(shorter)))


def test_a_codec_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingPackageError, match="ZStandardCodec needs the package zstandard: pip install"):
        codec_named("ZStandardCodec")


def test_codecs_have_hadoops_names() -> None:
    assert codec_name("org.apache.hadoop.io.compress.GzipCodec") == "GzipCodec"
    with pytest.raises(ValueError, match="one of DefaultCodec, GzipCodec"):
        codec_name("org.apache.hadoop.io.compress.SnappyCodec")


def segments(directory: Path, reduces: int, codec: Codec | None = None) -> list[list[tuple[Any, Any]]]:
    data = (directory / OUTPUT_FILE).read_bytes()
    found = []
    for start, _, length in read_index(directory / f"{OUTPUT_FILE}.index"):
        records = chain.from_iterable(read_segment(io.BytesIO(data[start : start + length]), codec))
        found.append([(decode(key), decode(value)) for key, value in records])
    assert len(found) == reduces
    return found


def counters(tally: Tally) -> dict[str, int]:
    return tally.groups["org.apache.hadoop.mapreduce.TaskCounter"]


@given(
    st.lists(st.sampled_from(["a", "b", "c", "dd", "e" * 50]), max_size=80),
    st.integers(1, 4),
    st.sampled_from([300, 2000, 1 << 20]),
    st.booleans(),
    st.sampled_from([None, "DefaultCodec"]),
)
def test_what_goes_in_comes_out_sorted_at_its_reduce(
    tmp_path_factory: pytest.TempPathFactory,
    words: list[str],
    reduces: int,
    limit: int,
    combines: bool,
    codec: str | None,
) -> None:
    directory = tmp_path_factory.mktemp("output")
    tally = Tally()
    combiner = summing(tally) if combines else None
    limits = SortLimits(limit_bytes=limit, factor=3, combine_spills=1)
    output = MapOutput(directory, reduces, hash_partition, combiner, limits, tally, codec=codec_of(codec))
    for word in words:
        output.emit(word, 1)
    output.finish()
    counted: Counter[str] = Counter()
    found = segments(directory, reduces, codec_of(codec))
    for number, records in enumerate(found):
        assert [key for key, _ in records] == sorted(key for key, _ in records)
        for key, value in records:
            assert reduces == 1 or hash_partition(encode(key), reduces) == number
            counted[key] += value
    assert counted == Counter(words)
    if combines:
        assert sum(map(len, found)) == len(set(words))
    assert sorted(path.name for path in directory.iterdir()) == ["file.out", "file.out.index"]
    counted_by_it = counters(tally)
    assert counted_by_it["MAP_OUTPUT_RECORDS"] == len(words)
    assert counted_by_it["MAP_OUTPUT_BYTES"] == sum(len(encode(word)) + len(encode(1)) for word in words)
    assert counted_by_it["MAP_OUTPUT_MATERIALIZED_BYTES"] == (directory / OUTPUT_FILE).stat().st_size


def spilling(directory: Path, combine_spills: int = 3, factor: int = 10, spills: int = 6) -> dict[str, int]:
    """Counters of a map that spills so often, two different words at a time, and the sum of all its words."""
    tally = Tally()
    limits = SortLimits(limit_bytes=1000, factor=factor, combine_spills=combine_spills)
    output = MapOutput(directory, 1, hash_partition, summing(tally), limits, tally)
    while len(list(directory.glob("spill*.out"))) < spills:
        output.emit_all([("a", 1), ("b", 1)])
    output.finish()
    ((one, two),) = [[value for _, value in records] for records in [merged_values(directory)]]
    assert one - two in (0, 1)
    return counters(tally)


def merged_values(directory: Path) -> list[tuple[str, int]]:
    """The sums of what was written, whether or not it is combined."""
    found: Counter[str] = Counter()
    for key, value in segments(directory, 1)[0]:
        found[key] += value
    return sorted(found.items())


class Calls(SumReducer):
    """Counts how often it is asked."""

    leaves_single_values = True
    calls = 0

    def run(self, context: ReduceContext) -> None:
        type(self).calls += 1
        super().run(context)


class Undeclared(Calls):
    calls = 0


@pytest.mark.parametrize(
    "reducer, keys, calls", [(Calls, "abc", 0), (Calls, "abca", 1), (Undeclared, "abc", 1), (Calls, "", 0)]
)
def test_a_combiner_that_leaves_single_values_is_asked_of_keys_that_come_twice(
    tmp_path: Path, reducer: type[Calls], keys: str, calls: int
) -> None:
    """The counters are those of the call that was spared."""
    reducer.calls, tally = 0, Tally()
    combiner = Combiner(reducer(), tally, Surroundings())
    output = MapOutput(tmp_path, 1, hash_partition, combiner, SortLimits(limit_bytes=1 << 20), tally)
    output.emit_all((key, 1) for key in keys)
    output.finish()
    assert reducer.calls == calls
    (found,) = segments(tmp_path, 1)
    assert found == sorted(Counter(keys).items())
    counted = counters(tally)
    assert counted.get("COMBINE_INPUT_RECORDS", 0) == len(keys)
    assert counted.get("COMBINE_OUTPUT_RECORDS", 0) == len(found)


def test_the_combiner_runs_again_where_enough_spills_are_merged(tmp_path: Path) -> None:
    again, not_again = tmp_path / "again", tmp_path / "not"
    again.mkdir()
    not_again.mkdir()
    counted = spilling(again)
    emitted, spills = counted["MAP_OUTPUT_RECORDS"], 6
    rest = counted["COMBINE_INPUT_RECORDS"] - emitted - 2 * spills
    assert 0 <= rest <= 2, "each spill, and the two words of each of them once more"
    assert len(segments(again, 1)[0]) == 2
    assert counted["SPILLED_RECORDS"] in (2 * spills + 2, 2 * spills + 3, 2 * spills + 4)
    counted = spilling(not_again, combine_spills=8)
    assert counted["COMBINE_INPUT_RECORDS"] == counted["MAP_OUTPUT_RECORDS"]
    assert len(segments(not_again, 1)[0]) in (2 * spills, 2 * spills + 1, 2 * spills + 2)


def test_records_of_passes_are_counted_as_spilled(tmp_path: Path) -> None:
    directories = [tmp_path / "one", tmp_path / "more"]
    for directory in directories:
        directory.mkdir()
    one, more = (
        spilling(directory, 99, factor) for directory, factor in zip(directories, (10, 2), strict=True)
    )
    assert one["SPILLED_RECORDS"] < more["SPILLED_RECORDS"]
    assert one["MAP_OUTPUT_RECORDS"] == more["MAP_OUTPUT_RECORDS"]


def test_a_map_that_spills_too_often_fails(tmp_path: Path) -> None:
    limits = SortLimits(limit_bytes=100, most_spills=2)
    output = MapOutput(tmp_path, 1, hash_partition, None, limits, Tally())
    with pytest.raises(
        TooManySpillsError, match=r"3, more than mapreduce\.task\.spill\.files\.count\.limit = 2"
    ):
        output.emit_all(("word", number) for number in range(100))


def test_a_partitioner_of_ones_own_must_keep_within_the_reduces(tmp_path: Path) -> None:
    output = MapOutput(tmp_path, 2, lambda _key, _reduces: 2, None, SortLimits(limit_bytes=1 << 20), Tally())
    with pytest.raises(ValueError, match=r"Illegal partition for 'a' \(2\)"):
        output.emit("a", 1)


@pytest.mark.parametrize(
    "count, factor, width", [(41, 10, 5), (10, 10, 10), (11, 10, 2), (19, 10, 10), (3, 2, 2), (20, 10, 2)]
)
def test_the_first_pass_is_as_wide_as_makes_the_others_full(count: int, factor: int, width: int) -> None:
    assert first_width(count, factor) == width
    if count > factor:
        assert (count - width + 1 - factor) % (factor - 1) == 0


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), min_size=1, max_size=9), st.integers(2, 4))
def test_many_files_are_merged_in_several_passes(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[str]], factor: int
) -> None:
    directory = tmp_path_factory.mktemp("runs")
    files = []
    for number, run in enumerate(runs):
        path = directory / f"run{number}"
        with path.open("wb") as stream:
            length = write_segment([[(encode(key), encode(number)) for key in sorted(run)]], stream).length
        files.append(Segment(length, path=path, is_whole_file=True, outputs=1))
    tally = Tally()
    merges = Merges(factor, None, None, tally)
    names = map(str, range(100))
    few = merges.few(files, lambda: directory / f"pass{next(names)}")
    assert len(few) <= factor
    assert sorted(str(one.path) for one in few) == sorted(map(str, directory.iterdir()))
    found = [decode(key) for batch in merges.records(few) for key, _ in batch]
    assert found == sorted(key for run in runs for key in run)
    assert counters(tally)["MERGED_MAP_OUTPUTS"] == len(runs)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 30), max_size=40), max_size=6), st.integers(1, 7))
def test_a_merge_is_sorted_and_loses_nothing_whatever_the_blocks(runs: list[list[int]], block: int) -> None:
    readers = []
    for run in runs:
        records = [(encode(key), b"") for key in sorted(run)]
        readers.append(iter([records[at : at + block] for at in range(0, len(records), block)]))
    found = [decode(key) for batch in merged(readers) for key, _ in batch]
    assert found == sorted(key for run in runs for key in run)


class Backwards(Reducer):
    """A combiner that writes at its end, the last key first."""

    def run(self, context: ReduceContext) -> None:
        sums = [(key, sum(values)) for key, values in context.groups()]
        context.emit_all(reversed(sums))


def test_what_a_combiner_writes_is_sorted_again_as_far_as_memory_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = Tally()
    combiner = Combiner(Backwards(), tally, Surroundings())
    output = MapOutput(tmp_path, 1, hash_partition, combiner, SortLimits(limit_bytes=1 << 20), tally)
    output.emit_all((f"key{number % 100:02}", 1) for number in range(300))
    output.finish()
    assert segments(tmp_path, 1)[0] == [(f"key{number:02}", 3) for number in range(100)]
    monkeypatch.setattr("yarnbox.am.mapreduce.shuffle.merging._SORTED_RECORDS", 50)
    output.emit_all((f"key{number % 100:02}", 1) for number in range(300))
    with pytest.raises(UnsortedError, match="wrote the key 'key00' long after 'key99'"):
        output.finish()
