"""Input formats: records of text, pairs, whole files, fixed lengths, and compressed files."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import zstandard

from yarnbox.am.mapreduce.api import NotAClassError, Tally
from yarnbox.am.mapreduce.input import InputFormat, input_format_name, input_format_named
from yarnbox.am.mapreduce.output import CODEC, COMPRESS, part_file, read_part
from yarnbox.am.mapreduce.splits import Chunk, Placement, input_files, make_splits
from yarnbox.yarn.configuration import Configuration

TEXT = b"".join(b"key%d\tvalue %d\n" % (number, number) for number in range(200_000))


def records(name: str, chunk: Chunk, **properties: str) -> list[tuple[Any, Any]]:
    configuration = Configuration.of({key.replace("_", "."): value for key, value in properties.items()})
    return [*chain(*input_format_named(name).batches(chunk, configuration))]


def whole(path: Path) -> Chunk:
    return Chunk(str(path), 0, path.stat().st_size)


@pytest.mark.parametrize(
    "extension, compress",
    [("gz", gzip.compress), ("bz2", bz2.compress), ("deflate", zlib.compress), ("zst", zstandard.compress)],
)
def test_a_compressed_file_is_one_split_and_read_as_if_it_were_not(
    tmp_path: Path, extension: str, compress: Callable[[bytes], bytes]
) -> None:
    path, plain = tmp_path / f"text.{extension}", tmp_path / "text"
    path.write_bytes(compress(TEXT))
    plain.write_bytes(TEXT)
    (split,) = make_splits(input_files([path]), Placement(), block_bytes=1 << 20, max_bytes=1 << 12)
    assert split.chunks == (whole(path),)
    assert records("TextInputFormat", whole(path)) == records("TextInputFormat", whole(plain))
    assert b"".join(input_format_named("TextInputFormat").blocks(whole(path))) == TEXT
    assert records("WholeFileInputFormat", whole(path)) == [(str(path), TEXT)]


@pytest.mark.parametrize(
    "codec, extension",
    [("GzipCodec", "gz"), ("BZip2Codec", "bz2"), ("", "deflate"), ("o.a.h.ZStandardCodec", "zst")],
)
def test_a_compressed_result_is_read_as_if_it_were_not(tmp_path: Path, codec: str, extension: str) -> None:
    asked = Configuration.of({COMPRESS: "true", **({CODEC: codec} if codec else {})})
    with part_file(tmp_path / "part-r-00000", "TextOutputFormat", asked, Tally(), "OUT") as lines:
        lines.emit_all([(str(number), number) for number in range(3000)])
    path = tmp_path / f"part-r-00000.{extension}"
    expected = [(str(number), str(number)) for number in range(3000)]
    assert [tuple(pair) for pair in records("KeyValueTextInputFormat", whole(path))] == expected
    assert read_part(tmp_path, "part-r-00000").startswith("0\t0\n1\t1\n")


def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "part-r-00000"
    path.symlink_to("/dev/full")
    with (
        pytest.raises(OSError, match="No space left") as caught,
        part_file(path, "TextOutputFormat", Configuration.of({}), Tally(), "OUT") as lines,
    ):
        lines.emit_all([("x" * 1000, number) for number in range(3000)])
    assert caught.value.__context__ is None


def test_a_deflated_file_that_is_cut_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "text.deflate"
    path.write_bytes(zlib.compress(TEXT)[:-100])
    with pytest.raises(EOFError, match="the file ends before its compressed content does"):
        records("TextInputFormat", whole(path))


def test_keys_end_at_the_first_separator(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a\tb\tc\nd\n\te\n")
    assert records("KeyValueTextInputFormat", whole(path)) == [("a", "b\tc"), ("d", ""), ("", "e")]
    separator = {"mapreduce_input_keyvaluelinerecordreader_key_value_separator": "b"}
    assert records("KeyValueTextInputFormat", whole(path), **separator)[0] == ("a\t", "\tc")


@pytest.mark.parametrize("size", [1, 7, 10, 64])
def test_every_record_of_fixed_length_is_read_once_whatever_the_cuts(tmp_path: Path, size: int) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(range(200)))
    chunks = [Chunk(str(path), start, min(size, 200 - start)) for start in range(0, 200, size)]
    length = {"fixedlengthinputformat_record_length": "10"}
    found = [pair for chunk in chunks for pair in records("FixedLengthInputFormat", chunk, **length)]
    assert found == [(at, bytes(range(at, at + 10))) for at in range(0, 200, 10)]
    with pytest.raises(ValueError, match="ends within a record of 30 bytes"):
        records("FixedLengthInputFormat", whole(path), fixedlengthinputformat_record_length="30")
    with pytest.raises(ValueError, match="set it to the number of bytes of a record"):
        records("FixedLengthInputFormat", whole(path))


class Halves(InputFormat):
    """A format of one's own that does not say what its records are."""


def test_names_of_formats() -> None:
    assert input_format_name("org.apache.hadoop.mapred.TextInputFormat") == "TextInputFormat"
    assert input_format_name("my.Format") == "my.Format"
    with pytest.raises(ValueError, match="one of TextInputFormat, KeyValueTextInputFormat"):
        input_format_name("TextFormat")
    with pytest.raises(NotAClassError, match="is not an InputFormat"):
        input_format_named("pathlib.Path")
    own = input_format_named(f"{__name__}.Halves")
    with pytest.raises(NotImplementedError, match="Halves does not say what its records are"):
        list(own.batches(Chunk("x", 0, 1), Configuration.of({})))
    with pytest.raises(TypeError, match="the input of Halves is not read as blocks of lines"):
        own.blocks(Chunk("x", 0, 1))


@pytest.mark.parametrize(
    ("name", "found", "expected"),
    [
        ("TextInputFormat", [(10, "ab"), (13, "cde")], 7),
        ("TextInputFormat", [("a class below it", "x")], 19),
        ("KeyValueTextInputFormat", [("key", "value"), ("k", "")], 13),
        ("FixedLengthInputFormat", [(0, b"abcd"), (4, b"efgh")], 10),
    ],
)
def test_the_size_of_records_is_about_that_of_their_bytes(
    name: str, found: list[tuple[Any, Any]], expected: int
) -> None:
    assert input_format_named(name).size_of(found) == expected
