"""An ApplicationMaster under test: a function of its environment and of a connection, blocking or not.

    async def master(environment: ContainerEnvironment, connection: Connection) -> int: ...

The same function runs in a container of real processes, against a ResourceManager that a test scripts, and in
virtual time. It returns its exit status, None being 0.
"""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeAlias, TypeVar

from yarnbox.am.connection import Connection
from yarnbox.am.environment import ContainerEnvironment

T = TypeVar("T")
Status: TypeAlias = int | Awaitable[int | None] | None
Master: TypeAlias = Callable[[ContainerEnvironment, Connection], Status]

FAILED = 1


class KilledError(BaseException):
    """The container of a blocking AM was ended while it waited."""


InThread: TypeAlias = Callable[[Callable[[], Status]], Awaitable[Status]]
"""How a blocking function is run for a loop."""


async def run_master(
    master: Master, environment: ContainerEnvironment, connection: Connection, in_thread: InThread
) -> tuple[int, str]:
    """The exit status of an AM, and the traceback of what it raised."""
    try:
        if inspect.iscoroutinefunction(master):
            status: Any = await master(environment, connection)
        else:
            status = await in_thread(lambda: master(environment, connection))
            if inspect.isawaitable(status):
                status = await status
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED if end.code else 0, ""
    except Exception:
        return FAILED, traceback.format_exc()
    if status is not None and not isinstance(status, int):
        return (
            FAILED,
            f"the ApplicationMaster returned {status!r}: it has to return its exit status, or None\n",
        )
    return status or 0, ""


class AlternatingThread:
    """Runs a blocking function in a thread of its own, in strict turns with an event loop.

    While the function computes, the loop stands still; while the loop carries out what the function waits
    for, the function does. So nothing depends on how fast either is.
    """

    def __init__(self) -> None:
        self._wanted: queue.SimpleQueue[Coroutine[Any, Any, Any] | None] = queue.SimpleQueue()
        self._given: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """For the function: what the loop answers."""
        self._wanted.put(work)
        is_good, value = self._given.get()
        if not is_good:
            raise value
        result: T = value
        return result

    async def run(self, function: Callable[[], T]) -> T:
        """For the loop: runs the function to its end. A cancellation ends it at its next wait."""
        ended: list[T] = []
        broken: list[BaseException] = []

        def body() -> None:
            try:
                ended.append(function())
            except BaseException as error:
                broken.append(error)
            finally:
                self._wanted.put(None)

        thread = threading.Thread(target=body, name="a blocking ApplicationMaster", daemon=True)
        thread.start()
        is_cancelled = False
        while (work := self._wanted.get()) is not None:
            if is_cancelled:
                work.close()
                self._given.put((False, KilledError()))
                continue
            try:
                self._given.put((True, await work))
            except asyncio.CancelledError:
                is_cancelled = True
                self._given.put((False, KilledError()))
            except Exception as error:
                self._given.put((False, error))
        thread.join()
        if is_cancelled:
            raise asyncio.CancelledError
        if broken:
            raise broken[0]
        return ended[0]
