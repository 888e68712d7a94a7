"""Amounts and shares in words."""

from __future__ import annotations

import pytest

from yarnbox.rm.web.queues.words import memory, percentage


@pytest.mark.parametrize(
    "value, shown",
    [(56.25, "56.3 %"), (0.05, "0.1 %"), (0.15, "0.1 %"), (100, "100.0 %"), (0.0, "0.0 %"), (None, "n/a")],
)
def test_a_share_is_rounded_as_by_a_browser(value: float | None, shown: str) -> None:
    """(56.25).toFixed(1) is 56.3, and (0.15).toFixed(1) is 0.1: it is a little less than that."""
    assert percentage(value) == shown


@pytest.mark.parametrize(
    "memory_mb, shown", [(256, "0.3 GiB"), (768, "0.8 GiB"), (1024, "1.0 GiB"), (2**63, "no limit")]
)
def test_memory_is_rounded_as_by_a_browser(memory_mb: int, shown: str) -> None:
    assert memory(memory_mb) == shown
