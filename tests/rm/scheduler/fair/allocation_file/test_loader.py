"""When the allocation file is read again, and what becomes of one that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rm.scheduler.fair.rig import ALLOCATION_FILE, Rig
from yarnbox.rm.effects import WriteLog
from yarnbox.rm.events.scheduler import SchedulerAllocationsLoaded, SchedulerAllocationsRefused
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.story import Line

ONE = '<allocations><queue name="a"><weight>2</weight></queue></allocations>'
TWO = '<allocations><queue name="a"><weight>3</weight></queue></allocations>'
BAD = '<allocations>\n<queue name="a"><weight>much</weight></queue></allocations>'
REFUSED = "failed to reload the allocation file, will use existing allocations"


def write(rig: Rig, text: str) -> None:
    """The operator changes the file now."""
    rig.files.texts[ALLOCATION_FILE] = text
    rig.files.written_ms[ALLOCATION_FILE] = rig.context.now_ms


def test_a_change_is_seen_by_the_next_look_after_it_has_settled() -> None:
    rig = Rig(ONE)
    rig.advance(4_000)
    write(rig, TWO)
    rig.advance(5_999)
    assert rig.queue("a").weight == 2.0
    rig.advance(1)
    assert rig.queue("a").weight == 3.0


def test_a_change_just_before_a_look_waits_for_the_next_one() -> None:
    rig = Rig(ONE)
    rig.advance(5_000)
    write(rig, TWO)
    rig.advance(5_000)
    assert rig.queue("a").weight == 2.0
    rig.advance(10_000)
    assert rig.queue("a").weight == 3.0


def test_a_bad_change_is_refused_told_once_and_tried_again() -> None:
    rig = Rig(ONE)
    lines: list[Line] = []
    rig.context.story.listeners.append(lines.append)
    write(rig, BAD)
    rig.files.written_ms[ALLOCATION_FILE] = 1
    rig.advance(40_000)
    assert rig.queue("a").weight == 2.0
    assert rig.logged().count(REFUSED) == 1
    (refused,) = [line for line in lines if line.kind == "AllocationFile"]
    assert (refused.event, refused.subject) == ("refused", "fair-scheduler.xml")
    assert "fair-scheduler.xml:2" in refused.because
    rig.files.texts[ALLOCATION_FILE] = TWO
    rig.advance(10_000)
    assert rig.queue("a").weight == 3.0


def test_the_event_log_has_what_became_of_a_file() -> None:
    rig = Rig(ONE)
    events: list[Event] = []
    rig.context.dispatcher.watchers.append(events.append)
    rig.refresh(BAD)
    rig.refresh(TWO)
    rig.context.dispatcher.drain()
    refused, loaded = events
    assert isinstance(refused, SchedulerAllocationsRefused)
    assert refused.subject.startswith("fair-scheduler.xml:2: <weight>much</weight>")
    assert loaded == SchedulerAllocationsLoaded(file="fair-scheduler.xml")


def test_refresh_reads_at_once_and_swallows_what_is_bad() -> None:
    rig = Rig(ONE)
    rig.refresh(BAD)
    assert (rig.queue("a").weight, rig.logged()[-1]) == (2.0, REFUSED)
    rig.refresh(TWO)
    assert rig.queue("a").weight == 3.0


def test_a_bad_file_stops_the_start_with_file_line_and_reason() -> None:
    with pytest.raises(ConfigurationError, match=r"fair-scheduler.xml:2: <weight>much</weight>"):
        Rig(BAD)


def test_a_named_file_that_is_missing_stops_the_start_a_relative_one_does_not() -> None:
    with pytest.raises(ConfigurationError, match="there is no such file"):
        Rig(None, {"yarn.scheduler.fair.allocation.file": "/nowhere/fair.xml"})
    rig = Rig(None, {"yarn.scheduler.fair.allocation.file": "elsewhere.xml"})
    assert rig.logged() == ["no allocation file"]
    rig.files.texts[ALLOCATION_FILE] = TWO
    rig.scheduler.refresh()
    assert rig.scheduler.tree.queue("a") is None


def test_remote_filesystems_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read here"):
        Rig(None, {"yarn.scheduler.fair.allocation.file": "hdfs://nn/fair.xml"})


def test_the_rules_of_a_file_are_in_force_before_its_defaults_fail() -> None:
    rig = Rig(ONE)
    rig.refresh(
        '<allocations><queue name="b"/><queueMaxAppsDefault>x</queueMaxAppsDefault>'
        '<queuePlacementPolicy><rule name="reject"/></queuePlacementPolicy></allocations>'
    )
    assert rig.place("a", "ann") == ""
    assert rig.scheduler.tree.queue("b") is None
    rig.refresh(
        '<allocations><queue name="b.c"/>'
        '<queuePlacementPolicy><rule name="user"/></queuePlacementPolicy></allocations>'
    )
    assert rig.place("a", "ann") == ""


def test_notices_of_a_file_are_logged() -> None:
    rig = Rig("<allocations><unknown/></allocations>")
    (line,) = [effect for effect in rig.context.effects if isinstance(effect, WriteLog)]
    assert dict(line.keys)["notice"] == "fair-scheduler.xml:1: bad element in allocations file: unknown"


def test_nothing_that_runs_is_stopped_by_a_smaller_maximum() -> None:
    rig = Rig(ONE)
    rig.add_node("n", 8192)
    rig.submit("one", "a")
    rig.ask("one", 6, rig.scheduler.minimum_allocation)
    rig.update()
    rig.heartbeat("n", 3)
    rig.refresh(
        '<allocations><queue name="a"><maxResources>1024 mb, 1 vcores</maxResources></queue></allocations>'
    )
    rig.update()
    rig.heartbeat("n", 3)
    assert rig.containers("one") == 3
    assert rig.queue("a").demand.memory_mb == 1024


def test_the_sample_file_is_valid_and_does_what_its_comments_say() -> None:
    sample = (Path(__file__).parents[5] / "conf" / "fair-scheduler.xml").read_text(encoding="utf-8")
    rig = Rig(sample)
    rig.add_node("n", 8192, 8)
    assert rig.place("production", "ann") == "root.production"
    assert rig.place("default", "ann") == "root.users.ann"
    assert rig.place("elsewhere", "bob") == "root.users.bob"
    rig.submit("one", "production", "ann")
    rig.submit("two", "default", "bob")
    rig.update()
    assert [rig.queue(path).fair_share.memory_mb for path in ("production", "users.bob")] == [5462, 2731]
    assert rig.queue("users.bob").max_share.memory_mb == 6144
