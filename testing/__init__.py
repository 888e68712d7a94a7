"""The test kit for authors of ApplicationMasters: clusters of three kinds, faults, waiting, asserting.

virtual_time/  VirtualCluster: everything in one process, in virtual time
fakes/         RM, NM and AM in the hands of a test
walk/          random walks of a whole cluster under faults
real           YarnCluster: real processes, called through relays where the faults stand
run            what a container runs whose AM is a function of a test
loop_thread    a loop in a thread of its own, for who blocks
patience       how long all of them wait for what is sure to happen
masters        ApplicationMasters as functions, and blocking ones in turns with a loop
faults         what can be broken, by address; the border that calls cross
conditions     when: at which call
watching       what every cluster lets a test do: wait, look, assert
temporary      directories that go with their test, however it ends
setup          configurations of clusters under test
plugin         fixtures and markers of pytest
"""

from typing import TYPE_CHECKING

from yarnbox.yarn.exports import lazily

if TYPE_CHECKING:
    from yarnbox.testing.fakes.fake_am import FakeApplicationMaster
    from yarnbox.testing.fakes.fake_nm import FakeNodeManager
    from yarnbox.testing.fakes.fake_rm import FakeResourceManager
    from yarnbox.testing.faults import (
        delay,
        drop_next,
        expire_token,
        fail_over,
        fill_disk,
        lose_node,
        lose_node_of,
        preempt,
        restart_rm,
    )
    from yarnbox.testing.real import YarnCluster
    from yarnbox.testing.virtual_time.cluster import VirtualCluster
    from yarnbox.testing.virtual_time.nodes import Ends, Started, runs
    from yarnbox.testing.watching import Application, SeenContainer

_HOMES = {
    "Application": "yarnbox.testing.watching",
    "Ends": "yarnbox.testing.virtual_time.nodes",
    "FakeApplicationMaster": "yarnbox.testing.fakes.fake_am",
    "FakeNodeManager": "yarnbox.testing.fakes.fake_nm",
    "FakeResourceManager": "yarnbox.testing.fakes.fake_rm",
    "SeenContainer": "yarnbox.testing.watching",
    "Started": "yarnbox.testing.virtual_time.nodes",
    "VirtualCluster": "yarnbox.testing.virtual_time.cluster",
    "YarnCluster": "yarnbox.testing.real",
    "delay": "yarnbox.testing.faults",
    "drop_next": "yarnbox.testing.faults",
    "expire_token": "yarnbox.testing.faults",
    "fail_over": "yarnbox.testing.faults",
    "fill_disk": "yarnbox.testing.faults",
    "lose_node": "yarnbox.testing.faults",
    "lose_node_of": "yarnbox.testing.faults",
    "preempt": "yarnbox.testing.faults",
    "restart_rm": "yarnbox.testing.faults",
    "runs": "yarnbox.testing.virtual_time.nodes",
}

__all__ = [
    "Application",
    "Ends",
    "FakeApplicationMaster",
    "FakeNodeManager",
    "FakeResourceManager",
    "SeenContainer",
    "Started",
    "VirtualCluster",
    "YarnCluster",
    "delay",
    "drop_next",
    "expire_token",
    "fail_over",
    "fill_disk",
    "lose_node",
    "lose_node_of",
    "preempt",
    "restart_rm",
    "runs",
]

__getattr__ = lazily(__name__, _HOMES)
