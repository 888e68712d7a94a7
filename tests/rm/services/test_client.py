"""ApplicationClientProtocol: admission, ends, reports, filters, changes, and who may do what."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.services.admin import AdminService
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.client import ClientService
from yarnbox.rm.services.tracker import TrackerService
from yarnbox.yarn.connection.rpc import rpcs_of
from yarnbox.yarn.enums import (
    ApplicationAccessType,
    ApplicationsRequestScope,
    FinalApplicationStatus,
    NodeState,
    YarnApplicationAttemptState,
    YarnApplicationState,
)
from yarnbox.yarn.errors import (
    AccessControlError,
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    IllegalArgumentError,
    InvalidResourceRequestError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records import client as calls
from yarnbox.yarn.records.admin import (
    RefreshAdminAclsRequest,
    RefreshQueuesRequest,
    RefreshSuperUserGroupsConfigurationRequest,
)
from yarnbox.yarn.records.application import (
    ApplicationReport,
    ApplicationSubmissionContext,
    ApplicationTimeoutMap,
    ApplicationUpdateTimeoutMap,
)
from yarnbox.yarn.records.container import ApplicationACLMap, ContainerLaunchContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.moments import iso8601
from yarnbox.yarn.wire import from_bytes, to_bytes

ACLS = {"yarn.acl.enable": "true", "yarn.admin.acl": "admin"}


def call(rig: Rig, name: str, request: Any, user: str = "user") -> Any:
    """One call of the client service."""
    return rig.turn(lambda: getattr(rig.core.client, name)(request, Caller(user=user)))


def report(rig: Rig, application_id: ApplicationId, user: str = "user") -> ApplicationReport:
    request = calls.GetApplicationReportRequest(application_id=application_id)
    found = call(rig, "get_application_report", request, user).application_report
    assert isinstance(found, ApplicationReport)
    return found


def snake(rpc: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", rpc).lower()


@pytest.mark.parametrize(
    "protocol, service",
    [
        ("ApplicationClientProtocolService", ClientService),
        ("ResourceTrackerService", TrackerService),
        ("ResourceManagerAdministrationProtocolService", AdminService),
    ],
)
def test_every_rpc_has_its_method(protocol: str, service: type) -> None:
    assert not [rpc for rpc in rpcs_of(protocol) if not callable(getattr(service, snake(rpc), None))]


# Admission


@pytest.mark.parametrize(
    "fields, error, why",
    [
        ({"application_tags": tuple(f"t{n}" for n in range(11))}, IllegalArgumentError, "Too many"),
        ({"application_tags": ("x" * 101,)}, IllegalArgumentError, "is too long"),
        ({"application_tags": ("ä",)}, IllegalArgumentError, "ASCII"),
        (
            {"am_container_spec": ContainerLaunchContext(tokens_conf=b"x" * 12_801)},
            YarnError,
            "Exceed yarn.resourcemanager.delegation-token.max-conf-size-bytes",
        ),
        (
            {"application_timeouts": (ApplicationTimeoutMap(timeout=0),)},
            YarnError,
            "Invalid application timeout",
        ),
        ({"resource": None}, InvalidResourceRequestError, "no resources requested"),
        ({"resource": Resource(-1, 1)}, InvalidResourceRequestError, "less than 0"),
        ({"resource": Resource(99_999, 1)}, InvalidResourceRequestError, "greater than maximum"),
        (
            {"am_container_resource_request": (ResourceRequest(resource_name="h"),)},
            InvalidResourceRequestError,
            "no resource request specified with *",
        ),
        (
            {"am_container_resource_request": (ResourceRequest(resource_name="*"),) * 2},
            InvalidResourceRequestError,
            "only one resource request with *",
        ),
    ],
)
def test_what_is_refused_at_once(fields: dict[str, Any], error: type[Exception], why: str) -> None:
    rig = Rig()
    with pytest.raises(error, match=re.escape(why)):
        rig.submit(**fields)
    assert not rig.context.apps


def test_a_known_application_is_left_alone() -> None:
    rig = Rig()
    application_id = rig.submit(user="alice", application_name="first")
    rig.submit(user="bob", application_id=application_id, application_name="second")
    assert (rig.app(application_id).user, rig.app(application_id).name) == ("alice", "first")


def test_ids_count_from_one_since_the_start() -> None:
    rig = Rig(start_ms=5)
    assert [rig.new_id(), rig.new_id()] == [ApplicationId(5, 1), ApplicationId(5, 2)]


@pytest.mark.parametrize("asked, granted", [(0, 2), (-3, 2), (1, 1), (3, 3), (9, 3)])
def test_how_many_attempts(asked: int, granted: int) -> None:
    rig = Rig({"yarn.resourcemanager.am.global.max-attempts": "3"})
    assert rig.app(rig.submit(max_app_attempts=asked)).max_attempts == granted


def test_the_requests_for_an_am() -> None:
    rig = Rig()
    requests = (
        ResourceRequest(resource_name="n1", capability=Resource(4096, 4), num_containers=9, priority=7),
        ResourceRequest(resource_name="*", capability=Resource(1500, 3)),
    )
    app = rig.app(rig.submit(am_container_resource_request=requests))
    assert [
        (one.resource_name, one.capability, one.num_containers, one.priority) for one in app.am_requests
    ] == [
        ("*", Resource(2048, 1), 1, 0),
        ("n1", Resource(2048, 1), 1, 0),
    ]


def test_a_long_type_is_cut() -> None:
    rig = Rig()
    assert report(rig, rig.submit(application_type="x" * 30)).application_type == "x" * 20


# Reports


def test_the_report_of_a_running_application() -> None:
    rig = Rig(start_ms=1_000)
    rig.add_node("n1")
    application_id = rig.submit(application_name="sum", application_tags=("t",), priority=3)
    shown = report(rig, application_id)
    assert shown.yarn_application_state is YarnApplicationState.ACCEPTED
    assert (shown.host, shown.rpc_port, shown.diagnostics) == ("N/A", -1, shown.diagnostics)
    assert "AM container" in shown.diagnostics
    rig.advance(2_000)
    rig.run(application_id, "n1")
    rig.advance(10_000)
    shown = report(rig, application_id)
    assert (shown.name, shown.user, shown.queue) == ("sum", "user", "default")
    assert shown.yarn_application_state is YarnApplicationState.RUNNING
    assert shown.final_application_status is FinalApplicationStatus.UNDEFINED
    assert (shown.host, shown.rpc_port) == ("am-host", 4000)
    assert shown.original_tracking_url == "http://am:1/"
    assert shown.tracking_url == f"http://rm:8088/proxy/{application_id}/"
    assert (shown.submit_time, shown.start_time, shown.launch_time, shown.finish_time) == (
        1_000,
        1_000,
        3_000,
        0,
    )
    assert shown.priority == 0
    usage = shown.app_resource_usage
    assert usage is not None
    assert (usage.num_used_containers, usage.used_resources) == (1, Resource(1024, 1))
    assert (usage.memory_seconds, usage.vcore_seconds) == (10_240, 10)
    timeout = shown.app_timeouts[0].application_timeout
    assert timeout is not None
    assert (timeout.expire_time, timeout.remaining_time) == ("UNLIMITED", -1)


def test_the_report_of_one_that_nobody_has_tried_yet() -> None:
    rig = Rig({"yarn.resourcemanager.recovery.enabled": "true"})
    rig.holds_store = True
    application_id = rig.submit()
    shown = report(rig, application_id)
    assert shown.current_application_attempt_id == ApplicationAttemptId(application_id, -1)
    assert shown.yarn_application_state is YarnApplicationState.NEW_SAVING


def test_attempts_and_containers() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask(2048))
    rig.heartbeat("n1")
    attempt_id = rig.attempt(application_id).attempt_id
    request = calls.GetApplicationAttemptsRequest(application_id=application_id)
    (attempt,) = call(rig, "get_application_attempts", request).application_attempts
    assert attempt.yarn_application_attempt_state is YarnApplicationAttemptState.RUNNING
    found = call(
        rig, "get_containers", calls.GetContainersRequest(application_attempt_id=attempt_id)
    ).containers
    assert [(one.container_id.sequence, one.resource) for one in found] == [
        (1, Resource(1024, 1)),
        (2, Resource(2048, 1)),
    ]
    assert attempt.am_container_id == found[0].container_id
    one = calls.GetContainerReportRequest(container_id=found[1].container_id)
    assert call(rig, "get_container_report", one).container_report == found[1]


def test_what_is_not_there() -> None:
    rig = Rig()
    application_id = rig.submit()
    nobody = ApplicationId(9, 9)
    with pytest.raises(ApplicationNotFoundError, match="doesn't exist in RM"):
        report(rig, nobody)
    with pytest.raises(ApplicationNotFoundError, match="Trying to kill an absent application"):
        rig.kill(nobody)
    attempt_id = ApplicationAttemptId(application_id, 9)
    with pytest.raises(ApplicationAttemptNotFoundError):
        call(rig, "get_containers", calls.GetContainersRequest(application_attempt_id=attempt_id))
    container_id = ContainerId(ApplicationAttemptId(application_id, 1), 9)
    with pytest.raises(ContainerNotFoundError):
        call(rig, "get_container_report", calls.GetContainerReportRequest(container_id=container_id))


@pytest.mark.parametrize(
    "fields, found",
    [
        ({}, [1, 2, 3]),
        ({"limit": 2}, [1, 2]),
        ({"users": ("bob",)}, [2]),
        ({"application_types": ("SPARK",)}, [2]),
        ({"application_tags": ("x", "y")}, [3]),
        ({"application_states": (YarnApplicationState.KILLED,)}, [1]),
        ({"name": "three"}, [3]),
        ({"scope": ApplicationsRequestScope.OWN}, [1, 3]),
        ({"queues": ("default",)}, [1, 2, 3]),
        ({"queues": ("other",)}, []),
        ({"start_begin": 1, "start_end": 10}, [2]),
        ({"users": ("bob",), "application_tags": ("x",)}, []),
    ],
)
def test_filters_combine(fields: dict[str, Any], found: list[int]) -> None:
    rig = Rig()
    rig.kill(rig.submit())
    rig.advance(10)
    rig.submit(user="bob", application_type="Spark")
    rig.advance(10)
    rig.submit(application_name="three", application_tags=("y", "z"))
    shown = call(rig, "get_applications", calls.GetApplicationsRequest(**fields)).applications
    assert [one.application_id.id for one in shown] == found


def test_nodes_by_state() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.add_node("n2")
    rig.nodes["n2"].health_report = "sick"
    rig.heartbeat("n2")
    everything = call(rig, "get_cluster_nodes", calls.GetClusterNodesRequest()).node_reports
    assert [one.node_id.host for one in everything] == ["n1", "n2"]
    request = calls.GetClusterNodesRequest(node_states=(NodeState.UNHEALTHY,))
    (sick,) = call(rig, "get_cluster_nodes", request).node_reports
    assert (sick.node_id.host, sick.health_report) == ("n2", "sick")


def test_an_unknown_queue_is_no_error_and_no_queue() -> None:
    rig = Rig()
    rig.submit()
    request = calls.GetQueueInfoRequest(queue_name="default", include_applications=True)
    assert len(call(rig, "get_queue_info", request).queue_info.applications) == 1
    assert call(rig, "get_queue_info", calls.GetQueueInfoRequest(queue_name="nope")).queue_info is None


# Changes


def test_another_end_of_its_life() -> None:
    rig = Rig()
    application_id = rig.submit()
    timeout = ApplicationUpdateTimeoutMap(expire_time=iso8601(60_000))
    request = calls.UpdateApplicationTimeoutsRequest(
        application_id=application_id, application_timeouts=(timeout,)
    )
    call(rig, "update_application_timeouts", request)
    assert rig.app(application_id).lifetime_end_ms == 60_000
    rig.advance(63_000)
    assert report(rig, application_id).yarn_application_state is YarnApplicationState.KILLED
    other = rig.submit()
    late = calls.UpdateApplicationTimeoutsRequest(application_id=other, application_timeouts=(timeout,))
    with pytest.raises(YarnError, match="should be greater than current time"):
        call(rig, "update_application_timeouts", late)


def test_a_failed_attempt_counts() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=1)
    rig.run(application_id, "n1")
    request = calls.FailApplicationAttemptRequest(
        application_attempt_id=rig.attempt(application_id).attempt_id
    )
    call(rig, "fail_application_attempt", request)
    shown = report(rig, application_id)
    assert shown.yarn_application_state is YarnApplicationState.FAILED
    assert "Attempt failed by user." in shown.diagnostics


def test_fifo_moves_nothing() -> None:
    rig = Rig()
    application_id = rig.submit()
    request = calls.MoveApplicationAcrossQueuesRequest(application_id=application_id, target_queue="b")
    with pytest.raises(YarnError, match="does not support moving"):
        call(rig, "move_application_across_queues", request)
    rig.kill(application_id)
    with pytest.raises(YarnError, match="App in KILLED state cannot be moved"):
        call(rig, "move_application_across_queues", request)


# Who may do what


def test_strangers_see_little_and_change_nothing() -> None:
    rig = Rig(ACLS)
    rig.context.scheduler.has_access = lambda user, acl, queue: user == "queue-admin"  # type: ignore[method-assign]
    viewers = ApplicationACLMap(access_type=ApplicationAccessType.VIEW_APP, acl="friend")
    context = ContainerLaunchContext(application_acls=(viewers,))
    application_id = rig.submit(user="queue-admin", am_container_spec=context)
    rig.app(application_id).user = "alice"
    hidden = report(rig, application_id, "stranger")
    assert (hidden.diagnostics, hidden.tracking_url) == ("N/A", "N/A")
    assert report(rig, application_id, "friend").diagnostics != "N/A"
    for user in ("stranger", "friend"):
        with pytest.raises(AccessControlError, match="cannot perform operation MODIFY_APP"):
            rig.kill(application_id, user)
    attempts = calls.GetApplicationAttemptsRequest(application_id=application_id)
    with pytest.raises(YarnError, match="does not have privilege to see this"):
        call(rig, "get_application_attempts", attempts, "stranger")
    viewable = calls.GetApplicationsRequest(scope=ApplicationsRequestScope.VIEWABLE)
    assert not call(rig, "get_applications", viewable, "stranger").applications
    rig.kill(application_id, "admin")


def test_submission_needs_the_queue() -> None:
    rig = Rig(ACLS)
    rig.context.scheduler.has_access = lambda user, acl, queue: False  # type: ignore[method-assign]
    with pytest.raises(AccessControlError, match="User user does not have permission to submit"):
        rig.submit()


def test_administration_is_for_administrators() -> None:
    rig = Rig(ACLS)
    refresh = RefreshQueuesRequest()
    with pytest.raises(AccessControlError, match="User user doesn't have permission to call 'refreshQueues'"):
        rig.turn(lambda: rig.core.admin.refresh_queues(refresh, Caller(user="user")))


def test_the_user_of_the_process_is_an_administrator() -> None:
    """AdminService and AdminACLsManager add the user of the daemon to the list, whenever they read it."""
    rig = Rig(ACLS)
    refresh, acls = RefreshQueuesRequest(), RefreshAdminAclsRequest()
    assert not rig.core.access.is_admin("yarn")
    rig.context.owner = "yarn"
    rig.turn(lambda: rig.core.admin.refresh_queues(refresh, Caller(user="yarn")))
    rig.turn(lambda: rig.core.admin.refresh_admin_acls(acls, Caller(user="yarn")))
    assert rig.core.access.is_admin("yarn")
    rig.kill(rig.submit(user="mei"), "yarn")
    rig.files.properties["yarn.admin.acl"] = "user"
    acls = RefreshAdminAclsRequest()
    rig.turn(lambda: rig.core.admin.refresh_admin_acls(acls, Caller(user="admin")))
    rig.turn(lambda: rig.core.admin.refresh_queues(refresh, Caller(user="user")))


def test_who_may_act_in_whose_name_is_read_anew() -> None:
    rig = Rig({**ACLS, "hadoop.proxyuser.oozie.groups": "staff", "hadoop.proxyuser.oozie.hosts": "*"})
    rig.groups.groups["ann"] = ("staff",)
    access = rig.core.access
    assert access.why_not_as("oozie", "ann", "127.0.0.1") is None
    assert access.why_not_as("oozie", "bob", "127.0.0.1") == "User: oozie is not allowed to impersonate bob"
    rig.files.properties["hadoop.proxyuser.oozie.groups"] = "*"
    request = RefreshSuperUserGroupsConfigurationRequest()
    refresh = rig.core.admin.refresh_super_user_groups_configuration
    with pytest.raises(AccessControlError):
        rig.turn(lambda: refresh(request, Caller(user="user")))
    assert access.why_not_as("oozie", "bob", "127.0.0.1") is not None
    rig.turn(lambda: refresh(request, Caller(user="admin")))
    assert access.why_not_as("oozie", "bob", "127.0.0.1") is None


@pytest.mark.parametrize(
    "name, request_",
    [
        ("get_new_reservation", calls.GetNewReservationRequest()),
        ("get_resource_profiles", calls.GetAllResourceProfilesRequest()),
    ],
)
def test_what_is_off_is_refused_clearly(name: str, request_: object) -> None:
    with pytest.raises(YarnError, match=r"[Pp]lease enable"):
        call(Rig(), name, request_)


def test_resource_profiles() -> None:
    rig = Rig({"yarn.resourcemanager.resource-profiles.enabled": "true"})
    rig.files.texts["resource-profiles.json"] = (
        '{"minimum": {"memory-mb": 1024, "vcores": 1}, "default": {"memory-mb": "2Gi", "vcores": 1},'
        ' "maximum": {"memory-mb": 8192, "vcores": 4}}'
    )
    request = calls.GetResourceProfileRequest(profile="default")
    assert call(rig, "get_resource_profile", request).resources == Resource(2048, 1)


def test_a_submission_without_an_id_is_refused() -> None:
    rig = Rig()
    request = calls.SubmitApplicationRequest(application_submission_context=ApplicationSubmissionContext())
    with pytest.raises(IllegalArgumentError, match="has no application id"):
        call(rig, "submit_application", request)


@pytest.mark.parametrize("scheduler", ["fifo", "capacity", "fair"])
def test_sums_over_huge_nodes_can_be_told(scheduler: str) -> None:
    queues = {"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100"}
    rig = Rig({"yarn.resourcemanager.scheduler.class": scheduler, **queues})
    for name in ("a", "b", "c"):
        rig.add_node(name, memory_mb=2**63 - 1, vcores=2**31 - 1)
    queue = call(
        rig, "get_queue_info", calls.GetQueueInfoRequest(queue_name="root", include_child_queues=True)
    )
    to_bytes(queue)
    nodes = from_bytes(calls.GetClusterNodesResponse, to_bytes(nodes_of(rig)))
    assert [node.capability for node in nodes.node_reports] == [Resource(2**63 - 1, 2**31 - 1)] * 3


def nodes_of(rig: Rig) -> calls.GetClusterNodesResponse:
    answer: calls.GetClusterNodesResponse = call(rig, "get_cluster_nodes", calls.GetClusterNodesRequest())
    return answer
