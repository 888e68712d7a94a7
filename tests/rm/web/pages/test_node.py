"""What the page of a node says."""

from __future__ import annotations

from typing import Any

from tests.rig import Rig
from yarnbox.rm.web.pages.node import Use, node_page
from yarnbox.rm.web.rows import node_row
from yarnbox.rm.web.values import Answer


def facts(page: list[Answer]) -> dict[str, tuple[Any, str]]:
    (found,) = (one["facts"] for one in page if "facts" in one)
    return {one["name"]: (one["value"], one["to"]) for one in found}


def test_the_figures_of_a_node() -> None:
    rig = Rig()
    rig.add_node("n1", 4096, 4)
    (node,) = rig.context.nodes.values()
    row = node_row(rig.context, node, "127.0.0.1:8042") | {"usedMB": 1024, "tags": "hbase(2)"}
    page = node_page(row, [], [], 5000, {})
    assert page[0] == {"heading": str(node.node_id), "level": 1}
    assert not any("chart" in one for one in page), "there is nothing to draw"
    found = facts(page)
    assert found["State"][0] == {"state": "RUNNING"}
    assert found["Label"][0] == "<DEFAULT_PARTITION>"
    assert found["Pages"] == ("127.0.0.1:8042", "//127.0.0.1:8042/node")
    assert found["Memory"][0] == {"share": 25.0, "said": "1.0 GiB of 4.0 GiB"}
    assert found["VCores"][0] == {"share": 0.0, "said": "0 of 4"}
    assert found["Allocation Tags"][0] == "hbase(2)"
    found = facts(node_page(row | {"http": "", "totalMB": 0, "report": ""}, [], [], 5000, {}))
    assert found["Pages"] == ("N/A", "")
    assert found["Memory"][0]["share"] == 0
    assert found["Health report"][0] == "N/A"


NODE = {
    "id": "n1:1",
    "state": "RUNNING",
    "rack": "/r1",
    "label": "",
    "http": "",
    "containers": 1,
    "usedMB": 0,
    "totalMB": 4096,
    "usedVCores": 0,
    "totalVCores": 4,
    "report": "",
    "health": 1,
    "version": "3.4.1",
}


def drawn(*used: Use, now_ms: int = 5000) -> Answer:
    (found,) = (one for one in node_page(NODE, [], used, now_ms, {}) if "chart" in one)
    return found


def test_memory_stands_by_group_at_each_moment_when_a_container_came_or_went() -> None:
    chart = drawn(Use("b", 1024, 1000, 3000), Use("a", 512, 2000, 0), Use("b", 256, 3000, 4000))
    assert chart["times"] == [1000, 2000, 3000, 4000, 5000]
    series = {one["name"]: one["values"] for one in chart["series"]}
    assert series == {"a": [0, 0.5, 0.5, 0.5, 0.5], "b": [1, 1, 0.25, 0, 0]}
    assert (chart["ceiling"], chart["isStacked"]) == (4, True)


def test_of_very_many_moments_some_are_drawn_and_the_last_one_always() -> None:
    chart = drawn(*(Use("a", 1024, at, 0) for at in range(1, 2501)))
    (line,) = chart["series"]
    assert len(chart["times"]) == len(line["values"]) <= 1000
    assert (chart["times"][-1], line["values"][-1]) == (5000, 2500)
    assert all(value == at for at, value in zip(chart["times"][:-1], line["values"], strict=False))
