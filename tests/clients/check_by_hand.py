"""A client in Java whose messages are made from protos/: a labelled node, a container, a lost one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.clients import installed
from tests.clients.jvm import PROGRAM_S, SOURCES, environment
from tests.testing import labelled
from tests.tree import ROOT

PROTOS = (
    "Security",
    "yarn_protos",
    "yarn_server_common_protos",
    "yarn_server_common_service_protos",
    "yarn_service_protos",
)


def compiled(place: Path) -> Path:
    """The classes of the program and of its messages; AssertionError with what a compiler said."""
    (sealed,) = installed.grpc_home().glob("protoc-*.exe")
    protoc = place / "protoc"
    shutil.copy(sealed, protoc)
    protoc.chmod(0o755)
    made, classes = place / "made", place / "classes"
    made.mkdir()
    classes.mkdir()
    files = [f"yarnbox/protos/{name}.proto" for name in PROTOS]
    _run([str(protoc), f"--proto_path={ROOT / 'src'}", f"--java_out={made}", *files])
    sources = [*map(str, sorted(made.rglob("*.java"))), str(SOURCES / "byhand" / "ByHand.java")]
    _run(
        ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", f"{installed.grpc_home()}/*", *sources]
    )
    return classes


def _run(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PROGRAM_S, env=environment(), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_client_made_from_protos_loses_its_node(tmp_path: Path) -> None:
    path = f"{compiled(tmp_path)}:{installed.grpc_home()}/*"
    with labelled.resource_manager() as cluster:
        first, *others = _run(["java", "-cp", path, "ByHand", cluster.address]).splitlines()
        assert first.startswith("submitted application_")
        assert others == labelled.SAID
        cluster.wait_for_event("NODE_REMOVED", node="by-hand")
