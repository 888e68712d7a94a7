"""A fake ResourceManager, fake web services, and a shell that is connected to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.fakes import FakeResourceManager, FakeWebService, Shell


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands look for a cluster here, and people may have one in the checkout, running or not."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rm() -> Iterator[FakeResourceManager]:
    with FakeResourceManager() as running:
        yield running


@pytest.fixture
def shell(rm: FakeResourceManager) -> Shell:
    return Shell(rm.address)


@pytest.fixture
def web() -> Iterator[FakeWebService]:
    with FakeWebService() as running:
        yield running
