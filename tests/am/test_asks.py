"""The request table: what is sent, when, and what is sent again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yarnbox.am.asks import (
    ANY,
    ContainerRequest,
    InvalidContainerRequestError,
    Location,
    RequestTable,
    expand,
)
from yarnbox.yarn.enums import ContainerUpdateType, ExecutionType, RejectionReason
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse, UpdatedContainer
from yarnbox.yarn.records.request import RejectedSchedulingRequest, ResourceSizing, SchedulingRequest
from yarnbox.yarn.resources.resource import Resource

ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
SIZE = Resource(1024, 1)
RACKS = {"n1": "/r1", "n2": "/r2", "n3": "/r1"}


def table() -> RequestTable:
    return RequestTable(lambda host: RACKS.get(host, "/default-rack"))


def request(
    *nodes: str, priority: int = 1, size: Resource = SIZE, relax: bool = True, label: str | None = None
) -> ContainerRequest:
    return ContainerRequest(
        capability=size, priority=priority, nodes=nodes, relax_locality=relax, node_label_expression=label
    )


def counts(said: AllocateRequest) -> dict[str, int]:
    return {ask.resource_name or "": ask.num_containers or 0 for ask in said.ask}


def container(number: int, **fields: object) -> Container:
    return Container(id=ContainerId(ATTEMPT, number), resource=SIZE, **fields)  # type: ignore[arg-type]


def scheduling(tag: str, count: int, number: int = 0) -> SchedulingRequest:
    return SchedulingRequest(
        allocation_request_id=number,
        priority=1,
        allocation_tags=(tag,) if tag else (),
        resource_sizing=ResourceSizing(num_allocations=count, resources=SIZE),
    )


class TestExpansion:
    def test_hosts_their_racks_and_any(self) -> None:
        assert expand(["n1", "n2"], [], True, RACKS.__getitem__) == [
            Location("n1", True), Location("n2", True), Location("/r1", True), Location("/r2", True),
            Location(ANY, True),
        ]  # fmt: skip

    def test_without_relaxation_only_the_places_named_stay_open(self) -> None:
        assert expand(["n1", "n2"], ["/r2"], False, RACKS.__getitem__) == [
            Location("n1", True), Location("n2", True), Location("/r2", True), Location("/r1", False),
            Location(ANY, False),
        ]  # fmt: skip

    def test_a_place_named_twice_counts_once(self) -> None:
        assert [at.name for at in expand(["n1", "n1"], ["/r1", "/r1"], True, RACKS.__getitem__)] == [
            "n1", "/r1", ANY,
        ]  # fmt: skip

    def test_requests_for_one_of_two_hosts_add_up_to_their_number_not_to_twice_it(self) -> None:
        # See tests/scenarios/lifecycle/amrmclient-expansion.yaml.
        asks = table()
        asks.add(request("n1", "n3"), 3)
        assert counts(asks.next_request(0)) == {"n1": 3, "n3": 3, "/r1": 3, ANY: 3}

    def test_no_constraint_and_no_relaxation_contradict(self) -> None:
        with pytest.raises(InvalidContainerRequestError, match="Can't turn off locality relaxation"):
            request(relax=False)

    def test_one_label_at_most(self) -> None:
        with pytest.raises(InvalidContainerRequestError, match="more than one node label"):
            request(label="x && y")

    def test_the_label_stands_on_any_alone(self) -> None:
        asks = table()
        asks.add(request("n1", label="x"))
        labels = {ask.resource_name: ask.node_label_expression for ask in asks.next_request(0).ask}
        assert labels == {"n1": None, "/r1": None, ANY: "x"}


class TestRelaxation:
    def test_flags_of_one_place_may_not_differ(self) -> None:
        asks = table()
        asks.add(request("n1", relax=False))
        with pytest.raises(InvalidContainerRequestError, match=r"location /r1 with locality relaxation true"):
            asks.add(request("n3"))
        assert counts(asks.next_request(0)) == {"n1": 1, "/r1": 1, ANY: 1}

    def test_another_priority_is_another_matter(self) -> None:
        asks = table()
        asks.add(request("n1", relax=False))
        asks.add(request("n1", priority=2))
        assert len(asks.asks()) == 6

    def test_the_conflict_ends_with_the_request(self) -> None:
        asks = table()
        asks.add(request("n1", relax=False))
        asks.remove(request("n1", relax=False))
        asks.add(request("n3"))
        assert {ask.resource_name for ask in asks.asks()} == {"n3", "/r1", ANY}


class TestCalls:
    def test_only_what_changed_is_said(self) -> None:
        asks = table()
        asks.add(request(), 2)
        asks.next_request(0)
        asks.accept(AllocateResponse(response_id=1))
        assert asks.next_request(0) == AllocateRequest(
            blacklist_request=asks.next_request(0).blacklist_request, response_id=1, progress=0
        )

    def test_removal_sends_the_lowered_count_down_to_zero(self) -> None:
        asks = table()
        asks.add(request("n1"), 2)
        asks.next_request(0)
        asks.accept(AllocateResponse(response_id=1))
        asks.remove(request("n1"))
        assert counts(asks.next_request(0)) == {"n1": 1, "/r1": 1, ANY: 1}
        asks.accept(AllocateResponse(response_id=2))
        asks.remove(request("n1"))
        asks.remove(request("n1"))
        assert counts(asks.next_request(0)) == {"n1": 0, "/r1": 0, ANY: 0}
        assert asks.asks() == []

    def test_a_failed_call_is_repeated_with_what_is_newer(self) -> None:
        asks = table()
        asks.add(request("n1"), 2)
        asks.release(ContainerId(ATTEMPT, 7))
        asks.update_blacklist(["n2", "n3"])
        asks.next_request(0)
        asks.remove(request("n1"))
        asks.update_blacklist([], ["n2"])
        asks.refused()
        said = asks.next_request(0)
        assert counts(said) == {"n1": 1, "/r1": 1, ANY: 1}
        assert said.release == (ContainerId(ATTEMPT, 7),)
        assert said.blacklist_request is not None
        assert said.blacklist_request.blacklist_additions == ("n3",)
        assert said.blacklist_request.blacklist_removals == ("n2",)

    def test_after_a_restart_of_the_rm_all_that_is_outstanding_is_said(self) -> None:
        asks = table()
        asks.add(request("n1"), 2)
        asks.add(request(priority=5))
        asks.update_blacklist(["n2"])
        asks.release(ContainerId(ATTEMPT, 7))
        asks.release(ContainerId(ATTEMPT, 8))
        asks.next_request(0)
        completed = ContainerStatus(container_id=ContainerId(ATTEMPT, 7))
        asks.accept(AllocateResponse(response_id=1, completed_container_statuses=(completed,)))
        asks.next_request(0)
        asks.resync()
        said = asks.next_request(0)
        assert said.response_id == 0
        assert [(ask.priority, ask.resource_name, ask.num_containers) for ask in said.ask] == [
            (1, "n1", 2), (1, "/r1", 2), (1, ANY, 2), (5, ANY, 1),
        ]  # fmt: skip
        assert said.release == (ContainerId(ATTEMPT, 8),)
        assert said.blacklist_request is not None
        assert said.blacklist_request.blacklist_additions == ("n2",)

    def test_matching_requests_are_those_that_fit_the_largest_first(self) -> None:
        asks = table()
        small, large = request(size=Resource(1024, 1)), request(size=Resource(2048, 1))
        asks.add(small)
        asks.add(large, 2)
        assert asks.matching(1, ANY, Resource(2048, 1)) == [large, large, small]
        assert asks.matching(1, ANY, Resource(1536, 1)) == [small]
        assert asks.matching(2, ANY, Resource(2048, 1)) == []


class TestUpdates:
    def test_an_update_is_repeated_until_it_is_confirmed(self) -> None:
        asks = table()
        asks.request_update(container(1), ContainerUpdateType.INCREASE_RESOURCE, capability=Resource(2048, 1))
        assert len(asks.next_request(0).update_requests) == 1
        asks.accept(AllocateResponse(response_id=1))
        assert asks.next_request(0).update_requests == ()
        asks.resync()
        assert len(asks.next_request(0).update_requests) == 1
        updated = UpdatedContainer(
            update_type=ContainerUpdateType.INCREASE_RESOURCE, container=container(1, version=1)
        )
        asks.accept(AllocateResponse(response_id=1, updated_containers=(updated,)))
        asks.resync()
        assert asks.next_request(0).update_requests == ()

    @pytest.mark.parametrize(
        "update_type, capability, execution_type",
        [
            (ContainerUpdateType.INCREASE_RESOURCE, None, None),
            (ContainerUpdateType.INCREASE_RESOURCE, Resource(2048, 1), ExecutionType.GUARANTEED),
            (ContainerUpdateType.INCREASE_RESOURCE, Resource(512, 1), None),
            (ContainerUpdateType.INCREASE_RESOURCE, SIZE, None),
            (ContainerUpdateType.DECREASE_RESOURCE, Resource(2048, 1), None),
            (ContainerUpdateType.DECREASE_RESOURCE, Resource(-1, 1), None),
            (ContainerUpdateType.PROMOTE_EXECUTION_TYPE, Resource(2048, 1), None),
            (ContainerUpdateType.PROMOTE_EXECUTION_TYPE, None, ExecutionType.GUARANTEED),
        ],
    )
    def test_an_update_that_makes_no_sense_is_refused(
        self,
        update_type: ContainerUpdateType,
        capability: Resource | None,
        execution_type: ExecutionType | None,
    ) -> None:
        asks = table()
        with pytest.raises(InvalidContainerRequestError):
            asks.request_update(
                container(1), update_type, capability=capability, execution_type=execution_type
            )
        assert asks.next_request(0).update_requests == ()


class TestSchedulingRequests:
    def test_a_granted_container_is_counted_off(self) -> None:
        asks = table()
        wanted = SchedulingRequest(
            priority=1,
            allocation_tags=("zk",),
            resource_sizing=ResourceSizing(num_allocations=2, resources=SIZE),
        )
        asks.add_scheduling_requests([wanted])
        assert asks.next_request(0).scheduling_requests == (wanted,)
        granted = container(1, priority=1, allocation_tags=("zk",), allocation_request_id=0)
        other = container(2, priority=1, allocation_tags=("hbase",), allocation_request_id=0)
        asks.accept(AllocateResponse(response_id=1, allocated_containers=(granted, other)))
        asks.resync()
        (left,) = asks.next_request(0).scheduling_requests
        assert left.resource_sizing == ResourceSizing(num_allocations=1, resources=SIZE)
        asks.accept(AllocateResponse(response_id=1, allocated_containers=(granted,)))
        assert asks.scheduling_requests() == []

    def test_a_number_is_replaced_and_cancelled(self) -> None:
        asks = table()
        wanted = scheduling("zk", 2)
        asks.add_scheduling_requests([wanted, scheduling("hbase", 1, number=1)])
        asks.replace_scheduling_request(scheduling("zk", 5))
        assert [one.resource_sizing for one in asks.scheduling_requests()] == [
            ResourceSizing(num_allocations=count, resources=SIZE) for count in (1, 5)
        ]
        asks.replace_scheduling_request(scheduling("zk", 0))
        assert [one.allocation_tags for one in asks.scheduling_requests()] == [("hbase",)]
        said = asks.next_request(0).scheduling_requests
        assert [one.allocation_tags for one in said] == [("hbase",), ("zk",)]

    def test_what_was_rejected_is_not_waited_for(self) -> None:
        asks = table()
        asks.add_scheduling_requests([scheduling("zk", 3), scheduling("", 1, number=1)])
        asks.next_request(0)
        rejected = RejectedSchedulingRequest(
            reason=RejectionReason.COULD_NOT_PLACE_ON_NODE, request=scheduling("zk", 2)
        )
        granted = container(1, priority=1, allocation_request_id=1)
        asks.accept(
            AllocateResponse(
                response_id=1, allocated_containers=(granted,), rejected_scheduling_requests=(rejected,)
            )
        )
        assert asks.scheduling_requests() == [scheduling("zk", 1)]

    def test_scheduling_requests_wait_for_a_call_without_an_ask(self) -> None:
        asks = table()
        asks.add(ContainerRequest(capability=SIZE, priority=1))
        asks.add_scheduling_requests([scheduling("zk", 1)])
        said = asks.next_request(0)
        assert (len(said.ask), said.scheduling_requests) == (1, ())
        asks.refused()  # whatever becomes of that call
        asks.add(ContainerRequest(capability=SIZE, priority=1))
        assert asks.next_request(0).scheduling_requests == ()
        asks.accept(AllocateResponse(response_id=1))
        assert asks.next_request(0).scheduling_requests == (scheduling("zk", 1),)


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, ContainerRequest]]:
    requests = st.builds(
        ContainerRequest,
        capability=st.sampled_from([Resource(1024, 1), Resource(2048, 1)]),
        priority=st.sampled_from([1, 2]),
        nodes=st.lists(st.sampled_from(["n1", "n2", "n3"]), max_size=3).map(tuple),
    )
    verbs = st.sampled_from(["add", "remove", "call", "fail", "resync"])
    return draw(st.lists(st.tuples(verbs, requests), max_size=40))


@settings(max_examples=150)
@given(steps())
def test_the_rm_ends_with_the_counts_of_the_table(story: list[tuple[str, ContainerRequest]]) -> None:
    """Whatever calls fail or are forgotten by a restart, what the RM has heard is what is outstanding."""
    asks = table()
    rm: dict[tuple[object, ...], int] = {}

    def hear(said: AllocateRequest) -> None:
        for ask in said.ask:
            rm[ask.priority, ask.resource_name, ask.capability] = ask.num_containers or 0
        asks.accept(AllocateResponse(response_id=asks.response_id + 1))

    for verb, wanted in story:
        if verb == "add":
            asks.add(wanted)
        elif verb == "remove":
            asks.remove(wanted)
        elif verb == "call":
            hear(asks.next_request(0))
        elif verb == "fail":
            asks.next_request(0)
            asks.refused()
        else:
            asks.next_request(0)
            rm.clear()
            asks.resync()
    hear(asks.next_request(0))
    outstanding = {(a.priority, a.resource_name, a.capability): a.num_containers for a in asks.asks()}
    assert {key: count for key, count in rm.items() if count} == outstanding
    assert all(count > 0 for count in outstanding.values() if count is not None)
