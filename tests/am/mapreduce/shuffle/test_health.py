"""When a reduce stops fetching: the conditions of Hadoop's ShuffleSchedulerImpl, and their bounds."""

from __future__ import annotations

from yarnbox.am.mapreduce.shuffle.health import FetchHealth


def fails(health: FetchHealth, numbers: range, done: int, now_ms: float = 0) -> list[bool]:
    return [health.failed(f"m{number}", done, now_ms) for number in numbers]


def copied(health: FetchHealth, count: int, now_ms: float = 0) -> None:
    for number in range(count):
        health.copied(f"done{number}", now_ms)


def test_the_only_output_fails_once() -> None:
    assert FetchHealth(1, 0).failed("m0", 0, 0)


def test_every_output_of_a_small_job_fails() -> None:
    assert fails(FetchHealth(3, 0), range(3), 0) == [False, False, True]


def test_five_outputs_of_a_large_job_fail() -> None:
    assert fails(FetchHealth(100, 0), range(5), 0) == [False] * 4 + [True]
    assert fails(FetchHealth(100, 0), range(5), 4) == [False] * 4 + [True], "4 of 8 tries have failed before"
    assert fails(FetchHealth(100, 0), range(6), 5) == [False] * 5 + [True], "5 of 10"


def test_one_output_may_fail_often_while_others_are_awaited() -> None:
    health = FetchHealth(10, 0)
    assert not any(health.failed("m0", 0, 0) for _ in range(100))


def test_an_output_that_came_after_all_does_not_count() -> None:
    health = FetchHealth(100, 0)
    fails(health, range(4), 0)
    health.copied("m0", 0)
    assert not health.failed("m4", 1, 0)
    assert health.failed("m5", 1, 0)


def test_with_half_of_the_outputs_it_goes_on_until_it_stalls() -> None:
    health = FetchHealth(10, 0)
    copied(health, 5, now_ms=1000)
    assert not any(fails(health, range(5), 5, 1499))
    assert not health.failed("m0", 5, 1499), "half as long as it had made progress is not over"
    assert health.failed("m0", 5, 1500)


def test_it_has_not_stalled_before_half_of_the_longest_map() -> None:
    health = FetchHealth(10, 0)
    health.learn(8000)
    health.learn(500)
    copied(health, 5, now_ms=1000)
    fails(health, range(5), 5, 1000)
    assert not health.failed("m0", 5, 4999)
    assert health.failed("m0", 5, 5000)


def test_fewer_failures_than_outputs_are_healthy() -> None:
    health = FetchHealth(10, 0)
    copied(health, 8)
    assert not any(health.failed("m8" if number % 2 else "m9", 8, 60_000) for number in range(8))
    assert health.failed("m8", 8, 60_000)
