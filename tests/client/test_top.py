"""`yarn top`: the screen to the letter, and what keys do."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path

import pytest

from tests.client.fakes import NOVEMBER_MS, FakeResourceManager, FakeWebService, Shell
from tests.waiting import PATIENCE_S
from yarnbox.client.command_line.console import Console
from yarnbox.client.command_line.options import parse
from yarnbox.client.commands.top import OPTIONS, Screen, Top
from yarnbox.client.printing.top import COLUMNS, View
from yarnbox.client.session import Session
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationResourceUsageReport
from yarnbox.yarn.records.client import (
    GetApplicationsResponse,
    GetClusterMetricsResponse,
    GetQueueInfoResponse,
)
from yarnbox.yarn.records.node import YarnClusterMetrics
from yarnbox.yarn.records.queue import QueueInfo, QueueStatistics
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import VirtualClock

MINUTE_MS = 60_000
ROOT = Path(__file__).parents[2]


def application(number: int, containers: int, name: str = "daily", user: str = "mei") -> ApplicationReport:
    return ApplicationReport(
        application_id=ApplicationId(1_700_000_000_000, number),
        user=user,
        queue="etl",
        name=name,
        application_type="SPARK",
        priority=0,
        progress=0.375,
        start_time=NOVEMBER_MS - 26 * 60 * MINUTE_MS,
        app_resource_usage=ApplicationResourceUsageReport(
            num_used_containers=containers,
            num_reserved_containers=0,
            used_resources=Resource(3 * 1024 + 512, 3),
            reserved_resources=Resource(),
            memory_seconds=187_392,
            vcore_seconds=183,
        ),
    )


STATISTICS = QueueStatistics(
    num_apps_submitted=5,
    num_apps_running=2,
    num_apps_pending=0,
    num_apps_completed=3,
    num_apps_killed=0,
    num_apps_failed=0,
    num_active_users=1,
    available_memory_mb=13 * 1024 + 512,
    allocated_memory_mb=3 * 1024 + 512,
    available_vcores=13,
    allocated_vcores=3,
    allocated_containers=3,
)


@dataclass
class Pressed:
    """Keys in order; where there is none, the delay goes by; at the end, q."""

    keys: list[str | None]
    clock: VirtualClock
    waited: list[float] = field(default_factory=list)

    def wait(self, seconds: float) -> str | None:
        self.waited.append(seconds)
        key = self.keys.pop(0) if self.keys else "q"
        if key is None:
            self.clock.move_to(self.clock.now_ms() + round(seconds * 1000))
        return key


@dataclass
class Desk:
    """Runs `top` against the fakes."""

    rm: FakeResourceManager
    web: FakeWebService
    clock: VirtualClock = field(default_factory=lambda: VirtualClock(NOVEMBER_MS))
    waited: list[float] = field(default_factory=list)

    def run(self, *words: str, keys: tuple[str | None, ...] = ()) -> list[list[str]]:
        """The screens in order, each as its lines without control characters."""
        out = _Screens()
        console = Console(out, out, {"HADOOP_USER_NAME": "mei"}, self.clock, UTC)  # type: ignore[arg-type]
        properties = [
            f"yarnbox.resourcemanager.grpc.address={self.rm.address}",
            f"yarn.resourcemanager.webapp.address={self.web.address}",
        ]
        pressed = Pressed(list(keys), self.clock)
        with Session(console, properties=properties) as session:
            top = Top(session, parse(OPTIONS, [*words, "-cols", "200", "-rows", "14"]), pressed)
            assert top.run() == 0
            assert top.screen in Screen
        self.waited = pressed.waited
        return out.screens()


class _Screens:
    """A terminal's output."""

    def __init__(self) -> None:
        self._text = ""

    def write(self, text: str) -> None:
        self._text += text

    def flush(self) -> None:
        """Nothing is kept back."""

    def screens(self) -> list[list[str]]:
        found = self._text.split("\x1b[H")[2:-1]
        return [re.sub("\x1b\\[(2K|J|2J)", "", screen).splitlines() for screen in found]


@pytest.fixture
def desk(rm: FakeResourceManager, web: FakeWebService) -> Desk:
    rm.answers["getApplications"] = GetApplicationsResponse(
        applications=(application(1, 1), application(2, 3, "nightly " * 20, "ann"), application(3, 2))
    )
    rm.answers["getClusterMetrics"] = GetClusterMetricsResponse(
        cluster_metrics=YarnClusterMetrics(num_node_managers=4, num_active_nms=3, num_lost_nms=1)
    )
    queue = QueueInfo(queue_name="root.etl", queue_statistics=STATISTICS)
    rm.answers["getQueueInfo"] = GetQueueInfoResponse(
        queue_info=QueueInfo(queue_name="root", child_queues=(queue, queue), queue_statistics=STATISTICS)
    )
    started = NOVEMBER_MS - 125 * MINUTE_MS
    web.answers["GET /ws/v1/cluster/info"] = (200, json.dumps({"clusterInfo": {"startedOn": started}}))
    return Desk(rm, web)


def test_the_screen(desk: Desk) -> None:
    (screen,) = desk.run()
    assert screen[:7] == [
        "YARN top - 22:13:20, up 0d, 2:5, 2 active users, queue(s): root",
        (
            "NodeManager(s): 4 total, 3 active, 0 unhealthy, 0 decommissioning, 0 decommissioned, 1 lost, "
            "0 rebooted, 0 shutdown"
        ),
        "Queue(s) Applications: 4 running, 10 submitted, 0 pending, 6 completed, 0 killed, 0 failed",
        "Queue(s) Mem(GB): 27 available, 7 allocated, 0 pending, 0 reserved",
        "Queue(s) VCores: 26 available, 6 allocated, 0 pending, 0 reserved",
        "Queue(s) Containers: 6 allocated, 0 pending, 0 reserved",
        "",
    ]
    heads = (
        "                  APPLICATIONID USER             TYPE      QUEUE PRIOR   #CONT  #RCONT  VCORES"
        " RVCORES     MEM    RMEM  VCORESECS    MEMSECS %PROGR       TIME NAME"
    )
    assert screen[7] == f"\x1b[7m{heads.ljust(199)}\x1b[0m"
    assert screen[9] == (
        " application_1700000000000_0003 mei             spark        etl     0       2       0       3"
        "       0      3G      0G        183        183  37.50   01:02:00 daily"
    )


def test_most_containers_come_first_and_lines_are_cut(desk: Desk) -> None:
    (screen,) = desk.run()
    assert [line.split()[0][-1] for line in screen[8:]] == ["2", "3", "1"]
    assert len(screen[8]) == 199
    (narrow,) = desk.run("-cols", "40")
    assert max(len(line) for line in narrow if "\x1b" not in line) == 39


def test_only_what_there_is_room_for(desk: Desk) -> None:
    (screen,) = desk.run("-rows", "10")
    assert len(screen) == 9


def test_filters_and_delay(desk: Desk) -> None:
    (screen,) = desk.run("-queues", "etl,lab", "-users", "mei", "-types", "SPARK", "-delay", "7")
    assert screen[0].endswith("queue(s): etl,lab")
    (request,) = desk.rm.asked("getApplications")
    assert (request.queues, request.users, request.application_types) == (
        ("etl", "lab"),
        ("mei",),
        ("SPARK",),
    )
    assert request.application_states == (YarnApplicationState.ACCEPTED, YarnApplicationState.RUNNING)
    assert desk.waited == [7.0]
    desk.run("-delay", "0")
    assert desk.waited == [3.0]


def test_applications_are_fetched_at_most_every_five_seconds(desk: Desk) -> None:
    screens = desk.run(keys=(None, None, None))
    assert len(screens) == 4
    assert len(desk.rm.asked("getApplications")) == 2  # at 0 and 6 of 0, 3, 6 and 9 seconds
    assert len(desk.rm.asked("getClusterMetrics")) == 4


def test_sorting(desk: Desk) -> None:
    screens = desk.run(keys=("s", "u", "x", "R"))
    assert screens[1][0] == "Current Sort Field: c"
    assert "* c: #CONT           = Number of containers" in screens[1]
    assert "  u: USER            = Username" in screens[1]
    assert "* u: USER            = Username" in screens[2]
    users = [[line.split()[1] for line in screens[number][8:]] for number in (3, 4)]
    assert users == [["mei", "mei", "ann"], ["ann", "mei", "mei"]]


def test_fields(desk: Desk) -> None:
    screens = desk.run(keys=("f", "t", "q", "x"))
    assert "* T: TYPE            = Application type" in screens[1]
    assert "  t: TYPE            = Application type" in screens[2]
    assert screens[4][7].split()[1:4] == ["APPLICATIONID", "USER", "PRIOR"]


def test_help_returns_with_any_key(desk: Desk) -> None:
    screens = desk.run(keys=("h", "q"))
    assert screens[1][0] == "Help for yarn top."
    assert screens[2][0].startswith("YARN top - ")


def test_without_the_rm_s_web_service_there_is_no_uptime(desk: Desk) -> None:
    desk.web.answers.clear()
    (screen,) = desk.run()
    assert "up 0d, 0:0," in screen[0]


@pytest.mark.parametrize("answer", ["[]", "null", '{"clusterInfo": null}', '{"clusterInfo": {}}', "<html>"])
def test_neither_is_there_one_where_something_else_answers(desk: Desk, answer: str) -> None:
    desk.web.answers["GET /ws/v1/cluster/info"] = (200, answer)
    (screen,) = desk.run()
    assert "up 0d, 0:0," in screen[0]


def test_each_letter_names_one_column() -> None:
    assert "".join(column.letter for column in COLUMNS) == "autqlcrvomwsypin"
    assert View(80, 24, UTC).columns == list(COLUMNS)


def test_words(shell: Shell) -> None:
    result = shell.yarn("top", "-help")
    assert (result.status, result.out[:15]) == (0, "usage: yarn top")
    result = shell.yarn("top", "-foo")
    assert (result.status, result.err) == (1, "Unable to parse options: Unrecognized option: -foo\n")


def test_keys_of_a_real_terminal_need_no_enter(rm: FakeResourceManager, web: FakeWebService) -> None:
    """`yarn top` in a process of its own, on a pseudo-terminal."""
    ours, theirs = pty.openpty()
    words = [
        "top",
        f"-Dyarnbox.resourcemanager.grpc.address={rm.address}",
        f"-Dyarn.resourcemanager.webapp.address={web.address}",
        *("-cols", "100", "-rows", "14"),
    ]
    with subprocess.Popen(
        [sys.executable, "-m", "yarnbox.client", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")},  # and nobody's configuration
    ) as command:
        os.close(theirs)
        _read_until(ours, "Queue(s) Containers:")
        os.write(ours, b"s")
        _read_until(ours, "Current Sort Field: c")
        os.write(ours, b"u")
        _read_until(ours, "Current Sort Field: u")
        os.write(ours, b"x")
        _read_until(ours, "YARN top - ")
        os.write(ours, b"q")
        assert command.wait(PATIENCE_S) == 0
    os.close(ours)


def _read_until(descriptor: int, wanted: str) -> None:
    """Reads what the command draws until `wanted` is there."""
    seen = ""
    while wanted not in seen:
        ready, _, _ = select.select([descriptor], [], [], PATIENCE_S)
        assert ready, f"{wanted!r} did not come: {seen[-500:]!r}"
        try:
            seen += os.read(descriptor, 1 << 16).decode()
        except OSError as error:  # the command has ended
            raise AssertionError(f"{wanted!r} did not come: {seen[-500:]!r}") from error
