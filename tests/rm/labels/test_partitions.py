"""Labels by name, host and NodeManager: what is refused, and who carries what."""

from __future__ import annotations

import pytest

from yarnbox.rm.labels.partitions import EVERY_NODE_OF_HOST, NodeLabelsManager
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import NodeLabel

H, H1, H2 = NodeId("h", EVERY_NODE_OF_HOST), NodeId("h", 1), NodeId("h", 2)


@pytest.fixture
def manager() -> NodeLabelsManager:
    manager = NodeLabelsManager(is_enabled=True)
    manager.add([NodeLabel(name="x"), NodeLabel(name="y", is_exclusive=False), NodeLabel(name="z")])
    manager.join("h")
    return manager


def replace(manager: NodeLabelsManager, **labels: str) -> dict[NodeId, str]:
    nodes = {"h": H, "h1": H1, "h2": H2}
    wanted = {nodes[name]: (label,) if label else () for name, label in labels.items()}
    changed = manager.effective(wanted)
    manager.replace(changed)
    return changed


def test_what_is_said_of_a_host_that_is_not_known_is_a_change(manager: NodeLabelsManager) -> None:
    other = NodeId("other", EVERY_NODE_OF_HOST)
    assert manager.effective({H: (), other: ()}) == {other: ""}
    manager.replace({other: ""})
    assert manager.effective({H: (), other: ()}) == {}


@pytest.mark.parametrize("name", ["", " ", "-x", "_x", "x.y", "*", "a" * 256, "é"])
def test_names_that_are_none(name: str) -> None:
    manager = NodeLabelsManager(is_enabled=True)
    with pytest.raises(YarnError):
        manager.add([NodeLabel(name="good"), NodeLabel(name=name)])
    assert not manager.labels


def test_exclusivity_is_fixed(manager: NodeLabelsManager) -> None:
    """The refusal names all that was to be added."""
    with pytest.raises(YarnError, match=r"label with : <new:exclusivity=true>,<y:exclusivity=true>$"):
        manager.add([NodeLabel(name="new"), NodeLabel(name="y")])
    assert not manager.is_known("new")
    with pytest.raises(YarnError, match=r"<:exclusivity=false>$"):
        manager.add([NodeLabel(name="", is_exclusive=False)])
    assert manager.add([NodeLabel(name=" y ", is_exclusive=False)]) == ()


def test_a_node_inherits_until_it_has_its_own(manager: NodeLabelsManager) -> None:
    replace(manager, h="x")
    assert [manager.partition_of(one) for one in (H1, H2)] == ["x", "x"]
    replace(manager, h1="y")
    assert [manager.partition_of(one) for one in (H1, H2)] == ["y", "x"]
    assert replace(manager, h="x") == {}
    assert manager.partition_of(H1) == "y"
    replace(manager, h="z")
    assert [manager.partition_of(one) for one in (H1, H2)] == ["z", "z"]


def test_an_empty_set_of_its_own_is_the_default_partition(manager: NodeLabelsManager) -> None:
    replace(manager, h="x")
    replace(manager, h1="")
    assert [manager.partition_of(one) for one in (H1, H2)] == ["", "x"]


def test_removing_a_label_keeps_own_sets_empty(manager: NodeLabelsManager) -> None:
    replace(manager, h="x", h1="y")
    manager.remove(["y"])
    assert manager.partition_of(H1) == ""
    manager.remove([" x "])
    assert manager.partition_of(H2) == ""
    with pytest.raises(YarnError, match="label=x to be removed doesn't existed"):
        manager.remove(["z", "x"])
    assert manager.is_known("z")


def test_refusals_change_nothing(manager: NodeLabelsManager) -> None:
    with pytest.raises(YarnError, match="2 labels specified on host=h"):
        manager.effective({H: ("x", "y")})
    with pytest.raises(YarnError, match=r"new labels=\[unknown\]"):
        manager.effective({H: ("x",), H1: ("unknown",)})
    assert manager.partition_of(H1) == ""


def test_a_snapshot_makes_the_same_manager_again(manager: NodeLabelsManager) -> None:
    replace(manager, h="x", h1="")
    copy = NodeLabelsManager(is_enabled=True)
    for record in manager.snapshot(with_mappings=True):
        copy.replay(record, with_mappings=True)
    assert copy.labels == manager.labels
    assert [copy.partition_of(one) for one in (H1, H2)] == ["", "x"]
    assert copy.snapshot(with_mappings=True) == manager.snapshot(with_mappings=True)


def test_who_carries_a_label(manager: NodeLabelsManager) -> None:
    replace(manager, h="x", h1="y")
    assert manager.carriers([H2]) == {H: "x", H1: "y", H2: "x"}
    replace(manager, h="")
    assert manager.carriers([H2]) == {}
    replace(manager, h1="z")
    assert manager.carriers([]) == {H1: "z"}
