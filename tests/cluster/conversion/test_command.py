"""convert-conf and the check of an allocation file, as an operator uses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from yarnbox.cluster.main import main
from yarnbox.yarn.configuration import Configuration

FILE = """<allocations>
  <queue name="a"><weight>3</weight></queue>
  <queue name="b"><maxResources>50%</maxResources></queue>
  <mistake/>
</allocations>
"""
SITE = """<configuration>
  <property><name>yarn.acl.enable</name><value>true</value></property>
  <property><name>yarn.scheduler.fair.preemption</name><value>false</value></property>
</configuration>
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A configuration directory of the fair scheduler."""
    given = tmp_path / "conf"
    given.mkdir()
    (given / "fair-scheduler.xml").write_text(FILE, encoding="utf-8")
    (given / "yarn-site.xml").write_text(SITE, encoding="utf-8")
    return given


def convert(*words: str) -> int:
    """`yarnbox convert-conf`."""
    return main(["convert-conf", *words])


def test_both_files_are_written(directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert convert("--output", str(out), "--percentage", str(directory)) == 0
    capacity = Configuration.load(out, ["capacity-scheduler.xml"])
    assert capacity.value("yarn.scheduler.capacity.root.a.capacity") == "75.000"
    site = Configuration.load(out, ["yarn-site.xml"])
    assert site.value("yarn.acl.enable") == "true"
    assert site.value("yarn.scheduler.fair.preemption") is None
    assert "Queue root.b: <maxResources> is not supported" in capsys.readouterr().err


def test_without_output_they_are_printed(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(str(directory)) == 0
    printed = capsys.readouterr().out
    assert "======= capacity-scheduler.xml =======" in printed
    assert "<value>3.0w</value>" in printed


def test_the_source_is_never_overwritten(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert("--output", str(directory), str(directory)) != 0
    assert "name another directory" in capsys.readouterr().err


def test_what_is_there_is_not_overwritten(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert convert("--output", str(out), str(directory)) == 0
    assert convert("--output", str(out), str(directory)) != 0
    assert "already contains a file named capacity-scheduler.xml" in capsys.readouterr().err


def test_a_place_that_cannot_be_written(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "file").write_text("in the way")
    assert convert("--output", str(directory / "file" / "out"), str(directory)) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("file/out cannot be written: Not a directory; name another directory")
    assert convert("--rules", str(directory / "none"), str(directory)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("/none cannot be read: No such file or directory")


def test_a_dry_run_writes_nothing_and_counts(
    directory: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert convert("--dry-run", "--output", str(out), str(directory)) == 0
    assert not out.exists()
    printed = capsys.readouterr().out
    assert "Number of errors: 0\nNumber of warnings: 1\nVerification result: PASSED" in printed
    assert "Queue root.b: <maxResources> is not supported" in printed
    rules = tmp_path / "rules.properties"
    rules.write_text("# strict\nmaxResources.action=abort\n")
    assert convert("--dry-run", "--rules", str(rules), str(directory)) == 1
    assert "Number of errors: 1" in capsys.readouterr().out
    assert convert("--rules", str(rules), "--output", str(out), str(directory)) == 1
    assert not out.exists()
    rules.write_text("maxResources.action abort")
    assert convert("--rules", str(rules), str(directory)) != 0
    assert "not of the form name=value" in capsys.readouterr().err


def test_the_capacity_scheduler_looks_at_the_result(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    huge = "<maxContainerAllocation>memory-mb=999999, vcores=1</maxContainerAllocation>"
    (directory / "fair-scheduler.xml").write_text(FILE.replace("<weight>3</weight>", huge), encoding="utf-8")
    assert convert(str(directory)) == 1
    assert "Verification failed: " in capsys.readouterr().err
    assert convert("--skip-verification", str(directory)) == 0


def test_the_rules_may_have_a_file_of_their_own(directory: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert convert("--rules-to-file", "--output", str(out), str(directory)) == 0
    capacity = Configuration.load(out, ["capacity-scheduler.xml"])
    named = capacity.value("yarn.scheduler.capacity.mapping-rule-json-file")
    assert named == str(out / "mapping-rules.json")
    assert [rule["policy"] for rule in json.loads(Path(named).read_text())["rules"]] == ["specified", "user"]


def test_a_rule_that_is_never_reached_may_stand(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = '<queuePlacementPolicy><rule name="user"/><rule name="reject"/></queuePlacementPolicy>'
    text = FILE.replace("<mistake/>", rules)
    (directory / "fair-scheduler.xml").write_text(text, encoding="utf-8")
    assert convert(str(directory)) == 2
    assert "can never be reached" in capsys.readouterr().err
    assert convert("--no-terminal-rule-check", str(directory)) == 0


def test_the_allocation_file_may_be_elsewhere(directory: Path, tmp_path: Path) -> None:
    moved = (directory / "fair-scheduler.xml").rename(tmp_path / "queues.xml")
    where = "<property><name>yarn.scheduler.fair.allocation.file</name><value>file://{}</value></property>"
    site = SITE.replace("</configuration>", f"{where.format(moved)}</configuration>")
    (directory / "yarn-site.xml").write_text(site, encoding="utf-8")
    assert convert(str(directory)) == 0


def test_a_bad_file_is_told_with_its_line(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "fair-scheduler.xml").write_text(FILE.replace(">3<", ">heavy<"), encoding="utf-8")
    assert convert(str(directory)) == 2
    assert "fair-scheduler.xml:2: <weight>heavy</weight>" in capsys.readouterr().err
