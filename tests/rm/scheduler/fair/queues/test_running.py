"""How many applications may run, and who runs next."""

from __future__ import annotations

from tests.rm.scheduler.fair.rig import Rig


def running(rig: Rig) -> str:
    """The names of the applications that run, in the order of submission."""
    return "".join(name for name in rig.attempts if rig.app(name) in rig.app(name).leaf.runnable)


def test_limits_of_queue_user_and_ancestors_hold() -> None:
    rig = Rig(
        '<allocations><queue name="p"><maxRunningApps>2</maxRunningApps>'
        '<queue name="x"/><queue name="y"/></queue>'
        '<user name="ann"><maxRunningApps>1</maxRunningApps></user></allocations>'
    )
    rig.submit("a", "p.x", "ann")
    rig.submit("b", "q", "ann")
    rig.submit("c", "p.y", "bob")
    rig.submit("d", "p.y", "cid")
    assert running(rig) == "ac"
    rig.finish("a")
    # One for the queue, one for the user.
    assert running(rig) == "bcd"


def test_places_go_to_the_earliest_over_all_leaves_that_are_not_full() -> None:
    rig = Rig(
        '<allocations><queue name="p"><maxRunningApps>2</maxRunningApps>'
        '<queue name="x"><maxRunningApps>1</maxRunningApps></queue><queue name="y"/></queue></allocations>'
    )
    rig.submit("a", "p.x")
    rig.submit("b", "p.y")
    for name, queue in (("c", "p.x"), ("d", "p.y"), ("e", "p.y")):
        rig.advance(10)
        rig.submit(name, queue)
    rig.finish("b")
    assert running(rig) == "ad"
    rig.finish("a")
    assert running(rig) == "cd"


def test_a_queue_that_was_not_full_frees_no_place() -> None:
    rig = Rig('<allocations><queue name="q"><maxRunningApps>1</maxRunningApps></queue></allocations>')
    rig.submit("a", "q")
    rig.submit("b", "q")
    rig.refresh('<allocations><queue name="q"><maxRunningApps>0</maxRunningApps></queue></allocations>')
    rig.finish("a")
    assert running(rig) == ""
    rig.refresh("<allocations/>")
    assert running(rig) == "b"


def test_the_default_limit_of_users_counts_over_all_queues() -> None:
    rig = Rig("<allocations><userMaxAppsDefault>1</userMaxAppsDefault></allocations>")
    rig.submit("a", "x", "ann")
    rig.submit("b", "y", "ann")
    rig.submit("c", "y", "bob")
    assert running(rig) == "ac"
    rig.finish("b")
    rig.finish("a")
    assert running(rig) == "c"


def test_a_waiting_application_has_demand_and_no_share() -> None:
    rig = Rig('<allocations><queue name="q"><maxRunningApps>0</maxRunningApps></queue></allocations>')
    rig.add_node("n", 8192)
    rig.submit("a", "q")
    rig.ask("a", 2, rig.scheduler.minimum_allocation)
    rig.update()
    assert rig.queue("q").demand.memory_mb == 2048
    assert (rig.queue("q").fair_share.memory_mb, rig.app("a").fair_share.memory_mb) == (0, 0)
    rig.heartbeat("n")
    assert rig.containers("a") == 0
