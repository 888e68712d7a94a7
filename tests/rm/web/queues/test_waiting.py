"""What waits in the cluster, and why."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.scheduler.checks import Reason
from yarnbox.rm.web.queues.waiting import waiting
from yarnbox.yarn.ids import ApplicationId

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.scheduler.capacity.root.queues": "a",
    "yarn.scheduler.capacity.root.a.capacity": "100",
}
FAIR = {"yarn.resourcemanager.scheduler.class": "fair"}
FIFO = {"yarn.resourcemanager.scheduler.class": "fifo"}


def foremost_of_all_checks(rig: Rig, application_id: ApplicationId) -> Reason | None:
    """As all checks tell it, of which none is left out."""
    every = rig.context.scheduler.views.request_checks(application_id)
    return next((one.foremost.reason for one in every if one.foremost is not None), None)


@pytest.mark.parametrize("properties", [CAPACITY, FAIR, FIFO], ids=["capacity", "fair", "fifo"])
def test_the_foremost_reason_is_that_of_all_checks(properties: dict[str, str]) -> None:
    rig = Rig(properties)
    queue: dict[str, Any] = {"queue": "a"} if properties is CAPACITY else {}
    apps = [rig.submit(user=f"user{number % 3}", **queue) for number in range(9)]
    seen: dict[Reason | None, None] = {}
    for step in range(4):
        for one in apps:
            found = rig.context.scheduler.views.foremost_reason(one)
            assert found is foremost_of_all_checks(rig, one), (step, one)
            seen[found] = None
        if not step:
            rig.add_node("n1", 4096, 4)
        rig.heartbeat("n1")
        rig.advance(1_000)
    assert len(seen) > 1, "some other reason after a while"
    told = waiting(rig.context, lambda _: True, lambda: True)
    assert sum(one["apps"] for one in told["reason"]) >= 5


def test_an_application_that_asks_for_nothing_does_not_wait() -> None:
    rig = Rig(FIFO)
    rig.add_node("n1", 4096, 4)
    application_id = rig.submit(unmanaged_am=True)

    def told() -> list[str]:
        found = waiting(rig.context, lambda _: True, lambda: True)["reason"]
        return [one["reason"] for one in found]

    assert told() == ["its ApplicationMaster has not registered yet"]
    rig.register(application_id)
    assert told() == []
    rig.allocate(application_id, ask(memory_mb=8192))
    assert len(told()) == 1


def test_reasons_of_thousands_are_found_without_looking_at_each_on_nodes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig(CAPACITY)
    rig.add_node("n1", 4096, 4)
    for _ in range(40):
        rig.submit(queue="a")
    rig.heartbeat("n1")
    explained: list[ApplicationId] = []
    views = rig.context.scheduler.views
    checks_of = views.request_checks

    def request_checks(application_id: ApplicationId) -> object:
        explained.append(application_id)
        return checks_of(application_id)

    monkeypatch.setattr(views, "request_checks", request_checks)
    told = waiting(rig.context, lambda _: True, lambda: True)
    assert sum(one["apps"] for one in told["reason"]) > 30
    assert len(explained) < 5
