"""Labels after the RM has died: whatever byte the log was torn at, whatever moment of a start it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rig import Rig
from yarnbox.rm.labels.administration import LABEL_JOURNAL
from yarnbox.rm.labels.partitions import EVERY_NODE_OF_HOST, NodeLabelsManager
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    RemoveFromClusterNodeLabelsRequest,
    ReplaceLabelsOnNodeRequest,
)
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel
from yarnbox.yarn.storage.journal import Journal

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.node-labels.enabled": "true",
    "yarn.scheduler.capacity.root.queues": "a",
    "yarn.scheduler.capacity.root.a.capacity": "100",
}
ADMIN = Caller(user="admin")
LABELS = ("x", "y", "z")
PLACES = [NodeId(host, port) for host in ("n1", "n2") for port in (EVERY_NODE_OF_HOST, 1, 2)]

State = tuple[dict[str, NodeLabel], dict[NodeId, str]]
Change = tuple[str, Any, Any]

CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(LABELS), st.booleans()),
        st.tuples(st.just("remove"), st.sampled_from(LABELS), st.none()),
        st.tuples(st.just("replace"), st.sampled_from(PLACES), st.sampled_from(("", *LABELS))),
    ),
    max_size=25,
)


def state_of(labels: NodeLabelsManager) -> State:
    """What an RM goes by: the labels, and where each node is."""
    return dict(labels.labels), {place: labels.partition_of(place) for place in PLACES if place.port}


def change(rig: Rig, what: str, first: Any, second: Any) -> None:
    admin = rig.core.admin
    if what == "add":
        add = AddToClusterNodeLabelsRequest(node_labels=(NodeLabel(name=first, is_exclusive=second),))
        rig.turn(lambda: admin.add_to_cluster_node_labels(add, ADMIN))
    elif what == "remove":
        remove = RemoveFromClusterNodeLabelsRequest(node_labels=(first,))
        rig.turn(lambda: admin.remove_from_cluster_node_labels(remove, ADMIN))
    else:
        labels = (second,) if second else ()
        replace = ReplaceLabelsOnNodeRequest(
            node_to_labels=(NodeIdToLabels(node_id=first, node_labels=labels),)
        )
        rig.turn(lambda: admin.replace_labels_on_nodes(replace, ADMIN))


def states_along(changes: list[Change]) -> tuple[list[Any], list[State]]:
    """The records that an RM keeps, and its state before the first and after each of them."""
    rig = Rig(CAPACITY)
    states = [state_of(rig.context.labels)]
    for each in changes:
        try:
            change(rig, *each)
        except YarnError:
            continue
        if len(rig.journals.get(LABEL_JOURNAL, ())) == len(states):
            states.append(state_of(rig.context.labels))
        else:
            assert state_of(rig.context.labels) == states[-1], "a change that was not kept"
    return list(rig.journals.get(LABEL_JOURNAL, ())), states


def recovered(journal: Journal) -> NodeLabelsManager:
    labels = NodeLabelsManager(is_enabled=True)
    for record in journal.load():
        labels.replay(record, with_mappings=True)
    return labels


@given(CHANGES)
def test_every_moment_can_be_recovered(changes: list[Change]) -> None:
    records, states = states_along(changes)
    for count, state in enumerate(states):
        again = Rig(CAPACITY, journals={LABEL_JOURNAL: records[:count]})
        assert state_of(again.context.labels) == state


def test_a_log_torn_at_any_byte(tmp_path: Path) -> None:
    changes: list[Change] = [
        ("add", "x", True),
        ("add", "y", False),
        ("replace", PLACES[0], "x"),
        ("replace", PLACES[1], "y"),
        ("replace", PLACES[0], "y"),
        ("add", "z", True),
        ("replace", PLACES[2], "z"),
        ("remove", "y", None),
        ("replace", PLACES[3], "x"),
        ("remove", "z", None),
    ]
    records, states = states_along(changes)
    assert len(records) == len(changes)
    journal = Journal(tmp_path, LABEL_JOURNAL, "the.property")
    for record in records:
        journal.append(record)
    journal.close()
    log = tmp_path / f"{LABEL_JOURNAL}.editlog"
    data = log.read_bytes()
    for offset in range(len(data) + 1):
        log.write_bytes(data[:offset])
        whole = data[:offset].count(b"\n")
        assert state_of(recovered(Journal(tmp_path, LABEL_JOURNAL, "the.property"))) == states[whole], offset


@given(CHANGES, st.data())
def test_a_crash_between_the_mirror_and_the_empty_log(changes: list[Change], data: st.DataObject) -> None:
    """Everything is in the mirror, and some of it in the log, too."""
    records, states = states_along(changes)
    rig = Rig(CAPACITY, journals={LABEL_JOURNAL: records})
    mirror = rig.context.labels.snapshot(with_mappings=True)
    assert state_of(Rig(CAPACITY, journals={LABEL_JOURNAL: mirror}).context.labels) == states[-1]
    first = data.draw(st.integers(0, len(records)))
    labels = NodeLabelsManager(is_enabled=True)
    for record in [
        *Rig(CAPACITY, journals={LABEL_JOURNAL: records[:first]}).context.labels.snapshot(with_mappings=True),
        *records[first:],
    ]:
        labels.replay(record, with_mappings=True)
    assert state_of(labels) == states[-1]
    for record in records[first:]:
        labels.replay(record, with_mappings=True)
    assert state_of(labels) == states[-1], "made twice"


@pytest.mark.parametrize("kind", ["distributed", "delegated-centralized"])
def test_mappings_of_others_are_not_recovered(kind: str, tmp_path: Path) -> None:
    records, _ = states_along([("add", "x", False), ("replace", PLACES[0], "x")])
    provider = "yarn.resourcemanager.node-labels.provider"
    properties = {
        **CAPACITY,
        "yarn.node-labels.configuration-type": kind,
        provider: "tests.rm.labels.test_administration.Provider",
    }
    again = Rig(properties, journals={LABEL_JOURNAL: records})
    assert state_of(again.context.labels) == (
        {"x": NodeLabel(name="x", is_exclusive=False)},
        {place: "" for place in PLACES if place.port},
    )
