"""What is delivered: a source archive that builds, and a wheel that runs without the checkout."""

from __future__ import annotations

import fcntl
import importlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import release
from tests.tree import PACKAGES, ROOT
from yarnbox.protos.build import stubs_in

pytestmark = pytest.mark.long

OFFLINE = ("--no-deps", "--no-index")
"""What a test installs is here already."""


def build(tree: Path, target: str, into: Path) -> Path:
    """One archive of a source tree, built by the tools of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = into.iterdir()
    return archive


class Once:
    """Directories that whichever process of the run wants them first makes, and all others use."""

    def __init__(self, top: Path) -> None:
        self._top = top

    def make(self, name: str, make: Callable[[Path], object]) -> Path:
        """The directory of the name; `make` fills it, unless it is made already."""
        place, made = self._top / name, self._top / f"{name}.made"
        with (self._top / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made.exists():
                shutil.rmtree(place, ignore_errors=True)  # of one that failed
                place.mkdir()
                make(place)
                made.touch()
        return place


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Below the directory that all processes of the run have in common."""
    top = tmp_path_factory.getbasetemp()
    return Once(top.parent if "PYTEST_XDIST_WORKER" in os.environ else top)


@pytest.fixture(scope="module")
def source_archive(once: Once) -> Path:
    """The source archive, packed."""
    (archive,) = once.make("sdist", lambda place: build(ROOT, "sdist", place)).iterdir()
    return archive


@pytest.fixture(scope="module")
def sources(source_archive: Path, once: Once) -> Path:
    """The source archive, unpacked."""

    def unpack(place: Path) -> None:
        with tarfile.open(source_archive) as archive:
            archive.extractall(place, filter="data")

    (tree,) = once.make("sources", unpack).glob("yarnbox-*")
    return tree


@pytest.fixture(scope="module")
def wheel(sources: Path, once: Once) -> Path:
    """The wheel, made of the source archive."""
    (archive,) = once.make("wheel", lambda place: build(sources, "wheel", place)).iterdir()
    return archive


@pytest.fixture(scope="module")
def installed(wheel: Path, once: Once) -> Path:
    """The wheel, installed by pip into a directory of its own."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", *OFFLINE, str(wheel)]
    return once.make(
        "installed",
        lambda place: subprocess.run([*command, "--upgrade", "--target", str(place)], check=True),
    )


@pytest.fixture(autouse=True)
def either_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is delivered here has the pure Python core, whichever one the tests run on."""
    monkeypatch.delenv("YARNBOX_COMPILED", raising=False)


def test_the_sources_hold_the_contract_and_nothing_generated(source_archive: Path) -> None:
    with tarfile.open(source_archive) as archive:
        names = {Path(name).name for name in archive.getnames()}
    assert {path.name for path in (ROOT / "protos").glob("*.proto")} < names
    assert not {"stubs.sha256", *(path.name for path in stubs_in(ROOT / "protos"))} & names


def test_the_sources_hold_each_file_once(sources: Path) -> None:
    assert sorted(path.name for path in (sources / "src" / "yarnbox").iterdir()) == [
        "__init__.py",
        "py.typed",
    ]
    assert (sources / "rm" / "core.py").is_file()


def test_the_wheel_holds_the_stubs_and_not_what_they_were_made_of(installed: Path) -> None:
    ours = {path.name for path in stubs_in(ROOT / "protos")}
    assert {path.name for path in stubs_in(installed / "yarnbox" / "protos")} == ours
    assert not list(installed.rglob("*.proto"))


def test_the_wheel_holds_every_module_the_sample_configuration_and_the_examples(installed: Path) -> None:
    modules = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    others = [path for top in ("conf", "examples") for path in (ROOT / top).rglob("*") if path.is_file()]
    delivered = {path.relative_to(ROOT) for path in (*modules, *others) if "__pycache__" not in path.parts}
    assert not [path for path in sorted(delivered) if not (installed / "yarnbox" / path).is_file()]
    assert (installed / "yarnbox" / "py.typed").is_file()


def test_an_installation_owns_one_name(installed: Path) -> None:
    found = {path.name for path in installed.iterdir()}
    assert {name for name in found if not name.endswith(".dist-info")} == {"yarnbox", "bin"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Somebody's project whose own packages are called like our folders."""
    for name in ("rm", "nm", "client", "protos", "yarn"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("MINE = True\n")
    (tmp_path / "am.py").write_text("MINE = True\n")
    return tmp_path


def test_both_commands_run_in_a_project_with_packages_of_the_same_names(
    installed: Path, project: Path
) -> None:
    for command, arguments, expected in (
        ("yarn", ["version"], "Hadoop 3.4.1 (yarnbox "),
        ("yarnbox", ["check-conf", str(ROOT / "conf")], "Nothing looks wrong."),
    ):
        done = subprocess.run(
            [installed / "bin" / command, *arguments],
            cwd=project,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(installed), str(project)))},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout


def test_both_are_imported_side_by_side_without_the_checkout(installed: Path, project: Path) -> None:
    program = (
        "import rm, nm, client, am, yarnbox.rm.core, yarnbox.protos.ResourceTracker_pb2_grpc as tracker\n"
        "assert rm.MINE and nm.MINE and client.MINE and am.MINE\n"
        "print(yarnbox.__file__, tracker.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=project,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == [
        str(installed / "yarnbox" / "__init__.py"),
        "yarnbox.protos.ResourceTracker_pb2_grpc",
    ]


@pytest.fixture(scope="module")
def environment(wheel: Path, once: Once) -> Path:
    """The interpreter of an environment that has the wheel and nothing of this checkout."""

    def make(place: Path) -> None:
        python = release.install(wheel, place / "venv", *OFFLINE)
        (packages,) = python.parent.parent.glob("lib/python3*/site-packages")
        (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")  # none is downloaded

    return once.make("environment", make) / "venv" / "bin" / "python"


def test_the_author_of_an_am_tests_it_with_the_wheel(environment: Path, tmp_path: Path) -> None:
    """A project with a package named rm, in an environment with nothing of this checkout."""
    copied = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "tested_am", copied)
    (copied / "rm").mkdir()
    (copied / "rm" / "__init__.py").write_text("MINE = True\n")
    (copied / "test_mine.py").write_text(
        "import rm, yarnbox\n\n\ndef test_both_are_there():\n"
        f"    assert rm.MINE\n    assert yarnbox.__file__.startswith({str(environment.parent.parent)!r})\n"
    )
    own = ("PYTHONPATH", "PYTEST_ADDOPTS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    done = subprocess.run(
        [environment, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=copied,
        env={name: value for name, value in os.environ.items() if name not in own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 passed" in done.stdout


def test_a_cluster_of_the_wheel_runs_a_job_in_an_empty_folder(environment: Path) -> None:
    assert "Estimated value of Pi is" in release.trial(environment)


def test_the_version_is_said_in_one_place(wheel: Path, source_archive: Path, environment: Path) -> None:
    assert wheel.name.startswith(f"yarnbox-{release.version()}-")
    assert source_archive.name == f"yarnbox-{release.version()}.tar.gz"
    yarnbox = [str(environment.parent / "yarnbox"), "--version"]
    told = subprocess.run(yarnbox, capture_output=True, text=True, check=True).stdout
    assert told.startswith(f"yarnbox {release.version()} ")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {release.version()}" in changes


def test_what_keeps_a_version_from_being_released() -> None:
    ready = "# Changes\n\n## Unreleased\n\n## 1.2.0\n\n- one\n\n## 1.1.0\n"
    assert release.faults(ready, "1.2.0", "") == []
    assert len(release.faults(ready, "1.3.0", " M README.md\n")) == 2
    (fault,) = release.faults(ready.replace("Unreleased\n", "Unreleased\n\n- two\n"), "1.2.0", "")
    assert "unreleased" in fault


def test_the_bill_of_materials_names_the_version(wheel: Path, tmp_path: Path) -> None:
    """Of an environment with nothing but the wheel: reading the licences of all dependencies takes long."""
    python = release.install(wheel, tmp_path / "venv", "--no-compile", *OFFLINE)
    release.sbom(python, tmp_path / "parts.json")
    document = json.loads((tmp_path / "parts.json").read_text())
    assert document["bomFormat"] == "CycloneDX"
    own = document["metadata"]["component"]
    assert (own["name"], own["version"]) == ("yarnbox", release.version())
    assert own["licenses"][0]["license"]["id"] == "Apache-2.0"


def test_the_extra_of_the_kit_brings_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line.partition(">")[0] for line in project["optional-dependencies"]["testing"]] == ["pytest"]
    assert project["entry-points"]["pytest11"] == {"yarnbox.testing.plugin": "yarnbox.testing.plugin"}


def test_every_command_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in project["scripts"].values():
        module, _, function = target.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_generator_and_runtime_are_pinned_to_each_other() -> None:
    """What grpcio-tools generates demands at least its own grpcio, and the protobuf it was built with."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (generator,) = [line for line in document["build-system"]["requires"] if line.startswith("grpcio-tools")]
    assert generator in document["project"]["optional-dependencies"]["dev"]
    assert f"grpcio>={generator.removeprefix('grpcio-tools==')},<2" in document["project"]["dependencies"]
    facts = dict(fact.split("=") for fact in (ROOT / "protos" / "stubs.sha256").read_text().split()[1:])
    assert any(
        line.startswith(f"protobuf>={facts['protobuf']},") for line in document["project"]["dependencies"]
    )
    assert f"grpcio-tools=={facts['grpcio-tools']}" == generator
