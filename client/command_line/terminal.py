"""A terminal for full-screen commands: its size, its keys one by one, and clearing.

Where standard input is no terminal there are no keys, and the size is what was asked for or 80 by 24.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TextIO

_CLEAR = "\x1b[2J"
_HOME = "\x1b[H"
_CLEAR_LINE = "\x1b[2K"
_INVERT = "\x1b[7m"
_PLAIN = "\x1b[0m"
_CLEAR_BELOW = "\x1b[J"


class Keys(Protocol):
    """Where keys come from."""

    def wait(self, seconds: float) -> str | None:
        """The next key, or None when there was none for so long; `q` when there will never be one."""
        ...


class Keyboard:
    """The keys of a terminal, without Enter behind them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def wait(self, seconds: float) -> str | None:
        """The next key; an end of input means quitting."""
        ready, _, _ = select.select([self._descriptor], [], [], seconds)
        if not ready:
            return None
        return os.read(self._descriptor, 1).decode("ascii", "replace") or "q"


@contextmanager
def keyboard() -> Iterator[Keys]:
    """The keys of this process's terminal, unbuffered as long as this lasts."""
    descriptor = sys.stdin.fileno()
    if not os.isatty(descriptor):
        yield Keyboard(descriptor)
        return
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield Keyboard(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def terminal_size() -> tuple[int, int]:
    """Columns and rows."""
    size = shutil.get_terminal_size((80, 24))
    return size.columns, size.lines


def draw(out: TextIO, lines: list[str], inverted: int | None = None) -> None:
    """Writes a screen over the last one, with one line in inverse colours; what was below it goes."""
    out.write(_HOME)
    for number, line in enumerate(lines):
        text = f"{_INVERT}{line}{_PLAIN}" if number == inverted else line
        out.write(f"{_CLEAR_LINE}{text}\n")
    out.write(_CLEAR_BELOW)
    out.flush()


def clear(out: TextIO) -> None:
    """An empty screen, the cursor at its top."""
    out.write(_CLEAR + _HOME)
    out.flush()
