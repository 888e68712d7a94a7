"""What the page of the scheduler says of the chosen queue."""

from __future__ import annotations

from typing import Any

from tests.cluster.viewer.conftest import recorded
from tests.pictures import SCENARIO
from tests.rig import Rig
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.rm.web.pages.queue import scheduler_page
from yarnbox.rm.web.queues.scheduler import page_info
from yarnbox.rm.web.queues.tree import queues_page
from yarnbox.rm.web.queues.users import queue_users
from yarnbox.rm.web.values import Shapes

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.scheduler.capacity.root.queues": "a,ab",
    "yarn.scheduler.capacity.root.a.capacity": "50",
    "yarn.scheduler.capacity.root.ab.capacity": "50",
}
REASON = {"reason": "the cluster is full", "containers": 3, "example": "application_0_0001"}


def shown(properties: dict[str, str], queue: str, waiting: Any = None) -> Any:
    """The page of a cluster in which one application runs."""
    rig = Rig(properties)
    rig.add_node("n1", 8192, 8)
    more: dict[str, Any] = {"queue": "a"} if properties is CAPACITY else {}
    rig.submit(user="mei", **more)
    rig.heartbeat("n1")
    shapes = Shapes(rig.context.resource_types)
    users = queue_users(rig.context, shapes, queue or rig.context.scheduler.views.root_queue, lambda _: True)
    found = queues_page(page_info(rig.context, shapes), queue, "", 1024)
    return scheduler_page(found, waiting, users or ())


def grid(page: Any) -> Any:
    (found,) = [one for one in page["below"] if "grid" in one]
    return found


def test_a_queue_says_what_waits_in_it_and_below() -> None:
    why = {"reason": [REASON | {"queue": "root.a.x"}, REASON | {"queue": "root.ab"}]}
    page = shown(CAPACITY, "root.a", why)
    headline, pending = page["above"]
    assert headline["kind"] == "headline"
    (row,) = pending["table"]
    assert row[1:3] == ["root.a.x", 3], "root.ab is not below root.a"
    assert row[3]["to"] == "/cluster/app/application_0_0001"
    assert page["chosen"] == {"path": "root.a", "state": "RUNNING", "sibling": ["root.a", "root.ab"]}


def test_users_have_the_columns_of_their_scheduler() -> None:
    limited = grid(shown(CAPACITY, "root.a"))
    assert [one["read"] for one in limited["columns"][:3]] == ["username", "userResourceLimit", "userWeight"]
    assert limited["grid"][0]["username"] == "mei"
    fair = grid(shown({"yarn.resourcemanager.scheduler.class": "fair"}, "root.mei"))
    assert {"fair", "most"} <= {one["key"] for one in fair["columns"]}
    assert fair["calls"] == ["/ui/queue-users?queue=root.mei"]
    fifo = grid(shown({"yarn.resourcemanager.scheduler.class": "fifo"}, ""))
    assert not {"fair", "most"} & {one["key"] for one in fifo["columns"]}
    for found in (limited, fair, fifo):
        cards = [one["key"] for one in found["columns"] if one.get("isCard")]
        assert cards[0] == "user"
        assert "used" in cards, "a phone shows what each has"
        for row in found["grid"]:
            unread = [one["read"] for one in found["columns"] if one["read"] not in row]
            assert unread in ([], ["maxRunningApps"]), "which is there where it is limited"


def test_a_formula_of_each_user_stands_below_them() -> None:
    answer = RecordedCluster(recorded(SCENARIO)).answer("/ui/queues", {"queue": "root.adhoc"}, 60_000)
    said = [one["paragraph"] for one in answer["queues"]["below"] if one.get("kind") == "how"]
    assert said
    assert [one.split(":")[0] for one in said] == ["ann", "tom"], "in the order of the list"
    assert all(" = " in one for one in said)


def test_what_the_scheduler_did_last() -> None:
    (last,) = shown(CAPACITY, "")["last"]
    assert last["summary"] == "Last scheduler run"
    _, operations, counts = last["folded"]
    (allocation,) = [row for row in operations["table"] if row[0] == "last-allocation"]
    assert allocation[3] == "root.a"
    assert [row[0] for row in counts["table"]] == ["releases", "allocations", "reservations"]
    nothing = shown(CAPACITY, "root.nobody")
    assert (nothing["above"], nothing["below"], nothing.get("chosen")) == ([], [], None)
