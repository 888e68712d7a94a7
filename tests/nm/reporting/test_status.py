"""Registration and heartbeats: what is told, what is forgotten, and that no completion is lost or taken for
told too early.
"""

from __future__ import annotations

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.nm.rig import APPLICATION, NODE, Rig, container_id
from yarnbox.nm.effects import CleanUpContainer, LaunchContainer, RegisterAgain, ShutDown
from yarnbox.nm.settings import AttributeProviderSettings, LabelProviderSettings, NMSettings
from yarnbox.yarn.enums import ContainerState, ExecutionType, NodeAction
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey, NodeLabel
from yarnbox.yarn.records.tracker import NodeHeartbeatResponse, RegisterNodeManagerResponse
from yarnbox.yarn.resources.resource import Resource


def test_what_a_node_registers_with() -> None:
    rig = Rig()
    request = rig.register()
    assert (request.node_id, request.resource) == (NODE, Resource(4096, 4))
    assert request.node_status.response_id == 0
    assert request.node_status.node_health_status.is_node_healthy
    assert (request.container_statuses, request.running_applications) == ((), ())
    assert request.node_labels is None


def test_response_ids_follow_the_rm() -> None:
    rig = Rig()
    told = []
    for answered in (1, 2, 2**31 - 1, 0):
        rig.response_id = answered - 1
        status = rig.heartbeat().node_status
        assert status is not None
        told.append(status.response_id)
    assert told == [0, 1, 2, 2**31 - 1]


def test_a_completion_is_told_once_and_kept_until_the_am_has_taken_note() -> None:
    rig = Rig()
    rig.run(1)
    assert rig.reported()[container_id(1)].state is ContainerState.RUNNING
    rig.exited(1, 3)
    assert rig.reported()[container_id(1)].exit_status == 3
    assert rig.reported() == {}
    assert container_id(1) in rig.context.containers
    rig.heartbeat(containers_to_be_removed_from_nm=(container_id(1),))
    assert container_id(1) not in rig.context.containers


def test_after_a_failed_heartbeat_it_is_told_again() -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1)
    rig.turn(rig.status.heartbeat_request)
    rig.turn(rig.status.heartbeat_failed)
    assert container_id(1) in rig.reported()
    # That answer may have been the RM's memory of the heartbeat whose answer was lost: once more.
    assert container_id(1) in rig.reported()
    assert rig.reported() == {}


def test_the_completions_of_an_ended_application_are_told_and_forgotten() -> None:
    rig = Rig()
    rig.run(1)
    rig.heartbeat(applications_to_cleanup=(APPLICATION,))
    rig.exited(1, 143)
    assert rig.reported()[container_id(1)].exit_status == -107
    assert rig.context.containers == {}
    assert rig.reported() == {}


def test_the_rm_may_kill_a_container() -> None:
    rig = Rig()
    rig.run(1)
    rig.heartbeat(containers_to_cleanup=(container_id(1), container_id(9)))
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(1))]
    rig.exited(1, 143)
    assert rig.container(1).exit_code == -106
    assert "Container Killed by ResourceManager" in rig.container(1).diagnostics


def test_a_resync_keeps_containers_and_tells_all_of_them() -> None:
    rig = Rig()
    rig.run(1)
    rig.run(2)
    rig.exited(2, 4)
    rig.heartbeat()
    rig.heartbeat(node_action=NodeAction.RESYNC)
    assert rig.take(RegisterAgain) == [RegisterAgain()]
    answer = rig.start(3)
    assert answer.failed_requests, "until it has registered, no token can be of the present RM"
    request = rig.register()
    told = {one.container_id: one for one in request.container_statuses}
    assert told[container_id(1)].container_state is ContainerState.RUNNING
    assert told[container_id(2)].container_exit_status == 4
    assert request.running_applications == (APPLICATION,)


def test_without_work_preserving_recovery_a_resync_kills_all_first() -> None:
    rig = Rig(NMSettings(rm_work_preserving=False))
    rig.run(1)
    rig.heartbeat(node_action=NodeAction.RESYNC)
    assert rig.take(RegisterAgain) == []
    assert len(rig.take(CleanUpContainer)) == 1
    rig.exited(1, 143)
    assert rig.take(RegisterAgain) == [RegisterAgain()]
    assert [one.container_exit_status for one in rig.register().container_statuses] == [-106]


def test_shutdown_ends_the_node_without_a_good_bye() -> None:
    rig = Rig()
    assert rig.turn(rig.status.unregister_request) is not None
    rig.heartbeat(node_action=NodeAction.SHUTDOWN, diagnostics_message="Disallowed NodeManager nodeId")
    (order,) = rig.take(ShutDown)
    assert "Disallowed NodeManager nodeId" in order.reason
    assert rig.turn(rig.status.unregister_request) is None


def test_a_refused_registration_ends_the_node() -> None:
    rig = Rig()
    response = RegisterNodeManagerResponse(
        node_action=NodeAction.SHUTDOWN, diagnostics_message="doesn't satisfy minimum allocations"
    )
    assert not rig.turn(lambda: rig.status.registered(response))
    assert "doesn't satisfy minimum allocations" in rig.take(ShutDown)[0].reason


def test_an_rm_that_is_too_old() -> None:
    rig = Rig(NMSettings(minimum_rm_version="3.5.0"))
    rig.take(ShutDown)
    response = RegisterNodeManagerResponse(node_action=NodeAction.NORMAL, rm_version="3.4.1")
    assert not rig.turn(lambda: rig.status.registered(response))
    assert "RM version error" in rig.take(ShutDown)[0].reason


def test_the_rm_may_change_the_nodes_size() -> None:
    rig = Rig()
    rig.heartbeat(resource=Resource(1024, 1))
    assert rig.context.total == Resource(1024, 1)
    rig.register(resource=Resource(512, 1))
    assert rig.context.total == Resource(512, 1)


def test_the_rm_may_shrink_a_container() -> None:
    rig = Rig()
    rig.run(1)
    token = rig.token(1, version=1, resource=Resource(512, 1))
    rig.heartbeat(containers_to_update=(Container(id=container_id(1), container_token=token),))
    assert rig.container(1).resource == Resource(512, 1)
    assert rig.core.scheduler.used == Resource(512, 1)
    rig.heartbeat(containers_to_update=(Container(id=container_id(1), container_token=token),))
    assert rig.container(1).resource == Resource(512, 1), "the same version again is refused, and logged"


def test_the_interval_is_the_rms() -> None:
    rig = Rig()
    assert rig.status.heartbeat_interval_ms == 1000
    rig.heartbeat(next_heart_beat_interval=250)
    assert rig.status.heartbeat_interval_ms == 250


def test_the_sequence_of_credentials_is_echoed() -> None:
    rig = Rig()
    rig.heartbeat(token_sequence_no=7)
    assert rig.heartbeat().token_sequence_no == 7


def test_a_guaranteed_container_is_reported_with_its_type_and_size() -> None:
    rig = Rig()
    rig.run(1)
    status = rig.reported()[container_id(1)]
    assert (status.execution_type, status.capability) == (ExecutionType.GUARANTEED, Resource(1024, 1))
    assert status.container_attributes == {"HOST": "nm1"}


def test_labels_are_told_when_they_change_and_now_and_then() -> None:
    settings = NMSettings(
        labels=LabelProviderSettings(
            enabled=True, configuration_type="distributed", provider="config", resync_interval_ms=1000
        )
    )
    rig = Rig(settings)
    assert rig.register().node_labels.node_labels == ()
    labels = rig.status.labels
    assert labels is not None
    assert labels.fetched([NodeLabel(name="gpu")]) == []
    told = rig.heartbeat().node_labels
    assert told is not None
    assert told.node_labels == (NodeLabel(name="gpu"),)
    assert rig.heartbeat().node_labels is None
    rig.pass_time(1001)
    assert rig.heartbeat().node_labels is not None
    assert labels.fetched([NodeLabel(name="bad name")]) != []
    assert rig.heartbeat().node_labels is None


def test_attributes_are_told_too() -> None:
    rig = Rig(NMSettings(attributes=AttributeProviderSettings(provider="config")))
    attributes = rig.status.attributes
    assert attributes is not None
    key = NodeAttributeKey(attribute_prefix="nm.yarn.io", attribute_name="os")
    attributes.fetched([NodeAttribute(attribute_key=key, attribute_value="linux")])
    told = rig.heartbeat().node_attributes
    assert told is not None
    assert told.node_attributes[0].attribute_value == "linux"


class ReportingWalk(RuleBasedStateMachine):
    """An RM that reads every heartbeat it gets, over a network that loses requests and answers.

    What the NM must keep: a container that was started is told as complete at least once, with its own exit
    code, unless the RM's side forgot it; it is known to the NM until the RM has named it, or its application
    is over; and it is not told for ever.
    """

    @initialize()
    def begin(self) -> None:
        self.rig = Rig()
        self.next = 1
        self.running: list[int] = []
        self.ended: dict[ContainerId, int] = {}
        self.heard: dict[ContainerId, int] = {}
        self.named: set[ContainerId] = set()
        self.last = 0

    @rule()
    def start(self) -> None:
        self.rig.run(self.next)
        self.rig.take(LaunchContainer)
        self.running.append(self.next)
        self.next += 1

    @rule(data=st.data(), code=st.sampled_from([0, 1, 7]))
    def end(self, data: st.DataObject, code: int) -> None:
        if self.running:
            number = data.draw(st.sampled_from(self.running))
            self.running.remove(number)
            self.rig.exited(number, code)
            self.ended[container_id(number)] = code

    @rule(request_is_lost=st.booleans(), answer_is_lost=st.booleans(), names=st.booleans())
    def beat(self, request_is_lost: bool, answer_is_lost: bool, names: bool) -> None:
        request = self.rig.turn(self.rig.status.heartbeat_request)
        if request_is_lost:
            self.rig.turn(self.rig.status.heartbeat_failed)
            return
        status = request.node_status
        assert status is not None
        assert status.response_id is not None
        is_duplicate = status.response_id + 1 == self.last
        assert is_duplicate or status.response_id == self.last, "the RM would order a resync"
        if not is_duplicate:
            self.last += 1
            for one in status.containers_statuses:
                if one.state is ContainerState.COMPLETE and one.container_id is not None:
                    self.heard[one.container_id] = one.exit_status
        removed = tuple(self.heard) if names and not is_duplicate else ()
        if answer_is_lost:
            self.rig.turn(self.rig.status.heartbeat_failed)
            return
        self.named.update(removed)
        response = NodeHeartbeatResponse(
            response_id=self.last,
            node_action=NodeAction.NORMAL,
            containers_to_be_removed_from_nm=removed,
        )
        self.rig.turn(lambda: self.rig.status.heartbeat_answered(response))

    @rule()
    def resync(self) -> None:
        self.rig.turn(
            lambda: self.rig.status.heartbeat_answered(NodeHeartbeatResponse(node_action=NodeAction.RESYNC))
        )
        for one in self.rig.register().container_statuses:
            if one.container_state is ContainerState.COMPLETE:
                self.heard[one.container_id] = one.container_exit_status
        self.last = 0

    @invariant()
    def nothing_that_was_not_named_is_forgotten(self) -> None:
        if hasattr(self, "rig"):
            for one in self.ended:
                assert one in self.rig.context.containers or one in self.named

    @invariant()
    def what_was_heard_is_what_happened(self) -> None:
        if hasattr(self, "rig"):
            for one, code in self.heard.items():
                assert self.ended[one] == code

    def teardown(self) -> None:
        if not hasattr(self, "rig"):
            return
        for _ in range(3):
            self.beat(request_is_lost=False, answer_is_lost=False, names=False)
        assert self.heard.keys() == self.ended.keys(), "a completion was lost"
        request = self.rig.turn(self.rig.status.heartbeat_request)
        assert request.node_status is not None
        told = [one.container_id for one in request.node_status.containers_statuses]
        assert sorted(filter(None, told)) == [container_id(number) for number in sorted(self.running)]


TestReportingWalk = ReportingWalk.TestCase
TestReportingWalk.settings = hypothesis_settings(
    max_examples=80,
    stateful_step_count=40,
)
