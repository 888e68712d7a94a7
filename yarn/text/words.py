"""Numbers in sentences, tables of plain text, and what a misspelt name was meant to be."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Collection, Iterable, Iterator, Sequence

_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write, of which the operating system does not say which file it is."""


def counted(number: int, noun: str) -> str:
    """`1 job`, `2 plays`, `0 entries`: a noun of English whose plural is regular."""
    if number == 1:
        return f"1 {noun}"
    is_ies = noun.endswith("y") and noun[-2] not in "aeiou"
    return f"{number} {noun[:-1]}ies" if is_ies else f"{number} {noun}s"


def listed(words: Sequence[str]) -> str:
    """`3`, `3 and 9`, `3, 9 and 12`."""
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def on_lines(lines: Sequence[int | None]) -> str:
    """Where in a file something stands several times: `on lines 3 and 9`, `2 times on line 3`."""
    places = [str(line) for line in dict.fromkeys(lines)]
    return f"on lines {listed(places)}" if places[1:] else f"{len(lines)} times on line {places[0]}"


def shortened(text: str, most: int = 60) -> str:
    """The text in one line, and at most so long."""
    line = " ".join(text.split()) if "\n" in text else text
    return line if len(line) <= most else line[: most - 3] + "..."


def refused(error: OSError) -> str:
    """What the operating system refuses, in one line: `/data/jobs.csv: Permission denied`."""
    where = "cannot write" if error.filename is None and error.errno in _WRITING else error.filename
    return str(error) if where is None else f"{where}: {error.strerror or error}"


def aligned(rows: Sequence[Sequence[str]], *, texts: int | None = None) -> Iterator[str]:
    """A line for each row: the first `texts` columns begin at the left, numbers behind them end at the right.
    None: all are texts.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = len(widths) if texts is None else texts
    for row in rows:
        cells = (
            cell.ljust(width) if place < texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


_LIKENESS = 0.7  # a name with another number is not meant
_MISSPELT = 0.95  # two properties that both exist are less alike than that


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` (did you mean nm2?)`, to go behind the word, or nothing when no name is like it."""
    names = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), names, 1, _LIKENESS)
    return f" (did you mean {names[found[0]]}?)" if found else ""


def misspelt(names: Iterable[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each of the names that is not known but all but a known one, and that one."""
    for name in names:
        found = [] if name in known else difflib.get_close_matches(name, known, 1, _MISSPELT)
        if found:
            yield name, found[0]
