"""The lists: what their columns read, which rows are shown, and what stands beside them."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.rig import Rig
from tests.tree import ROOT
from yarnbox.rm.web.finding import NUMBERS, TEXTS
from yarnbox.rm.web.nodes import partitions
from yarnbox.rm.web.pages.lists import (
    APPLICATIONS,
    CONTAINERS,
    EVENTS,
    LABELS,
    NODES,
    PROPERTIES,
    ApplicationsPage,
    ContainersPage,
    EventsPage,
    NodesPage,
    application_row,
    applications,
    configuration_page,
    labels_page,
)
from yarnbox.rm.web.past import ContainerRow
from yarnbox.rm.web.rows import node_row
from yarnbox.rm.web.values import Answer, Shapes


def part(blocks: list[Answer], kind: str) -> Answer:
    """The only part of that kind."""
    (found,) = (one for one in blocks if kind in one)
    return found


def test_every_column_can_be_sorted_and_filtered_by() -> None:
    keys = [one["key"] for one in APPLICATIONS]
    assert sorted(keys) == sorted({*TEXTS, *NUMBERS})
    for one in APPLICATIONS:
        assert one["isNumber"] == (one["key"] in NUMBERS), one["key"]


def test_a_phone_shows_what_it_is_and_how_it_went() -> None:
    cards = [one["key"] for one in APPLICATIONS if one.get("isCard")]
    assert cards == ["id", "name", "state", "final"]


def test_the_scripts_know_every_kind_of_column() -> None:
    ui = ROOT / "rm" / "edge" / "http" / "ui"
    shown = (ui / "dom.js").read_text("utf-8")
    columns = (*APPLICATIONS, *NODES, *EVENTS, *PROPERTIES, *CONTAINERS, *LABELS)
    kinds = {one["kind"] for one in columns}
    assert {kind for kind in kinds if re.search(rf"^  {kind}(,|:|\()", shown, re.MULTILINE) is None} == set()


FOUND = {
    "total": 60,
    "matching": 45,
    "facets": {"state": {"RUNNING": 45}, "user": {"ann": 3, "": 2, "mei": 45}},
}


def test_the_page_of_applications_says_how_else_they_can_be_had() -> None:
    asked = {"states": "RUNNING", "user": "mei", "q": "etl", "at": "5", "from": "20"}
    page = ApplicationsPage(asked).blocks(FOUND)
    assert page[0]["heading"] == "RUNNING Applications"
    every, running = (one for one in part(page, "chips")["chips"] if one["link"].split()[-1] == "45")
    assert (every["to"], every["isHere"]) == ("/cluster/apps?user=mei&q=etl&at=5", False)
    assert (running["to"], running["isHere"]) == ("/cluster/apps/RUNNING?user=mei&q=etl&at=5", True)
    grid = part(page, "grid")
    assert grid["calls"][0] == "/apps?states=RUNNING&user=mei"
    assert grid["calls"][1] == "/ui/apps?q=etl&states=RUNNING&user=mei&sort=-id"
    assert grid["none"][1]["to"] == "/cluster/apps/RUNNING"
    where, before, _, after = page[-1]["paragraph"]
    assert (where, before["link"], after["link"]) == ("21 to 40 of 45 ", "previous page", "next page")
    assert (before["ask"], after["ask"]) == (["from", "0"], ["from", "40"])
    (users,) = (one for one in part(page, "section")["section"] if one.get("into") == "user")
    assert users["choose"] == [["", "all"], ["mei", "mei (45)"], ["ann", "ann (3)"]]
    (queues,) = (one for one in part(page, "section")["section"] if one.get("into") == "queue")
    assert (queues["choose"], queues["present"]) == ([["", "all"]], "")
    none = {"total": 0, "matching": 0, "facets": {"state": {}}}
    nothing = ApplicationsPage({"user": "bob"}).blocks(none)
    (users,) = (one for one in part(nothing, "section")["section"] if one.get("into") == "user")
    assert (users["choose"][1], users["present"]) == (["bob", "bob (0)"], "bob")
    assert part(nothing, "grid")["none"].startswith("No applications yet.")


def test_a_short_list_of_applications_is_said_alone() -> None:
    page = {"queueapps.sort": "name", "queueapps.columns": "id,name", "sort": "user", "q": "etl"}
    source = applications("queueapps", ("ACCEPTED", "RUNNING"), page, "root.a&b")["source"]
    asked = dict(parse_qsl(urlsplit(source).query))
    assert asked == {
        "states": "ACCEPTED,RUNNING",
        "queue": "root.a&b",
        "limit": "20",
        "list": "queueapps",
        "queueapps.sort": "name",
        "queueapps.columns": "id,name",
    }
    found = ApplicationsPage(asked)
    (grid,) = found.blocks(FOUND)
    assert found.order == "name"
    assert (grid["id"], [one["key"] for one in grid["columns"]]) == ("queueapps", ["id", "name"])
    assert grid["none"] == "No application is running or waiting in this queue."


@pytest.fixture
def nodes() -> list[Answer]:
    """Three that run and one that is lost."""
    rig = Rig()
    for number in range(4):
        rig.add_node(f"n{number}", 4096, 4)
    rows = [node_row(rig.context, one, "here:8042") for one in rig.context.nodes.values()]
    rows[1]["usedMB"] = 2048
    rows[2]["state"] = "LOST"
    rows[3]["more"] = {"gpu": [1, 4]}
    return rows


def taken(nodes: list[Answer], **asked: str) -> tuple[list[str], list[Answer]]:
    page = NodesPage(asked)
    for one in nodes:
        page.take(one)
    return [one["host"] for one in page.rows()], page.blocks("none yet")


def test_nodes_are_chosen_by_the_address(nodes: list[Answer]) -> None:
    assert taken(nodes)[0] == ["n0", "n1", "n2", "n3"]
    assert taken(nodes, states="active")[0] == ["n0", "n1", "n3"]
    assert taken(nodes, states="lost")[0] == ["n2"]
    assert taken(nodes, q="memfree<4096")[0] == ["n1"]
    assert taken(nodes, q="label:default state:lost")[0] == ["n2"]
    assert taken(nodes, state="RUNNING", q="n1")[0] == ["n1"]
    (grid,) = (one for one in taken(nodes, q="nobody")[1] if "grid" in one)
    assert grid["none"][0] == "No nodes match these filters. "
    assert part(taken([])[1], "grid")["none"] == "none yet"


def test_nodes_are_sorted_by_the_address(nodes: list[Answer]) -> None:
    assert taken(nodes, sort="-id")[0] == ["n3", "n2", "n1", "n0"]
    assert taken(nodes, sort="memfree")[0] == ["n1", "n0", "n2", "n3"]
    assert taken(nodes, sort="-gpu.free")[0] == ["n3", "n0", "n1", "n2"]


def test_columns_of_nodes_read_what_rows_have(nodes: list[Answer]) -> None:
    page = NodesPage({})
    page.take(nodes[3])
    (row,) = page.rows()
    assert {one["read"] for one in NODES} <= row.keys() | {"tags", "reserved"}
    grid = part(page.blocks(""), "grid")
    (chooser,) = grid["chooser"]
    assert "Host: show" in chooser["folded"][0]["items"][-2][0]["label"]
    assert [row[one["read"]] for one in grid["columns"][-2:]] == [1, 3]
    assert [one["name"] for one in grid["columns"][-2:]] == ["gpu Used", "gpu Avail"]


def test_columns_of_containers_read_what_rows_have() -> None:
    of_rows = {"logs", "elapsed", "memoryMB", "exitStatus", *ContainerRow._fields}
    assert {one["read"] for one in CONTAINERS} <= of_rows
    for of in ("app", "node"):
        (grid,) = ContainersPage({of: "a"}).blocks()
        shown = {one["key"] for one in grid["columns"]}
        assert shown >= ({"queue", "user"} if of == "node" else {"node"})


def test_containers_come_in_pages() -> None:
    page = ContainersPage({"app": "a", "containers.sort": "id", "containers.from": "500", "from": "20"})
    for number in range(1_200, 0, -1):
        page.rows.take({"id": f"container_{number}"})
    shown = page.cut(page.rows.taken())
    assert [shown[0]["id"], shown[-1]["id"]] == ["container_501", "container_1000"]
    whole = ContainersPage({"app": "a", "containers.from": "500", "save": "csv"})
    assert len(whole.cut(range(1_200))) == 1_200, "a file has all of them"
    grid, where = page.blocks()
    assert [one["order"] for one in grid["columns"] if "order" in one] == ["ascending"]
    assert [one["ask"] for one in where["paragraph"] if isinstance(one, dict)] == [
        ["containers.from", "0"],
        ["containers.from", "1000"],
    ]


def event(number: int, **more: Any) -> Answer:
    return {"number": number, "time": number, "type": "AppAccepted", "subject": "a1", **more}


def test_events_come_in_pages_of_those_that_are_meant() -> None:
    rows = [event(i, isTrouble=i % 2 == 0) for i in range(1500)]
    page = EventsPage({"which": "trouble", "q": "type:accepted", "from": "500"})
    for one in rows:
        page.take(one)
    assert [row["number"] for row in page.rows()] == list(range(1000, 1500, 2))
    blocks = page.blocks(left_out=3)
    where, before, _ = blocks[-2]["paragraph"]
    assert (where, before["link"]) == ("501 to 750 of 750 ", "previous page")
    assert before["ask"] == ["from", "0"]
    assert "3 later ones" in blocks[-1]["paragraph"]
    whole = EventsPage({"from": "500", "save": "csv"})
    for one in rows:
        whole.take(one)
    assert len(whole.rows()) == 1500, "a file has all of them"
    assert part(EventsPage({}).blocks(), "grid")["none"] == "No events yet."
    page = EventsPage({"sort": "-time", "from": "500"})
    for one in rows:
        page.take(one)
    assert [row["number"] for row in page.rows()] == list(range(999, 499, -1)), "sorted, and then cut"


def test_subjects_of_events_lead_to_their_pages() -> None:
    led = {
        "application_1_0001": "/cluster/app/application_1_0001",
        "a1 (application_1_0001)": "/cluster/app/application_1_0001",
        "container_e03_1_0001_01_000002": "/cluster/container/container_e03_1_0001_01_000002",
        "appattempt_1_0001_000001": "/cluster/appattempt/appattempt_1_0001_000001",
        "root.a&b": "/cluster/scheduler?queue=root.a%26b",
        "nm1.rack-1:8041": "/cluster/node/nm1.rack-1:8041",
        "report": "",
        "roots": "",
    }
    for subject, to in led.items():
        page = EventsPage({})
        page.take(event(1, subject=subject))
        assert [row["to"] for row in page.rows()] == [to]


def test_a_tracking_ui_is_led_to_where_there_is_one() -> None:
    app = {"id": "application_1_0001", "trackingUI": "History"}
    assert application_row(app)["proxy"] == "/proxy/application_1_0001/"
    nowhere = application_row(app | {"trackingUI": "UNASSIGNED"})
    assert (nowhere["tracking"], nowhere["proxy"]) == ("Unassigned", "")


def test_defaults_are_shown_on_request() -> None:
    properties = [
        {"name": "a", "value": "1", "isDefault": True},
        {"name": "b", "value": "2", "isDefault": False},
    ]

    def names(**asked: str) -> list[str]:
        return [one["name"] for one in configuration_page(asked, properties, None)["property"]]

    assert names() == ["b"]
    assert names(which="all") == ["a", "b"]
    assert names(which="all", q="value:1") == ["a"]


def test_a_label_says_what_is_in_its_partition() -> None:
    rig = Rig()
    rig.add_node("n1", 4096, 4)
    found = partitions(rig.context, Shapes(rig.context.resource_types))
    gpu = {"name": "gpu", "exclusivity": "true", "activeNMs": "2"}
    head, shown = labels_page({}, [*found, gpu])
    assert (head["heading"], head["level"]) == ("Node Labels", 1)
    default, exclusive = shown["grid"]
    assert [one["order"] for one in shown["columns"] if "order" in one] == ["ascending"]
    assert default == {
        "label": "<DEFAULT_PARTITION>",
        "type": default["type"],
        "nodes": 1,
        "memory": 4096,
        "vcores": 4,
    }
    assert (exclusive["type"], exclusive["nodes"], exclusive["memory"]) == ("Exclusive Partition", 2, 0)
    shared = labels_page({}, [gpu | {"exclusivity": False}])[1]["grid"][0]
    assert shared["type"] == "Non Exclusive Partition"
    assert {one["read"] for one in shown["columns"]} == default.keys()
