"""What REST shows of scheduling requests and of tags."""

from __future__ import annotations

from tests.rm.scheduler.constraint.rig import ConstraintRig, wants
from yarnbox.rm.web import apps, nodes
from yarnbox.rm.web.values import Shapes


def test_an_open_scheduling_request() -> None:
    rig = ConstraintRig("scheduler", 1)
    app = rig.start()
    rig.ask(app, wants("zk", 3, "AND(NOTIN,NODE,zk:java!=11)", number=7), wants("web", 1, number=8))
    rig.exchange(app, 2)
    shapes = Shapes(rig.context.resource_types)
    (shown,) = apps.open_requests(rig.context, shapes, rig.attempt(app))
    assert shown.pop("capability")["memory"] == 1024
    assert shown == {
        "priority": 1,
        "allocationRequestId": 7,
        "numContainers": 2,
        "relaxLocality": False,
        "executionTypeRequest": {"executionType": "GUARANTEED", "enforceExecutionType": False},
        "allocationTags": ["zk"],
        "placementConstraint": "and(notin,node,zk:node,NE,java=[11])",
    }


def test_the_tags_of_a_node() -> None:
    rig = ConstraintRig("scheduler", 1)
    app = rig.start()
    rig.ask(app, wants("zk", 2), wants("db", 1, number=1))
    rig.exchange(app, 3)
    node = rig.context.nodes[rig.nodes["n1"].node_id]
    shown = nodes.node(rig.context, Shapes(rig.context.resource_types), node)
    assert shown["allocationTags"] == {
        "allocationTagInfo": [
            {"allocationTag": "db", "allocationsCount": 1},
            {"allocationTag": "zk", "allocationsCount": 2},
        ]
    }
