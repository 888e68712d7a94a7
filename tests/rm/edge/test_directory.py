"""The configuration directory: read anew each time, the command line above."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.rm.edge.directory import ConfigurationDirectory
from yarnbox.yarn.configuration import Configuration, ConfigurationError

XML = "<configuration><property><name>{}</name><value>{}</value></property></configuration>"


def test_files_are_read_anew_and_definitions_stay_above(tmp_path: Path) -> None:
    directory = ConfigurationDirectory(tmp_path, Configuration(), ("b=line",))
    (tmp_path / "one.xml").write_text(XML.format("a", "1"))
    (tmp_path / "two.xml").write_text(XML.format("b", "file"))
    first = directory.load("one.xml", "two.xml", "missing.xml")
    assert (first.value("a"), first.value("b")) == ("1", "line")
    (tmp_path / "one.xml").write_text(XML.format("a", "2"))
    assert directory.load("one.xml").value("a") == "2"


def test_texts_are_found_by_name_or_path(tmp_path: Path) -> None:
    directory = ConfigurationDirectory(tmp_path / "conf", Configuration())
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "excluded").write_text("nm1\n")
    assert directory.read_text("excluded") == "nm1\n"
    assert directory.read_text(str(tmp_path / "conf" / "excluded")) == "nm1\n"
    assert directory.read_text("none") is None
    (tmp_path / "conf" / "binary").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigurationError, match="binary"):
        directory.read_text("binary")


def test_a_directory_that_went_away_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is not a directory"):
        ConfigurationDirectory(tmp_path / "none", Configuration()).load("yarn-site.xml")
