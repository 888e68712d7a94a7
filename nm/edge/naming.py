"""Emulated hosts made known: their loopback addresses in the address book, their racks in the topology table.

Only in files that the configuration names; the supervisor of a local cluster has usually written the entries
before the node starts. Several processes may do this at a time. Hadoop has no such thing: there, name
services and administrators do it.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY, read_address_book, write_address_book
from yarnbox.yarn.topology import MAPPING_PROPERTY, TABLE_PROPERTY


def virtual_names(prefix: str, count: int) -> tuple[str, ...]:
    """What many simulated nodes of one process are called."""
    return tuple(f"{prefix}{number:05d}" for number in range(1, count + 1))


class NamingFiles:
    """The address book and the table of racks, as far as there are any."""

    def __init__(self, book: Path | None = None, table: Path | None = None) -> None:
        self._book = book
        self._table = table

    @classmethod
    def of(cls, configuration: Configuration) -> NamingFiles:
        """The files that a configuration names."""
        book = configuration.value(ADDRESS_BOOK_PROPERTY)
        table = configuration.value(TABLE_PROPERTY)
        uses_table = (configuration.value(MAPPING_PROPERTY) or "").rpartition(".")[2] == "TableMapping"
        return cls(Path(book) if book else None, Path(table) if table and uses_table else None)

    def announce(self, racks: Mapping[str, str | None], address: str) -> None:
        """Enters hosts that are not there yet, each with its address and, if it has one, its rack."""
        if self._book is not None:
            with _locked(self._book):
                entries = read_address_book(self._book) if self._book.exists() else {}
                missing = {host: address for host in racks if host not in entries}
                if missing:
                    write_address_book(self._book, {**entries, **missing})
        if self._table is not None:
            with _locked(self._table):
                self._add_racks(self._table, racks)

    def move(self, hosts: Iterable[str], address: str) -> None:
        """Enters another address of hosts in the book, whether they were there or not."""
        if self._book is not None:
            with _locked(self._book):
                entries = read_address_book(self._book) if self._book.exists() else {}
                write_address_book(self._book, {**entries, **dict.fromkeys(hosts, address)})

    def _add_racks(self, table: Path, racks: Mapping[str, str | None]) -> None:
        lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
        known = {line.split()[0] for line in lines if line.strip()}
        new = [f"{host} {rack}" for host, rack in racks.items() if rack is not None and host not in known]
        if new:
            draft = table.with_name(f".{table.name}.draft")
            draft.write_text("\n".join([*lines, *new]) + "\n", encoding="utf-8")
            draft.replace(table)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Holds a lock beside a file that several processes change."""
    with path.with_name(f".{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
