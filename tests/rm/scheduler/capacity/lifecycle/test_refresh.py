"""A file that cannot be used is refused as a whole, in one line."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.yarn.errors import YarnError

P = "yarn.scheduler.capacity."
TREE = {P + "root.queues": "a,b", P + "root.a.capacity": "40", P + "root.b.capacity": "60"}


def test_all_faults_are_in_one_line_each_with_its_place() -> None:
    rig = CapacityRig(TREE)
    state, factor = P + "root.a.state", P + "root.b.user-limit-factor"
    rig.provider.properties.update({state: "PAUSED", factor: "much"})
    with pytest.raises(YarnError) as caught:
        rig.scheduler.refresh()
    assert caught.value.message == (
        "Failed to re-init queues : Invalid queue state configuration. We can only use the states RUNNING"
        f" and STOPPED (capacity-scheduler.xml: {state} = 'PAUSED'); "
        f"must be a number (capacity-scheduler.xml: {factor} = 'much')"
    )
