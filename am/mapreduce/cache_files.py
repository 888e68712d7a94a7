"""Files that a job takes along: copied to where the job waits, then made local in each task's directory.

`mapreduce.job.cache.files` and `.archives` list paths; `PATH#NAME` gives one another name. Hadoop:
JobResourceUploader and the distributed cache.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.records.basics import URL
from yarnbox.yarn.records.container import LocalResource


class UnreadableFileError(Exception):
    """A file that is to be taken along and cannot be read."""


def named_files(entries: Iterable[str]) -> dict[str, Path]:
    """Name to file; UnreadableFileError says which one is not there, or has the name of another."""
    found: dict[str, Path] = {}
    for entry in entries:
        text, _, name = entry.partition("#")
        path = Path(text)
        if not path.is_file() or not os.access(path, os.R_OK):
            raise UnreadableFileError(f"File: {path} does not exist, or is not readable.")
        name = name or path.name
        if "/" in name or found.get(name, path) != path:
            raise UnreadableFileError(f"{entry}: the name {name} is another file's, or no file name")
        found[name] = path
    return found


def copied(entries: Iterable[str], directory: Path) -> str:
    """Copies the files; the property that names the copies."""
    places = []
    for number, (name, path) in enumerate(named_files(entries).items()):
        place = directory / str(number)
        place.mkdir(parents=True)
        shutil.copy2(path, place / path.name)
        places.append(f"{place / path.name}#{name}")
    return ",".join(places)


def local_resources(files: Iterable[str], archives: Iterable[str]) -> dict[str, LocalResource]:
    """What the launch context of a task names."""
    found = {}
    for entries, type_ in ((files, LocalResourceType.FILE), (archives, LocalResourceType.ARCHIVE)):
        for name, path in named_files(entries).items():
            status = path.stat()
            found[name] = LocalResource(
                resource=URL(scheme="file", file=str(path)),
                size=status.st_size,
                timestamp=status.st_mtime_ns // 1_000_000,
                type=type_,
                visibility=LocalResourceVisibility.APPLICATION,
            )
    return found
