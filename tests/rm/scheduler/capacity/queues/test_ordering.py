"""The orders of applications and of queues: kept up to date, so they must equal a sort at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import QueueForSorting, QueueOrderingPolicy
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy
from yarnbox.rm.scheduler.capacity.queues.parent import ParentQueue, ordering_key
from yarnbox.yarn.configuration import ConfigurationError

P = "yarn.scheduler.capacity."
LEAF = {P + "maximum-am-resource-percent": "1.0", P + "root.queues": "a", P + "root.a.capacity": "100"}
PRIORITIES = {"yarn.cluster.max-application-priority": "10"}


def names(rig: CapacityRig) -> list[str]:
    by_id = {attempt_id: name for name, attempt_id in rig.attempts.items()}
    rig.leaf("root.a").order.apply_changes()
    return [by_id[attempt.attempt_id] for attempt in rig.leaf("root.a").order]


def test_fifo_by_priority_then_age() -> None:
    rig = CapacityRig(LEAF, site=PRIORITIES)
    rig.add_node("n1", 8192)
    for name, priority in (("x", 1), ("y", 3), ("z", 1)):
        rig.submit(name, "root.a", priority=priority)
    assert names(rig) == ["y", "x", "z"]
    rig.scheduler.update_application_priority(rig.attempts["z"].application_id, 5)
    assert names(rig) == ["z", "y", "x"]


class NewestFirst(OrderingPolicy):
    """A user's own."""

    def key(self, attempt: CapacityAttempt) -> Key:
        return (-attempt.application_id.id,)


def test_a_policy_of_ones_own_is_named_by_its_path() -> None:
    own = f"{__name__}.{NewestFirst.__name__}"
    rig = CapacityRig({**LEAF, P + "root.a.ordering-policy": own})
    rig.add_node("n1", 8192)
    for name in ("x", "y", "z"):
        rig.submit(name, "root.a")
    assert names(rig) == ["z", "y", "x"]
    assert rig.leaf("root.a").ordering_policy == own


class ByPriority(OrderingPolicy):
    """A user's own, for which many applications are equal."""

    def key(self, attempt: CapacityAttempt) -> Key:
        return (-attempt.app_priority,)


def test_of_equal_keys_the_smaller_id_is_served_first() -> None:
    own = f"{__name__}.{ByPriority.__name__}"
    rig = CapacityRig({**LEAF, P + "root.a.ordering-policy": own}, site=PRIORITIES)
    rig.add_node("n1", 8192)
    for name, priority in (("x", 1), ("y", 3), ("z", 1), ("u", 3)):
        rig.submit(name, "root.a", priority=priority)
    assert names(rig) == ["y", "u", "x", "z"]
    rig.scheduler.update_application_priority(rig.attempts["x"].application_id, 3)
    assert names(rig) == ["x", "y", "u", "z"]


class Unfinished(OrderingPolicy):
    """One without an order."""


@pytest.mark.parametrize(
    "wrong, why",
    [
        ("lifo", "neither a name of ours nor the dotted path of a class"),
        ("FifoOrderingPolicy", "neither a name of ours nor the dotted path of a class"),
        ("nowhere.Policy", "nowhere cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("mistaken_policy.Policy", "mistaken_policy cannot be imported: SyntaxError: "),
        (f"{__name__}.NoSuch", f"there is no NoSuch in {__name__}"),
        (f"{__name__}.names", "is not a subclass of .*OrderingPolicy"),
        (f"{__name__}.Unfinished", "lacks the method key"),
    ],
)
def test_what_is_no_policy_is_refused_with_the_reason(
    wrong: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mistaken_policy.py").write_text("class Policy(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigurationError, match=rf"Unable to construct ordering .*{wrong} \(.*{why}"):
        CapacityRig({**LEAF, P + "root.a.ordering-policy": wrong})
    for_queues = rf"Unable to construct queue ordering .*{wrong} \("
    with pytest.raises(ConfigurationError, match=for_queues):
        CapacityRig({**LEAF, P + "root.ordering-policy": wrong})


def test_fair_by_memory_used_whatever_the_priority() -> None:
    rig = CapacityRig({**LEAF, P + "root.a.ordering-policy": "fair"}, site=PRIORITIES)
    rig.add_node("n1", 8192)
    rig.submit("x", "root.a", priority=9)
    rig.submit("y", "root.a")
    rig.ask("x", 1, 2048)
    rig.heartbeat("n1")
    assert names(rig) == ["y", "x"]
    rig.ask("y", 1, 3072)
    rig.heartbeat("n1")
    assert names(rig) == ["x", "y"]
    rig.call("x", [], tuple(rig.attempt("x").live))
    rig.call("y", [], tuple(rig.attempt("y").live))
    assert names(rig) == ["x", "y"]


def test_who_has_left_is_not_noted_any_more() -> None:
    fair = {P + f"root.{name}.ordering-policy": "fair" for name in "ab"}
    rig = CapacityRig(
        {P + "root.queues": "a,b", **{P + f"root.{name}.capacity": "50" for name in "ab"}, **fair}
    )
    rig.add_node("n1", 8192)
    rig.submit("x", "root.a")
    rig.ask("x", 1, 2048)
    rig.leaf("root.a").order.apply_changes()
    rig.heartbeat("n1")
    rig.scheduler.move_application(rig.attempts["x"].application_id, "root.b")
    noted_mb = rig.attempt("x").noted_used_mb
    rig.leaf("root.a").order.apply_changes()
    assert rig.attempt("x").noted_used_mb == noted_mb
    rig.leaf("root.b").order.apply_changes()
    assert rig.attempt("x").noted_used_mb == noted_mb < rig.attempt("x").usage.used().memory_mb


def test_size_based_weight_forgives_the_large() -> None:
    fair = {
        P + "root.a.ordering-policy": "fair",
        P + "root.a.ordering-policy.fair.enable-size-based-weight": "true",
    }
    rig = CapacityRig({**LEAF, **fair})
    rig.add_node("n1", 16384)
    rig.submit("x", "root.a")
    rig.submit("y", "root.a")
    for name in ("x", "y"):
        rig.ask(name, 1)
    rig.heartbeat("n1", "n1")
    assert names(rig) == ["x", "y"]
    rig.ask("y", 100)
    assert names(rig) == ["y", "x"]


def test_a_refresh_takes_applications_into_another_order() -> None:
    rig = CapacityRig(LEAF, site=PRIORITIES)
    rig.add_node("n1", 8192)
    rig.submit("x", "root.a", priority=1)
    rig.submit("y", "root.a", priority=2)
    rig.ask("y", 1)
    rig.heartbeat("n1")
    rig.provider.properties[P + "root.a.ordering-policy"] = "fair"
    rig.scheduler.refresh()
    assert names(rig) == ["x", "y"]


class MostUsedFirst(QueueOrderingPolicy):
    """A user's own order of queues."""

    def key(self, queue: QueueForSorting) -> tuple[float, str]:
        return (-queue.used, queue.path)


@pytest.mark.parametrize(
    "policy", ["utilization", "priority-utilization", f"{__name__}.{MostUsedFirst.__name__}"]
)
def test_children_stand_as_a_sort_would_put_them(policy: str) -> None:
    properties: dict[str, object] = {
        P + "maximum-am-resource-percent": "1.0",
        P + "user-limit-factor": "-1",
        P + "root.queues": "a,b,c,d",
        P + "root.ordering-policy": policy,
    }
    for name, capacity, priority in (("a", 40, 1), ("b", 30, 2), ("c", 30, 1), ("d", 0, 3)):
        properties[f"{P}root.{name}.capacity"] = capacity
        properties[f"{P}root.{name}.priority"] = priority
        properties[f"{P}root.{name}.maximum-applications"] = 10
    rig = CapacityRig(properties)
    rig.add_node("n1", 20_480, 20)
    for number, name in enumerate("abcd"):
        rig.submit(name, f"root.{name}")
        rig.ask(name, 5, 1024 * (1 + number % 2))
    root: ParentQueue = rig.scheduler.tree.root
    for _ in range(12):
        kept = [child.path for _, _, child in root._order("", "").entries()]
        asking = [child for child in root.children if child.has_pending("")]
        expected = sorted(asking, key=lambda child: (ordering_key(child, "", root.settings), child.position))
        assert kept == [child.path for child in expected]
        rig.heartbeat("n1")
