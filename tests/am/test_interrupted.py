"""Ctrl-C, and once more while the application is being ended: what was staged for it does not stay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pytest

from yarnbox.am.connection import Connection
from yarnbox.am.mapreduce.client import JobClient
from yarnbox.am.shell.client import ShellClient
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.am.staging import STAGING_PROPERTY, GivenFile
from yarnbox.am.submit import Submitter
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import BlockingStub, ConnectionFailedError
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import (
    GetApplicationReportResponse,
    GetNewApplicationResponse,
    KillApplicationResponse,
)
from yarnbox.yarn.resources.resource import Resource

APP = ApplicationId(1, 1)


class RM:
    """Has an application whose AM has not started, and takes its time to end it: until then whoever waits is
    interrupted.
    """

    def __init__(self, patience: int) -> None:
        self._asked_left = patience

    def call(self, rpc: str, _request: Any, timeout_s: float | None = None) -> Any:
        if rpc == "getNewApplication":
            return GetNewApplicationResponse(application_id=APP, maximum_capability=Resource(8192, 8))
        if rpc == "getApplicationReport":
            report = ApplicationReport(
                application_id=APP, yarn_application_state=YarnApplicationState.ACCEPTED
            )
            return GetApplicationReportResponse(application_report=report)
        if rpc == "forceKillApplication":
            self._asked_left -= 1
            if self._asked_left < 0:
                raise KeyboardInterrupt
            return KillApplicationResponse(is_kill_completed=False)
        assert rpc == "submitApplication"
        return None


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    properties = {
        "mapreduce.output.fileoutputformat.outputdir": str(tmp_path / "out"),
        "mapreduce.jobhistory.intermediate-done-dir": str(tmp_path / "history"),
    }
    return Configuration().overlaid(properties)


@pytest.fixture
def rm() -> Iterator[RM]:
    rm = RM(1)
    submitter = Submitter(cast(BlockingStub, rm))
    with mock.patch.object(Connection, "submitter", return_value=submitter):
        yield rm


def files(directory: Path) -> list[Path]:
    """All that is in it."""
    return [path for path in directory.rglob("*") if path.is_file()]


@pytest.mark.parametrize("scheme", ["", "file://"])
@pytest.mark.usefixtures("rm")
def test_nothing_stays_of_a_job(configuration: Configuration, tmp_path: Path, scheme: str) -> None:
    staging = tmp_path / "staging"
    staged = configuration.overlaid({STAGING_PROPERTY: f"{scheme}{staging}"})
    client = JobClient(staged, "ann")
    assert client.submit([]) == APP
    assert files(staging)
    with pytest.raises(KeyboardInterrupt):
        client.kill(APP)
    assert not files(staging)


@pytest.mark.usefixtures("rm")
def test_nothing_stays_of_a_shell(configuration: Configuration, tmp_path: Path) -> None:
    staging, given = tmp_path / "staging", tmp_path / "given"
    given.write_text("text")
    client = ShellClient(configuration.overlaid({STAGING_PROPERTY: str(staging)}), "ann")
    assert client.submit(ShellSpec(command="true"), [GivenFile.parse(str(given))]) == APP
    assert files(staging)
    with pytest.raises(KeyboardInterrupt):
        client.kill(APP)
    assert not files(staging)


def test_what_the_rm_does_not_know_of_is_not_taken_away(
    configuration: Configuration, tmp_path: Path, rm: RM
) -> None:
    """The application runs on, and needs it."""
    staging = tmp_path / "staging"
    client = JobClient(configuration.overlaid({STAGING_PROPERTY: str(staging)}), "ann")
    client.submit([])
    there = files(staging)
    with (
        mock.patch.object(rm, "call", side_effect=ConnectionFailedError("nobody")),
        pytest.raises(ConnectionFailedError),
    ):
        client.kill(APP)
    assert there == files(staging) != []
