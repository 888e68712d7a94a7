"""Host and port, as properties write them."""

from __future__ import annotations

import socket

import pytest

from yarnbox.yarn.connection.address import Address, announced, connectable, with_default_port


@pytest.mark.parametrize(
    "text, address",
    [
        ("127.0.0.1:8050", Address("127.0.0.1", 8050)),
        (" rm.example.org:0 ", Address("rm.example.org", 0)),
        ("[::1]:65535", Address("::1", 65535)),
    ],
)
def test_an_address_reads_and_prints(text: str, address: Address) -> None:
    assert Address.parse(text) == address
    assert str(address) == text.strip()


@pytest.mark.parametrize(
    "text", ["", "h", ":1", "h:", "h:65536", "h:-1", "h:x", "::1:80", "a b:1", "http://h:1"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match="host:port"):
        Address.parse(text)


def test_a_default_port() -> None:
    parse = with_default_port(8088)
    assert parse("h") == Address("h", 8088)
    assert parse("[::1]") == Address("::1", 8088)
    assert parse("h:1") == Address("h", 1)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_who_listens_everywhere_is_announced_by_the_machines_name_and_connected_to_on_it(host: str) -> None:
    assert announced(host) == socket.gethostname()
    assert connectable(Address(host, 8050)) == Address("127.0.0.1", 8050)


@pytest.mark.parametrize("host", ["rm.example.org", "127.0.0.2", "::1"])
def test_who_listens_at_one_address_is_announced_and_connected_to_there(host: str) -> None:
    assert announced(host) == host
    assert connectable(Address(host, 8050)) == Address(host, 8050)
