"""`yarnbox events`: what is shown by default, what each option chooses, and Hadoop's constants."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from yarnbox.cluster.arguments import parser
from yarnbox.cluster.commands import events
from yarnbox.cluster.directory import ClusterError, ClusterRecord, RunDirectory
from yarnbox.cluster.main import main
from yarnbox.rm.booking import ALLOCATED, Booking
from yarnbox.rm.events.app import AppKill, AppRunningOnNode
from yarnbox.rm.events.node import NodeStatusUpdate
from yarnbox.rm.events.scheduler import (
    PreemptionMark,
    SchedulerAppAdded,
    SchedulerMarkContainerForKillable,
    SchedulerNodeRemoved,
    SchedulerNodeUpdate,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.tracker import NodeStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.storage.event_log import FILE, EventLog, EventLogReader

ONE, TWO = ApplicationId(1_700_000_000_000, 1), ApplicationId(1_700_000_000_000, 2)
N1, N2 = NodeId("nm1", 4001), NodeId("nm2", 4002)
NOW_S = 1_700_000_100
MARK = PreemptionMark(
    container_id=ContainerId.build(ApplicationAttemptId(ONE, 1), 3, 0),
    application_id=ONE,
    user="ann",
    queue="root.a.b",
    node_id=N1,
    resource=Resource(1024, 1),
    for_whom="queue root.c",
    kill_at_ms=(NOW_S + 15) * 1000,
)


def container(application_id: ApplicationId) -> ContainerId:
    return ContainerId.build(ApplicationAttemptId(application_id, 1), 3, 0)


def added(application_id: ApplicationId, queue: str) -> SchedulerAppAdded:
    context = ApplicationSubmissionContext()
    return SchedulerAppAdded(application_id=application_id, queue=queue, user="ann", context=context)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory whose log has an event each second."""
    directory = RunDirectory(tmp_path / "run")
    directory.create()
    directory.save(ClusterRecord(run_id="r", rm_address="a:1", web_address="a:2", scheduler="fair"))
    log = EventLog(directory.logs / FILE)
    happened: list[Any] = [
        NodeStatusUpdate(node_id=N1, status=NodeStatus()),
        SchedulerNodeUpdate(node_id=N1),
        added(ONE, "root.a.b"),
        added(TWO, "root.c"),
        Booking(ALLOCATED, container(ONE), "root.a.b", N1, "", Resource(1024, 1)),
        SchedulerMarkContainerForKillable(container_id=container(ONE), mark=MARK),
        SchedulerNodeRemoved(node_id=N2),
        AppRunningOnNode(application_id=TWO, node_id=NodeId("nm3", 4003)),
        AppKill(application_id=TWO, diagnostics="enough"),
    ]
    for second, one in enumerate(happened):
        log.add((NOW_S - 8 + second) * 1000, one)
    log.close()
    return directory.path


def shown(run: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["events", "--dir", str(run), *words]) == 0
    return capsys.readouterr().out.splitlines()


def types(run: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    return [json.loads(line)["type"] for line in shown(run, capsys, "--json", *words)]


def test_heartbeats_are_shown_only_when_they_are_asked_for(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beats = ["NodeStatusUpdate", "SchedulerNodeUpdate"]
    assert types(run, capsys)[:2] == ["SchedulerAppAdded", "SchedulerAppAdded"]
    assert types(run, capsys, "--all")[:2] == beats
    assert types(run, capsys, "--type", "STATUS_UPDATE,SchedulerNodeUpdate") == beats


def test_hadoops_constant_stands_in_text_and_in_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = [one for one in shown(run, capsys) if "NODE_REMOVED" in one]
    assert line.split()[1:] == ["SchedulerNodeRemoved", "NODE_REMOVED", "nm2:4002"]
    (line,) = [one for one in shown(run, capsys, "--json") if "NODE_REMOVED" in one]
    assert json.loads(line)["constant"] == "NODE_REMOVED"
    assert "ContainerAllocated - " in " ".join(shown(run, capsys)[2].split())


def test_a_mark_says_who_loses_what_for_whom_and_when(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = shown(run, capsys, "--type", "MARK_CONTAINER_FOR_KILLABLE")
    due = datetime.fromtimestamp(NOW_S + 15)
    assert line.split(maxsplit=3)[3] == (
        f"{MARK.container_id} application={ONE} user=ann queue=root.a.b node=nm1:4001 "
        f"resource=memory-mb:1024,vcores:1 for=queue root.c killAt={due:%H:%M:%S}"
    )


@pytest.mark.parametrize(
    "words, expected",
    [
        (("--type", "node_removed"), ["SchedulerNodeRemoved"]),
        (("--type", "ContainerAllocated"), ["ContainerAllocated"]),
        (
            ("--app", str(ONE)),
            ["SchedulerAppAdded", "ContainerAllocated", "SchedulerMarkContainerForKillable"],
        ),
        (("--node", "nm2"), ["SchedulerNodeRemoved"]),
        (("--node", "nm1:4001"), ["ContainerAllocated", "SchedulerMarkContainerForKillable"]),
        (("--node", "nm3"), ["AppRunningOnNode"]),
        (("--queue", "c"), ["SchedulerAppAdded", "AppRunningOnNode", "AppKill"]),
        (
            ("--queue", "root.a"),
            ["SchedulerAppAdded", "ContainerAllocated", "SchedulerMarkContainerForKillable"],
        ),
        (("--queue", "root.a.b", "--node", "nm1", "--type", "ContainerAllocated"), ["ContainerAllocated"]),
        (("--queue", "root.a.bc"), []),
    ],
)
def test_options_choose(
    run: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected: list[str]
) -> None:
    assert types(run, capsys, *words) == expected


@pytest.mark.parametrize(
    "words, message",
    [
        (["--queue", "rot"], "no application in the log was in queue rot"),
        (["--node", "nn1"], "there is no node nn1 in the log"),
        (["--since", "2100-01-01T00:00"], "leave out a filter"),
    ],
)
def test_filters_that_match_nothing_say_so(
    run: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["events", "--dir", str(run), *words]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err


def test_since_is_an_age_or_a_moment() -> None:
    def since(text: str) -> int:
        options = parser().parse_args(["events", "--since", text])
        return events.choice_of(options, now_s=NOW_S).since_ms

    moment = datetime.fromtimestamp(NOW_S).replace(hour=9, minute=5, second=0)
    assert since("30s") == (NOW_S - 30) * 1000
    assert since("2h") == (NOW_S - 7200) * 1000
    assert since("9:05") == since("09:05:00") == int(moment.timestamp() * 1000)
    assert since(f"{moment:%Y-%m-%dT%H:%M}") == int(moment.timestamp() * 1000)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--since", "yesterday"], "yesterday is not a time"),
        (["--type", ","], "--type needs the name of an event"),
        (["--type", "Rain"], "--type: "),
        (["--app", "first"], "--app: "),
        (["--node", "nm1:x"], "--node: "),
    ],
)
def test_a_filter_that_cannot_be_is_wrong_words(words: list[str], why: str) -> None:
    with pytest.raises(ClusterError, match=why) as refusal:
        events.choice_of(parser().parse_args(["events", *words]), now_s=NOW_S)
    assert refusal.value.status == 2


def test_since_leaves_out_what_came_before(run: Path) -> None:
    options = parser().parse_args(["events", "--since", "2s", "--dir", str(run)])
    choice = events.choice_of(options, now_s=NOW_S)
    reader = EventLogReader(run / "logs" / FILE)
    assert [one.type for one in reader.read_all() if choice.takes(one)] == [
        "SchedulerNodeRemoved",
        "AppRunningOnNode",
        "AppKill",
    ]


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["--type", "NODE_REMOVD"],
            "there is no event NODE_REMOVD (did you mean NODE_REMOVED?)",
        ),
        (["--type", ","], "--type needs the name of an event"),
        (["--app", "job_1"], "it has to be application_<timestamp>_<number>"),
        (["--node", "nm1:x"], "--node: Invalid NodeId"),
        (["--since", "yesterday"], "--since: yesterday is not a time"),
        (["--since", "25:00"], "--since: "),
    ],
)
def test_what_cannot_be_meant_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ClusterError) as refused:
        events.choice_of(parser().parse_args(["events", *words]), now_s=NOW_S)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_empty_log_is_told_as_such() -> None:
    choice = events.choice_of(parser().parse_args(["events"]), now_s=NOW_S)
    assert choice.hint().startswith("the event log is empty")
