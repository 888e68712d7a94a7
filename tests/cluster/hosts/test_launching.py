"""A daemon that is started alone: as a fork where there is a template, else by an interpreter of its own."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.directory import ClusterError, RunDirectory
from yarnbox.cluster.forkserver import TEMPLATE_VARIABLE, ForkServer, imported_once
from yarnbox.cluster.hosts.launching import Launcher

NONSENSE = ["yarnbox.nm", "--nonsense"]


def refused(launcher: Launcher) -> ClusterError:
    """Starts a daemon that cannot start; what is said of it when it has ended."""
    started = launcher.start("nm1", NONSENSE, {})
    assert wait_until(lambda: not started.is_alive(), PATIENCE_S)
    return launcher.ended("nm1", started.pid)


@pytest.mark.parametrize("is_template", [True, False])
def test_why_it_does_not_start_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_template: bool
) -> None:
    if not is_template:
        monkeypatch.delenv(TEMPLATE_VARIABLE, raising=False)
    with imported_once() if is_template else nullcontext():
        run = RunDirectory(tmp_path / "run")
        run.create()
        launcher = Launcher(run)
        error = refused(launcher)
        launcher.close()
    assert (error.status, "there is no option --nonsense" in str(error)) == (2, True)


def test_a_daemon_may_be_seen_to_be_gone_before_its_status_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads end last: until then whoever waits for it is told nothing."""
    answers = [None, None, 2]
    monkeypatch.setattr(ForkServer, "exit_status", lambda server, pid: answers.pop(0))
    with imported_once():
        run = RunDirectory(tmp_path / "run")
        run.create()
        launcher = Launcher(run)
        assert refused(launcher).status == 2
        launcher.close()
    assert answers == []
