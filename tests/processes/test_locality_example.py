"""`make demo-locality`, made small: one job on two nodes, and what its counters tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from examples.locality import locality
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.settings import read

pytestmark = pytest.mark.long


def test_every_map_is_counted_by_where_it_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locality, "NODES", 2)
    book = tmp_path / "book.txt"
    book.write_bytes(locality.WORDS * (3 * locality.BLOCK // len(locality.WORDS)))
    sums, seconds = locality.run(1.0, [book], tmp_path / "place")
    assert sums == {"DATA_LOCAL_MAPS": 3}, "two replicas on two nodes: everywhere is near"
    assert seconds > 0
    assert (tmp_path / "place" / "counts-0" / "_SUCCESS").exists()


def test_the_thresholds_are_those_of_the_fair_scheduler() -> None:
    for threshold in (-1.0, 1.0):
        found = read(FairSettings, Configuration.of(locality.site(threshold)))
        assert (found.node_locality_threshold, found.rack_locality_threshold) == (threshold, threshold)
