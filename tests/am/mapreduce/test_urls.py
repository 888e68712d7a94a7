"""Input by URL: over HTTP by a real server, with ranges and without, and by a filesystem of fsspec's."""

from __future__ import annotations

import bz2
import functools
import gzip
import http.server
import re
import sys
import threading
import zlib
from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.am.mapreduce.local_job import LocalRunner
from yarnbox.am.job_command.examples import EXAMPLES, paths
from yarnbox.am.mapreduce.input import TextInputFormat
from yarnbox.am.mapreduce.jobs import wordcount
from yarnbox.am.mapreduce.splits import (
    InvalidInputError,
    Placement,
    Split,
    input_files,
    make_splits,
    text_lines,
)
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.storage import remote_files, urls

LINES = [f"line {number} " + "x" * (number % 50) for number in range(2000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Files of a directory, as a whole."""

    def log_message(self, format: str, *_arguments: Any) -> None:
        pass


class _RangeHandler(_Handler):
    """And parts of them."""

    def send_head(self) -> Any:
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        path = Path(self.translate_path(self.path))
        if asked is None or not path.is_file():
            return super().send_head()
        size = path.stat().st_size
        start, end = int(asked[1]), min(int(asked[2]), size - 1)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end}/{size}")
        self.send_header("Content-Length", str(end + 1 - start))
        self.end_headers()
        self.left = end + 1 - start
        file = path.open("rb")
        file.seek(start)
        return file

    def copyfile(self, source: Any, outputfile: Any) -> None:
        outputfile.write(source.read(getattr(self, "left", -1)))


class Server:
    """Files of a directory over HTTP."""

    def __init__(self, directory: Path, *, has_ranges: bool) -> None:
        self.directory = directory
        self.has_ranges = has_ranges
        kind = _RangeHandler if has_ranges else _Handler
        handler = functools.partial(kind, directory=str(directory))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{name}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(params=[True, False], ids=["ranges", "no ranges"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "text").write_bytes(TEXT)
    found = Server(tmp_path / "www", has_ranges=request.param)
    yield found
    found.close()


def cut(inputs: list[str], most: int) -> list[Split]:
    return make_splits(input_files(inputs), Placement({"h": "/r"}), block_bytes=1 << 20, max_bytes=most)


def lines_of(splits: list[Split]) -> list[tuple[int, str]]:
    chunks = [chunk for split in splits for chunk in split.chunks]
    return list(chain.from_iterable(chain.from_iterable(map(text_lines, chunks))))


def test_a_file_over_http_is_cut_where_its_server_has_ranges(server: Server) -> None:
    splits = cut([server.url("text")], 10_000)
    assert len(splits) == (len(TEXT) // 10_000 + 1 if server.has_ranges else 1)
    assert {split.hosts for split in splits} == {()}  # it is near to no node
    assert lines_of(splits) == lines_of(cut([str(server.directory / "text")], 10_000))


@pytest.mark.parametrize(
    "name, packed",
    [("a.gz", gzip.compress(TEXT)), ("a.bz2", bz2.compress(TEXT)), ("a.deflate", zlib.compress(TEXT))],
)
def test_compressed_files_by_url(server: Server, name: str, packed: bytes) -> None:
    (server.directory / name).write_bytes(packed)
    (split,) = cut([server.url(name)], 100)
    assert [line for _, line in lines_of([split])] == LINES


def test_a_job_counts_words_of_urls_as_of_paths(server: Server, tmp_path: Path) -> None:
    for name, given in (("by-url", server.url("text")), ("by-path", str(server.directory / "text"))):
        runner = LocalRunner(tmp_path, **{"mapreduce.input.fileinputformat.split.maxsize": "20000"})
        client = runner.client({**wordcount.properties(), **paths([given], tmp_path / name)})
        assert runner.run_job(client)
    by_url, by_path = ((tmp_path / name / "part-r-00000").read_bytes() for name in ("by-url", "by-path"))
    assert by_url == by_path != b""


def test_what_is_not_there_over_http(server: Server) -> None:
    with pytest.raises(InvalidInputError, match=r"Input path does not exist: http://.*/none"):
        input_files([server.url("none")])


def test_a_server_that_goes_away_is_an_error_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(TEXT)
    server = Server(tmp_path, has_ranges=True)
    stream: BinaryIO = remote_files.open_file(server.url("text"))
    server.close()
    stream.seek(len(TEXT) // 2)
    with pytest.raises(OSError, match=r"http://127"):
        stream.read()
    stream.close()


def test_directories_of_other_filesystems(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    for name in ("a.txt", "_SUCCESS", ".hidden", "deep/b", "deep/_logs", "deep/er/c"):
        (tmp_path / name).write_text(f"{name}\n")
    url = f"simplecache::file://{tmp_path}"
    assert input_files([url]) == [
        (f"{url}/{name}", len(name) + 1) for name in ("a.txt", "deep/b", "deep/er/c")
    ]
    assert [name for name, _ in input_files([f"{url}/"], recursive=False)] == [f"{url}/a.txt"]
    (chunk,) = (chunk for split in cut([f"{url}/deep/b"], 100) for chunk in split.chunks)
    batches = list(TextInputFormat().batches(chunk, Configuration()))
    assert batches == [[(0, "deep/b")]]


def test_join_knows_inputs_by_url(tmp_path: Path) -> None:
    for side, text in (("left", "k\tl\n"), ("right", "k\tr\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "data").write_text(text)
    options = EXAMPLES["join"]
    words = [f"simplecache::file://{tmp_path}/left", str(tmp_path / "right"), str(tmp_path / "out")]
    parser = ArgumentParser()
    options.add_arguments(parser)
    assert options.run(parser.parse_args(words), LocalRunner(tmp_path)) == 0
    assert (tmp_path / "out" / "part-r-00000").read_text() == "k\tl\tr\n"


def test_without_fsspec_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'yarnbox\[files\]'"):
        input_files(["s3://bucket/text"])


def test_paths_and_urls(tmp_path: Path) -> None:
    assert urls.absolute("s3://bucket/a") == "s3://bucket/a"
    assert (
        urls.absolute("file:///tmp/a") == urls.absolute("file:/tmp/a") == urls.absolute("/tmp/a") == "/tmp/a"
    )
    assert urls.absolute("a:b") == str(Path("a:b").absolute())
    assert not urls.is_remote("/tmp/a://b")
    (tmp_path / "text").write_bytes(TEXT)
    assert input_files([f"file://{tmp_path}/text"]) == [(str(tmp_path / "text"), len(TEXT))]
