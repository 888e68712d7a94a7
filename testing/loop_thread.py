"""An asyncio loop in a thread of its own, for who blocks; and objects of that loop, seen from outside."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread(AbstractContextManager["LoopThread"]):
    """One loop, running until it is closed."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="yarnbox.testing", daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, work: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        """What the coroutine returns, when it has. TimeoutError: it is cancelled then."""
        running = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return running.result(timeout_s)
        except TimeoutError:
            running.cancel()
            raise

    def call(self, function: Callable[[], T]) -> T:
        """What the function returns, called between two steps of the loop; at once by the loop itself."""
        if threading.current_thread() is self._thread:
            return function()
        done: Future[T] = Future()

        def act() -> None:
            try:
                done.set_result(function())
            except BaseException as error:
                done.set_exception(error)

        self.loop.call_soon_threadsafe(act)
        return done.result()

    def close(self) -> None:
        """Ends the loop and the thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


class Blocking:
    """An object of a loop whose methods block: coroutine functions until they have returned."""

    def __init__(self, thread: LoopThread, subject: Any) -> None:
        self._thread = thread
        self._subject = subject

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_thread", "_subject"):
            super().__setattr__(name, value)
        else:
            self._thread.call(lambda: setattr(self._subject, name, value))

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._subject, name)
        if inspect.iscoroutinefunction(found):
            return lambda *args, **named: self._thread.run(found(*args, **named))
        if inspect.ismethod(found) or inspect.isfunction(found):
            return lambda *args, **named: self._thread.call(lambda: found(*args, **named))
        return found
