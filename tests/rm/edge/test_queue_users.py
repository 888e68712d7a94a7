"""What each user holds and asks for in a queue: under every scheduler, and for parents too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.blocks import of_kind
from tests.rig import FIFO, Rig, ask
from tests.rm.edge.test_http import web
from tests.rm.edge.test_process import play
from yarnbox.rm.web.queues.users import queue_users
from yarnbox.rm.web.queues.waiting import waiting
from yarnbox.rm.web.values import Shapes

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
    "yarn.scheduler.capacity.root.queues": "a,b",
    "yarn.scheduler.capacity.root.a.capacity": "100",
    "yarn.scheduler.capacity.root.b.capacity": "0",
}
NOBODYS = """<allocations><queue name='root'>
<aclAdministerApps> </aclAdministerApps><aclSubmitApps>*</aclSubmitApps>
</queue></allocations>"""
FAIR = {"yarn.resourcemanager.scheduler.class": "fair", "yarn.scheduler.fair.preemption": "false"}


@pytest.mark.parametrize(
    "settings, queue", [(CAPACITY, "root.a"), (FAIR, "root.a"), (FIFO, "default")], ids=["cs", "fair", "fifo"]
)
def test_users_of_a_queue_are_summed_over_their_applications(settings: dict[str, str], queue: str) -> None:
    rig = Rig(settings)
    rig.add_node("n1", 8192, 8)
    shapes = Shapes(rig.context.resource_types)
    for user in ("mei", "ann", "mei"):
        name = "root.a" if queue == "root.a" else queue
        application_id = rig.submit(user=user, queue=name, unmanaged_am=True)
        rig.register(application_id)
        rig.allocate(application_id, ask(count=2, memory_mb=2048))
    for _ in range(4):
        rig.advance(1_000)  # the FairScheduler reads demand at intervals
        rig.heartbeat("n1")
    for path in (queue, "root"):
        shown = queue_users(rig.context, shapes, path, lambda _: True)
        assert shown is not None
        assert [one["username"] for one in shown] == ["ann", "mei"]
        assert sum(one["resourcesUsed"]["memory"] for one in shown) == 8192
        assert sum(one["runningContainers"] for one in shown) == 4
        assert sum(one["resourcesPending"]["memory"] for one in shown) == 4096
        assert sum(one["pendingContainers"] for one in shown) == 2
        assert sum(one["runningApps"] + one["waitingApps"] for one in shown) == 3
    assert queue_users(rig.context, shapes, queue, lambda _: False) == []
    if queue == "root.a":
        assert queue_users(rig.context, shapes, "root.b", lambda _: True) in ([], None)
    assert queue_users(rig.context, shapes, "root.none", lambda _: True) is None


DOMINANT = {
    **CAPACITY,
    "yarn.scheduler.capacity.resource-calculator": "DominantResourceCalculator",
}


@pytest.mark.parametrize(
    "settings, counts_vcores",
    [(CAPACITY, False), (DOMINANT, True), (FAIR, True), (FIFO, False)],
    ids=["cs", "dominant", "fair", "fifo"],
)
def test_whether_vcores_limit_anything_is_told(settings: dict[str, str], counts_vcores: bool) -> None:
    rig = Rig(settings)
    rig.add_node("n1", 8192, 2)
    application_id = rig.submit(queue="root.a", unmanaged_am=True)
    rig.register(application_id)
    rig.allocate(application_id, ask(count=3, memory_mb=1024))
    for _ in range(5):
        rig.advance(1_000)
        rig.heartbeat("n1")
    (node,) = rig.context.scheduler.tracker.nodes.values()
    assert len(node.containers) == (2 if counts_vcores else 3)
    assert waiting(rig.context, lambda _: True, lambda: True)["countsVCores"] is counts_vcores


def test_the_limit_of_running_applications_is_shown_where_there_is_one(tmp_path: Path) -> None:
    allocations = "<allocations><user name='ann'><maxRunningApps>3</maxRunningApps></user></allocations>"

    async def scene() -> None:
        (tmp_path / "conf").mkdir()
        (tmp_path / "conf" / "fair-scheduler.xml").write_text(allocations)
        async with web(tmp_path, yarn__resourcemanager__scheduler__class="fair") as caller:
            await caller.desk.submit()
            found = (await caller.get("/ui/queue-users"))["users"]
            (user,) = found["user"]
            assert (found["queue"], user["username"], user["maxRunningApps"]) == ("root", "ann", 3)
            assert user["fairShare"]["memory"] == 0
            await caller.get("/ui/queue-users?queue=root.none", 404)

    play(scene)


def private(tmp_path: Path) -> dict[str, str]:
    """A FairScheduler, under which lists show everybody what they may view alone."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "fair-scheduler.xml").write_text(NOBODYS)
    return {
        "yarn__resourcemanager__scheduler__class": "fair",
        "yarn__acl__enable": "true",
        "yarn__admin__acl": "root",
        "yarn__webapp__filter-entity-list-by-user": "true",
    }


def test_sums_hide_what_the_lists_hide(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **private(tmp_path)) as caller:
            await caller.desk.submit()
            assert (await caller.get("/ui/queue-users?user.name=bob"))["users"]["user"] == []
            (user,) = (await caller.get("/ui/queue-users?user.name=ann"))["users"]["user"]
            assert user["waitingApps"] == 1
            for reader, figures in (("bob", []), ("root", []), ("ann", ["User Metrics for ann"])):
                shown = (await caller.get(f"/ui/cluster?user.name={reader}"))["cluster"]["block"]
                assert [one for one in of_kind(shown, "heading") if one.startswith("User")] == figures
                pending = 0 if reader == "bob" else 1
                waiting = [rows for rows in of_kind(shown, "grid") if isinstance(rows, list)]
                assert sum(map(len, waiting)) == pending, "the other list is read by itself"
                _, waits = of_kind(shown, "items")[0][:2]
                assert waits["item"]["link"][0] == {"word": pending}

    play(scene)
