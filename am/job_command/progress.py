"""How a job's progress is shown: bars on a terminal, a line per change elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ProgressDisplay:
    """Some bars with names, each from 0 to 1."""

    def __init__(self, names: tuple[str, ...], stream: TextIO | None = None) -> None:
        self._names = names
        self._stream = stream or sys.stdout
        self._shown = ""
        self._bars: Progress | None = None
        self._tasks: list[TaskID] = []
        if self._stream.isatty():
            self._bars = _bars(self._stream)
            self._tasks = [self._bars.add_task(name, total=1.0) for name in names]

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def show(self, *values: float) -> None:
        """How far each is."""
        if self._bars is not None:
            for task, value in zip(self._tasks, values, strict=True):
                self._bars.update(task, completed=value)
            return
        pairs = zip(self._names, values, strict=True)
        line = " " + " ".join(f"{name} {int(value * 100)}%" for name, value in pairs)
        if line != self._shown:
            self._shown = line
            print(line, file=self._stream, flush=True)


def _bars(stream: TextIO) -> Progress:
    """Imported here, for most runs show lines and ought to begin at once."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description:>10}"),
        BarColumn(bar_width=40),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        console=Console(file=stream),
    )
