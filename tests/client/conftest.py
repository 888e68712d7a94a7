"""A fake ResourceManager, and a shell that is connected to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.fakes import FakeResourceManager, Shell


@pytest.fixture
def rm() -> Iterator[FakeResourceManager]:
    with FakeResourceManager() as running:
        yield running


@pytest.fixture
def shell(rm: FakeResourceManager) -> Shell:
    return Shell(rm.address)
