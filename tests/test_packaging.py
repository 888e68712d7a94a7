"""What is delivered: a source archive that builds, and a wheel that runs without the checkout."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from protos.build import stubs_in
from tests.tree import ROOMS, ROOT


def build(tree: Path, target: str, into: Path) -> Path:
    """One archive of a source tree, built by the tools of this environment."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(into)]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = into.iterdir()
    return archive


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, packed."""
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist") / "built")


@pytest.fixture(scope="module")
def sources(source_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked."""
    place = tmp_path_factory.mktemp("sources")
    with tarfile.open(source_archive) as archive:
        archive.extractall(place, filter="data")
    (tree,) = place.glob("yarnbox-*")
    return tree


@pytest.fixture(scope="module")
def installed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel made of the source archive, unpacked as an installer would."""
    place = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(build(sources, "wheel", place / "built")) as archive:
        archive.extractall(place / "installed")
    return place / "installed"


def test_the_sources_hold_the_contract_and_nothing_generated(source_archive: Path) -> None:
    with tarfile.open(source_archive) as archive:
        names = {Path(name).name for name in archive.getnames()}
    assert {path.name for path in (ROOT / "protos").glob("*.proto")} < names
    assert not {"stubs.sha256", *(path.name for path in stubs_in(ROOT / "protos"))} & names


def test_the_wheel_holds_the_stubs_and_not_what_they_were_made_of(installed: Path) -> None:
    ours = {path.name for path in stubs_in(ROOT / "protos")}
    assert {path.name for path in stubs_in(installed / "protos")} == ours
    assert not list(installed.rglob("*.proto"))


def test_the_wheel_holds_every_module_of_the_rooms_and_the_sample_configuration(installed: Path) -> None:
    ours = {path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    conf = {Path("cluster", path.relative_to(ROOT)) for path in (ROOT / "conf").rglob("*") if path.is_file()}
    typed = {Path(room, "py.typed") for room in ROOMS}
    assert not [path for path in sorted(ours | conf | typed) if not (installed / path).is_file()]


def test_the_wheel_holds_nothing_else_at_its_top(installed: Path) -> None:
    found = {path.name for path in installed.iterdir()}
    assert {name for name in found if not name.endswith(".dist-info")} == set(ROOMS)


def test_installed_stubs_run_without_the_checkout(installed: Path) -> None:
    program = (
        "import protos, protos.ResourceTracker_pb2_grpc as tracker; print(protos.__file__, tracker.__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=installed.parent,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == [
        str(installed / "protos" / "__init__.py"),
        "protos.ResourceTracker_pb2_grpc",
    ]


def test_every_command_is_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for target in project["scripts"].values():
        module, _, function = target.partition(":")
        if (ROOT / module.partition(".")[0] / "__init__.py").exists():
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
