"""The generator of the stubs: made whole or not at all, and a stale one cannot be run by accident."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT
from yarnbox.protos import build
from yarnbox.protos.build import STAMP, StaleStubsError, generate, stubs_in, verify, why_stale

SERVICE = 'syntax = "proto2";\npackage sample;\nmessage Ask { optional int32 n = 1; }\n'
RPC = "service Answers { rpc answer(Ask) returns (Ask); }\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package like ours with two .proto files, one with a service, and its stubs."""
    package = tmp_path / "a checkout" / "wire"
    package.mkdir(parents=True)
    (package / "sample.proto").write_text(SERVICE)
    (package / "answers.proto").write_text(SERVICE.replace("sample", "answers") + RPC)
    generate(package)
    return package


def test_stubs_of_messages_and_of_services_are_typed(package: Path) -> None:
    assert [path.name for path in stubs_in(package)] == [
        "answers_pb2.py",
        "answers_pb2.pyi",
        "answers_pb2_grpc.py",
        "answers_pb2_grpc.pyi",
        "sample_pb2.py",
        "sample_pb2.pyi",
    ]
    assert "from yarnbox.protos import answers_pb2" in (package / "answers_pb2_grpc.py").read_text()
    verify(package)


def test_the_stamp_says_of_what_they_were_made(package: Path) -> None:
    digest, *facts = (package / STAMP).read_text().split()
    assert digest == build.fingerprint(package)
    assert [fact.partition("=")[0] for fact in facts] == ["protobuf", "grpcio-tools", "mypy-protobuf"]


@pytest.mark.parametrize(
    "change",
    [
        lambda package: (package / "sample.proto").write_text(SERVICE.replace("int32", "int64")),
        lambda package: (package / "new.proto").write_text(SERVICE.replace("sample", "new")),
        lambda package: (package / "sample.proto").rename(package / "renamed.proto"),
        lambda package: (package / STAMP).write_text(""),
    ],
    ids=["changed", "added", "renamed", "empty stamp"],
)
def test_whatever_changes_makes_them_stale(package: Path, change: object) -> None:
    assert callable(change)
    change(package)
    with pytest.raises(StaleStubsError, match=r"^stubs are stale: run `make setup`$"):
        verify(package)
    generate(package)
    verify(package)


def test_missing_stubs_say_what_to_do(package: Path) -> None:
    (package / STAMP).unlink()
    with pytest.raises(ImportError, match=r"^stubs are missing: run `make setup`$"):
        verify(package)


@pytest.mark.parametrize("made_for", ["99.1.0", "1.0.0"], ids=["newer than the runtime", "two majors older"])
def test_stubs_that_the_runtime_cannot_run_are_refused(package: Path, made_for: str) -> None:
    digest, _, *others = (package / STAMP).read_text().split()
    (package / STAMP).write_text(" ".join([digest, f"protobuf={made_for}", *others]))
    with pytest.raises(
        StaleStubsError, match=rf"^stubs were made for protobuf {made_for} and this is .+`make"
    ):
        verify(package)


def test_in_a_wheel_without_proto_files_nothing_is_stale(package: Path) -> None:
    for path in [*package.glob("*.proto"), package / STAMP]:
        path.unlink()
    assert why_stale(package) is None
    verify(package)


def test_a_fault_in_a_proto_file_leaves_what_was_there(package: Path) -> None:
    before = {path.name: path.read_bytes() for path in package.iterdir() if path.suffix != ".proto"}
    (package / "sample.proto").write_text("message {")
    with pytest.raises(RuntimeError, match=r"sample\.proto:1:9"):
        generate(package)
    assert {path.name: path.read_bytes() for path in package.iterdir() if path.suffix != ".proto"} == before


def test_stubs_of_a_removed_file_go_with_it(package: Path) -> None:
    (package / "answers.proto").unlink()
    generate(package)
    assert [path.name for path in stubs_in(package)] == ["sample_pb2.py", "sample_pb2.pyi"]


def test_an_import_of_stale_stubs_fails_in_one_line_and_the_command_mends_it(tmp_path: Path) -> None:
    package = tmp_path / "yarnbox"
    package.mkdir()
    (package / "__init__.py").touch()
    ours = package / "protos"
    shutil.copytree(ROOT / "protos", ours, ignore=shutil.ignore_patterns("__pycache__"))
    with (ours / "ResourceTracker.proto").open("a") as file:
        file.write("// changed\n")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
        )

    use = ("-c", "from yarnbox.protos import ResourceTracker_pb2")
    assert run(*use).stderr.endswith("StaleStubsError: stubs are stale: run `make setup`\n")
    assert run("yarnbox/protos/build.py", "--if-stale").returncode == 0
    assert run(*use).returncode == 0
    assert run("yarnbox/protos/build.py", "--sideways").returncode == 2
