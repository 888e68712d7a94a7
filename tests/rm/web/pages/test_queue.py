"""What the page of the scheduler says of the chosen queue."""

from __future__ import annotations

from typing import Any

from tests.blocks import named, of_kind, paragraphs
from tests.cluster.viewer.conftest import recorded
from tests.pictures import SCENARIO
from tests.rig import Rig
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.rm.web.pages.queue import Asked, scheduler_page
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


def shown(properties: dict[str, str], queue: str, waiting: Any = None, **lists: str) -> Any:
    """The page of a cluster in which one application runs."""
    rig = Rig(properties)
    rig.add_node("n1", 8192, 8)
    more: dict[str, Any] = {"queue": "a"} if properties is CAPACITY else {}
    rig.submit(user="mei", **more)
    rig.heartbeat("n1")
    shapes = Shapes(rig.context.resource_types)
    users = queue_users(rig.context, shapes, queue or rig.context.scheduler.views.root_queue, lambda _: True)
    found = queues_page(page_info(rig.context, shapes), queue, "", 1024)
    return scheduler_page(found, Asked(queue=queue, lists=lists), waiting, users or ())


def card(page: Any) -> Any:
    """The chosen queue in full."""
    (found,) = [one for one in page if one.get("kind") == "card"]
    return found["section"]


def test_a_queue_says_what_waits_in_it_and_below() -> None:
    why = {"reason": [REASON | {"queue": "root.a.x"}, REASON | {"queue": "root.ab"}]}
    page = shown(CAPACITY, "root.a", why)
    title, headline, pending, *_ = card(page)
    assert (title["heading"], headline["kind"]) == ("root.a", "headline")
    (row,) = pending["table"]
    assert row[1:3] == ["root.a.x", 3], "root.ab is not below root.a"
    assert row[3]["to"] == "/cluster/app/application_0_0001"


def test_users_have_the_columns_of_their_scheduler() -> None:
    limited = named(shown(CAPACITY, "root.a"), "Users")
    assert [one["read"] for one in limited["columns"][:3]] == ["username", "userResourceLimit", "userWeight"]
    assert limited["grid"][0]["username"] == "mei"
    fair = named(shown({"yarn.resourcemanager.scheduler.class": "fair"}, "root.mei"), "Users")
    assert "fair" in {one["key"] for one in fair["columns"]}
    assert fair["calls"] == ["/ui/queue-users?queue=root.mei"]
    fifo = named(shown({"yarn.resourcemanager.scheduler.class": "fifo"}, ""), "Users")
    assert not {"fair", "most"} & {one["key"] for one in fifo["columns"]}
    for found in (limited, fair, fifo):
        cards = [one["key"] for one in found["columns"] if not one["isWide"]]
        assert cards[0] == "user"
        assert "used" in cards, "a phone shows what each has"
        for row in found["grid"]:
            assert [one["read"] for one in found["columns"] if one["read"] not in row] == []


def test_a_formula_of_each_user_stands_below_them() -> None:
    answer = RecordedCluster(recorded(SCENARIO)).answer("/ui/queues", {"queue": "root.adhoc"}, 60_000)
    said = paragraphs(answer["queues"]["block"], "how")
    assert said
    assert [one.split(":")[0] for one in said] == ["ann", "tom"], "in the order of the list"
    assert all(" = " in one for one in said)


def test_what_the_scheduler_did_last() -> None:
    last = shown(CAPACITY, "")[-1]
    assert last["summary"] == "Last scheduler run"
    _, operations, counts = last["folded"]
    (allocation,) = [row for row in operations["table"] if row[0] == "last-allocation"]
    assert allocation[3] == "root.a"
    assert [row[0] for row in counts["table"]] == ["releases", "allocations", "reservations"]


def test_a_queue_that_is_not_there() -> None:
    page = shown(CAPACITY, "root.nobody")
    (said,) = of_kind(page, "alert")
    assert said[0] == "There is no queue root.nobody. "
    assert of_kind(page, "included") == of_kind(page, "stream") == []
    assert [one["key"] for one in of_kind(page, "bars")[0]] == ["root", "root.a", "root.ab"]


def test_each_queue_is_a_bar() -> None:
    def marks(one: Any) -> dict[str, Any]:
        return {mark["kind"]: (mark["left"], mark["width"]) for mark in one["mark"]}

    root, a, ab = of_kind(shown(CAPACITY, "root.a"), "bars")[0]
    assert (root["depth"], a["depth"], a["name"]) == (0, 1, ["a"])
    assert (a["isOpen"], ab["isOpen"]) == (True, False)
    assert marks(a) == {"most": (0, 100), "used": (0, 12.5), "floor": (50, None)}
    assert a["said"] == [{"word": "12.5 %"}, " of 50.0 %, at most 100.0 %"]
    fair = shown({"yarn.resourcemanager.scheduler.class": "fair"}, "")
    assert "now" in marks(of_kind(fair, "bars")[0][0])
    assert paragraphs(fair, "legend")[0][3] == {"word": "fair share now", "kind": "key now"}


def test_what_belongs_to_a_queue_is_read_for_it_alone() -> None:
    sources = [one["source"] for one in shown(CAPACITY, "root.a") if "source" in one]
    charts, containers, apps = sources
    assert charts == "/ui/charts/queues?parent=root.a&partition=&minutes="
    assert containers == "/ui/containers?queue=root.a"
    assert apps.endswith("&queue=root.a&limit=20&list=queueapps")
    charts, apps = [one["source"] for one in shown(CAPACITY, "") if "source" in one]
    assert "parent=root&" in charts
    assert "queue=" not in apps
    sorted_apps = shown(CAPACITY, "root.a", **{"queueapps.sort": "-mem", "sort": "id"})
    assert sorted_apps[-2]["source"].endswith("&list=queueapps&queueapps.sort=-mem")
    fifo = shown({"yarn.resourcemanager.scheduler.class": "fifo"}, "")
    assert of_kind(fifo, "stream") == ["default"]


def test_partitions_and_spans_can_be_chosen() -> None:
    rig = Rig(CAPACITY)
    found = queues_page(page_info(rig.context, Shapes(rig.context.resource_types)), "", "", 1024)
    asked = Asked(partition="gpu", minutes="15")
    page = scheduler_page(found | {"partition": ["", "gpu"]}, asked, None, ())
    partition, time = [one for one in page if "chips" in one]
    assert [(one["link"], one["ask"][1], one["isHere"]) for one in partition["chips"]] == [
        ("<DEFAULT_PARTITION>", "", False),
        ("gpu", "gpu", True),
    ]
    assert [(one["ask"], one["isHere"]) for one in time["chips"]] == [
        (["minutes", "5"], False),
        (["minutes", ""], True),
        (["minutes", "60"], False),
    ]
    assert "Share of partition gpu over time" in of_kind(page, "heading")
    assert [one["name"] for one in shown(CAPACITY, "") if "chips" in one] == [], "of a recording all is shown"
