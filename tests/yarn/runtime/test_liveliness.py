"""Who has been silent for too long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.runtime.java_order import text_hash
from yarnbox.yarn.runtime.liveliness import LivelinessMonitor

INTERVAL_MS = 3000
KEYS = "abcd"
KEY = st.sampled_from(KEYS)
Step = tuple[str, str | set[str] | None, int]
STEP = st.one_of(
    st.tuples(st.just("register"), KEY, st.integers(0, 2000)),
    st.tuples(st.just("ping"), KEY, st.integers(0, 2000)),
    st.tuples(st.just("ping late"), KEY, st.integers(0, 2000)),
    st.tuples(st.just("ping all"), st.sets(KEY), st.integers(0, 2000)),
    st.tuples(st.just("unregister"), KEY, st.integers(0, 2000)),
    st.tuples(st.just("look"), st.none(), st.integers(0, 5000)),
)


def test_a_sign_of_life_of_all_is_none_of_those_that_are_silent_or_not_watched() -> None:
    monitor: LivelinessMonitor[str] = LivelinessMonitor(INTERVAL_MS)
    for name in ("a", "b", "c"):
        monitor.register(name, 0)
    monitor.ping("b", 500)
    monitor.ping_all(2000, silent=["b", "nobody"])
    assert "nobody" not in monitor
    assert monitor.take_expired(3500) == []
    assert monitor.take_expired(3501) == ["b"]
    assert monitor.take_expired(5001) == ["a", "c"]  # in the order of their registration


def test_what_one_look_finds_comes_in_the_order_of_javas_map() -> None:
    monitor: LivelinessMonitor[str] = LivelinessMonitor(INTERVAL_MS, hash_of=text_hash)
    names = [f"n{number}" for number in range(1, 14)]  # the table of 16 slots holds 12 of them
    for name in names:
        monitor.register(name, 0)
    monitor.unregister("n13")
    monitor.ping("n1", 2000)
    assert monitor.take_expired(3001) == ["n2", "n3", "n4", "n5", "n6", "n7", "n8", "n9", "n10", "n12", "n11"]


@given(st.lists(STEP, max_size=40))
def test_each_key_is_due_by_its_last_sign_of_life(steps: list[Step]) -> None:
    """Against a plain table of when each key was last heard of."""
    monitor: LivelinessMonitor[str] = LivelinessMonitor(INTERVAL_MS)
    last_ms: dict[str, int] = {}
    now_ms = 0
    for what, key, after_ms in steps:
        before_ms, now_ms = now_ms, now_ms + after_ms
        if what == "look":
            due = [each for each, heard_ms in last_ms.items() if heard_ms < now_ms - INTERVAL_MS]
            assert monitor.take_expired(now_ms) == due
            for each in due:
                del last_ms[each]
        elif isinstance(key, set):
            monitor.ping_all(now_ms, sorted(key))
            last_ms = {each: last_ms[each] if each in key else now_ms for each in last_ms}
        elif isinstance(key, str):
            at_ms = before_ms if what == "ping late" else now_ms
            if what == "unregister":
                monitor.unregister(key)
                last_ms.pop(key, None)
            elif what == "register":
                monitor.register(key, now_ms)
                last_ms[key] = now_ms
            else:
                monitor.ping(key, at_ms)
                if key in last_ms:
                    last_ms[key] = at_ms
        assert [each for each in KEYS if each in monitor] == sorted(last_ms)
