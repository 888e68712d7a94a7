"""Files of results, which appear under their names when they are whole; a result as JSON."""

from __future__ import annotations

import errno
import gzip
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import indent
from typing import TextIO

from yarnbox.sim.reports.result import Result
from yarnbox.yarn.storage.drafts import draft_of, named_file


@contextmanager
def made(directory: Path) -> Iterator[None]:
    """A directory that is there; one that was not is gone again when something went wrong."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a directory", str(directory))
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        for one in missing:
            with suppress(OSError):  # somebody else has written there meanwhile
                one.rmdir()
        raise


def try_to_make(directory: Path) -> None:
    """OSError when it could not be made, or be written to; what was made to find out is removed."""
    missing = [one for one in (directory, *directory.parents) if not one.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=directory):
            pass
    finally:
        for one in missing:
            if one.exists():
                one.rmdir()


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """A file to write that takes its name when nothing went wrong; compressed where that ends in .gz."""
    with draft_of(path) as draft:
        if path.suffix != ".gz":
            with io.TextIOWrapper(named_file(draft), encoding="utf-8", newline="") as file:
                yield file
            return
        with (
            named_file(draft) as raw,
            gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
            io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
        ):
            yield file


def json_pieces(result: Result) -> Iterator[str]:
    """One object: all figures, and the jobs; piece by piece, for jobs may be many."""
    figures = json.dumps({**result.data(), "rows": []}, indent=2)
    if not result.jobs:
        yield figures
        return
    yield figures.removesuffix("]\n}")
    between = "\n"
    for job in result.jobs:
        yield between + indent(json.dumps(job.row(), indent=2), "    ")
        between = ",\n"
    yield "\n  ]\n}"
