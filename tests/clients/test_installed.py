"""The cache of releases: filled whole or not at all; a wrong checksum is no reason to go on without."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients import installed

Pip = Callable[[Path], subprocess.CompletedProcess[str]]


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Pip], list[Path]]:
    """Puts a pip of ours in place of pip; where it was told to install something."""
    monkeypatch.setenv("YARNBOX_CACHE", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")

    def replace(answer: Pip) -> list[Path]:
        targets: list[Path] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            assert "--require-hashes" in command
            targets.append(Path(command[command.index("--target") + 1]))
            return answer(targets[-1])

        monkeypatch.setattr(subprocess, "run", run)
        return targets

    return replace


def works(target: Path) -> subprocess.CompletedProcess[str]:
    """A pip that installs."""
    target.mkdir()
    (target / "done").touch()
    return subprocess.CompletedProcess([], 0, "", "")


def fails(saying: str) -> Pip:
    """A pip that leaves half of it and complains."""

    def answer(target: Path) -> subprocess.CompletedProcess[str]:
        target.mkdir()
        return subprocess.CompletedProcess([], 1, "", saying)

    return answer


def test_each_release_is_installed_once(pip: Callable[[Pip], list[Path]]) -> None:
    targets = pip(works)
    assert [installed.main(), installed.main()] == [0, 0]
    assert len(targets) == len(installed.RELEASES)
    assert {(installed.home(name).parent / "done").exists() for name in installed.RELEASES} == {True}


def test_without_a_network_nothing_is_left_and_nothing_is_run(
    pip: Callable[[Pip], list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    pip(fails("No matching distribution found"))
    assert installed.main() == installed.LACKING
    assert "were NOT run" in capsys.readouterr().out
    assert not list(installed.cache().iterdir())


def test_a_wrong_checksum_is_an_error(pip: Callable[[Pip], list[Path]]) -> None:
    pip(fails("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."))
    with pytest.raises(ValueError, match="is not what it was"):
        installed.main()


def test_without_java_nothing_is_installed(
    pip: Callable[[Pip], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = pip(works)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert (installed.main(), targets) == (installed.LACKING, [])
