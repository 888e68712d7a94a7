"""Aggregated logs: the layout is Hadoop's, a file is whole or absent, names cannot leave their directory."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.yarn.storage.test_tfile import PACKED, PLAIN
from yarnbox.yarn.enums import ApplicationAccessType
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.storage.aggregated_logs import (
    AggregatedLog,
    AggregatedLogReader,
    AggregatedLogWriter,
    LogLayout,
)
from yarnbox.yarn.storage.tfile import COMPRESSIONS, TFile

APPLICATION = ApplicationId(1_700_000_000_000, 12_345)
FIRST = ContainerId.build(ApplicationAttemptId(APPLICATION, 1), 1)
SECOND = ContainerId.build(ApplicationAttemptId(APPLICATION, 1), 2)
NODE = NodeId("n1", 1234)


def test_layout_is_that_of_the_tfile_controller(tmp_path: Path) -> None:
    layout = LogLayout(tmp_path, "Logs")
    bucket = tmp_path / "mei" / "bucket-logs-tfile" / "2345" / str(APPLICATION)
    assert layout.application_directory("mei", APPLICATION) == bucket
    assert layout.node_file("mei", APPLICATION, NODE) == bucket / "n1_1234"
    assert layout.node_file("mei", APPLICATION, NODE, 17) == bucket / "n1_1234_17"


def test_root_may_be_a_file_uri() -> None:
    assert LogLayout.of("file:///logs/all").root == Path("/logs/all")
    with pytest.raises(IllegalArgumentError, match="remote-app-log-dir"):
        LogLayout.of("hdfs://nn:8020/logs")


def write(path: Path) -> None:
    with AggregatedLogWriter(path, "mei") as writer:
        writer.append(SECOND, [("stdout", io.BytesIO(b"two"))])
        writer.append(FIRST, [("syslog", io.BytesIO(b""))])
        writer.append(FIRST, [("stdout", io.BytesIO(b"hello world\n"))])


def test_what_was_written_is_read_by_container_and_name(tmp_path: Path) -> None:
    path = LogLayout(tmp_path).node_file("mei", APPLICATION, NODE)
    write(path)
    with AggregatedLogReader(path) as reader:
        logs = list(reader.logs())
        assert logs == [
            AggregatedLog(FIRST, "stdout", 12),
            AggregatedLog(FIRST, "syslog", 0),
            AggregatedLog(SECOND, "stdout", 3),
        ]
        assert reader.open(logs[0]).read() == b"hello world\n"
        assert reader.node == "n1_1234"
    assert LogLayout(tmp_path).node_files("mei", APPLICATION) == [path]


class GoneDisk(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise OSError("the disk is gone")
        return super().read(1)


def test_a_failed_or_empty_file_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "n1_1234"
    with pytest.raises(OSError, match="gone"), AggregatedLogWriter(path, "mei") as writer:
        writer.append(FIRST, [("stdout", GoneDisk(b"half"))])
    with AggregatedLogWriter(path, "mei"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_an_unfinished_file_is_not_listed(tmp_path: Path) -> None:
    layout = LogLayout(tmp_path)
    path = layout.node_file("mei", APPLICATION, NODE)
    with AggregatedLogWriter(path, "mei") as writer:
        writer.append(FIRST, [("stdout", io.BytesIO(b"x"))])
        assert layout.node_files("mei", APPLICATION) == []
    assert layout.node_files("mei", APPLICATION) == [path]


def test_owner_is_the_guess_or_the_only_one(tmp_path: Path) -> None:
    layout = LogLayout(tmp_path)
    assert layout.owner_of(APPLICATION, "mei") is None
    write(layout.node_file("ann", APPLICATION, NODE))
    assert layout.owner_of(APPLICATION, "mei") == "ann"
    write(layout.node_file("mei", APPLICATION, NODE))
    assert layout.owner_of(APPLICATION, "mei") == "mei"
    assert layout.owner_of(APPLICATION, "zoe") is None


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\0b"])
def test_no_name_leaves_its_directory(tmp_path: Path, name: str) -> None:
    with pytest.raises(IllegalArgumentError):
        LogLayout(tmp_path).application_directory(name, APPLICATION)
    with pytest.raises(IllegalArgumentError), AggregatedLogWriter(tmp_path / "n", "mei") as writer:
        writer.append(FIRST, [(name, io.BytesIO(b""))])


@pytest.mark.parametrize("content", [b"", b"PK\3\4 and so on, which is no file of logs"])
def test_what_is_no_file_of_logs_is_an_os_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "n1_1234").write_bytes(content)
    with pytest.raises(OSError, match="n1_1234 is not a file of aggregated logs"):
        AggregatedLogReader(tmp_path / "n1_1234")


class Shrinking(io.BytesIO):
    """A log that somebody empties once its length is known."""

    def tell(self) -> int:
        raise AssertionError("not asked for")

    def read(self, size: int | None = -1, /) -> bytes:
        self.truncate(5)
        return super().read(size)


def test_a_log_has_the_length_that_was_said_when_it_is_cut_meanwhile(tmp_path: Path) -> None:
    with AggregatedLogWriter(tmp_path / "n1_1234", "mei") as writer:
        writer.append(FIRST, [("syslog", Shrinking(b"hello world")), ("stdout", io.BytesIO(b"there"))])
    with AggregatedLogReader(tmp_path / "n1_1234") as reader:
        read = {log.name: reader.open(log).read() for log in reader.logs()}
    assert read == {"syslog": b"hello" + bytes(6), "stdout": b"there"}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_owner_rights_and_logs_are_the_records_of_hadoops_format(tmp_path: Path, compression: str) -> None:
    """Names are in Java's form of UTF-8: a character beyond U+FFFF is two."""
    path = tmp_path / "n1_1234"
    acls = {ApplicationAccessType.VIEW_APP: "bob", ApplicationAccessType.MODIFY_APP: " "}
    names = ["\N{OWL}.log", "no-text-\udcff"]
    with AggregatedLogWriter(path, "ann", acls, compression) as writer:
        writer.append(FIRST, [(name, io.BytesIO(b"x")) for name in names])
    with TFile(path) as file:
        records = [(key, value.read()) for key, value in file.records()]
    assert records == [
        (b"\0\7VERSION", b"\0\0\0\1"),
        (b"\0\x11APPLICATION_OWNER", b"\0\3ann"),
        (b"\0\x0fAPPLICATION_ACL", b"\0\x08VIEW_APP\0\3bob\0\x0aMODIFY_APP\0\1 "),
        (
            b"\0\x27" + str(FIRST).encode(),
            b"\0\x0a\xed\xa0\xbe\xed\xb6\x89.log\0\0011x\0\x09no-text-?\0\0011x",
        ),
    ]
    with AggregatedLogReader(path) as reader:
        assert [log.name for log in reader.logs()] == ["no-text-?", "\N{OWL}.log"]


@given(content=st.binary(max_size=300_000))
def test_bytes_are_kept(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("logs") / "n1_1234"
    with AggregatedLogWriter(path, "mei") as writer:
        writer.append(FIRST, [("stdout", io.BytesIO(content))])
    with AggregatedLogReader(path) as reader:
        (log,) = reader.logs()
        assert (log.length, reader.open(log).read()) == (len(content), content)


@pytest.mark.parametrize("content", [PLAIN, PACKED])
def test_what_hadoops_own_nodes_wrote_is_read_too(tmp_path: Path, content: bytes) -> None:
    attempt_id = ApplicationAttemptId(ApplicationId(1, 1), 1)
    (tmp_path / "n1_1234").write_bytes(content)
    with AggregatedLogReader(tmp_path / "n1_1234") as reader:
        logs = list(reader.logs())
        assert logs == [
            AggregatedLog(ContainerId.build(attempt_id, number), name, length)
            for number in (2, 3)
            for name, length in (("stderr", 0), ("stdout", 26))
        ]
        for _ in range(2):
            with reader.open(logs[3]) as stream:
                assert stream.seek(len("hello ")) == 6
                assert stream.read() == b"from 3\nand good-bye\n"
        assert reader.open(logs[0]).read() == b""


def test_a_log_of_hadoops_that_says_no_length_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "n1_1234").write_bytes(PLAIN.replace(b"26hel", b"xxhel"))
    with pytest.raises(OSError, match="the log 'stdout' of container_1_0001_01_000002 is 'xx' bytes long"):
        AggregatedLogReader(tmp_path / "n1_1234")
    (tmp_path / "n1_1234").write_bytes(PLAIN.replace(b"26hel", b"99hel"))
    with pytest.raises(OSError, match="ends too early"):
        AggregatedLogReader(tmp_path / "n1_1234")


def test_the_checksums_of_hadoops_file_system_are_hidden(tmp_path: Path) -> None:
    layout = LogLayout(tmp_path)
    path = layout.node_file("mei", APPLICATION, NODE)
    write(path)
    path.with_name(f".{path.name}.crc").write_bytes(b"crc")
    assert layout.node_files("mei", APPLICATION) == [path]
