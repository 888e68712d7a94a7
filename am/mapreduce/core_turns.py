"""Tasks that compute take turns on the cores of their machine.

Where more tasks compute than there are cores, the kernel changes between them every few milliseconds, and
each time a task finds the processor's caches full of the others' data. A task that keeps a core for a tenth
of a second does the same work in up to a third less processor time. So a task takes one of as many seats as
the machine has cores, for a turn, and then gives it to whoever waits.

A seat is a name in Linux's abstract namespace of sockets, which is free again when its holder dies, however
it does. Nothing depends on a turn: who waits for too long, because a holder stands still, goes on without
one, and so does who has a seat and hardly a core, because programs that take no turns want them all.
Elsewhere than on Linux there are no turns.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol

SEAT = "yarnbox-core-{}"
HEAD = "yarnbox-core-next"
"""Whoever has this name is the one who takes the next free seat."""
LEAST_SHARE = 0.3
"""A task that wants its core for less of its turn sleeps or waits, and does so without a seat."""
CROWDED = 0.5
"""A turn is crowded in which a task waits for a core for more than this part of the time that it has one."""
MOST_CROWDED = 5
"""After so many crowded turns a task goes on without: whoever waits for a seat only loses to the others."""
REST_S = 10.0
"""So long a task goes on without turns when they are of no use to it."""
HEAD_WAIT_TURNS = 4
"""By then somebody gave his seat away, or all stand still."""
QUEUE_WAIT_TURNS = 20
HEAD_LOOKS_S = 0.002
QUEUE_LOOKS_S = 0.005
_SCHEDSTAT = "/proc/thread-self/schedstat"
_NOTHING = threading.Event()
"""Never comes: whoever waits for it pauses."""


class Names(Protocol):
    """Names that one process of the machine can hold at a time."""

    def take(self, name: str) -> Callable[[], object] | None:
        """What gives the name back; None where somebody holds it."""


class AbstractSockets:
    """Names of sockets that are no files. Those who start other programs do not hand them on."""

    def take(self, name: str) -> Callable[[], object] | None:
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(f"\0{name}")
        except OSError:
            held.close()
            return None
        return held.close


def run_and_wait_s() -> tuple[float, float]:
    """How long this thread has run, and how long it has waited for a core; the latter is 0 where the kernel
    keeps no statistics of its scheduler.
    """
    try:
        with open(_SCHEDSTAT, encoding="ascii") as file:
            ran_ns, waited_ns, _ = file.read().split()
    except FileNotFoundError:
        return time.thread_time(), 0.0
    return int(ran_ns) / 1e9, int(waited_ns) / 1e9


class CoreTurns:
    """The turns of one task, which calls `next` now and then while it computes."""

    def __init__(
        self,
        turn_s: float,
        seats: int,
        names: Names,
        clock: Callable[[], float] = time.perf_counter,
        run_and_wait: Callable[[], tuple[float, float]] = run_and_wait_s,
        pause: Callable[[float], object] = _NOTHING.wait,
    ) -> None:
        self._turn_s = turn_s
        self._seats = [SEAT.format(number) for number in range(seats)]
        self._names = names
        self._clock = clock
        self._run_and_wait_s = run_and_wait
        self._pause = pause
        self._leave: Callable[[], object] | None = None
        self._began_s = 0.0
        self._ran_s = self._waited_s = 0.0
        self._crowded = 0
        self._ends_s = 0.0

    def next(self) -> None:
        """When the turn is over: waits for another one, if anybody else does."""
        now_s = self._clock()
        if now_s < self._ends_s:
            return
        if self._leave is None:
            self._queue(now_s)
        elif self._is_of_no_use(now_s - self._began_s):
            self._rest(now_s)
        elif self._is_awaited():
            self.leave()
            self._queue(now_s)
        else:
            self._begin(now_s)

    def leave(self) -> None:
        """Gives the seat away, if there is one."""
        if self._leave is not None:
            self._leave()
            self._leave = None

    def _is_of_no_use(self, passed_s: float) -> bool:
        ran_s, waited_s = self._run_and_wait_s()
        ran_s, waited_s = ran_s - self._ran_s, waited_s - self._waited_s
        self._crowded = self._crowded + 1 if waited_s > CROWDED * ran_s else 0
        return ran_s + waited_s < LEAST_SHARE * passed_s or self._crowded > MOST_CROWDED

    def _is_awaited(self) -> bool:
        give_back = self._names.take(HEAD)
        if give_back is None:
            return True
        give_back()
        return False

    def _queue(self, began_s: float) -> None:
        give_back: Callable[[], object] | None = None
        is_too_late_s = began_s + QUEUE_WAIT_TURNS * self._turn_s
        while self._leave is None:
            now_s = self._clock()
            if give_back is None and (give_back := self._names.take(HEAD)) is not None:
                is_too_late_s = now_s + HEAD_WAIT_TURNS * self._turn_s
            if give_back is not None:
                self._leave = self._free_seat()
            if self._leave is None:
                if now_s >= is_too_late_s:
                    break
                self._pause(QUEUE_LOOKS_S if give_back is None else HEAD_LOOKS_S)
        if give_back is not None:
            give_back()
        if self._leave is None:
            self._rest(self._clock())
        else:
            self._begin(self._clock())

    def _free_seat(self) -> Callable[[], object] | None:
        for name in self._seats:
            if (give_back := self._names.take(name)) is not None:
                return give_back
        return None

    def _begin(self, now_s: float) -> None:
        self._began_s, self._ends_s = now_s, now_s + self._turn_s
        self._ran_s, self._waited_s = self._run_and_wait_s()

    def _rest(self, now_s: float) -> None:
        self.leave()
        self._crowded = 0
        self._ends_s = now_s + REST_S


class NoTurns:
    """Where there are none, or nobody wants them."""

    def next(self) -> None: ...

    def leave(self) -> None: ...


def core_turns(turn_ms: int) -> CoreTurns | NoTurns:
    """The turns of a task of this machine."""
    if not turn_ms or sys.platform != "linux":
        return NoTurns()
    seats = len(os.sched_getaffinity(0))
    return CoreTurns(turn_ms / 1000, seats, AbstractSockets())
