"""TFiles: those that Hadoop 3.4.1 wrote are read, from any place and damaged, and ours are the same."""

from __future__ import annotations

import base64
import io
import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnbox.yarn.storage.tfile import (
    COMPRESSIONS,
    Piece,
    TFile,
    TFileWriter,
    View,
    is_tfile,
    number_bytes,
    read_number,
)

PLAIN = base64.b64decode(
    "0RHTaJG117Y530FAkrrhUAkAB1ZFUlNJT04EAAAAARMAEUFQUExJQ0FUSU9OX09XTkVSBQADYW5uHAAaY29udGFpbmVyXzFfMDAw"
    "MV8wMV8wMDAwMDL4AAZzdGRvdXTiAAIyNmhlbGxvIGZyb20gMgphbmQgZ29vZC1ieWUK+AAGc3RkZXJyAwABMBwAGmNvbnRhaW5l"
    "cl8xXzAwMDFfMDFfMDAwMDAz+AAGc3Rkb3V04gACMjZoZWxsbyBmcm9tIDMKYW5kIGdvb2QtYnllCvgABnN0ZGVycgMAATAAAQAA"
    "BAAKCQAHVkVSU0lPTh4cABpjb250YWluZXJfMV8wMDAxXzAxXzAwMDAwMwQEbm9uZQEQzM3MzQMRZGF0YTpCQ0ZpbGUuaW5kZXgE"
    "bm9uZc0NCwsQZGF0YTpURmlsZS5pbmRleARub25lzOMqKg9kYXRhOlRGaWxlLm1ldGEEbm9uZczdBgYAAAAAAAABGAABAADREdNo"
    "kbXXtjnfQUCSuuFQ"
)
"""Values in chunks of eight bytes; nothing is compressed."""

PACKED = base64.b64decode(
    "0RHTaJG117Y530FAkrrhUHic42RgD3MNCvb092NhYGBgFGYQdAwI8PF0dgwBCsX7h/u5BrEyMCfm5ckwSCXn55UkZualFsUbxhsY"
    "GAAJMG1gYGTIwFZckpJfWsLAZGSWkZqTk6+QVpSfq2DElZiXopCen5+im1SZygVWlVpUxMBogM84Y1zGGeM0DgAVIDYlAAEAAAQA"
    "eJzj4mRgD3MNCvb095OTYZBKzs8rSczMSy2KN4w3MDAAEmDawMCYBQDZjgpOeJxjSq9iFDjTcOY4AA4OA9QDEWRhdGE6QkNGaWxl"
    "LmluZGV4Amd6zMMRCRBkYXRhOlRGaWxlLmluZGV4Amd6zJYtKg9kYXRhOlRGaWxlLm1ldGEEbm9uZcyQBgYAAAAAAAAA1AABAADR"
    "EdNokbXXtjnfQUCSuuFQ"
)
"""The same records in a block that is compressed by gz."""

RECORDS = [
    (b"\0\7VERSION", b"\0\0\0\1"),
    (b"\0\x11APPLICATION_OWNER", b"\0\3ann"),
    *(
        (
            b"\0\x1acontainer_1_0001_01_00000%d" % number,
            b"\0\6stdout\0\x0226hello from %d\nand good-bye\n\0\6stderr\0\x010" % number,
        )
        for number in (2, 3)
    ),
]


def read(data: bytes, path: Path) -> list[tuple[bytes, bytes]]:
    path.write_bytes(data)
    with TFile(path) as file:
        return [(key, value.read()) for key, value in file.records()]


@pytest.mark.parametrize("data", [PLAIN, PACKED])
def test_hadoops_own_files_are_read(data: bytes, tmp_path: Path) -> None:
    assert read(data, tmp_path / "f") == RECORDS
    assert is_tfile(tmp_path / "f")


def test_other_files_are_told_apart(tmp_path: Path) -> None:
    for content in b"", b"PK", PLAIN[:-1], PLAIN[:16]:
        (tmp_path / "f").write_bytes(content)
        assert not is_tfile(tmp_path / "f")


@pytest.mark.parametrize(
    ("data", "number"),
    [
        ("00", 0),
        ("7f", 127),
        ("e0", -32),
        ("cc80", 128),
        ("cbdf", -33),
        ("dfff", 5119),
        ("b800", -5120),
        ("a81400", 5120),
        ("a7ebff", -5121),
        ("b7ffff", 1048575),
        ("980000", -1048576),
        ("90100000", 1048576),
        ("97ffffff", 134217727),
        ("88000000", -134217728),
        ("8308000000", 134217728),
        ("840080000000", 2147483648),
        ("84ff7fffffff", -2147483649),
        ("85008000000000", 549755813888),
        ("8600800000000000", 140737488355328),
        ("870080000000000000", 36028797018963968),
        ("878000000000000000", -9223372036854775808),
        ("877fffffffffffffff", 9223372036854775807),
    ],
)
def test_numbers_are_hadoops(data: str, number: int) -> None:
    assert read_number(io.BytesIO(bytes.fromhex(data))) == number
    assert number_bytes(number).hex() == data


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_every_number_is_read_as_it_was_written(number: int) -> None:
    assert read_number(io.BytesIO(number_bytes(number))) == number


def written(records: list[tuple[bytes, list[bytes]]], compression: str = "none") -> bytes:
    file = io.BytesIO()
    writer = TFileWriter(file, compression)
    for key, value in records:
        writer.append(key, value)
    writer.close()
    return file.getvalue()


def test_what_is_written_is_byte_for_byte_what_hadoop_writes() -> None:
    cut = [(key, [value]) for key, value in RECORDS[:2]]
    cut += [(key, [value[:8], value[8:38], value[38:46], value[46:]]) for key, value in RECORDS[2:]]
    assert written(cut) == PLAIN


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_what_was_written_is_read(compression: str, tmp_path: Path) -> None:
    """Records of several blocks among them, empty ones, and none at all."""
    noise = random.Random(1)
    records = [(b"", []), (b"one", [b"1"]), (b"empty", [b""])]
    records += [(b"long", [noise.randbytes(65_536) for _ in range(number)]) for number in (5, 0, 6)]
    assert read(written(records, compression), tmp_path / "f") == [
        (key, b"".join(value)) for key, value in records
    ]
    assert read(written([], compression), tmp_path / "f") == []


def test_a_view_is_a_file_of_pieces() -> None:
    file = io.BytesIO(b"0123456789")
    view = View(file, [Piece(8, 2), Piece(0, 0), Piece(3, 4)])
    assert view.read() == b"893456"
    assert view.seek(-3, os.SEEK_END) == 3
    assert io.BufferedReader(view).read(2) == b"45"
    assert view.part(1, 3).read() == b"934"
    assert view.part(6, 0).read() == b""
    with pytest.raises(OSError, match="ends too early"):
        view.part(4, 3)


@given(st.lists(st.tuples(st.integers(0, len(PLAIN) - 1), st.integers(0, 255)), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_a_damaged_file_is_an_os_error_or_other_bytes(
    tmp_path_factory: pytest.TempPathFactory, damages: list[tuple[int, int]]
) -> None:
    for whole in PLAIN, PACKED:
        data = bytearray(whole)
        for at, byte in damages:
            data[at % len(data)] = byte
        try:
            read(bytes(data), tmp_path_factory.getbasetemp() / "damaged")
        except OSError:
            continue
