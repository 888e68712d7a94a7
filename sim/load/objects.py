"""Writing JSON objects one behind the other, as SLS's files have them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from yarnbox.yarn.storage.drafts import draft_of


def write_objects(path: Path, objects: Iterable[object]) -> None:
    """A file that appears under its name when all objects are written."""
    with draft_of(path) as draft, draft.open("w", encoding="utf-8") as file:
        for one in objects:
            print(json.dumps(one, ensure_ascii=False), file=file)
