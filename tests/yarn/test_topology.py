"""Racks by table, by script, and by nothing at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.topology import (
    DEFAULT_RACK,
    MAPPING_PROPERTY,
    SCRIPT_PROPERTY,
    TABLE_PROPERTY,
    RackResolver,
)


def test_a_table_names_racks_and_may_change(tmp_path: Path) -> None:
    table = tmp_path / "topology.table"
    table.write_text("# hosts and racks\nnm1 /rack1\nnm2\t/rack2\nhalf\n")
    rack_of = RackResolver.of(
        Configuration.of({MAPPING_PROPERTY: "org.apache.hadoop.net.TableMapping", TABLE_PROPERTY: str(table)})
    )
    assert [rack_of(host) for host in ("nm1", "nm2", "half", "nm3")] == [
        "/rack1",
        "/rack2",
        DEFAULT_RACK,
        DEFAULT_RACK,
    ]
    table.write_text("nm1 /rack1\nnm3 /rack3\n")
    assert (rack_of("nm3"), rack_of("nm2")) == ("/rack3", DEFAULT_RACK)


def test_a_table_that_goes_away_leaves_what_was_known(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = tmp_path / "topology.table"
    table.write_text("nm1 /rack1\n")
    rack_of = RackResolver(table=table)
    assert rack_of("nm1") == "/rack1"
    table.unlink()
    assert rack_of("nm1") == "/rack1"
    assert "cannot be read" in caplog.text


def test_a_script_is_asked_once_for_each_host(tmp_path: Path) -> None:
    script = tmp_path / "topology.sh"
    script.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/asked\necho "/rack-of-$1"\n')
    script.chmod(0o755)
    rack_of = RackResolver.of(Configuration.of({SCRIPT_PROPERTY: str(script)}))
    assert [rack_of("a"), rack_of("b"), rack_of("a")] == ["/rack-of-a", "/rack-of-b", "/rack-of-a"]
    assert (tmp_path / "asked").read_text() == "a\nb\n"


def test_a_script_that_fails_means_the_default_rack(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert RackResolver(script=tmp_path / "none.sh")("a") == DEFAULT_RACK
    assert "gave no rack" in caplog.text


def test_without_either_all_hosts_are_on_one_rack() -> None:
    assert RackResolver.of(Configuration())("a") == DEFAULT_RACK
