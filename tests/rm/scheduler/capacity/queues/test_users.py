"""The users of a leaf: who is active, sums that follow the one user that changed, limits kept until then."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.scheduler.calculator import float32

P = "yarn.scheduler.capacity."
GB = 1024
TREE = {
    P + "maximum-am-resource-percent": "1.0",
    P + "root.queues": "a,b",
    P + "root.a.capacity": "50",
    P + "root.a.minimum-user-limit-percent": "25",
    P + "root.a.user-limit-factor": "2",
    P + "root.b.capacity": "50",
}


def rig() -> CapacityRig:
    made = CapacityRig(TREE)
    made.add_node("n1", 16 * GB, 16)
    return made


def limit_gb(made: CapacityRig) -> float:
    return made.leaf("root.a").users.limit("").memory_mb / GB


def is_active(made: CapacityRig, name: str) -> bool:
    return made.leaf("root.a").users.by_name[name].is_active


def test_ratios_add_up_as_32_bit_floats_do() -> None:
    made = CapacityRig(TREE)
    for number in range(7):
        made.add_node(f"n{number}", 7 * GB, 16)
    made.submit("x", "root.a", "ann")
    made.submit("y", "root.a", "bob")
    users = made.leaf("root.a").users
    total, used, expected = 49 * GB, {"ann": 0, "bob": 0}, 0.0
    for _ in range(40):
        for name, user in (("x", "ann"), ("y", "bob")):
            made.ask(name, 1, GB)
            made.heartbeat("n0", "n1")
            before, used[user] = used[user], users.by_name[user].usage.used("").memory_mb
            delta = float32(float32(used[user] / total) - float32(before / total))
            expected = float32(expected + delta)
            if used[user] > 6 * GB:
                made.call(name, [], tuple(made.attempt(name).live))
                expected = released(expected, used, user, total)
    assert users.consumed_ratio("") == expected
    assert expected != float32(sum(used.values()) / total)


def released(ratio: float, used: dict[str, int], user: str, total: int) -> float:
    """The containers of 1 GB end one after the other."""
    while used[user]:
        before, used[user] = used[user], used[user] - GB
        ratio = float32(ratio + float32(float32(used[user] / total) - float32(before / total)))
    return ratio


def test_a_user_is_active_while_an_activated_application_asks() -> None:
    made = rig()
    made.submit("x", "root.a", "ann")
    seen = [is_active(made, "ann")]
    made.ask("x", 1)
    seen.append(is_active(made, "ann"))
    made.heartbeat("n1")  # its last ask is satisfied
    seen.append(is_active(made, "ann"))
    made.ask("x", 1)
    seen.append(is_active(made, "ann"))
    made.ask("x", 0)
    seen.append(is_active(made, "ann"))
    assert seen == [False, True, False, True, False]


def test_a_user_is_not_active_for_what_was_asked_while_all_its_applications_waited() -> None:
    made = CapacityRig({**TREE, P + "root.a.max-parallel-apps": "1"})
    made.add_node("n1", 16 * GB, 16)
    made.submit("x", "root.a", "ann")
    made.submit("y", "root.a", "bob")
    made.ask("y", 1)
    seen = [is_active(made, "bob")]
    made.finish("x")
    seen.append(is_active(made, "bob"))  # activated, but what it asks for it asked for before
    made.ask("y", 1, priority=2)
    seen.append(is_active(made, "bob"))
    assert seen == [False, False, True]


def test_limits_follow_who_is_active() -> None:
    made = rig()
    made.submit("x", "root.a", "ann")
    made.submit("y", "root.a", "bob")
    made.ask("x", 8)
    assert limit_gb(made) == 2, "a quarter of the guarantee"
    for _ in range(8):
        made.heartbeat("n1")
    assert made.containers("x") == 8, "alone it rises with its own use"
    made.ask("y", 2)
    made.ask("x", 1)
    assert limit_gb(made) == 5  # (8 + 0 + 1) / 2, rounded up
    made.heartbeat("n1")
    assert (made.containers("x"), made.containers("y")) == (8, 1)


def test_the_sums_are_the_same_as_counted_afresh() -> None:
    made = rig()
    for number in range(4):
        made.submit(f"x{number}", "root.a", f"u{number % 3}")
        made.ask(f"x{number}", 3)
    for _ in range(9):
        made.heartbeat("n1")
    made.finish("x1")
    users = made.leaf("root.a").users
    before = users.limit("")
    users.cluster_changed()
    assert users.limit("") == before


def test_a_user_without_applications_is_forgotten() -> None:
    made = rig()
    made.submit("x", "root.a", "ann")
    made.finish("x")
    assert not made.leaf("root.a").users.by_name


def test_weights() -> None:
    made = CapacityRig({**TREE, P + "root.user-settings.ann.weight": "0.5"})
    made.add_node("n1", 16 * GB, 16)
    made.submit("x", "root.a", "ann")
    made.submit("y", "root.a", "bob")
    users = made.leaf("root.a").users
    half = users.limit_of(users.by_name["ann"], "").memory_mb
    assert half * 2 == users.limit_of(users.by_name["bob"], "").memory_mb


def one_of_ann_waits() -> CapacityRig:
    """Cat takes the place of Ann's first application, x, when that ends; her second one, y, waits on."""
    made = CapacityRig({**TREE, P + "root.a.max-parallel-apps": "1"})
    made.add_node("n1", 16 * GB, 16)
    made.submit("x", "root.a", "ann")
    made.submit("z", "root.a", "cat")
    made.submit("y", "root.a", "ann")
    return made


def test_a_user_is_forgotten_by_name_with_an_application_that_waited() -> None:
    made = one_of_ann_waits()
    made.finish("x")
    users = made.leaf("root.a").users
    assert "ann" not in users.by_name
    made.submit("v", "root.a", "ann")
    assert "ann" in users.by_name
    made.finish("y")
    assert "ann" not in users.by_name


def test_a_forgotten_user_who_counts_as_asking_is_not_brought_back() -> None:
    made = one_of_ann_waits()
    made.ask("y", 1)
    made.finish("x")
    users = made.leaf("root.a").users
    assert ("ann" in users.by_name, "ann" in users.asking) == (False, True)
    made.ask("y", 1, 2 * GB, priority=2)
    assert "ann" not in users.by_name
