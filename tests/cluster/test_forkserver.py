"""Daemons made by a fork: each is a process of its own, shows what it is, and outlives the server."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.forkserver import TEMPLATE_VARIABLE, ForkServer, Template, imported_once
from yarnbox.cluster.processes import RUN_ID_VARIABLE, ProcessId, belonging_to

RUN_ID = f"a test of fork servers, {os.getpid()}"
NOBODY = "yarnbox.resourcemanager.grpc.address=127.0.0.1:1"


@pytest.fixture(scope="module")
def template() -> Iterator[str]:
    """The address of a template: of the one of all tests, if it is there."""
    with imported_once():
        yield os.environ[TEMPLATE_VARIABLE]


@pytest.fixture(params=["its own", "of a template"])
def server(
    request: pytest.FixtureRequest, template: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ForkServer]:
    if request.param == "its own":
        monkeypatch.delenv(TEMPLATE_VARIABLE)
    else:
        assert os.environ[TEMPLATE_VARIABLE] == template
    started = ForkServer({RUN_ID_VARIABLE: RUN_ID})
    yield started
    started.close()


def node(directory: Path) -> list[str]:
    web = "yarn.nodemanager.webapp.address=127.0.0.1:0"
    return ["yarnbox.nm", "--dir", str(directory), "--name", "nm1", "-D", NOBODY, "-D", web]


def test_a_daemon_is_a_process_of_its_own_that_goes_on_alone(server: ForkServer, tmp_path: Path) -> None:
    pid = server.start(node(tmp_path), tmp_path, tmp_path / "logs" / "nm1.out")
    try:
        daemon = psutil.Process(pid)
        assert wait_until(lambda: "-m yarnbox.nm --dir" in " ".join(daemon.cmdline()), PATIENCE_S)
        assert (os.getsid(pid), daemon.cwd()) == (pid, str(tmp_path))
        known = ProcessId.of(pid)
        assert known in belonging_to(RUN_ID, tmp_path)
        assert server.exit_status(pid) is None
        server.close()
        assert known is not None
        assert known.is_alive()
    finally:
        os.kill(pid, signal.SIGKILL)


def test_what_a_daemon_says_and_how_it_ends_is_known(server: ForkServer, tmp_path: Path) -> None:
    output = tmp_path / "nm1.out"
    output.write_text("of an earlier life")
    pids = [server.start(["yarnbox.nm", "--nonsense"], tmp_path, output) for _ in range(2)]
    assert wait_until(lambda: [server.exit_status(pid) for pid in pids] == [2, 2], PATIENCE_S)
    assert "there is no option --nonsense" in output.read_text()
    assert "earlier" not in output.read_text()


def test_a_server_that_was_killed_says_so(server: ForkServer, tmp_path: Path) -> None:
    assert wait_until(lambda: belonging_to(RUN_ID, tmp_path) != [], PATIENCE_S)
    for process in belonging_to(RUN_ID, tmp_path):
        process.send(signal.SIGKILL)
    assert wait_until(lambda: not belonging_to(RUN_ID, tmp_path), PATIENCE_S)
    with pytest.raises(RuntimeError, match="the fork server has ended"):
        server.start(node(tmp_path), tmp_path, tmp_path / "nm1.out")
    server.close()  # although it never read the order


def test_a_template_serves_its_own_interpreter_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Template() as template, socket.socket(socket.AF_UNIX) as stranger:
        stranger.connect(str(template.address))
        stranger.sendall(json.dumps(["another python", "elsewhere", "python", {}]).encode() + b"\n")
        assert stranger.recv(1) == b""
    monkeypatch.setenv(TEMPLATE_VARIABLE, str(template.address))  # gone: a server starts by itself
    server = ForkServer({RUN_ID_VARIABLE: RUN_ID})
    assert server.exit_status(os.getpid()) is None
    assert belonging_to(RUN_ID, tmp_path) != []
    server.close()
    assert wait_until(lambda: not belonging_to(RUN_ID, tmp_path), PATIENCE_S)


def test_a_template_whose_maker_is_killed_leaves_nothing(tmp_path: Path) -> None:
    program = "import signal; from yarnbox.cluster.forkserver import Template; t = Template()"
    maker = subprocess.Popen(
        [sys.executable, "-c", f"{program}; print(t.address, flush=True); signal.pause()"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert maker.stdout is not None
    address = Path(maker.stdout.readline().strip())
    assert address.is_socket()
    maker.kill()
    maker.communicate()
    assert wait_until(lambda: not list(tmp_path.iterdir()), PATIENCE_S)
