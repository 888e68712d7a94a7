"""Plays on this machine: in as many processes as it has cores, or in this one.

Every play depends on its variant and seed alone, and results are put in the order of the cases: how many
workers there are, and which one is done first, changes nothing.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import wait as wait_for_ends
from typing import Any, Protocol, TypeVar

from yarnbox.sim.whatif.study import Case, Played, Study, played

C = TypeVar("C", bound=Hashable)
P = TypeVar("P")

_TRIES = 3
Done = Callable[[Played], None]


class LostWorkersError(Exception):
    """Workers died again and again, of the same plays."""


class Engine(Protocol):
    """Whatever plays cases."""

    @property
    def where(self) -> str: ...

    def run(self, study: Study, cases: Sequence[Case], done: Done) -> Mapping[Case, Played]:
        """All cases, in their order; `done` is told of each as it comes."""
        ...


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalPool:
    """Processes of this machine; one worker is this process itself."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or cores()

    @property
    def where(self) -> str:
        return "1 worker" if self.workers == 1 else f"{self.workers} workers"

    def run(self, study: Study, cases: Sequence[Case], done: Done) -> Mapping[Case, Played]:
        """All cases, in their order."""
        return play_each(partial(played, study), cases, self.workers, done)


def play_each(
    play: Callable[[C], P], cases: Sequence[C], workers: int, done: Callable[[P], None]
) -> Mapping[C, P]:
    """What each case comes to, in their order; `done` is told of each as it comes. `play` is pickled once for
    each worker, the cases one by one.
    """
    found: dict[C, P] = {}
    workers = min(workers, len(cases))
    if workers <= 1:
        for case in cases:
            found[case] = play(case)
            done(found[case])
        return found
    for _ in range(_TRIES):
        left = [case for case in cases if case not in found]
        try:
            for case, one in _in_processes(play, left, workers):
                found[case] = one
                done(one)
        except BrokenProcessPool:
            continue
        return {case: found[case] for case in cases}
    raise LostWorkersError(
        f"worker processes died {_TRIES} times: is there enough memory for {workers}, and does a program"
        " that compares do so below `if __name__ == '__main__':`?"
    )


def _in_processes(play: Callable[[C], P], cases: Sequence[C], workers: int) -> Iterable[tuple[C, P]]:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="yarnbox-plays-") as drafts:  # a worker that is ended leaves some
        pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(play, drafts))
        try:
            cases_of: dict[Future[P], C] = {pool.submit(_play, case): case for case in cases}
            left = set(cases_of)
            while left:
                ready, left = wait(left, return_when=FIRST_COMPLETED)
                for one in ready:
                    yield cases_of[one], one.result()
        except BaseException:
            for process in list(pool._processes.values()):  # a play takes minutes: nobody wants its result
                process.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


_work: Callable[[Any], Any] | None = None


def _begin(play: Callable[[Any], Any], drafts: str) -> None:
    global _work
    _work = play
    tempfile.tempdir = drafts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for us
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """The queue of cases is open in all workers, and so would never end by itself for an orphan."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait_for_ends([parent.sentinel])
    os._exit(1)


def _play(case: Any) -> Any:
    assert _work is not None
    return _work(case)
