"""Who has been silent for too long."""

from __future__ import annotations

from yarnbox.yarn.runtime.liveliness import LivelinessMonitor


def test_a_sign_of_life_of_all_is_none_of_those_that_are_silent_or_not_watched() -> None:
    monitor: LivelinessMonitor[str] = LivelinessMonitor(3000)
    for name in ("a", "b", "c"):
        monitor.register(name, 0)
    monitor.ping("b", 500)
    monitor.ping_all(2000, silent=["b", "nobody"])
    assert "nobody" not in monitor
    assert monitor.take_expired(3500) == []
    assert monitor.take_expired(3501) == ["b"]
    assert monitor.take_expired(5001) == ["a", "c"]  # in the order of their registration
