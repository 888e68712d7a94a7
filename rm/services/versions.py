"""How versions compare. Hadoop: VersionUtil."""

from __future__ import annotations

import re

_PART = re.compile(r"\d+|[a-z]+")


def is_older(version: str, than: str) -> bool:
    """Whether the one version comes before the other: by numbers; letters come before what has none."""
    return _key(version) < _key(than)


def _key(version: str) -> list[tuple[int, int, str]]:
    parts = _PART.findall(version.lower())
    key = [(2, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]
    while key and key[-1] == (2, 0, ""):
        key.pop()
    return [*key, (1, 0, "")]
