"""The heat map: groups in the order of names, colours by shares, and squares of many nodes."""

from __future__ import annotations

from yarnbox.rm.web.grids import natural
from yarnbox.rm.web.pages.heat import HeatMap
from yarnbox.rm.web.values import Answer


def node(number: int, **more: object) -> Answer:
    return {
        "id": f"n{number}:1",
        "host": f"n{number}",
        "rack": f"/r{number % 12}",
        "partition": "<DEFAULT_PARTITION>",
        "state": "RUNNING",
        "containers": 1,
        "usedMB": 0,
        "totalMB": 100,
        "usedVCores": 3,
        "totalVCores": 4,
        **more,
    }


def squares(rows: list[Answer], *how: str) -> list[Answer]:
    """Of each group the name, what is counted, and its squares."""
    heat = HeatMap(*how)
    for one in rows:
        heat.add(one)
    found = [one["section"] for one in heat.blocks()[0]["section"]]
    return [
        {"name": head["heading"][0], "count": head["heading"][1]["small"], "square": shown["paragraph"]}
        for head, shown in found
    ]


def test_names_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["n10", "n2", "m", "n2:b"], key=natural) == ["m", "n2", "n2:b", "n10"]
    groups = squares([node(number) for number in range(24)])
    assert [one["name"] for one in groups] == [f"/r{number}" for number in range(12)]
    assert {one["count"] for one in groups} == {" 2 nodes"}


def test_a_square_is_coloured_by_what_is_measured() -> None:
    rows = [node(1, usedMB=used) for used in (0, 19, 20, 79, 100)]
    (group,) = squares(rows)
    assert [one["kind"] for one in group["square"]] == [f"square step{step}" for step in (0, 0, 1, 3, 4)]
    (group,) = squares(rows, "rack", "vcores")
    assert {one["kind"] for one in group["square"]} == {"square step3"}
    (square,) = squares([node(3, usedMB=56.25)])[0]["square"]
    assert square["to"] == "/cluster/node/n3:1"
    assert square["title"] == "n3:1 RUNNING, /r3, <DEFAULT_PARTITION>\n56.3 % used, 1 container"


def test_a_node_that_does_not_run_has_a_colour_of_its_own() -> None:
    rows = [node(1, state="LOST", containers=5, usedMB=90), node(2)]
    lost, running = squares(rows, "state")
    assert (lost["name"], lost["square"][0]["kind"]) == ("LOST", "square dead")
    assert "0.0 % used, 0 containers" in lost["square"][0]["title"]
    assert running["square"][0]["kind"] == "square step0"


def test_of_very_many_a_square_stands_for_some() -> None:
    groups = squares([node(number, usedMB=number % 100) for number in range(5_000)])
    first = groups[0]["square"][0]
    assert sum(len(one["square"]) for one in groups) <= 2_000
    assert first["to"] == "/cluster/nodes?rack=%2Fr0"
    assert first["title"].startswith("n0:1 … n24:1, /r0, ")
    heat = HeatMap()
    for number in range(5_000):
        heat.add(node(number))
    shown, legend = heat.blocks()
    assert shown["section"][0]["section"][1]["kind"] == "squares small"
    assert legend["paragraph"][-1] == " Each square: up to 3 nodes."
