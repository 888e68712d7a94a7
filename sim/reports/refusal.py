"""How a command ends whose input, or a file of it, is of no use."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from yarnbox.yarn.text.words import refused

INVALID = 2


def status_of(act: Callable[[], int], refusals: tuple[type[Exception], ...], err: TextIO) -> int:
    """The exit status of `act`; INVALID, and one line, where it raises one of these or a file cannot be had.

    Raises OSError where it is no named file: a full disk or a closed pipe below what is printed.
    """
    try:
        return act()
    except refusals as error:
        return _invalid(str(error), error, err)
    except OSError as error:
        if error.filename is None:
            raise
        return _invalid(refused(error), error, err)


def print_notes(error: BaseException, err: TextIO) -> None:
    """What has been found until then."""
    for note in getattr(error, "__notes__", ()):
        print(note, file=err)


def _invalid(why: str, error: Exception, err: TextIO) -> int:
    print(f"yarnbox: {why}", file=err)
    print_notes(error, err)
    return INVALID
