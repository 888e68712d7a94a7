"""The rows of a play's jobs: living ones and the first that ended in memory, all others in a file.

So memory is bounded by the jobs that live, however long a load is.
"""

from __future__ import annotations

import errno
import pickle
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from typing import Any, overload

from yarnbox.sim.reports.result import JobResult
from yarnbox.yarn.storage.temporary import temporary_table

MOST_ENDED = 1_000
"""Rows of ended jobs that stay in memory, so that small plays need no file."""
_TABLE = "job (place INTEGER PRIMARY KEY, row BLOB)"
_FIELDS = tuple(one.name for one in fields(JobResult))


class JobRows(Sequence[JobResult]):
    """All rows, in the order in which they came. A row that is over comes out as a copy."""

    def __init__(self) -> None:
        self._held: dict[int, JobResult] = {}
        self._places: dict[str, int] = {}
        """Of jobs that are not over, by application."""
        self._count = 0
        self._database: sqlite3.Connection | None = None

    def add(self, row: JobResult) -> None:
        """A job was submitted; its row may change until it is over."""
        self._places[row.application] = self._count
        self._held[self._count] = row
        self._count += 1

    def close(self, row: JobResult) -> None:
        """The row will not change any more. OSError when it cannot be kept."""
        place = self._places.pop(row.application)
        if len(self._held) - len(self._places) <= MOST_ENDED:
            return
        try:
            if self._database is None:
                self._database = temporary_table(_TABLE)
            data = pickle.dumps(astuple(row), pickle.HIGHEST_PROTOCOL)
            self._database.execute("INSERT INTO job VALUES (?, ?)", (place, data))
        except sqlite3.Error as error:
            raise OSError(errno.ENOSPC, str(error), "temporary file of the results") from None
        del self._held[place]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[JobResult]:
        filed = self._filed()
        next_filed = next(filed, None)
        for place in range(self._count):
            if next_filed is not None and next_filed[0] == place:
                yield next_filed[1]
                next_filed = next(filed, None)
            else:
                yield self._held[place]

    @overload
    def __getitem__(self, place: int) -> JobResult: ...

    @overload
    def __getitem__(self, place: slice) -> list[JobResult]: ...

    def __getitem__(self, place: int | slice) -> JobResult | list[JobResult]:
        found = range(self._count)[place]
        return self._row(found) if isinstance(found, int) else [self._row(one) for one in found]

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)

    def _row(self, place: int) -> JobResult:
        row = self._held.get(place)
        if row is None:
            assert self._database is not None
            query = "SELECT row FROM job WHERE place = ?"
            row = _unpacked(self._database.execute(query, (place,)).fetchone()[0])
        return row

    def _filed(self) -> Iterator[tuple[int, JobResult]]:
        if self._database is None:
            return
        found = self._database.execute("SELECT place, row FROM job ORDER BY place")
        for place, data in found:
            yield place, _unpacked(data)


def _unpacked(data: bytes) -> JobResult:
    return JobResult(**dict(zip(_FIELDS, pickle.loads(data), strict=True)))
