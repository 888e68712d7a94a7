"""Amounts and shares in words."""

from __future__ import annotations

import pytest

from yarnbox.rm.web.queues.words import in_units, memory, page_in_units, percentage


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


UNLIMITED = 2**63 - 1


@pytest.mark.parametrize(
    "printed, shown, by_memory",
    [
        ("<memory:1536, vCores:1>", "1.5 GiB, 1 vcore", "1.5 GiB"),
        ("used <memory:0, vCores:2>, no more", "used 0.0 GiB, 2 vcores, no more", "used 0.0 GiB, no more"),
        ("<memory:1024, vCores:2, gpu:1>", "1.0 GiB, 2 vcores, gpu:1", "1.0 GiB, gpu:1"),
        (f"<memory:{UNLIMITED}, vCores:{UNLIMITED}>", "no limit", "no limit"),
        ("1 < 2", "1 < 2", "1 < 2"),
    ],
)
def test_amounts_in_texts_are_in_the_units_of_the_pages(printed: str, shown: str, by_memory: str) -> None:
    assert in_units(printed, counts_vcores=True) == shown
    assert in_units(printed, counts_vcores=False) == by_memory


def test_amounts_are_said_wherever_they_are() -> None:
    amount = {"memory": 1536, "vCores": 2, "resourceInformations": {}}
    page = {"block": [{"facts": ({"name": "Used", "value": amount},)}], "row": [amount]}
    shown = page_in_units(page, counts_vcores=True)
    said = [{"word": "1.5 GiB", "title": "1536 MiB"}, ", 2 vcores"]
    assert shown == {"block": [{"facts": [{"name": "Used", "value": said}]}], "row": [amount]}
    no_limit = {"memory": UNLIMITED, "vCores": UNLIMITED}
    assert in_units([no_limit, 7, None], counts_vcores=True) == [["no limit", ""], 7, None]
    assert page_in_units({"row": [amount]}, counts_vcores=True) == {"row": [amount]}
