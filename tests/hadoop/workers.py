"""Tasks carried out by several processes, with their results in the order of the tasks.

Each process opens what it needs once (a virtual machine, say), and takes the next task when it has done one.
Nothing is known here of what a task is.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
R = TypeVar("R")

Opening: TypeAlias = Callable[[], AbstractContextManager[Callable[[T], R]]]
"""Opens what a process needs, and gives what carries out a task. It is pickled, as tasks and results are."""


class LostWorkerError(Exception):
    """A process ended before it had done its task."""


def results(opening: Opening[T, R], tasks: Sequence[T], workers: int) -> Generator[R]:
    """What each task comes to. With one worker they are carried out in this process."""
    workers = min(workers, len(tasks))
    if workers > 1:
        yield from _in_processes(opening, tasks, workers)
    elif tasks:
        with opening() as carry_out:
            yield from map(carry_out, tasks)


def _in_processes(opening: Opening[T, R], tasks: Sequence[T], workers: int) -> Generator[R]:
    context = multiprocessing.get_context("spawn")
    processes: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process: BaseProcess = context.Process(target=_serve, args=(theirs, opening), daemon=True)
            process.start()
            theirs.close()
            processes[ours] = process
        yield from _results(processes, tasks)
    except BaseException:
        for process in processes.values():  # nobody wants what they are busy with
            process.terminate()
        raise
    finally:
        for pipe, process in processes.items():
            pipe.close()
            process.join()


def _results(processes: Mapping[Connection, BaseProcess], tasks: Sequence[T]) -> Generator[Any]:
    waiting = enumerate(tasks)
    busy: dict[Connection, int] = {}
    done: dict[int, Any] = {}
    given = 0

    def hand_out(pipe: Connection) -> None:
        for number, task in islice(waiting, 1):
            busy[pipe] = number
            pipe.send(task)

    for pipe in processes:
        hand_out(pipe)
    while busy:
        for ready in wait(list(busy)):
            assert isinstance(ready, Connection)
            number = busy.pop(ready)
            try:
                done[number] = ready.recv()
                hand_out(ready)
            except (EOFError, ConnectionError):
                processes[ready].join()
                lost = tasks[busy.get(ready, number)]
                raise LostWorkerError(
                    f"the process that played {lost} ended, status {processes[ready].exitcode}"
                ) from None
        while given in done:
            yield done.pop(given)
            given += 1


def _serve(pipe: Connection, opening: Opening[Any, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was opened is closed
    with opening() as carry_out:
        while True:
            try:
                task = pipe.recv()
            except EOFError:
                return
            pipe.send(carry_out(task))
