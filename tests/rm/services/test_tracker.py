"""ResourceTracker: what a node is told whose last answer was lost."""

from __future__ import annotations

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.records.tracker import NodeHeartbeatRequest, NodeHeartbeatResponse


class _LostError(Exception):
    """The answer does not arrive."""


def test_a_node_that_registers_again_is_told_again_what_to_stop() -> None:
    rig = Rig()
    rig.add_node("n1")
    app = rig.submit()
    rig.run(app, "n1")
    rig.allocate(app, ask())
    rig.heartbeat("n1")
    (given,) = rig.allocate(app).allocated_containers
    rig.heartbeat("n1")
    assert given.id is not None
    rig.allocate(app, release=(given.id,))

    def lose(request: NodeHeartbeatRequest) -> NodeHeartbeatResponse:
        answer = rig.core.tracker.node_heartbeat(request, Caller())
        assert answer.containers_to_cleanup == (given.id,)
        raise _LostError

    with pytest.raises(_LostError):
        rig.turn(lambda: rig.nodes["n1"].heartbeat(lose, rig.clock.now_ms()))
    rig.allocate(app)  # the AM knows that it has ended
    rig.add_node("n1", keep=True)
    assert rig.heartbeat("n1").containers_to_cleanup == (given.id,)
    assert given.id not in rig.nodes["n1"].running
    assert not rig.heartbeat("n1").containers_to_cleanup
