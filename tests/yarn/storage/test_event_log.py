"""The event log: batches, a new file when one is full, readers that follow and miss nothing."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path
from typing import Any

from yarnbox.rm.booking import Booking
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.storage.event_log import EventLog, EventLogReader, LoggedEvent, logged, previous


class Seen(Event, frozen=True, kw_only=True):
    """An event of one node."""

    node_id: NodeId | None = None

    @property
    def subject(self) -> Any:
        return self.node_id


Seen.family = Seen


def test_events_are_read_as_they_were_dispatched(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "events.jsonl"
    log = EventLog(path)
    reader = EventLogReader(path)
    log.add(5, Seen(node_id=NodeId("nm1", 1)))
    assert list(reader.read_all()) == []
    log.flush()
    assert list(reader.read_new()) == [LoggedEvent(5, "Seen", "nm1:1")]
    log.add(6, Seen())
    log.close()
    assert list(reader.read_new()) == [LoggedEvent(6, "Seen", "")]
    assert [logged(5, Seen(node_id=NodeId("nm1", 1)))] == [LoggedEvent(5, "Seen", "nm1:1")]
    assert (
        path.read_text().splitlines()[0] == '{"time": 5, "type": "Seen", "constant": "", "subject": "nm1:1"}'
    )
    assert [line.time_ms for line in EventLogReader(path).read_all()] == [5, 6]


def test_somebody_is_told_once_that_there_is_something_to_write(tmp_path: Path) -> None:
    told: list[str] = []
    log = EventLog(tmp_path / "events.jsonl", begun=lambda: told.append("now"))
    for now_ms in (1, 2, 3):
        log.add(now_ms, Seen())
    assert told == ["now"]
    log.flush()
    log.flush()
    assert told == ["now"]
    log.add(4, Seen())
    assert told == ["now", "now"]
    log.close()


def test_a_log_that_cannot_be_written_is_given_up() -> None:
    told: list[str] = []
    log = EventLog(Path("/dev/full"), begun=lambda: told.append("now"))
    log.add(1, Seen())
    log.flush()
    assert log.failure is not None
    assert log.failure.errno == errno.ENOSPC
    for now_ms in range(20_000):  # more than is kept until somebody writes it
        log.add(now_ms, Seen())
    assert told == ["now"]
    with contextlib.suppress(OSError):
        log.close()


def test_what_an_event_says_of_itself_stands_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path)
    container_id = ContainerId(ApplicationAttemptId(ApplicationId(1, 2), 1), 3)
    resource = Resource(1024, 1)
    log.add(5, Booking("ContainerAllocated", container_id, "root.a", NodeId("nm1", 1), "", resource))
    log.close()
    (line,) = EventLogReader(path).read_all()
    assert (line.type, line.subject) == ("ContainerAllocated", "container_1_0002_01_000003")
    assert line.details == {
        "queue": "root.a",
        "node": "nm1:1",
        "partition": "",
        "resource": {"memory-mb": 1024, "vcores": 1},
    }


def test_a_full_file_is_put_aside_and_a_reader_follows(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    log = EventLog(path, max_bytes=1000)
    reader = EventLogReader(path)
    seen = []
    for number in range(100):
        log.add(number, Seen(node_id=NodeId("nm1", number)))
        log.flush()
        if number % 5 == 0:
            seen += [line.time_ms for line in reader.read_new()]
    log.close()
    seen += [line.time_ms for line in reader.read_new()]
    assert seen == list(range(100))
    assert previous(path).stat().st_size >= 1000
    kept = [line.time_ms for line in EventLogReader(path).read_all()]
    assert kept == list(range(kept[0], 100))


def test_half_a_line_waits_and_a_torn_one_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    reader = EventLogReader(path)
    assert list(reader.read_new()) == []
    path.write_text('{"time": 1, "type": "A", "subj')
    assert list(reader.read_new()) == []
    with path.open("a") as file:
        file.write('ect": "x"}\n{"time": 2, "ty{"time": 3}\n')
        file.write('{"time": 4, "type": "B", "subject": ""}\n')
    assert [line.type for line in reader.read_new()] == ["A", "B"]
