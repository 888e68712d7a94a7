"""The page of the node labels."""

from __future__ import annotations

from tests.rig import Rig
from yarnbox.rm.web.nodes import partitions
from yarnbox.rm.web.pages.labels import labels_page
from yarnbox.rm.web.values import Shapes


def test_a_label_says_what_is_in_its_partition() -> None:
    rig = Rig()
    rig.add_node("n1", 4096, 4)
    found = partitions(rig.context, Shapes(rig.context.resource_types))
    gpu = {"name": "gpu", "exclusivity": "true", "activeNMs": "2"}
    head, shown = labels_page([*found, gpu])
    assert (head["heading"], head["level"]) == ("Node Labels", 1)
    default, exclusive = shown["grid"]
    assert default == {
        "label": "<DEFAULT_PARTITION>",
        "type": default["type"],
        "nodes": 1,
        "memory": 4096,
        "vcores": 4,
    }
    assert (exclusive["type"], exclusive["nodes"], exclusive["memory"]) == ("Exclusive Partition", 2, 0)
    shared = labels_page([gpu | {"exclusivity": False}])[1]["grid"][0]
    assert shared["type"] == "Non Exclusive Partition"
    assert {one["read"] for one in shown["columns"]} == default.keys()
