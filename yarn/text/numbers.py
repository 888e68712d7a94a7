"""Numbers of command lines, each a `type` of argparse: what is refused is told in one line."""

from __future__ import annotations

import argparse

_MOST = 2**31 - 1


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return whole(text, 1)


def whole(text: str, least: int) -> int:
    """A whole number, at least that and of 32 bits."""
    if not (text.isascii() and text.isdigit()) or int(text[:20]) < least:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number of at least {least}")
    if len(text) > 20 or int(text) > _MOST:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is more than {_MOST}")
    return int(text)


def factor(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value
