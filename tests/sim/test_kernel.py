"""The kernel: order within a moment, moments in order, sources before the heap."""

from __future__ import annotations

from yarnbox.sim.kernel import Kernel
from yarnbox.yarn.runtime.clock import VirtualClock


class Ticks:
    """A source that is due every so often and says so."""

    def __init__(self, clock: VirtualClock, every_ms: int, log: list[tuple[int, str]]) -> None:
        self.clock = clock
        self.every_ms = every_ms
        self.log = log
        self.due_ms = every_ms

    def next_due_ms(self) -> int | None:
        return self.due_ms

    def advance(self) -> None:
        self.log.append((self.clock.now_ms(), "tick"))
        self.due_ms += self.every_ms


def test_moments_come_in_order_and_one_moment_by_priority_then_sequence() -> None:
    clock = VirtualClock()
    kernel = Kernel(clock)
    log: list[tuple[int, str]] = []

    def note(word: str) -> None:
        log.append((clock.now_ms(), word))

    kernel.at(20, lambda: note("late"))
    kernel.at(10, lambda: note("b"))
    kernel.at(10, lambda: note("c"))
    kernel.at(10, lambda: note("a"), priority=-1)
    kernel.run_until(15)
    assert log == [(10, "a"), (10, "b"), (10, "c")]
    assert clock.now_ms() == 15
    kernel.run_until(20)
    assert log[-1] == (20, "late")


def test_what_is_put_down_while_it_runs_happens_in_the_same_run() -> None:
    clock = VirtualClock()
    kernel = Kernel(clock)
    seen: list[int] = []

    def again() -> None:
        seen.append(clock.now_ms())
        kernel.at(clock.now_ms() + 3, again)

    kernel.at(0, again)
    kernel.run_until(7)
    assert seen == [0, 3, 6]
    kernel.run_until(9)
    assert seen == [0, 3, 6, 9]


def test_it_runs_while_it_is_wanted_and_the_clock_stays_with_what_happened_last() -> None:
    clock = VirtualClock()
    kernel = Kernel(clock)
    seen: list[int] = []
    for due_ms in (1, 1, 4, 9):
        kernel.at(due_ms, lambda: seen.append(clock.now_ms()))
    kernel.run_while(lambda: len(seen) < 1, 100)
    assert seen == [1]
    kernel.run_while(lambda: True, 8)
    assert (seen, clock.now_ms()) == ([1, 1, 4], 4)
    kernel.run_while(lambda: True, 100)
    assert (seen, clock.now_ms()) == ([1, 1, 4, 9], 9)


def test_a_source_goes_before_the_heap_at_the_same_moment() -> None:
    clock = VirtualClock()
    kernel = Kernel(clock)
    log: list[tuple[int, str]] = []
    kernel.join(Ticks(clock, 5, log))
    kernel.at(5, lambda: log.append((clock.now_ms(), "heap")))
    kernel.run_until(10)
    assert log == [(5, "tick"), (5, "heap"), (10, "tick")]


def test_what_is_cancelled_does_not_happen() -> None:
    kernel = Kernel(VirtualClock())
    seen: list[str] = []
    kernel.at(1, lambda: seen.append("kept"))
    number = kernel.at(1, lambda: seen.append("cancelled"))
    kernel.cancel(number)
    kernel.run_until(2)
    assert seen == ["kept"]
