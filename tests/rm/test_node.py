"""RMNode, NodesListManager and the tracker service: how nodes join, report, drain and leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rig import PORT, Rig, ask
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.enums import DecommissionType, NodeAction, NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.admin import (
    CheckForDecommissioningNodesRequest,
    RefreshNodesRequest,
    RefreshNodesResourcesRequest,
    UpdateNodeResourceRequest,
)
from yarnbox.yarn.records.basics import ResourceOption, ResourceUtilization
from yarnbox.yarn.records.client import GetClusterMetricsRequest
from yarnbox.yarn.records.node import NodeResourceMap
from yarnbox.yarn.records.tracker import NodeHeartbeatRequest, NodeStatus, UnRegisterNodeManagerRequest
from yarnbox.yarn.resources.resource import Resource

FILES = {
    "yarn.resourcemanager.nodes.include-path": "include",
    "yarn.resourcemanager.nodes.exclude-path": "exclude",
}
ADMIN = Caller(user="yarn")
N1 = NodeId("n1", PORT)


def state_of(rig: Rig, name: str) -> NodeState:
    node = rig.context.find_node(NodeId(name, PORT))
    assert node is not None
    return node.state


def refresh(rig: Rig, kind: DecommissionType, timeout_s: int | None = None) -> None:
    request = RefreshNodesRequest(decommission_type=kind, decommission_timeout=timeout_s)
    rig.turn(lambda: rig.core.admin.refresh_nodes(request, ADMIN))


def with_container(rig: Rig, name: str) -> ApplicationId:
    """An unmanaged application with a running container on the node."""
    application_id = rig.submit(unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask())
    rig.heartbeat(name)
    rig.allocate(application_id)
    rig.heartbeat(name)
    return application_id


# Registration


def test_a_registration_is_answered_with_the_identity_of_the_rm() -> None:
    rig = Rig(start_ms=77)
    assert rig.add_node("n1") == ""
    assert rig.context.nodes[N1].rack == "/default-rack"
    assert state_of(rig, "n1") is NodeState.RUNNING


@pytest.mark.parametrize(
    "properties, texts, memory_mb, why",
    [
        ({}, {}, 512, "doesn't satisfy minimum allocations"),
        (FILES, {"exclude": "n1\n"}, 8192, "Disallowed NodeManager from  n1"),
        (FILES, {"include": "n2 # not n1\n"}, 8192, "Disallowed NodeManager from  n1"),
        (
            {"yarn.resourcemanager.nodemanager.minimum.version": "4.0.0"},
            {},
            8192,
            "Disallowed NodeManager Version",
        ),
    ],
)
def test_who_may_not_join(
    properties: dict[str, str], texts: dict[str, str], memory_mb: int, why: str
) -> None:
    rig = Rig(properties)
    rig.files.texts.update(texts)
    rig.core.nodes_list.read_files()
    assert why in rig.add_node("n1", memory_mb)
    assert not rig.context.nodes
    assert not rig.context.scheduler.tracker.nodes


def test_capacities_are_overridden_from_a_file() -> None:
    rig = Rig(
        {
            "yarn.resource.dynamic.nodes": "n1:1234",
            "yarn.resource.dynamic.n1:1234.memory": "2048",
            "yarn.resource.dynamic.n1:1234.vcores": "2",
        }
    )
    rig.add_node("n1")
    assert rig.context.scheduler.cluster_resource() == Resource(2048, 2)
    rig.files.properties["yarn.resource.dynamic.n1:1234.memory"] = "4096"
    request = RefreshNodesResourcesRequest()
    rig.turn(lambda: rig.core.admin.refresh_nodes_resources(request, ADMIN))
    assert rig.context.scheduler.cluster_resource() == Resource(4096, 2)
    assert rig.heartbeat("n1").resource == Resource(4096, 2)


def test_an_unhealthy_node_may_join_and_gets_nothing() -> None:
    rig = Rig()
    rig.add_node("n0")
    rig.heartbeat("n0")
    rig.nodes["n0"].health_report = "sick"
    rig.add_node("n0")
    rig.heartbeat("n0")
    assert state_of(rig, "n0") is NodeState.UNHEALTHY
    assert not rig.context.scheduler.tracker.nodes
    rig.nodes["n0"].health_report = ""
    rig.heartbeat("n0")
    assert state_of(rig, "n0") is NodeState.RUNNING
    assert len(rig.context.scheduler.tracker) == 1


def test_a_node_that_began_anew_has_lost_its_containers() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = with_container(rig, "n1")
    rig.add_node("n1", 4096)
    assert rig.context.scheduler.cluster_resource().memory_mb == 4096
    (told,) = rig.allocate(application_id).completed_container_statuses
    assert (told.exit_status, told.diagnostics) == (-100, "Container released on a *lost* node")


def test_a_node_that_kept_its_containers_only_changes_its_size() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = with_container(rig, "n1")
    rig.add_node("n1", 4096, keep=True)
    rig.heartbeat("n1")
    assert rig.context.scheduler.cluster_resource().memory_mb == 4096
    assert not rig.allocate(application_id).completed_container_statuses


# Heartbeats


def heartbeat(rig: Rig, response_id: int) -> NodeAction | None:
    status = NodeStatus(node_id=N1, response_id=response_id)
    answer = rig.turn(
        lambda: rig.core.tracker.node_heartbeat(NodeHeartbeatRequest(node_status=status), Caller())
    )
    return answer.node_action


def test_a_repeated_heartbeat_is_answered_as_before() -> None:
    rig = Rig()
    rig.add_node("n1")
    status = NodeStatus(node_id=N1, response_id=0)
    request = NodeHeartbeatRequest(node_status=status)
    first = rig.turn(lambda: rig.core.tracker.node_heartbeat(request, Caller()))
    assert rig.turn(lambda: rig.core.tracker.node_heartbeat(request, Caller())) is first


def test_a_node_too_far_behind_is_rebooted() -> None:
    rig = Rig()
    rig.add_node("n1")
    for response_id in range(3):
        assert heartbeat(rig, response_id) is NodeAction.NORMAL
    assert heartbeat(rig, 0) is NodeAction.RESYNC
    assert state_of(rig, "n1") is NodeState.REBOOTED
    assert heartbeat(rig, 1) is NodeAction.RESYNC


def test_the_response_id_wraps() -> None:
    rig = Rig()
    rig.add_node("n1")
    node = rig.context.nodes[N1]
    node.response = replace(node.response, response_id=0x7FFFFFFF)
    assert heartbeat(rig, 0x7FFFFFFF) is NodeAction.NORMAL
    assert node.response.response_id == 0


def test_a_running_container_that_is_no_longer_reported_has_ended() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = with_container(rig, "n1")
    rig.nodes["n1"].running.clear()
    rig.heartbeat("n1")
    (told,) = rig.allocate(application_id).completed_container_statuses
    assert told.exit_status == -100
    assert "was running but not reported from n1:1234" in told.diagnostics


def test_a_busy_node_heartbeats_less_often() -> None:
    scaling = "yarn.resourcemanager.nodemanagers.heartbeat-interval-"
    rig = Rig({scaling + "scaling-enable": "true", scaling + "min-ms": "100", scaling + "max-ms": "5000"})
    rig.add_node("n1")
    rig.add_node("n2")
    for name, cores in (("n1", 8.0), ("n2", 0.0)):
        node = rig.context.nodes[NodeId(name, PORT)]
        node.physical = Resource(8192, 8)
        node.node_utilization = ResourceUtilization(cpu=cores)
    assert heartbeat(rig, 0) is NodeAction.NORMAL
    assert rig.context.nodes[N1].response.next_heart_beat_interval == 1500


# Decommissioning


def test_an_excluded_node_goes_at_once() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.NORMAL)
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONED
    assert rig.heartbeat("n1").node_action is NodeAction.SHUTDOWN


def test_a_node_in_neither_file_is_shut_down_and_forgotten() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    rig.files.texts["include"] = "n2"
    refresh(rig, DecommissionType.NORMAL)
    assert state_of(rig, "n1") is NodeState.SHUTDOWN
    refresh(rig, DecommissionType.NORMAL)
    rig.advance(120_000)
    assert rig.context.find_node(N1) is None


def test_a_draining_node_takes_nothing_new_and_goes_when_it_is_empty() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    application_id = with_container(rig, "n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.GRACEFUL)
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONING
    rig.heartbeat("n1")  # the last that the scheduler offers: it makes the node as small as what runs there
    rig.allocate(application_id, ask(count=3))
    rig.heartbeat("n1")
    assert rig.context.scheduler.cluster_resource() == Resource(1024, 1)
    assert not rig.allocate(application_id).allocated_containers
    request = CheckForDecommissioningNodesRequest()
    draining = rig.turn(lambda: rig.core.admin.check_for_decommissioning_nodes(request, ADMIN))
    assert draining.decommissioning_nodes == (N1,)
    for container_id in list(rig.nodes["n1"].running):
        rig.nodes["n1"].end(container_id, 0)
    rig.heartbeat("n1")
    # Its application has not ended, so the node has to wait.
    rig.heartbeat("n1")
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONING
    rig.finish(application_id)
    assert rig.heartbeat("n1").node_action is NodeAction.SHUTDOWN
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONED


def test_a_draining_node_goes_when_its_time_is_up() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    with_container(rig, "n1")
    rig.files.texts["exclude"] = (
        "<?xml version='1.0'?><hosts><host><name>n1</name><timeout>10</timeout></host></hosts>"
    )
    refresh(rig, DecommissionType.GRACEFUL, 3600)
    rig.heartbeat("n1")
    rig.advance(9_000)
    assert rig.heartbeat("n1").node_action is NodeAction.NORMAL
    rig.advance(1_000)
    assert rig.heartbeat("n1").node_action is NodeAction.SHUTDOWN


def test_a_silent_draining_node_is_found_by_the_poll() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    with_container(rig, "n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.GRACEFUL, 15)
    rig.heartbeat("n1")
    rig.advance(20_000)
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONED


def test_a_draining_node_may_be_wanted_again() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    application_id = with_container(rig, "n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.GRACEFUL)
    rig.heartbeat("n1")
    rig.files.texts["exclude"] = ""
    refresh(rig, DecommissionType.GRACEFUL)
    assert state_of(rig, "n1") is NodeState.RUNNING
    assert rig.context.scheduler.cluster_resource() == Resource(8192, 8)
    updates = rig.allocate(application_id).updated_nodes
    assert [one.node_update_type and one.node_update_type.name for one in updates] == ["NODE_USABLE"]


def test_draining_nodes_can_be_forced() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    with_container(rig, "n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.GRACEFUL)
    refresh(rig, DecommissionType.FORCEFUL)
    assert state_of(rig, "n1") is NodeState.DECOMMISSIONED


def test_a_bad_host_file_changes_nothing() -> None:
    rig = Rig(FILES)
    rig.add_node("n1")
    rig.files.texts["include"] = "<hosts><host>"
    with pytest.raises(YarnError, match="include is not a list of hosts"):
        refresh(rig, DecommissionType.NORMAL)
    assert state_of(rig, "n1") is NodeState.RUNNING


def test_excluded_hosts_that_never_came_count_as_decommissioned() -> None:
    rig = Rig(FILES)
    rig.files.texts["exclude"] = "n7\nn8"
    refresh(rig, DecommissionType.NORMAL)
    metrics = rig.turn(lambda: rig.core.client.get_cluster_metrics(GetClusterMetricsRequest(), ADMIN))
    assert metrics.cluster_metrics is not None
    assert metrics.cluster_metrics.num_decommissioned_nms == 2


# Leaving and resizing


def test_a_node_that_says_goodbye_is_shut_down() -> None:
    rig = Rig()
    rig.add_node("n1")
    request = UnRegisterNodeManagerRequest(node_id=N1)
    rig.turn(lambda: rig.core.tracker.un_register_node_manager(request, Caller()))
    assert state_of(rig, "n1") is NodeState.SHUTDOWN
    rig.add_node("n1")
    assert state_of(rig, "n1") is NodeState.RUNNING
    assert not rig.context.inactive_nodes


def test_a_lost_node_that_comes_back_is_told_to_kill_what_it_still_runs() -> None:
    rig = Rig({"yarn.nm.liveness-monitor.expiry-interval-ms": "30000"})
    rig.add_node("n1")
    rig.add_node("n2")
    application_id = with_container(rig, "n1")
    (container_id,) = rig.nodes["n1"].running
    for _ in range(4):
        rig.advance(10_000)
        rig.heartbeat("n2")
        rig.allocate(application_id)
    assert state_of(rig, "n1") is NodeState.LOST
    assert rig.heartbeat("n1").node_action is NodeAction.RESYNC
    rig.add_node("n1", keep=True)
    rig.heartbeat("n1")
    assert container_id in rig.heartbeat("n1").containers_to_cleanup


def test_an_unknown_node_cannot_be_resized_and_then_no_node_is() -> None:
    rig = Rig()
    rig.add_node("n1")
    option = ResourceOption(resource=Resource(1024, 1), over_commit_timeout=-1)
    request = UpdateNodeResourceRequest(
        node_resource_map=tuple(
            NodeResourceMap(node_id=NodeId(name, PORT), resource_option=option) for name in ("n1", "n9")
        )
    )
    with pytest.raises(YarnError, match="unrecognized node"):
        rig.turn(lambda: rig.core.admin.update_node_resource(request, ADMIN))
    assert rig.context.scheduler.cluster_resource() == Resource(8192, 8)


def test_a_sick_node_that_drains_may_forget_what_it_reports_as_ended() -> None:
    """Hadoop's AbstractYarnScheduler.nodeUpdate hears of ends on a node that it does not have any more."""
    rig = Rig(FILES)
    rig.add_node("n1")
    with_container(rig, "n1")
    running = set(rig.nodes["n1"].running)
    rig.nodes["n1"].health_report = "sick"
    rig.heartbeat("n1")
    rig.files.texts["exclude"] = "n1"
    refresh(rig, DecommissionType.GRACEFUL)
    rig.nodes["n1"].health_report = ""
    told = [rig.heartbeat("n1").containers_to_be_removed_from_nm for _ in range(4)]
    assert {container_id for ids in told for container_id in ids} == running
