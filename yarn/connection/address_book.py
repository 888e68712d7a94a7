"""The address book: where the emulated hosts of a cluster on one machine really listen.

Nodes are called nm1, nm2 and so on; no resolver knows those names. A book is a JSON file that maps `host` or
`host:port` to an address. An address without a port keeps the port that was asked for. The file is read again
whenever it has changed, so nodes may be added while daemons run. A name that is not in the book stays as it
is, because it may be a real host. Hadoop has no counterpart: there a name service does this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.storage.drafts import draft_of

ADDRESS_BOOK_PROPERTY = "yarnbox.address-book"
"""The property that names the file."""

ADDRESS_BOOK_FILE = "addresses.json"
"""The file's name in a run directory."""


class AddressBook:
    """Reads one file; no path, or no file, is an empty book."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._entries: Mapping[str, str] = {}

    def resolve(self, address: str) -> str:
        """The `host:port` to connect to, for the `host:port` that a node is known by."""
        self._refresh()
        host, _, port = address.rpartition(":")
        found = self._entries.get(address) or self._entries.get(host)
        if found is None:
            return address
        return found if ":" in found else f"{found}:{port}"

    def _refresh(self) -> None:
        if self._path is None:
            return
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self._stamp, self._entries = None, {}
            return
        stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
        if stamp != self._stamp:
            self._entries = read_address_book(self._path)
            self._stamp = stamp


def read_address_book(path: Path) -> dict[str, str]:
    """All entries of a file."""
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise IllegalArgumentError(f"{path} is not an address book: {error}") from error
    if not isinstance(entries, dict) or not all(isinstance(value, str) for value in entries.values()):
        raise IllegalArgumentError(f"{path} is not an address book: it has to map names to addresses")
    return entries


def write_address_book(path: Path, entries: Mapping[str, str]) -> None:
    """Replaces the file in one step: a reader sees the old book or the new one."""
    with draft_of(path) as draft:
        draft.write_text(json.dumps(dict(entries), indent=2) + "\n", encoding="utf-8")
