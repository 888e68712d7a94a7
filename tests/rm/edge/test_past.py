"""What the pages are told of the past, of long lists and of nodes that are let go."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from tests.blocks import of_kind, paragraphs
from tests.rig import Rig, ask
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE, play
from yarnbox.rm.container import RMContainer
from yarnbox.rm.edge.http import history as past_answers
from yarnbox.rm.events import app, node, scheduler
from yarnbox.rm.events import container as container_events
from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.scheduler.containers.statuses import LOST_CONTAINER, PREEMPTED, RELEASED_CONTAINER
from yarnbox.rm.scheduler.views import is_within
from yarnbox.rm.web import finding
from yarnbox.rm.web.event_rows import TROUBLE
from yarnbox.rm.web.event_rows import row as event_row
from yarnbox.rm.web.filters import Query
from yarnbox.rm.web.past import EndedContainers, History, Series
from yarnbox.yarn.enums import FinalApplicationStatus, NodeState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.resources.resource import NONE


async def until(read: Any, holds: Any) -> Any:
    """Asks until the answer is as it should be."""
    while not holds(answer := await read()):
        await asyncio.sleep(0.02)
    return answer


def test_containers_are_remembered_after_their_end() -> None:
    rig = Rig()
    rig.add_node("n1")
    ended = EndedContainers(2)
    rig.context.container_watchers.append(ended.note)
    application_id = rig.submit(unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask(count=3))
    rig.heartbeat("n1")
    given = rig.allocate(application_id).allocated_containers
    rig.heartbeat("n1")
    for container in given:
        rig.nodes["n1"].end(container.id, 7)
    rig.heartbeat("n1")
    rows = ended.of(lambda row: row.app == str(application_id), 10)
    assert ended.count == 3
    assert [row.id for row in rows] == [str(one.id) for one in given[1:]], "the oldest is forgotten"
    assert {row.exit_status for row in rows} == {7}
    assert ended.of(lambda row: row.node == str(rig.nodes["n1"].node_id), 1) == rows[1:]
    assert ended.of(lambda row: False, 10) == []
    assert is_within("root.a.b", "root.a")
    assert is_within("root.a.b", "root")
    assert not is_within("root.ab", "root.a")
    fifo = rig.context.scheduler.views
    assert fifo.is_within("root.a.b", "root.default"), "it has one queue, whatever queue is named"
    assert not fifo.is_within("root.a.b", "root.a")


def test_a_series_that_began_late_has_no_values_before() -> None:
    series = Series(first=5, measures=1)
    series.add(5, [1.0], 100)
    series.add(8, [2.0], 100)
    assert [series.at(0, number) for number in range(4, 10)] == [None, 1.0, 0.0, 0.0, 2.0, None]


def test_a_series_keeps_no_more_than_it_should() -> None:
    series = Series(first=0, measures=1)
    for number in range(100):
        series.add(number, [float(number)], 8)
    assert len(series.columns[0]) <= 10
    assert series.at(0, 99) == 99.0
    assert series.at(0, 10) is None


@pytest.mark.parametrize(
    "text, query",
    [
        ("", Query()),
        ('Word "two words"', Query(words=("word", "two words"))),
        ("state:running user:", Query(texts=(("state", "running"),))),
        ("mem>4096 depth>3", Query(words=("depth>3",), numbers=(("mem", ">", 4096.0),))),
    ],
)
def test_what_is_typed_is_never_wrong(text: str, query: Query) -> None:
    assert finding.parse(text) == query


def test_events_say_what_happened_to_whom() -> None:
    rig = Rig()
    seen: list[Any] = []
    rig.context.dispatcher.watchers.append(seen.append)
    rig.add_node("n1")
    rig.kill(rig.submit(application_name="x"), diagnostics="enough")
    rows = [event_row(7, event, shows_details=True) for event in seen]
    (kill,) = [row for row in rows if row["type"] == "AppKill"]
    assert kill["isTrouble"]
    assert "enough" in kill["details"]
    assert "details" not in event_row(7, seen[0], shows_details=False)


def test_most_trouble_is_a_matter_of_the_type_of_an_event() -> None:
    types = {name for module in (app, container_events, node, scheduler) for name in vars(module)}
    assert set(TROUBLE) <= types
    report = scheduler.SchedulerPreemptionReport(
        queue="root.a",
        partition="",
        guaranteed=NONE,
        used=NONE,
        pending=NONE,
        ideal=NONE,
        to_preempt=NONE,
        selected=0,
    )
    assert "isTrouble" not in event_row(7, report, shows_details=False)


@pytest.mark.parametrize(
    "exit_status, diagnostics, is_trouble",
    [
        (0, "", False),
        (7, "Exit code: 7", True),
        (-100, LOST_CONTAINER, True),
        (-100, RELEASED_CONTAINER, False),
    ],
)
def test_the_end_of_a_container_is_trouble_where_it_failed(
    exit_status: int, diagnostics: str, is_trouble: bool
) -> None:
    attempt_id = ApplicationAttemptId(ApplicationId(1, 1), 1)
    container_id = ContainerId(attempt_id, 3)
    ended = app.AttemptContainerFinished(
        attempt_id=attempt_id,
        status=statuses.ended(container_id, exit_status, diagnostics),
        node_id=NodeId("n1", 1),
        resource=NONE,
        resource_seconds={},
    )
    shown = event_row(7, ended, shows_details=True)
    assert bool(shown.get("isTrouble")) is is_trouble
    assert str(container_id) in shown["details"]


@pytest.mark.parametrize("final_status", list(FinalApplicationStatus))
def test_an_application_that_says_it_failed_is_trouble(final_status: FinalApplicationStatus) -> None:
    attempt_id = ApplicationAttemptId(ApplicationId(1, 1), 1)
    said = app.AttemptUnregistered(attempt_id=attempt_id, final_status=final_status)
    is_trouble = final_status.name in ("FAILED", "KILLED")
    assert bool(event_row(7, said, shows_details=False).get("isTrouble")) is is_trouble


def test_a_preempted_container_is_marked_apart_from_the_request() -> None:
    rig, history = Rig(), History(8)
    rig.add_node("n1")
    ended: list[RMContainer] = []
    rig.context.container_watchers.append(ended.append)
    application_id = rig.submit(unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask(count=2))
    rig.heartbeat("n1")
    for given, exit_status in zip(
        rig.allocate(application_id).allocated_containers, (7, PREEMPTED), strict=True
    ):
        attempt_id = given.id.application_attempt_id
        container = rig.context.scheduler.container(given.id)
        assert container is not None
        asked = scheduler.SchedulerMarkContainerForPreemption(
            container_id=given.id, attempt_id=attempt_id, mark=container.preemption_mark()
        )
        history.watch(1, asked)
        rig.nodes["n1"].end(given.id, exit_status)
    rig.heartbeat("n1")
    for one in ended:
        history.record_ended(2, one)
    kinds = [mark.kind for mark in history.marks]
    assert kinds == ["preemption requested", "preemption requested", "preempted"]


async def heard(caller: Web, query: str) -> list[dict[str, Any]]:
    """The first events of the stream."""
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{caller.top}/ws/v1/cluster/events{query}") as answer,
    ):
        found = []
        async for line in answer.content:
            if line.startswith(b"data: "):
                found.append(json.loads(line[6:]))
                if len(found) == 2:
                    break
        return found


def test_a_page_that_is_opened_later_sees_the_past(tmp_path: Path) -> None:
    fast = {"yarnbox__resourcemanager__history__interval-ms": "100"}

    async def scene() -> None:
        async with web(tmp_path, **fast) as caller:
            series = await until(
                lambda: caller.get("/ui/history/queues"), lambda answer: len(answer["history"]["times"]) > 2
            )
            series = series["history"]
            (queue,) = series["queue"]
            assert queue["path"] == "default", "as lists call the queue of the FifoScheduler"
            assert len(queue["used"]) == len(series["times"])
            named = (await caller.get("/ui/history/queues?parent=default"))["history"]["queue"]
            assert [one["path"] for one in named] == ["default"], "asked for by the name in lists"
            cluster = (await caller.get("/ui/history/cluster?points=2"))["history"]
            assert cluster["nodes"][-1] == 1.0
            backfilled = await heard(caller, "?backfill=2")
            assert all(one["type"] and one["time"] for one in backfilled)

    play(scene)


def test_samples_are_taken_as_often_on_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, hours = {"yarnbox__resourcemanager__history__interval-ms": "100"}, count(0.0, 3600.0)
    clocks = SimpleNamespace(perf_counter=lambda: next(hours), thread_time=lambda: 0.0)
    monkeypatch.setattr("yarnbox.rm.edge.http.history.time", clocks)

    async def scene() -> None:
        async with web(tmp_path, **fast) as caller:
            path = "/ui/history/cluster"
            await until(lambda: caller.get(path), lambda answer: len(answer["history"]["times"]) > 2)

    play(scene)


def test_a_quiet_stream_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a number, so that whoever comes back asks for what it missed."""
    monkeypatch.setattr("yarnbox.rm.edge.http.stream._QUIET_S", 0.0)

    async def scene() -> None:
        async with (
            web(tmp_path) as caller,
            caller.session.get(f"{caller.top}/ws/v1/cluster/events?backfill=0") as answer,
        ):
            async for line in answer.content:
                if line == b"event: quiet\n":
                    break
            rest = [await answer.content.readline() for _ in range(2)]
            assert rest == [b"data: {}\n", b"\n"]

    play(scene)


def test_a_stream_says_at_once_when_all_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a page knows that there was nothing, or all that there was."""
    monkeypatch.setattr("yarnbox.rm.edge.http.stream._QUIET_S", 3600.0)

    async def scene() -> None:
        async with web(tmp_path) as caller:
            address = f"{caller.top}/ws/v1/cluster/events"
            for asked, numbered in (("?backfill=2", 2), ("?backfill=0", 0)):
                async with caller.session.get(address + asked) as answer:
                    told = 0
                    async for line in answer.content:
                        told += line.startswith(b"id: ")
                        if line == b"event: quiet\n":
                            break
                assert told == numbered

    play(scene)


def test_events_are_found_the_newest_first(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            first = (await caller.get("/ui/events"))["events"]["event"]
            assert first[-1]["type"] == "NodeStarted"
            assert len({one["number"] for one in first}) == len(first)
            application_id = str(await caller.desk.submit())
            found = (await caller.get(f"/ui/events?q=subject:{application_id}"))["events"]
            assert {one["subject"] for one in found["event"]} == {application_id}
            assert not {one["number"] for one in found["event"]} & {one["number"] for one in first}
            times = [one["time"] for one in found["event"]]
            assert times == sorted(times, reverse=True)
            assert f"Events: {len(times)}" in [one.get("name") for one in found["block"]]
            later = (await caller.get(f"/ui/events?from=1&q=subject:{application_id}"))["events"]
            assert later["event"] == found["event"][1:]
            bad = (await caller.get("/ui/errors-and-warnings"))["events"]
            assert bad["event"] == []
            assert [one["grid"] for one in bad["block"] if "grid" in one] == ["event"]

    play(scene)


def test_attempts_and_containers_are_shown_with_their_application(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            for name in ("appattempt/appattempt_7_0002_000001", "container/container_e03_7_0002_01_000004"):
                url = f"{caller.top}/cluster/{name}?user.name=mei"
                async with caller.session.get(url, allow_redirects=False) as answer:
                    told = (answer.status, answer.headers["Location"])
                    assert told == (302, "/cluster/app/application_7_0002?user.name=mei")
            async with caller.session.get(f"{caller.top}/cluster/container/none") as answer:
                assert answer.status == 200, "a page says that there is none"

    play(scene)


def test_lists_come_in_pages(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            ids = [str(await caller.desk.submit()) for _ in range(3)]
            page = (await caller.get("/ui/apps?limit=2&sort=id"))["found"]
            assert [one["id"] for one in page["app"]] == ids[:2]
            assert (page["total"], page["matching"]) == (3, 3)
            page = (await caller.get(f"/ui/apps?q=id:{ids[1]}"))["found"]
            assert [one["id"] for one in page["app"]] == [ids[1]]
            facets = (await caller.get("/ui/apps?user=nobody"))["found"]["facets"]
            assert facets["user"] == {"ann": 3}, "a facet counts what another choice of it would bring"
            assert facets["queue"] == {}
            told = (await caller.get(f"/ui/app/{ids[0]}"))["app"]["block"]
            assert of_kind(told, "lifeline")[0][0]["step"] == "submitted"
            assert paragraphs(told, "headline")[0][1].startswith(" waiting for its AM container")
            assert of_kind(told, "actions")[0][0]["name"] == "Kill Application"
            about = (await caller.get("/ui/about"))["about"]["block"]
            assert (about[0]["heading"], len(about[-1]["paragraph"])) == ("About the Cluster", 7)
            waiting = (await caller.get("/ui/waiting"))["waiting"]
            assert (waiting["unseen"], waiting["countsVCores"]) == (0, False)
            (node,) = (await caller.get("/ui/nodes"))["nodes"]["node"]
            assert node["id"] == str(NODE)
            (page,) = (await caller.get(f"/ui/node/{NODE}")).values()
            assert page["block"][0]["heading"] == str(NODE)
            (offered,) = (one["actions"] for one in page["block"] if "actions" in one)
            assert [one["name"] for one in offered] == ["Decommission"]
            await caller.get("/ui/node/nobody:1", 404)
            await caller.get("/ui/containers", 400)
            await caller.get("/ui/apps?limit=many", 400)

    play(scene)


def test_the_containers_of_fifo_are_those_of_its_one_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            desk = caller.desk
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as master:
                await master.call("registerApplicationMaster", RegisterApplicationMasterRequest(host=""))
                wanted = ask(count=3)
                await master.call("allocate", AllocateRequest(ask=(wanted,), response_id=0))
                await desk.beat()
                held = (await caller.get("/ui/containers?queue=default"))["containers"]
                assert [one["app"] for one in held["container"]] == [str(application_id)] * 3
                assert not held["isCut"]
                monkeypatch.setattr(past_answers, "_MOST_CONTAINERS", 2)
                held = (await caller.get("/ui/containers?queue=default"))["containers"]
                assert (len(held["container"]), held["isCut"]) == (2, True)
                monkeypatch.undo()
                given = ContainerId.parse(held["container"][0]["id"])
                await master.call("allocate", AllocateRequest(response_id=1))  # it hears of them
                await master.call("allocate", AllocateRequest(release=(given,), response_id=2))
                held = (await caller.get("/ui/containers?queue=default"))["containers"]
                assert [one["id"] for one in held["container"] if one["finished"]] == [str(given)]
                (ended,) = [one["finished"] for one in held["container"] if one["finished"]]
                for since_ms, count in ((ended, 3), (ended + 1, 2)):
                    news = await caller.get(f"/ui/containers?queue=default&since={since_ms}")
                    assert len(news["containers"]["container"]) == count, "what lives is always told"
                parts = [
                    (await caller.get(f"/ui/containers?queue=default&from={i}&limit=1")) for i in range(4)
                ]
                assert [len(one["containers"]["container"]) for one in parts] == [1, 1, 1, 0]
                assert {one["containers"]["known"] for one in parts} == {3}
                path = "/ui/containers/list?queue=default&containers.sort="
                ids = sorted(one["id"] for one in held["container"])
                sorts = ("id", "-id", "started")
                lists = {sort: (await caller.get(path + sort))["containers"] for sort in sorts}
                assert [one["id"] for one in lists["id"]["container"]] == ids
                assert [one["id"] for one in lists["-id"]["container"]] == ids[::-1]
                began = [one["started"] for one in lists["started"]["container"]]
                assert (len(began), began) == (3, sorted(began))
                (head,) = (one for one in lists["-id"]["block"][0]["columns"] if "order" in one)
                assert (head["key"], head["order"], head["next"]) == ("id", "descending", "id")
                nothing = await caller.get("/ui/containers?queue=root.nobody")
                assert nothing["containers"]["container"] == []
                assert nothing["containers"]["now"] >= ended

    play(scene)


def test_news_of_containers_are_those_that_have_changed(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            desk = caller.desk
            application_id = await desk.submit()
            path = f"/ui/containers?app={application_id}"

            async def states(changes_ms: int) -> tuple[list[str], int]:
                while (await caller.get(path))["containers"]["now"] <= changes_ms:
                    await asyncio.sleep(0.001)
                found = (await caller.get(f"{path}&changes={changes_ms + 1}"))["containers"]
                return sorted(one["state"] for one in found["container"]), found["living"]

            async with desk.master(await desk.token(application_id)) as master:
                await master.call("registerApplicationMaster", RegisterApplicationMasterRequest(host=""))
                await master.call("allocate", AllocateRequest(ask=(ask(count=3),), response_id=0))
                await desk.beat()
                looked_ms = (await caller.get(path))["containers"]["now"]
                assert await states(looked_ms) == ([], 3)
                answer = await master.call("allocate", AllocateRequest(response_id=1))
                assert await states(looked_ms) == (["ACQUIRED"] * 3, 3)
                looked_ms = (await caller.get(path))["containers"]["now"]
                assert await states(looked_ms) == ([], 3)
                given = tuple(one.id for one in answer.allocated_containers)[:1]
                await master.call("allocate", AllocateRequest(release=given, response_id=2))
                assert await states(looked_ms) == (["COMPLETE"], 2)

    play(scene)


def test_a_node_is_let_go_and_taken_back(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            where = f"/ui/nodes/{NODE}"
            await caller.send("POST", f"{where}/drain", {"timeout": 10**9}, 400)
            await caller.send("POST", "/ui/nodes/nm9:1/drain", {}, 404)
            await caller.send("POST", f"{where}/drain", {"timeout": 60}, 200)
            (node,) = (await caller.get("/ui/nodes"))["nodes"]["node"]
            assert (node["state"], node["isDrained"]) == (NodeState.DECOMMISSIONING.name, True)
            await caller.send("POST", f"{where}/recommission", {}, 200)
            (node,) = (await caller.get("/ui/nodes"))["nodes"]["node"]
            assert (node["state"], "isDrained" in node) == (NodeState.RUNNING.name, False)

    play(scene)


def test_every_page_of_the_shell_can_be_read(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            application_id = str(await caller.desk.submit())
            shell = await caller.get("/ui/shell?user.name=mei")
            assert shell["user"] == "mei"
            assert shell["foot"] == "Times are in {zone}. Logged in as: mei. Press ? for the keys."
            things = {"app": application_id, "node": str(NODE)}
            for section in shell["page"]:
                for word, where in section["has"].items():
                    answer = await caller.get(where.replace("*", things.get(word, "")))
                    assert next(iter(answer.values()))["block"], where
            assert "g, then n" in {one["name"] for one in shell["key"]}

    play(scene)
