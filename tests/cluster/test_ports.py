"""Ports for daemons: free ones, and not those that outgoing connections take."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from yarnbox.cluster import ports

HOST = "127.0.0.1"


def test_they_are_free_and_different() -> None:
    found = ports.free_ports(HOST, 20)
    assert len(set(found)) == 20
    for port in found:
        with socket.create_server((HOST, port)):
            pass


def test_none_is_one_that_an_outgoing_connection_may_get(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "ip_local_port_range"
    settings.write_text("15000\t60999\n")
    monkeypatch.setattr(ports, "_RANGE_FILE", settings)
    assert max(ports.free_ports(HOST, 50)) < 15000


@pytest.mark.parametrize("text", [None, "", "x y", "1024 65535"])
def test_a_machine_that_does_not_tell_has_the_usual_range(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    settings = tmp_path / "ip_local_port_range"
    if text is not None:
        settings.write_text(text)
    monkeypatch.setattr(ports, "_RANGE_FILE", settings)
    assert max(ports.free_ports(HOST, 50)) < 32768


def test_a_machine_without_a_free_port_there_gives_one_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((HOST, ports.free_ports(HOST, 1)[0])) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_LOWEST", port)
        monkeypatch.setattr(ports, "_end", lambda: port + 1)
        (found,) = ports.free_ports(HOST, 1)
    assert found not in (0, port)


def test_nobody_else_is_given_a_port_before_its_daemon_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    (chosen,) = ports.free_ports(HOST, 1)
    monkeypatch.setattr(ports, "_LOWEST", chosen)
    monkeypatch.setattr(ports, "_end", lambda: chosen + 1)
    (other,) = ports.free_ports(HOST, 1)
    assert other != chosen
    for _ in range(2):  # also for one that is started again
        with socket.create_server((HOST, chosen)):
            pass


def test_none_is_where_clients_look_for_another_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_LOWEST", 13_562)
    monkeypatch.setattr(ports, "_end", lambda: 13_563)
    assert ports.free_ports(HOST, 1) != [13_562]
