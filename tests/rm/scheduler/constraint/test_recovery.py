"""A restart of the RM: tags come back with the nodes, constraints and requests with the AMs."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.constraint.rig import RECOVERY, ConstraintRig, restarted, wants
from yarnbox.yarn.ids import ApplicationId

APART = {"zk": "NOTIN,NODE,zk"}


def running(handler: str) -> tuple[ConstraintRig, ApplicationId]:
    """Three zk on three nodes, and the RM gone."""
    old = ConstraintRig(handler, site=RECOVERY)
    app = old.start(APART)
    old.ask(app, wants("zk", 4))
    old.exchange(app, 4)
    assert old.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    return restarted(old, handler), app


@pytest.mark.parametrize("handler", ["scheduler", "placement-processor"])
def test_what_ran_before_still_counts(handler: str) -> None:
    rig, app = running(handler)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    tags = rig.context.constraints.tags
    assert [tags.on_node(rig.nodes[name].node_id) for name in rig.names] == [{"zk": 1}] * 3
    rig.register_again(app, APART)
    rig.ask(app, wants("zk", 1))  # what was outstanding is said again
    rig.exchange(app, 4)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    rig.names.append("n4")
    rig.add_node("n4")
    rig.ask(app, wants("zk", 1, number=1))
    rig.exchange(app, 4)
    assert rig.where(app)["n4"] == 1


def test_a_recovered_container_that_ends_takes_its_tag_along() -> None:
    rig, app = running("scheduler")
    (first,) = [one for one in rig.live(app) if one.node.host == "n1"]
    assert rig.nodes["n1"].end(first.container_id, 0)
    rig.heartbeat("n1")
    assert rig.context.constraints.tags.on_node(first.node_id) == {}
    rig.register_again(app, APART)
    rig.ask(app, wants("zk", 2))
    rig.exchange(app, 3)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}


def test_constraints_are_registered_once() -> None:
    rig = ConstraintRig("scheduler", 1)
    app = rig.submit(unmanaged_am=True, keep_containers_across_application_attempts=True)
    rig.register_again(app, APART)
    rig.register_again(app, {"zk": "IN,NODE,nobody"})  # passed over, as in Hadoop
    rig.ask(app, wants("zk", 1))
    rig.exchange(app)
    assert rig.where(app) == {"n1": 1}
