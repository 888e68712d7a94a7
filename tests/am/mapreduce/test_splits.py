"""Splits: no byte twice, no line cut, blocks placed by a rule; and what a wrong input is told."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.am.mapreduce.splits import (
    Chunk,
    InvalidInputError,
    Placement,
    Split,
    chosen_split_bytes,
    input_files,
    make_splits,
    read_splits,
    text_blocks,
    text_lines,
    write_splits,
)

RACKS = {"n1": "/r1", "n2": "/r1", "n3": "/r2", "n4": "/r2"}


@given(st.binary(max_size=200).map(lambda data: data.replace(b"x", b"\n")), st.integers(1, 60))
def test_every_line_is_read_once_whatever_the_cuts(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, size: int
) -> None:
    path = tmp_path_factory.mktemp("input") / "text"
    path.write_bytes(data)
    splits = make_splits([(path, len(data))], Placement(), block_bytes=1 << 20, max_bytes=size)
    chunks = [chunk for split in splits for chunk in split.chunks]
    assert sum(chunk.length for chunk in chunks) == len(data)
    assert b"".join(block for chunk in chunks for block in text_blocks(chunk)) == data
    lines = [line for chunk in chunks for batch in text_lines(chunk) for _, line in batch]
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    expected = [line.rstrip(b"\r") for line in expected]
    assert [line.encode("utf-8", "surrogateescape") for line in lines] == expected


def test_a_line_that_begins_at_a_cut_belongs_to_the_chunk_before(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"one\ntwo\nthree\n")
    assert [*chain(*text_lines(Chunk(str(path), 0, 4)))] == [(0, "one"), (4, "two")]
    assert [*chain(*text_lines(Chunk(str(path), 4, 10)))] == [(8, "three")]


@pytest.mark.parametrize(
    ("megabytes", "expected"), [(0, []), (20, [8, 8, 4]), (100, [12.5] * 8), (1024, [64] * 16)]
)
def test_without_a_property_an_input_has_some_maps_and_no_tiny_ones(
    megabytes: int, expected: list[float]
) -> None:
    files = [(Path("/text"), megabytes << 20)]
    most = chosen_split_bytes(megabytes << 20)
    splits = make_splits(files, Placement(), block_bytes=64 << 20, max_bytes=most)
    assert [split.length / (1 << 20) for split in splits] == expected


def test_small_files_share_a_split_and_large_ones_are_cut(tmp_path: Path) -> None:
    sizes = {"a": 10, "b": 20, "c": 95, "d": 0}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"." * size)
    splits = make_splits(input_files([tmp_path]), Placement(), block_bytes=1 << 20, max_bytes=40)
    lengths = [[(Path(chunk.path).name, chunk.length) for chunk in split.chunks] for split in splits]
    assert lengths == [[("a", 10), ("b", 20)], [("c", 40)], [("c", 40)], [("c", 15)]]


def test_a_rest_of_a_tenth_stays_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"." * 44)
    splits = make_splits([(path, 44)], Placement(), block_bytes=1 << 20, max_bytes=40)
    assert [split.length for split in splits] == [44]


def test_hidden_files_are_left_out_and_directories_read_through(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("a", ".hidden", "_SUCCESS", "_weakref.py", "deep/b", "deep/er/c"):
        (tmp_path / name).write_bytes(b"x")
    names = [Path(path).relative_to(tmp_path.resolve()).as_posix() for path, _ in input_files([tmp_path])]
    assert names == ["_weakref.py", "a", "deep/b", "deep/er/c"]
    flat = input_files([tmp_path], recursive=False)
    assert [Path(path).name for path, _ in flat] == ["_weakref.py", "a"]


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"Input path does not exist: .*nothing"):
        input_files([tmp_path / "nothing"])


class TestPlacement:
    def test_replicas_follow_the_rule_of_hdfs(self) -> None:
        placement = Placement(RACKS)
        for block in range(50):
            first, second, third = placement.replicas("/text", block)
            assert RACKS[first] != RACKS[second] == RACKS[third]
            assert second != third

    def test_the_same_block_lies_at_the_same_place_and_others_elsewhere(self) -> None:
        one, two = Placement(RACKS), Placement(dict(reversed(RACKS.items())))
        places = [one.replicas("/text", block) for block in range(50)]
        assert places == [two.replicas("/text", block) for block in range(50)]
        assert len({place[0] for place in places}) == len(RACKS)

    def test_small_clusters_have_fewer_replicas(self) -> None:
        assert Placement({}).replicas("/text", 0) == ()
        assert Placement({"n1": "/r"}).replicas("/text", 0) == ("n1",)
        assert sorted(Placement({"n1": "/r", "n2": "/r"}).replicas("/text", 0)) == ["n1", "n2"]

    def test_a_split_is_where_most_of_it_is(self, tmp_path: Path) -> None:
        path = tmp_path / "text"
        path.write_bytes(b"." * 100)
        (split,) = make_splits([(path, 100)], Placement(RACKS), block_bytes=1 << 20, max_bytes=1 << 20)
        assert split.hosts == tuple(sorted(Placement(RACKS).replicas(str(path), 0)))
        assert set(split.racks) == {"/r1", "/r2"}


def test_splits_are_read_as_they_were_written(tmp_path: Path) -> None:
    splits = [
        Split(chunks=(Chunk("/text", 0, 5),), hosts=("n1",), racks=("/r",)),
        Split(records=((0, 100), (100, 100))),
    ]
    write_splits(tmp_path / "splits", splits)
    assert read_splits(tmp_path / "splits") == splits
