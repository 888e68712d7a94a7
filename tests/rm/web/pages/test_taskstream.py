"""What has become of a container, and what its colour says of it."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import pytest

from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.web.pages.blocks import stream
from yarnbox.rm.web.pages.taskstream import CHOICES, LanesTable, kind_of, traits, with_choices
from yarnbox.rm.web.past import ContainerRow
from yarnbox.rm.web.values import Answer

LIFE = traits(counts_vcores=True)["life"]
ROW = ContainerRow("c", "a", "t", "n", "", "q", "u", "", 1, 1, 1, True, "", "", "RUNNING", 1, 0, None, "")
LOST = f"{statuses.LOST_CONTAINER}: n1 is gone"


@pytest.mark.parametrize(
    "state, exit_status, diagnostics, kind",
    [
        ("RESERVED", None, "", "reserved"),
        ("ALLOCATED", None, "", "alive"),
        ("RUNNING", None, "", "alive"),
        ("COMPLETE", 0, "", "done"),
        ("COMPLETE", statuses.ABORTED, statuses.RELEASED_CONTAINER, "released"),
        ("COMPLETE", statuses.ABORTED, statuses.EXPIRED_CONTAINER, "ended"),
        ("COMPLETE", statuses.PREEMPTED, statuses.PREEMPTED_CONTAINER, "preempted"),
        ("COMPLETE", statuses.ABORTED, LOST, "lost"),
        ("COMPLETE", 1, LOST, "ended"),
    ],
)
def test_what_has_become_of_a_container(
    state: str, exit_status: int | None, diagnostics: str, kind: str
) -> None:
    assert kind_of(state, exit_status, diagnostics) == kind
    assert kind in [one["key"] for one in CHOICES["colour"][0]["known"]]


def test_the_stream_reads_what_containers_have() -> None:
    fields = {*ROW.answer(2), "kind"}
    assert {one["key"] for one in CHOICES["lanes"]} <= fields
    assert {one["read"] for one in CHOICES["colour"]} <= fields
    assert {one["read"] for one in LIFE} <= fields


def test_the_life_of_a_container_has_vcores_where_they_count() -> None:
    keys = [[one["key"] for one in traits(counts_vcores=counts)["life"]] for counts in (True, False)]
    assert [key for key in keys[0] if key not in keys[1]] == ["vcores"]
    assert keys[1] == [key for key in keys[0] if key != "vcores"]


def test_a_reserved_container_is_not_allocated() -> None:
    row = ROW._replace(state="RESERVED", started=5)
    times = ("reserved", "allocated", "running", "elapsed")
    assert [row.answer(9)[name] for name in times] == [5, 0, 0, 4]
    assert [row._replace(state="RUNNING").answer(9)[name] for name in times] == [0, 5, 0, 4]
    assert row._replace(state="COMPLETE", finished=8).answer(9)["elapsed"] == 3


def test_no_two_looks_of_a_colouring_are_alike() -> None:
    for one in CHOICES["colour"]:
        looks = [(look["hue"], look["hatch"]) for look in one.get("known", ())]
        assert len(set(looks)) == len(looks)


def counted(asked: dict[str, str], *containers: dict[str, Any]) -> Answer:
    table = LanesTable(asked, {"a1": "sort"})
    for one in containers:
        table.take({"kind": "done", "locality": "", "isAM": False, "app": "a1", "node": "n1", **one})
    (found,) = table.blocks()
    return found


def test_a_table_counts_containers_by_lanes_and_looks() -> None:
    found = counted(
        {"name": "root.a"}, {"node": "n10"}, {}, {"kind": "lost"}, {"node": "n10", "kind": "preempted"}, {}
    )
    assert found["name"] == "root.a: containers by node"
    heads = [one["name"] for one in found["columns"]]
    assert heads == ["node", "Containers", "completed", "preempted", "lost with its node"]
    rows = [[row[one["read"]] for one in found["columns"]] for row in found["grid"]]
    assert rows == [["n1", 3, 2, 0, 1], ["n10", 2, 1, 1, 0]]


def test_a_table_has_the_lanes_and_colours_of_the_stream() -> None:
    found = counted({"lanes": "app", "colour": "app", "stream.sort": "-id"}, {}, {"app": "a2"})
    assert [one["name"] for one in found["columns"]] == ["application", "Containers", "sort", "a2"]
    assert [row["id"] for row in found["grid"]] == ["a2", "a1"]
    heads = [one["name"] for one in counted({"colour": "role"}, {}, {"isAM": True})["columns"]]
    assert heads[2:] == ["ApplicationMaster", "other"]


def test_lanes_and_colour_are_those_of_the_address_or_else_the_usual_ones() -> None:
    shown = stream("root.a", "queue=root.a", "app", lanes="app", colour="queue")
    [usual] = with_choices(shown, {"colour": "of nobody"})
    assert (usual["lanes"]["key"], usual["colour"]["key"]) == ("app", "queue")
    [asked] = with_choices(shown, {"lanes": "user", "colour": "locality"})
    assert (asked["lanes"]["name"], asked["colour"]["read"]) == ("user", "locality")
    assert [(one["choose"][0], one["into"], one["present"]) for one in asked["choices"]] == [
        (["node", "node"], "lanes", "user"),
        (["state", "state"], "colour", "locality"),
    ]


def test_a_page_has_the_table_where_its_address_says_so() -> None:
    shown = stream("root.a&b", "queue=root.a%26b", "app", lanes="app", colour="state")
    assert len(with_choices(shown, {})) == 1
    asked = {"table": "open", "colour": "role", "stream.sort": "-count", "q": "x"}
    _, table = with_choices(shown, asked)
    path, _, query = table["source"].partition("?")
    assert path == "/ui/containers/table"
    assert dict(parse_qsl(query)) == {
        "queue": "root.a&b",
        "name": "root.a&b",
        "lanes": "app",
        "colour": "role",
        "stream.sort": "-count",
    }
