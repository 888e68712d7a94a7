"""What a host in an address stands for, for servers and for those who connect to them."""

from __future__ import annotations

import socket

import pytest

from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.network import announced, connectable


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_who_listens_everywhere_is_announced_by_the_machines_name_and_connected_to_on_it(host: str) -> None:
    assert announced(host) == socket.gethostname()
    assert connectable(Address(host, 8050)) == Address("127.0.0.1", 8050)


@pytest.mark.parametrize("host", ["rm.example.org", "127.0.0.2", "::1"])
def test_who_listens_at_one_address_is_announced_and_connected_to_there(host: str) -> None:
    assert announced(host) == host
    assert connectable(Address(host, 8050)) == Address(host, 8050)
