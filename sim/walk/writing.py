"""A walk as a scenario file: JSON is YAML's flow style, so each step is a line that a person can read and
edit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from yarnbox.sim.walk.clusters import Document


def written(document: Document, *comments: str) -> str:
    """The text of the scenario file, with comment lines above it."""
    return "\n".join((*(f"# {line}" for line in comments), *_lines(document))) + "\n"


def write(document: Document, directory: Path, *comments: str) -> Path:
    """Writes the file into the directory; answers its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{document['name']}.yaml"
    path.write_text(written(document, *comments))
    return path


def _lines(document: Document) -> Iterator[str]:
    for key, value in document.items():
        if isinstance(value, list):
            yield f"{key}:"
            yield from (f"  - {_flow(each)}" for each in value)
        elif isinstance(value, Mapping):
            yield f"{key}:"
            yield from (f"  {_flow(name)}: {_flow(each)}" for name, each in value.items())
        elif isinstance(value, str) and "\n" in value:
            yield f"{key}: |"
            yield from (f"  {line}" for line in value.splitlines())
        else:
            yield f"{key}: {_flow(value)}"


def _flow(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
