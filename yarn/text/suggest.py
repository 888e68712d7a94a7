"""What somebody may have meant who wrote a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator

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
