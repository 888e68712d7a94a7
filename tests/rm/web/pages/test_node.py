"""What the page of a node says."""

from __future__ import annotations

from tests.rig import Rig
from yarnbox.rm.web.pages.node import node_page
from yarnbox.rm.web.rows import node_row


def test_the_figures_of_a_node() -> None:
    rig = Rig()
    rig.add_node("n1", 4096, 4)
    (node,) = rig.context.nodes.values()
    row = node_row(rig.context, node, "127.0.0.1:8042") | {"usedMB": 1024, "tags": "hbase(2)"}
    shown = node_page(row)
    assert shown["id"] == str(node.node_id)
    found = {one["name"]: (one["value"], one["to"]) for one in shown["fact"]}
    assert found["State"][0] == {"state": "RUNNING"}
    assert found["Label"][0] == "<DEFAULT_PARTITION>"
    assert found["Pages"] == ("127.0.0.1:8042", "//127.0.0.1:8042/node")
    assert found["Memory"][0] == {"share": 25.0, "said": "1.0 GiB of 4.0 GiB"}
    assert found["VCores"][0] == {"share": 0.0, "said": "0 of 4"}
    assert found["Allocation Tags"][0] == "hbase(2)"
    gone = node_page(row | {"http": "", "totalMB": 0, "report": ""})
    found = {one["name"]: (one["value"], one["to"]) for one in gone["fact"]}
    assert found["Pages"] == ("N/A", "")
    assert found["Memory"][0]["share"] == 0
    assert found["Health report"][0] == "N/A"
