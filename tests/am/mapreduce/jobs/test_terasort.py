"""The rows that teragen makes; sorting and checking them are in tests/am/job_command/test_examples.py."""

from __future__ import annotations

import zlib

import pytest

from yarnbox.am.mapreduce.jobs.terasort import records


@pytest.mark.parametrize("first, count, checksum", [(0, 1000, 0x1F9FFE645EC), (9_999_990, 10, 0x3C8479129)])
def test_rows_are_those_of_hadoops_gensort(first: int, count: int, checksum: int) -> None:
    """The check sums are those that GenSort of Hadoop 3.4.1 prints for the same rows."""
    assert sum(zlib.crc32(one) for one in records(first, count)) == checksum


def test_a_row_is_the_same_wherever_its_map_begins() -> None:
    assert list(records(0, 40))[29:] == list(records(29, 11))


def test_the_first_row() -> None:
    (row,) = records(0, 1)
    assert row[:12] == b"JimGrayRIP\x00\x11"
    assert row[12:48] == b"0" * 32 + b"\x88\x99\xaa\xbb"
    assert row[48:] == b"222200002222000022220000222200002222000000001111\xcc\xdd\xee\xff"
