"""The cache of releases: filled whole or not at all; a wrong checksum is no reason to go on without."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.clients import installed

JAR = b"classes"
Pip = Callable[[Path], subprocess.CompletedProcess[str]]


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Pip], list[Path]]:
    """Puts a pip of ours in place of pip, and a Maven that brings one jar; where it was told to install
    something.
    """
    packages = tmp_path / "packages"
    shutil.copytree(installed.PACKAGES, packages)
    for release in installed.BY_MAVEN:
        lines = f"{sha256(JAR).hexdigest()}  one.jar\n"
        (packages / f"{release}.sha256").write_text(lines, encoding="ascii")
    monkeypatch.setattr(installed, "PACKAGES", packages)
    monkeypatch.setattr(installed, "PAUSES_S", (0, 0))
    monkeypatch.setenv("YARNBOX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")

    def replace(answer: Pip) -> list[Path]:
        targets: list[Path] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            if command[0] == "mvn":
                return maven(Path(command[-1].removeprefix("-DoutputDirectory=")))
            assert "--require-hashes" in command
            targets.append(Path(command[command.index("--target") + 1]))
            return answer(targets[-1])

        monkeypatch.setattr(subprocess, "run", run)
        return targets

    return replace


def maven(target: Path) -> subprocess.CompletedProcess[str]:
    """A Maven that installs."""
    target.mkdir()
    (target / "one.jar").write_bytes(JAR)
    return subprocess.CompletedProcess([], 0, "", "")


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
    for home in (installed.hadoop_home(), installed.grpc_home()):
        assert [path.name for path in home.iterdir()] == ["one.jar"]


def test_a_network_that_hiccups_is_asked_again(
    pip: Callable[[Pip], list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    answers = [fails("Connection reset by peer"), fails("Read timed out")]
    targets = pip(lambda target: (answers.pop() if answers else works)(target))
    assert installed.main() == 0
    assert len(targets) == len(installed.RELEASES) + 2
    assert capsys.readouterr().out.count("cannot be installed: trying again in 0 s") == 2


def test_without_a_network_nothing_is_left_and_nothing_is_run(
    pip: Callable[[Pip], list[Path]], capsys: pytest.CaptureFixture[str]
) -> None:
    pip(fails("No matching distribution found"))
    assert installed.main() == installed.LACKING
    assert "were NOT run" in capsys.readouterr().out
    left = sorted(path.name for path in installed.cache().iterdir())
    assert left == [installed.grpc_home().name, installed.hadoop_home().name]


def test_without_maven_only_what_it_brings_is_not_run(
    pip: Callable[[Pip], list[Path]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pip(works)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "mvn" else f"/usr/bin/{name}")
    assert installed.main() == 0
    said = capsys.readouterr().out
    assert "no mvn on the PATH: Hadoop's own MapReduce is NOT run" in said
    assert "no mvn on the PATH: the client made of protos/ in Java is NOT run" in said
    assert not installed.hadoop_home().exists()


def test_another_jar_than_it_was_is_an_error(
    pip: Callable[[Pip], list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pip(works)
    (installed.PACKAGES / "hadoop-3.4.sha256").write_text("00  one.jar\n", encoding="ascii")
    with pytest.raises(ValueError, match=r"hadoop-3\.4 is not what it was"):
        installed.main()
    assert not installed.hadoop_home().exists()


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
