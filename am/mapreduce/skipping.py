"""Records and groups that are left out because attempts died of them.

From its third attempt on, if the job wants it, a task says before each few records (a reduce: groups) which
they are. What an attempt was at when it failed, the next one leaves out and keeps aside. Owns the count of
records, what is announced and what is kept; which ranges are bad the AM knows. Hadoop: SkipBadRecords and
SkippingRecordReader, which its AM of YARN does not serve any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from yarnbox.am.mapreduce.api import Tally
from yarnbox.am.mapreduce.output import PartFile
from yarnbox.am.mapreduce.shuffle.records import Group, Record
from yarnbox.yarn.storage.urls import is_remote, joined

T = TypeVar("T")

Announce = Callable[[int, int], None]
"""Takes the number of the first record and how many: the AM hears of them before they are worked on."""

NOWHERE = "none"
"""As the directory for what is left out: it is not kept."""


class Skipping:
    """What one attempt leaves out."""

    def __init__(self, plan: Mapping[str, Any], announce: Announce, tally: Tally, file: str | None) -> None:
        self._at_once = int(plan["at_once"])
        self._bad = sorted((int(start), int(count)) for start, count in plan["ranges"])
        self._announce = announce
        self._tally = tally
        self._file = file
        self._kept: list[Record] = []

    def passing(self, items: Iterable[T], leave_out: Callable[[T], None]) -> Iterator[T]:
        """The items that are not bad, each of them announced before it is handed out."""
        number = announced = 0
        bad = iter([*self._bad, (-1, 0)])
        start, count = next(bad)
        for item in items:
            if 0 <= start + count <= number:
                start, count = next(bad)
            if 0 <= start <= number:
                leave_out(item)
            else:
                if number >= announced:
                    many = self._at_once if start < 0 else min(self._at_once, start - number)
                    self._announce(number, many)
                    announced = number + many
                yield item
            number += 1
        self._announce(number, 0)

    def keep_record(self, record: Record) -> None:
        """A map leaves this out."""
        self._tally.add("MAP_SKIPPED_RECORDS")
        self._kept.append(record)

    def keep_group(self, group: Group) -> None:
        """A reduce leaves this out."""
        key, values = group
        pairs = [(key, value) for value in values]
        self._tally.add("REDUCE_SKIPPED_GROUPS")
        self._tally.add("REDUCE_SKIPPED_RECORDS", len(pairs))
        self._kept += pairs

    def finish(self) -> None:
        """Writes what was left out, key, tab and value, where somebody may look at it."""
        if not self._kept or self._file is None:
            return
        path = Path(Path(self._file).name if is_remote(self._file) else self._file)
        path.parent.mkdir(parents=True, exist_ok=True)
        with PartFile(path.open("wb"), b"\t", b"\n", Tally(), "") as lines:
            lines.emit_all(self._kept)
        if is_remote(self._file):
            from yarnbox.yarn.storage.remote_files import upload  # which few tasks need

            upload(path, self._file)
            path.unlink()


def kept_at(directory: str, output: str, attempt: str) -> str | None:
    """The file for what an attempt leaves out; None where it is not kept."""
    if directory == NOWHERE:
        return None
    return joined(directory or joined(output, "_logs", "skip"), attempt)


def skip_plan(at_once: int, bad: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """What an attempt is told."""
    return {"at_once": at_once, "ranges": [list(one) for one in bad]}
