"""Processes: known by pid and start time, ended even when they resist, found by their environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.processes import (
    RUN_ID_VARIABLE,
    ProcessId,
    belonging_to,
    containers_of,
    end,
    exit_status,
    remember_child,
    wait_until_gone,
)

Child = subprocess.Popen[bytes]
STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
signal.pause()
"""
LEFT_BY_ITS_LEADER = """
import ctypes, sys, threading
threading.Thread(target=sys.stdin.read).start()
print("ready", flush=True)
ctypes.CDLL(None).pthread_exit(None)
"""
"""Its first thread ends; another goes on until it can read no more."""


@pytest.fixture
def children() -> Iterator[list[Child]]:
    started: list[Child] = []
    yield started
    for child in started:
        with child:  # which closes its pipes
            child.kill()


def started(children: list[Child], program: str, **variables: str) -> ProcessId:
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **variables},
    )
    children.append(child)
    assert child.stdout is not None
    assert child.stdout.readline() == b"ready\n"
    process = ProcessId.of(child.pid)
    assert process is not None
    return process


def patient(children: list[Child], **variables: str) -> ProcessId:
    return started(children, "import signal\nprint('ready', flush=True)\nsignal.pause()", **variables)


def test_a_process_is_known_by_its_start_too(children: list[Child]) -> None:
    process = patient(children)
    stranger = ProcessId(process.pid, process.started - 60)
    assert process.is_alive()
    assert not stranger.is_alive()
    assert not stranger.send(signal.SIGKILL)
    assert process.is_alive()
    end([process], 5.0)
    assert not process.is_alive()
    assert not process.send(signal.SIGTERM)


def test_a_process_is_alive_until_its_last_thread_has_ended(children: list[Child]) -> None:
    process = started(children, LEFT_BY_ITS_LEADER)
    leader = psutil.Process(process.pid)
    assert wait_until(lambda: leader.status() == psutil.STATUS_ZOMBIE, PATIENCE_S, every_s=0.01)
    assert process.is_alive()
    assert wait_until_gone([process], 0.05) == [process]
    (child,) = children
    assert child.stdin is not None
    child.stdin.close()
    assert wait_until_gone([process], 5.0) == []
    assert not process.is_alive()


def test_who_does_not_listen_is_killed(children: list[Child]) -> None:
    process = started(children, STUBBORN)
    end([process], 0.05)
    assert not process.is_alive()


def test_a_stopped_process_can_be_ended(children: list[Child]) -> None:
    process = patient(children)
    assert process.send(signal.SIGSTOP)
    end([process], 5.0)
    assert not process.is_alive()


def test_waiting_tells_who_is_left(children: list[Child]) -> None:
    process = patient(children)
    assert wait_until_gone([process], 0.0) == [process]


def test_what_belongs_to_a_cluster_is_found_by_its_environment(children: list[Child], tmp_path: Path) -> None:
    node = tmp_path / "nodes" / "nm1"
    daemon = patient(children, **{RUN_ID_VARIABLE: "the-run"})
    container = patient(children, LOCAL_DIRS=f"{node}/local/usercache", LOG_DIRS=f"{node}/logs")
    neighbour = patient(children, LOG_DIRS=f"{tmp_path}/nodes/nm10/logs")
    patient(children, **{RUN_ID_VARIABLE: "another-run"})
    patient(children, LOCAL_DIRS=f"/elsewhere{node}/local")
    pids = {process.pid for process in belonging_to("the-run", tmp_path)}
    assert pids == {daemon.pid, container.pid, neighbour.pid}
    assert [process.pid for process in containers_of(node)] == [container.pid]


class Told(subprocess.Popen[bytes]):
    """A child that has ended. While it is asked, another thread starts one, and notes the end of this one."""

    def __init__(self, pid: int, meanwhile: list[Told]) -> None:
        self.pid = pid
        self.returncode: int | None = 0
        self._meanwhile = meanwhile

    def poll(self) -> int | None:
        while self._meanwhile:
            remember_child(self._meanwhile.pop())
        return self.returncode

    def __del__(self) -> None:
        """Nothing was started."""


def test_children_that_start_while_others_are_noted_to_have_ended() -> None:
    """A worker of Dask starts and ends nodes in threads."""
    never = -100
    remember_child(Told(never, [Told(never - 1, [])]))
    assert wait_until_gone([], 0) == []
    wait_until_gone([], 0)
    assert exit_status(never) is exit_status(never - 1) is None
