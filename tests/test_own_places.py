"""No test takes a default port or a default directory of YARN's."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.conftest import DEFAULT_PORTS


@pytest.mark.parametrize("port", DEFAULT_PORTS)
def test_a_default_port_is_refused(port: int) -> None:
    with socket.socket() as one, pytest.raises(AssertionError, match=f"port {port} belongs to the machine"):
        one.bind(("127.0.0.1", port))


@pytest.mark.parametrize("path", ["/tmp/hadoop-somebody/x", "/tmp/hadoop-yarn-somebody", "/tmp/logs"])
def test_a_default_directory_is_refused(path: str) -> None:
    with pytest.raises(AssertionError, match="belongs to the machine"):
        Path(path).read_bytes()
    with pytest.raises(AssertionError, match="belongs to the machine"):
        Path(path).mkdir()


def test_what_is_free_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
