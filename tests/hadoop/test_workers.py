"""Tasks in several processes: in order, opened once for each, and ended with a message."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.hadoop.workers import LostWorkerError, results

TASKS = tuple(range(9))
FATAL = 4


@contextmanager
def opened(directory: Path) -> Iterator[Callable[[int], tuple[int, int]]]:
    """Leaves a file from its opening to its end; a task comes to its square, and to whose work it was."""
    mark = directory / f"{os.getpid()}"
    mark.touch()
    try:
        yield lambda task: (task * task, os.getpid())
    finally:
        mark.unlink()


@contextmanager
def mortal() -> Iterator[Callable[[int], int]]:
    """Its process ends with one of the tasks."""

    def carry_out(task: int) -> int:
        if task == FATAL:
            os.kill(os.getpid(), signal.SIGKILL)
        return task

    yield carry_out


@contextmanager
def busy(directory: Path) -> Iterator[Callable[[int], int]]:
    """The first task is done at once, no other one is ever."""
    mark = directory / f"{os.getpid()}"
    mark.touch()

    def carry_out(task: int) -> int:
        if task:
            signal.pause()
        return task

    try:
        yield carry_out
    finally:
        mark.unlink()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(tmp_path: Path, workers: int) -> None:
    found = list(results(partial(opened, tmp_path), TASKS, workers))
    assert [square for square, _ in found] == [task * task for task in TASKS]
    assert len({pid for _, pid in found}) <= workers
    assert (os.getpid() in {pid for _, pid in found}) == (workers == 1)
    assert list(tmp_path.iterdir()) == []


def test_without_tasks_nothing_is_opened(tmp_path: Path) -> None:
    assert list(results(partial(opened, tmp_path / "missing"), (), 2)) == []


def test_the_end_of_a_worker_ends_all_and_names_its_task() -> None:
    with pytest.raises(LostWorkerError, match=f"that played {FATAL} ended, status -9"):
        list(results(mortal, TASKS, 2))


def test_workers_that_are_busy_end_with_what_was_opened(tmp_path: Path) -> None:
    playing = results(partial(busy, tmp_path), TASKS, 2)
    assert next(playing) == 0
    with pytest.raises(KeyboardInterrupt):
        playing.throw(KeyboardInterrupt())
    assert list(tmp_path.iterdir()) == []
