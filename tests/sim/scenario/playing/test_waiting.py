"""What an AM asks for again: its asks less what it was given, and its blacklist."""

from __future__ import annotations

from yarnbox.sim.scenario.playing.waiting import Waiting
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest

ATTEMPT = ApplicationAttemptId(ApplicationId(0, 1), 1)


def ask(place: str, count: int, priority: int = 1) -> ResourceRequest:
    return ResourceRequest(priority=priority, resource_name=place, num_containers=count)


def given(host: str, number: int) -> Container:
    container_id = ContainerId.build(ATTEMPT, number, 0)
    return Container(id=container_id, node_id=NodeId(host, 1), priority=1, allocation_request_id=-1)


def counts(waiting: Waiting, *asks: ResourceRequest) -> dict[str | None, int | None]:
    return {one.resource_name: one.num_containers for one in waiting.repeated(asks, None)[0]}


def test_a_container_counts_at_each_place_that_it_fulfils() -> None:
    waiting = Waiting()
    waiting.record([ask("n1", 1), ask("n2", 1), ask("/r", 2), ask("*", 3), ask("*", 0, priority=2)], None)
    waiting.record_given([given("n1", 2), given("far", 3)], lambda host: "/r" if host == "n1" else "/s")
    assert counts(waiting) == {"n2": 1, "/r": 1, "*": 1}
    assert counts(waiting, ask("n2", 0), ask("n3", 4)) == {"n2": 0, "/r": 1, "*": 1, "n3": 4}
    waiting.clear()
    assert counts(waiting) == {}


def test_a_blacklist_is_sent_whole() -> None:
    waiting = Waiting()
    assert waiting.repeated((), None) == ((), None)
    waiting.record((), ResourceBlacklistRequest(blacklist_additions=("n1", "n2")))
    waiting.record((), ResourceBlacklistRequest(blacklist_removals=("n1",)))
    waiting.record_given((), lambda host: "")
    change = ResourceBlacklistRequest(blacklist_additions=("n3",), blacklist_removals=("n2",))
    assert waiting.repeated((), None)[1] == ResourceBlacklistRequest(blacklist_additions=("n2",))
    assert waiting.repeated((), change)[1] == ResourceBlacklistRequest(
        blacklist_additions=("n3",), blacklist_removals=("n2",)
    )
