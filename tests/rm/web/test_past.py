"""The steps of an application's life, those that an earlier ResourceManager saw included."""

from __future__ import annotations

from tests.rig import Rig
from yarnbox.rm.web.past import LifeEvents
from yarnbox.yarn.runtime.event import Event


def steps(life: LifeEvents, rig: Rig) -> list[tuple[str, int]]:
    (app,) = rig.context.apps.values()
    return [(one["step"], one["time"]) for one in life.of(app)]


def test_an_am_that_registers_after_a_restart_was_launched_long_before() -> None:
    rig, whole, later = Rig(), LifeEvents(), LifeEvents()
    rig.add_node("n1", 4096, 4)
    events: list[Event] = []
    rig.context.dispatcher.watchers.append(events.append)
    rig.context.dispatcher.watchers.append(lambda event: whole.watch(rig.context.now_ms, event))
    rig.advance(1000)
    application_id = rig.submit()
    rig.advance(1000)
    rig.heartbeat("n1")
    rig.advance(60_000)
    rig.register(application_id)
    kinds = [step for step, _ in steps(whole, rig)]
    assert kinds == ["submitted", "accepted", "AM allocated", "AM launched", "running"]
    (registered,) = [one for one in events if type(one).__name__ == "AttemptRegistered"]
    later.watch(rig.context.now_ms, registered)  # all that a ResourceManager sees that was started since
    seen = dict(steps(whole, rig))
    assert steps(later, rig) == [
        ("submitted", seen["submitted"]),
        ("AM launched", seen["AM launched"]),
        ("registered again", seen["running"]),
    ]
