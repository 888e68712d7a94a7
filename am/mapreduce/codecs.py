"""Codecs by Hadoop's names: what compresses map output and results, and reads compressed input.

zlib, gzip and bzip2 come with Python; the other two need a package, which is asked for by name when it is
missing. A block is compressed on its own, so that neither side ever holds more than one. Hadoop:
DefaultCodec, GzipCodec, BZip2Codec, Lz4Codec and ZStandardCodec.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from yarnbox.yarn.storage.urls import is_remote

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_FAST = 1
"""Map output is written once and read once: the quickest level saves more time than the best one space."""


class MissingPackageError(Exception):
    """A codec whose package is not installed."""


@dataclass(frozen=True, slots=True)
class Codec:
    """How a block becomes smaller, and whole again; `errors` are those of a block that is damaged."""

    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]
    errors: tuple[type[Exception], ...]


def _zlib() -> Codec:
    return Codec(lambda data: zlib.compress(data, _FAST), zlib.decompress, (zlib.error,))


def _gzip() -> Codec:
    errors = (zlib.error, OSError, EOFError)
    return Codec(lambda data: gzip.compress(data, _FAST, mtime=0), gzip.decompress, errors)


def _bzip2() -> Codec:
    return Codec(lambda data: bz2.compress(data, _FAST), bz2.decompress, (OSError, ValueError))


def _lz4() -> Codec:
    block = importlib.import_module("lz4.block")
    return Codec(block.compress, block.decompress, (block.LZ4BlockError,))


def _zstandard() -> Codec:
    package = importlib.import_module("zstandard")
    return Codec(package.compress, package.decompress, (package.ZstdError,))


_CODECS: dict[str, tuple[str, Callable[[], Codec]]] = {
    "DefaultCodec": ("", _zlib),
    "GzipCodec": ("", _gzip),
    "BZip2Codec": ("", _bzip2),
    "Lz4Codec": ("lz4", _lz4),
    "ZStandardCodec": ("zstandard", _zstandard),
}

CODEC_NAMES = tuple(_CODECS)

_EXTENSIONS = {
    ".gz": "GzipCodec",
    ".bz2": "BZip2Codec",
    ".deflate": "DefaultCodec",
    ".zst": "ZStandardCodec",
}
RESULT_CODECS = {name: extension for extension, name in _EXTENSIONS.items()}
"""What can compress a result, and how such a file's name ends."""

_READ_BYTES = 1 << 18


def codec_name(text: str) -> str:
    """The codec that a property names, with or without Hadoop's package before it."""
    name = text.strip().rpartition(".")[2]
    if name not in _CODECS:
        raise ValueError("one of " + ", ".join(CODEC_NAMES))
    return name


def result_codec_name(text: str) -> str:
    """The same for results: a file of them is one stream that other programs read, too."""
    name = codec_name(text)
    if name not in RESULT_CODECS:
        raise ValueError("one of " + ", ".join(RESULT_CODECS))
    return name


def codec_named(name: str) -> Codec:
    """The codec; MissingPackageError says what to install."""
    package, make = _CODECS[name]
    try:
        return make()
    except ImportError:
        raise MissingPackageError(
            f"{name} needs the package {package}: pip install {package}, or name another codec"
        ) from None


# Compressed files.


def is_compressed(path: Path | str) -> bool:
    """Whether a file is, by its name."""
    return Path(path).suffix in _EXTENSIONS


def open_input(path: Path | str) -> BinaryIO:
    """The file's content, decompressed as its name says; MissingPackageError says what that would take."""
    suffix = Path(path).suffix
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(_named_or_open(path), "rb"))
    if suffix == ".bz2":
        return cast(BinaryIO, bz2.open(_named_or_open(path), "rb"))
    if suffix == ".zst":
        codec_named("ZStandardCodec")
        opened = importlib.import_module("zstandard").open(_named_or_open(path), "rb")
        return cast(BinaryIO, io.BufferedReader(opened))
    if suffix == ".deflate":
        return cast(BinaryIO, io.BufferedReader(_Inflated(open_as_it_is(path)), _READ_BYTES))
    return open_as_it_is(path)


def open_as_it_is(path: Path | str) -> BinaryIO:
    """The file of a path or URL."""
    if is_remote(str(path)):
        from yarnbox.yarn.storage.remote_files import open_file  # which few tasks need

        return open_file(str(path))
    return open(path, "rb", buffering=_READ_BYTES)


def _named_or_open(path: Path | str) -> Path | str | BinaryIO:
    return open_as_it_is(path) if is_remote(str(path)) else path


def open_result(path: Path, codec: str) -> BinaryIO:
    """A file to be written that compresses what it is given; its end is written when it is closed."""
    if codec == "GzipCodec":
        return cast(BinaryIO, gzip.GzipFile(path, "wb", mtime=0))
    if codec == "BZip2Codec":
        return cast(BinaryIO, bz2.open(path, "wb"))
    if codec == "ZStandardCodec":
        codec_named(codec)
        return cast(BinaryIO, importlib.import_module("zstandard").open(path, "wb"))
    return cast(BinaryIO, _Deflated(path))


class _Deflated(io.RawIOBase):
    """Writes what zlib makes of what it is given."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("wb")
        self._zlib = zlib.compressobj()

    def write(self, data: ReadableBuffer) -> int:
        self._stream.write(self._zlib.compress(data))
        return memoryview(data).nbytes

    def close(self) -> None:
        if not self.closed:
            with self._stream:
                self._stream.write(self._zlib.flush())
        super().close()


class _Inflated(io.RawIOBase):
    """What zlib makes of a file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._zlib = zlib.decompressobj()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = b""
        while not data and not self._zlib.eof:
            read = self._zlib.unconsumed_tail or self._stream.read(_READ_BYTES)
            if not read:
                raise EOFError("the file ends before its compressed content does")
            data = self._zlib.decompress(read, len(view))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
