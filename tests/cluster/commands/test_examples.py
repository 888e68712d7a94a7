"""`yarnbox examples`: what is listed, printed and copied."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from examples.loads import small
from tests.tree import ROOT
from yarnbox.cluster.commands.examples import all_examples
from yarnbox.cluster.main import main
from yarnbox.sim.scenario.command import main as scenario


def test_every_example_is_listed_with_what_it_is_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {name: text.strip() for name, text in (line.split("  ", 1) for line in lines if "  " in line)}
    assert rows["loads"] == "A small load"
    assert rows["labels/one-site"] == "One job kept inside one site"
    assert rows["scenarios/two-queues.yaml"].startswith("Queue a may use the idle capacity of queue b")
    assert all(rows.values())


def test_one_is_printed_by_its_path_or_the_end_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "examples" / "scenarios" / "two-queues.yaml").read_text()
    whole = "scenarios/two-queues.yaml"
    for name in (whole, f"examples/{whole}", "two-queues.yaml", "two-queues"):
        assert main(["examples", name]) == 0
        assert capsys.readouterr().out == text
    assert main(["examples", "one-site"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("# One job kept inside one site\n")
    assert "\nFiles:\n  conf/capacity-scheduler.xml\n" in printed


def test_a_scenario_is_copied_with_its_configuration_and_plays(tmp_path: Path) -> None:
    assert main(["examples", "production", "--copy", str(tmp_path / "mine")]) == 0
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"production", "production.yaml"}
    assert scenario(["run", str(tmp_path / "mine" / "production.yaml")]) == 0


def test_all_are_copied_and_nothing_is_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "--copy", str(tmp_path)]) == 0
    copied = {one.name for one in all_examples(tmp_path)}
    assert copied == {one.name for one in all_examples()}
    assert main(["examples", "spark", "--copy", str(tmp_path)]) == 1
    assert "spark exists already" in capsys.readouterr().err


def test_a_full_disk_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = [1, 1, 1]

    def copy(source: Path, target: Path) -> None:
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        target.write_bytes(b"x" * room.pop())

    monkeypatch.setattr(shutil, "copy", copy)
    assert main(["examples", "loads", "--copy", str(tmp_path)]) == 1
    assert capsys.readouterr() == ("", f"yarnbox: {tmp_path} cannot be written: No space left on device\n")
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_none_is_told_what_is_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "two-queue"]) == 2
    assert "there is no example two-queue (did you mean two-queues?)" in capsys.readouterr().err


def test_the_small_load_is_what_its_recipe_makes() -> None:
    written = (ROOT / "examples" / "loads" / "small.tsv").read_text()
    assert written == "\n".join(small.rows()) + "\n"
