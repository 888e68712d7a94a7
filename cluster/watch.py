"""`yarnbox up` in the foreground: shows the daemons until somebody ends it, then ends them all.

On a terminal a table with a line for each daemon is printed again when something in it has changed; elsewhere
a line, whenever a daemon's state changes. An RM whose state store failed is started again. Ctrl-C, SIGTERM
and the end of the terminal mean the same: everything stops, containers included.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.restarting import RMRestarts
from yarnbox.cluster.view import Row, as_table, look

_INTERVAL_S = 0.5
_PAUSE_FOR_A_LOOK = 9.0
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Ending:
    """Whether somebody wants the cluster to end; may be waited for."""

    def __init__(self) -> None:
        self._asked = threading.Event()

    def ask(self, *_: Any) -> None:
        """A signal handler."""
        self._asked.set()

    @property
    def is_asked(self) -> bool:
        """Whether a signal has come."""
        return self._asked.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Waits for a signal; whether it has come."""
        return self._asked.wait(timeout_s)


@contextmanager
def listening_for_signals() -> Iterator[Ending]:
    """From here on the signals that end a command are only noted."""
    ending = Ending()
    before = {number: signal.signal(number, ending.ask) for number in _ENDING}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Pace:
    """How often the cluster is looked at: twice a second, but a large one, whose ResourceManager has to
    report thousands of nodes, for a tenth of the time only.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._took_s = 0.0

    @contextmanager
    def looking(self) -> Iterator[None]:
        """While somebody looks."""
        begun = self._monotonic()
        yield
        self._took_s = self._monotonic() - begun

    def pause_s(self) -> float:
        """Until the next look."""
        return max(_INTERVAL_S, _PAUSE_FOR_A_LOOK * self._took_s)


def watch(cluster: Cluster, ending: Ending) -> str | None:
    """Shows the cluster until a signal comes, which gives None, or until it has ended by itself: why."""
    if sys.stdout.isatty():
        return _watch_terminal(cluster, ending)
    return _watch_lines(cluster, ending)


def _watch_terminal(cluster: Cluster, ending: Ending) -> str | None:
    from rich.live import Live

    _, rows = look(cluster)
    restarts = RMRestarts(cluster)
    pace = Pace()
    with Live(as_table(rows), auto_refresh=False) as live:
        shown = rows, live.console.size
        while not ending.wait(pace.pause_s()):
            with pace.looking():
                record, rows = look(cluster)
            if (done := restarts.look(record)) is not None:
                live.console.print(done, markup=False)
            if shown != (now := (rows, live.console.size)):
                live.update(as_table(rows), refresh=True)
                shown = now
            if not cluster.is_running(record):
                return "the cluster was stopped"
    return None


def _watch_lines(cluster: Cluster, ending: Ending) -> str | None:
    shown: dict[str, tuple[str, int | None]] = {}
    restarts = RMRestarts(cluster)
    pace = Pace()
    while True:
        with pace.looking():
            record, rows = look(cluster)
        if (done := restarts.look(record)) is not None:
            print(done, flush=True)
        for row in rows:
            if shown.get(row.name) != (row.state, row.pid):
                shown[row.name] = (row.state, row.pid)
                print(_line(row), flush=True)
        if not cluster.is_running(record):
            return "the cluster was stopped"
        if ending.wait(pace.pause_s()):
            return None


def _line(row: Row) -> str:
    where = " ".join(filter(None, [row.address, row.rack]))
    more = (f" {where}" if where else "", f" pid {row.pid}" if row.pid else "")
    return f"{row.name}: {row.state}{''.join(more)}{f': {row.reason}' if row.reason else ''}"
