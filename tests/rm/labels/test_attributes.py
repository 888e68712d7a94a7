"""Attributes of hosts: what may be said, and the three operations."""

from __future__ import annotations

import pytest

from yarnbox.rm.labels.attributes import DISTRIBUTED, NodeAttributesManager, changed_record
from yarnbox.yarn.enums import AttributeMappingOperationType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey

ADD, REMOVE, REPLACE = (
    AttributeMappingOperationType.ADD,
    AttributeMappingOperationType.REMOVE,
    AttributeMappingOperationType.REPLACE,
)


def attribute(name: str, value: str = "", prefix: str = "rm.yarn.io") -> NodeAttribute:
    key = NodeAttributeKey(attribute_prefix=prefix, attribute_name=name)
    return NodeAttribute(attribute_key=key, attribute_value=value)


def values(manager: NodeAttributesManager, host: str) -> dict[str, str]:
    return {one.attribute_key.attribute_name: one.attribute_value for one in manager.of_host(host)}


def test_the_three_operations() -> None:
    manager = NodeAttributesManager()
    manager.change(ADD, {"n1": [attribute("os", "linux"), attribute("gpu")]})
    manager.change(ADD, {"n1": [attribute("os", "bsd")]})
    assert values(manager, "n1") == {"gpu": "", "os": "bsd"}
    manager.change(REMOVE, {"n1": [attribute("gpu")], "n2": [attribute("os")]})
    assert values(manager, "n1") == {"os": "bsd"}
    manager.change(REPLACE, {"n1": [attribute("zone", "b")]})
    assert values(manager, "n1") == {"zone": "b"}
    manager.change(REPLACE, {"n1": []})
    assert not manager.types()


def test_replacing_one_prefix_leaves_the_other() -> None:
    manager = NodeAttributesManager()
    manager.change(ADD, {"n1": [attribute("os", "linux")]})
    manager.change(REPLACE, {"n1": [attribute("java", "17", DISTRIBUTED)]}, prefix=DISTRIBUTED)
    assert values(manager, "n1") == {"java": "17", "os": "linux"}
    assert [sorted(record["attributes"]) for record in manager.snapshot()] == [["n1"]]
    assert manager.snapshot()[0]["attributes"]["n1"] == [["rm.yarn.io", "os", "linux"]]


@pytest.mark.parametrize(
    "bad",
    [
        attribute(""),
        attribute("-x"),
        attribute("x.y"),
        attribute("x", "-v"),
        attribute("x", "a b"),
        attribute("x", "v", ""),
    ],
)
def test_what_may_not_be_said(bad: NodeAttribute) -> None:
    with pytest.raises(YarnError, match="now it is="):
        NodeAttributesManager().check({"n1": [attribute("good"), bad]})


def test_records_make_the_same_again() -> None:
    one, two = NodeAttributesManager(), NodeAttributesManager()
    for operation, said in (
        (ADD, [attribute("os", "linux")]),
        (ADD, [attribute("gpu")]),
        (REMOVE, [attribute("os")]),
    ):
        one.change(operation, {"n1": said})
        two.replay(changed_record(operation, {"n1": said}))
    assert one.by_host == two.by_host
