"""The address book: emulated hosts, real ones, and a book that changes while it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.yarn.connection.address_book import AddressBook, read_address_book, write_address_book
from yarnbox.yarn.errors import IllegalArgumentError


def test_emulated_hosts_are_resolved_and_others_left(tmp_path: Path) -> None:
    path = tmp_path / "addresses.json"
    write_address_book(path, {"nm1": "127.0.0.1", "nm2:45454": "127.0.0.1:9999"})
    book = AddressBook(path)
    assert book.resolve("nm1:45454") == "127.0.0.1:45454"
    assert book.resolve("nm2:45454") == "127.0.0.1:9999"
    assert book.resolve("nm2:1") == "nm2:1"
    assert book.resolve("real.example:8041") == "real.example:8041"


def test_a_changed_book_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "addresses.json"
    book = AddressBook(path)
    assert book.resolve("nm1:1") == "nm1:1"
    write_address_book(path, {"nm1": "127.0.0.1"})
    assert book.resolve("nm1:1") == "127.0.0.1:1"
    write_address_book(path, {**read_address_book(path), "nm2": "127.0.0.2"})
    assert book.resolve("nm2:1") == "127.0.0.2:1"
    path.unlink()
    assert book.resolve("nm1:1") == "nm1:1"


def test_no_book_is_an_empty_book() -> None:
    assert AddressBook().resolve("nm1:1") == "nm1:1"


@pytest.mark.parametrize("text", ["", "[]", '{"nm1": 5}'])
def test_what_is_no_book_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "addresses.json"
    path.write_text(text)
    with pytest.raises(IllegalArgumentError, match="not an address book"):
        AddressBook(path).resolve("nm1:1")
