"""Jobs that survive what is done to their cluster, with the right answer: nodes that die, hang and come back,
an RM that is killed.
"""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster import wait_until
from tests.processes.conftest import Desk
from yarn.ids import ApplicationId, ContainerId
from yarn.records.application import ApplicationReport
from yarn.records.client import (
    GetApplicationAttemptsRequest,
    GetApplicationsRequest,
    GetContainersRequest,
)
from yarn.records.container import ContainerReport
from yarn.rpc import BlockingStub

pytestmark = pytest.mark.xdist_group("processes")

SMALL_NODES = ("-D", "yarn.nodemanager.resource.memory-mb=2048")
"""Two containers each, so that a job is spread over all of them."""
ONE_SPLIT_A_FILE = ("-D", "mapreduce.input.fileinputformat.split.maxsize=200000")
FAST_EXPIRY = ("-D", "yarn.nm.liveness-monitor.expiry-interval-ms=1500")
WORDS = [f"word{number % 997}" for number in range(60_000)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """Twelve files of words: one split each."""
    directory = tmp_path / "text"
    directory.mkdir()
    for number in range(12):
        (directory / f"{number}.txt").write_text(" ".join(WORDS[number::3]) + "\n")
    return directory


class View:
    """What the RM says of the one application that there is."""

    def __init__(self, desk: Desk) -> None:
        self._address = desk.run.load().rm_address

    def call(self, rpc: str, request: object) -> Any:
        with BlockingStub(self._address, "ApplicationClientProtocolService", user="test") as stub:
            return stub.call(rpc, request)

    def application(self) -> ApplicationReport | None:
        found = self.call("getApplications", GetApplicationsRequest()).applications
        return found[-1] if found else None

    def application_id(self) -> ApplicationId:
        report = self.application()
        assert report is not None
        assert report.application_id is not None
        return report.application_id

    def attempts(self) -> int:
        request = GetApplicationAttemptsRequest(application_id=self.application_id())
        return len(self.call("getApplicationAttempts", request).application_attempts)

    def containers(self) -> dict[ContainerId, ContainerReport]:
        """The live containers of the current attempt, the AM's first."""
        report = self.application()
        if report is None or report.current_application_attempt_id is None:
            return {}
        request = GetContainersRequest(application_attempt_id=report.current_application_attempt_id)
        found = self.call("getContainers", request).containers
        return dict(sorted((one.container_id, one) for one in found))

    def am_host(self) -> str:
        return next(iter(self.hosts()))

    def hosts(self) -> list[str]:
        """Where they are, the AM's host first."""
        return [one.node_id.host for one in self.containers().values() if one.node_id is not None]


@contextmanager
def running_job(desk: Desk, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A job that has begun with its tasks; it has to succeed."""
    command = desk.start("job", *words)
    try:
        view = View(desk)
        assert wait_until(lambda: command.poll() is not None or len(set(view.hosts())) > 1, 60)
        assert command.poll() is None, command.communicate()
        yield command
        out, err = command.communicate(timeout=90)
        assert command.returncode == 0, out + err
    finally:
        command.kill()
        command.communicate()


def counted(directory: Path) -> dict[str, int]:
    lines = [line.split("\t") for part in directory.glob("part-*") for line in part.read_text().splitlines()]
    return {word: int(number) for word, number in lines}


def expected(text: Path) -> dict[str, int]:
    return dict(Counter(word for file in text.iterdir() for word in file.read_text().split()))


def other_host(view: View) -> str:
    """A host with tasks that is not the AM's."""
    hosts: list[str] = []

    def is_found() -> bool:
        everywhere = view.hosts()
        hosts[:] = [host for host in everywhere if host != everywhere[0]]
        return bool(hosts)

    assert wait_until(is_found, 30)
    return hosts[0]


def wordcount(desk: Desk, text: Path, then: Callable[[View], None], *words: str) -> None:
    """Counts words, does something meanwhile, and compares the answer."""
    output = text.parent / "counts"
    with running_job(desk, "wordcount", *ONE_SPLIT_A_FILE, *words, str(text), str(output)):
        then(View(desk))
    assert counted(output) == expected(text)
    assert (output / "_SUCCESS").exists()


def test_a_node_dies_under_a_job(desk: Desk, text: Path) -> None:
    desk.up(*SMALL_NODES, *FAST_EXPIRY)

    def kill(view: View) -> None:
        host = other_host(view)
        desk.cluster.kill_node(host)
        desk.wait_for(host, "LOST")

    wordcount(desk, text, kill)
    assert View(desk).attempts() == 1


def test_the_node_of_the_am_dies_and_that_is_not_held_against_it(desk: Desk, text: Path) -> None:
    desk.up(*SMALL_NODES, *FAST_EXPIRY)

    def kill_twice(view: View) -> None:
        first = view.am_host()
        desk.cluster.kill_node(first)
        assert wait_until(lambda: view.attempts() == 2 and bool(view.hosts()), 60)
        desk.cluster.restart_node(first)
        desk.cluster.kill_node(view.am_host())
        assert wait_until(lambda: view.attempts() == 3, 60)

    wordcount(desk, text, kill_twice, "-D", "mapreduce.am.max-attempts=2")


def test_a_node_hangs_for_too_long_and_comes_back(desk: Desk, text: Path) -> None:
    desk.up(*SMALL_NODES, *FAST_EXPIRY)

    def stop_and_continue(view: View) -> None:
        host = other_host(view)
        desk.yarnbox("kill-node", host, "--signal", "STOP")
        desk.wait_for(host, "LOST")
        desk.yarnbox("kill-node", host, "--signal", "CONT")
        desk.wait_for(host, "RUNNING")

    wordcount(desk, text, stop_and_continue)
    assert View(desk).attempts() == 1


def test_the_rm_is_killed_and_the_job_goes_on(desk: Desk, text: Path) -> None:
    desk.up(*SMALL_NODES)
    before = desk.run.load().rm

    wordcount(desk, text, lambda _: desk.cluster.restart_rm(signal.SIGKILL))
    assert desk.run.load().rm != before
    assert View(desk).attempts() == 1
    assert "NodeStarted" in desk.yarnbox("events")


def test_down_takes_running_containers_with_it(desk: Desk) -> None:
    desk.up("--nodes", "2")
    command = desk.start("job", "shell", "--containers", "3", "--", "sleep", "600")
    try:
        assert wait_until(lambda: len(View(desk).containers()) == 4, 60)
        desk.remember()
        desk.yarnbox("down")
        assert desk.leftovers() == []
    finally:
        command.kill()
        command.communicate()
