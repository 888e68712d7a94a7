"""YarnClient and AdminClient: the waiting of submissions and kills, and one rpc for each method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from yarnbox.client.admin_client import AdminClient
from yarnbox.client.yarn_client import Polling, YarnClient
from yarnbox.yarn.connection.rpc import SERVICES
from yarnbox.yarn.enums import (
    ApplicationTimeoutType,
    AttributeMappingOperationType,
    NodeState,
    SignalContainerCommand,
    YarnApplicationState,
)
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    IllegalArgumentError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId, ReservationId
from yarnbox.yarn.records import client as calls
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationSubmissionContext,
)
from yarnbox.yarn.records.basics import ResourceProfileEntry, ResourceProfiles
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.records.reservation import ReservationDefinition
from yarnbox.yarn.records.tokens import RenewDelegationTokenResponse, Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import VirtualClock

APPLICATION = ApplicationId(1_700_000_000_000, 1)
ATTEMPT = ApplicationAttemptId(APPLICATION, 1)
CONTEXT = ApplicationSubmissionContext(application_id=APPLICATION, application_name="daily")
State = YarnApplicationState


class FakeRpc:
    """One service that answers each call of an rpc with the next of its answers; the last one stays."""

    def __init__(self, service: str = "ApplicationClientProtocolService", **answers: list[Any]) -> None:
        self._contract = SERVICES[service]
        self._answers = answers
        self.calls: list[tuple[str, Any]] = []

    def call(self, rpc: str, request: Any) -> Any:
        request_class, response_class = self._contract[rpc]
        assert isinstance(request, request_class), rpc
        self.calls.append((rpc, request))
        answers = self._answers.get(rpc)
        if not answers:
            return response_class()
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, YarnError):
            raise answer
        return answer

    def names(self) -> list[str]:
        """The rpcs in order."""
        return [name for name, _ in self.calls]


def client_of(rpc: FakeRpc, timeout_ms: int = -1) -> tuple[YarnClient, VirtualClock]:
    clock = VirtualClock()
    polling = Polling(clock, lambda s: clock.move_to(clock.now_ms() + round(s * 1000)), 200, timeout_ms)
    return YarnClient(rpc, polling), clock


def in_state(*states: State) -> list[Any]:
    return [
        calls.GetApplicationReportResponse(
            application_report=ApplicationReport(
                application_id=APPLICATION, yarn_application_state=state, diagnostics="no such queue"
            )
        )
        for state in states
    ]


def test_a_new_application() -> None:
    response = calls.GetNewApplicationResponse(
        application_id=APPLICATION, maximum_capability=Resource(8192, 4)
    )
    client, _ = client_of(FakeRpc(getNewApplication=[response]))
    created = client.create_application()
    assert (created.application_id, created.maximum_capability) == (APPLICATION, Resource(8192, 4))


@pytest.mark.parametrize("last", [State.ACCEPTED, State.RUNNING, State.FINISHED])
def test_submitting_waits_until_it_is_accepted(last: State) -> None:
    rpc = FakeRpc(getApplicationReport=in_state(State.NEW, State.NEW_SAVING, State.SUBMITTED, last))
    client, clock = client_of(rpc)
    assert client.submit_application(CONTEXT) == APPLICATION
    assert rpc.names() == ["submitApplication", *["getApplicationReport"] * 4]
    assert clock.now_ms() == 600


@pytest.mark.parametrize("state", [State.FAILED, State.KILLED])
def test_a_submission_that_fails_says_why(state: State) -> None:
    client, _ = client_of(FakeRpc(getApplicationReport=in_state(State.NEW, state)))
    with pytest.raises(YarnError, match=f"Failed to submit {APPLICATION} to YARN : no such queue"):
        client.submit_application(CONTEXT)


def test_a_submission_that_was_forgotten_is_repeated() -> None:
    reports = [ApplicationNotFoundError("restarted"), *in_state(State.ACCEPTED)]
    rpc = FakeRpc(getApplicationReport=reports)
    client, _ = client_of(rpc)
    client.submit_application(CONTEXT)
    assert rpc.names().count("submitApplication") == 2


def test_a_submission_takes_an_id_and_not_for_ever() -> None:
    client, clock = client_of(FakeRpc(getApplicationReport=in_state(State.NEW)), timeout_ms=1000)
    with pytest.raises(IllegalArgumentError, match="ApplicationId is not provided"):
        client.submit_application(ApplicationSubmissionContext())
    with pytest.raises(YarnError, match="Timed out while waiting for application"):
        client.submit_application(CONTEXT)
    assert clock.now_ms() == 1000


def test_killing_waits_until_it_is_completed() -> None:
    done = [calls.KillApplicationResponse(is_kill_completed=value) for value in (False, False, True)]
    rpc = FakeRpc(forceKillApplication=done)
    client, clock = client_of(rpc)
    client.kill_application(APPLICATION, "enough")
    assert [request.diagnostics for _, request in rpc.calls] == ["enough"] * 3
    assert clock.now_ms() == 400


def test_waiting_for_an_end_shows_what_is_on_the_way() -> None:
    client, clock = client_of(
        FakeRpc(getApplicationReport=in_state(State.ACCEPTED, State.RUNNING, State.FINISHED))
    )
    seen: list[State | None] = []
    report = client.wait_for_application(
        APPLICATION, on_report=lambda one: seen.append(one.yarn_application_state)
    )
    assert report.yarn_application_state is State.FINISHED
    assert seen == [State.ACCEPTED, State.RUNNING, State.FINISHED]
    assert clock.now_ms() == 400


def test_no_report_is_no_application() -> None:
    client, _ = client_of(FakeRpc())
    with pytest.raises(ApplicationNotFoundError, match="doesn't exist in RM"):
        client.application_report(APPLICATION)


CONTAINER = ContainerId.build(ATTEMPT, 1)
RESERVATION = ReservationId(1_700_000_000_000, 1)
TOKEN = Token(identifier=b"i", password=b"p", kind="RM_DELEGATION_TOKEN", service="rm:8050")

METHODS: list[tuple[str, Callable[[YarnClient], Any]]] = [
    ("getApplications", lambda c: c.applications(states=[State.RUNNING], name="daily", limit=3)),
    ("moveApplicationAcrossQueues", lambda c: c.move_application(APPLICATION, "lab")),
    ("updateApplicationPriority", lambda c: c.update_priority(APPLICATION, 3)),
    (
        "updateApplicationTimeouts",
        lambda c: c.update_timeouts(APPLICATION, {ApplicationTimeoutType.LIFETIME: "x"}),
    ),
    ("failApplicationAttempt", lambda c: c.fail_application_attempt(ATTEMPT)),
    ("getApplicationAttempts", lambda c: c.application_attempts(APPLICATION)),
    ("getContainers", lambda c: c.containers(ATTEMPT)),
    ("signalToContainer", lambda c: c.signal_container(CONTAINER, SignalContainerCommand.GRACEFUL_SHUTDOWN)),
    ("getClusterMetrics", lambda c: c.cluster_metrics()),
    ("getClusterNodes", lambda c: c.nodes([NodeState.LOST])),
    ("getResourceTypeInfo", lambda c: c.resource_types()),
    ("getQueueInfo", lambda c: c.queue_info("etl")),
    ("getQueueInfo", lambda c: c.all_queues()),
    ("getQueueInfo", lambda c: c.root_queues()),
    ("getQueueInfo", lambda c: c.child_queues("etl")),
    ("getQueueUserAcls", lambda c: c.queue_acls()),
    ("getClusterNodeLabels", lambda c: c.node_labels()),
    ("getNodeToLabels", lambda c: c.nodes_to_labels()),
    ("getLabelsToNodes", lambda c: c.labels_to_nodes(["gpu"])),
    ("getClusterNodeAttributes", lambda c: c.node_attributes()),
    ("getAttributesToNodes", lambda c: c.attributes_to_nodes()),
    ("getNodesToAttributes", lambda c: c.nodes_to_attributes(["n1"])),
    ("getNewReservation", lambda c: c.new_reservation()),
    ("submitReservation", lambda c: c.submit_reservation("plan", RESERVATION, ReservationDefinition())),
    ("updateReservation", lambda c: c.update_reservation(RESERVATION, ReservationDefinition())),
    ("deleteReservation", lambda c: c.delete_reservation(RESERVATION)),
    ("listReservations", lambda c: c.list_reservations(calls.ReservationListRequest(queue="plan"))),
    ("getDelegationToken", lambda c: c.delegation_token("mei")),
    ("cancelDelegationToken", lambda c: c.cancel_delegation_token(TOKEN)),
]
WAITING = ("getNewApplication", "submitApplication", "forceKillApplication", "getApplicationReport")
REPORTS = ("getApplicationAttemptReport", "getContainerReport")
WITH_REQUIRED_ANSWERS = ("getResourceProfiles", "getResourceProfile", "renewDelegationToken", *REPORTS)


@pytest.mark.parametrize("rpc, method", METHODS)
def test_each_method_is_one_call(rpc: str, method: Callable[[YarnClient], Any]) -> None:
    fake = FakeRpc()
    client, clock = client_of(fake)
    method(client)
    assert (fake.names(), clock.now_ms()) == ([rpc], 0)


def test_no_rpc_of_the_protocol_is_missing() -> None:
    reached = {rpc for rpc, _ in METHODS} | set(WAITING) | set(WITH_REQUIRED_ANSWERS)
    assert reached == set(SERVICES["ApplicationClientProtocolService"])


def test_reports_of_attempts_and_containers() -> None:
    attempt = ApplicationAttemptReport(application_attempt_id=ATTEMPT)
    container = ContainerReport(container_id=CONTAINER)
    rpc = FakeRpc(
        getApplicationAttemptReport=[
            calls.GetApplicationAttemptReportResponse(application_attempt_report=attempt),
            calls.GetApplicationAttemptReportResponse(),
        ],
        getContainerReport=[
            calls.GetContainerReportResponse(container_report=container),
            calls.GetContainerReportResponse(),
        ],
    )
    client, _ = client_of(rpc)
    assert client.application_attempt_report(ATTEMPT) == attempt
    assert client.container_report(CONTAINER) == container
    with pytest.raises(ApplicationAttemptNotFoundError):
        client.application_attempt_report(ATTEMPT)
    with pytest.raises(ContainerNotFoundError):
        client.container_report(CONTAINER)


def test_profiles_and_renewals() -> None:
    profile = ResourceProfileEntry(name="large", resources=Resource(4096, 4))
    rpc = FakeRpc(
        getResourceProfiles=[
            calls.GetAllResourceProfilesResponse(
                resource_profiles=ResourceProfiles(resource_profiles_map=(profile,))
            )
        ],
        getResourceProfile=[calls.GetResourceProfileResponse(resources=Resource(4096, 4))],
        renewDelegationToken=[RenewDelegationTokenResponse(new_expiry_time=17)],
    )
    client, _ = client_of(rpc)
    assert client.resource_profiles() == (profile,)
    assert client.resource_profile("large") == Resource(4096, 4)
    assert client.renew_delegation_token(TOKEN) == 17


def test_no_rpc_of_the_administration_is_missing() -> None:
    service = "ResourceManagerAdministrationProtocolService"
    rpc = FakeRpc(service)
    admin = AdminClient(rpc)
    for method in (
        admin.refresh_queues,
        admin.refresh_nodes,
        admin.decommissioning_nodes,
        admin.refresh_nodes_resources,
        admin.refresh_super_user_groups,
        admin.refresh_user_to_groups,
        admin.refresh_admin_acls,
        admin.refresh_service_acls,
        admin.refresh_cluster_max_priority,
    ):
        method()
    admin.groups("mei")
    admin.update_node_resource(NodeId("n1", 1), Resource(1, 1), -1)
    admin.add_labels([])
    admin.remove_labels([])
    admin.replace_labels({})
    admin.map_attributes(AttributeMappingOperationType.ADD, [])
    assert set(rpc.names()) == set(SERVICES[service])
