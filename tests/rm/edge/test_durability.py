"""An RM over a store that fails, loses something or was damaged: nothing acknowledged is lost."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon
from tests.rm.edge.test_http import web
from tests.rm.edge.test_process import CLIENT, Desk, _quiet_log, definitions, play, running
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import wait_until
from yarnbox.cluster.main import main as yarnbox
from yarnbox.rm.edge.process import main
from yarnbox.rm.edge.store import FILE
from yarnbox.yarn.connection.rpc import BlockingStub, ConnectionFailedError
from yarnbox.yarn.errors import ApplicationNotFoundError, NotReadyError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    KillApplicationRequest,
    SubmitApplicationRequest,
)

__all__ = ["_quiet_log"]  # a fixture for every test here

FULL = (
    "CREATE TRIGGER full_{0} BEFORE {0} ON sealed BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
)


def change(tmp_path: Path, *statements: str) -> None:
    """What a hand, or a disk, does to the store, used or not."""
    with closing(sqlite3.connect(tmp_path / "state" / FILE, timeout=10)) as database, database:
        for statement in statements:
            database.execute(statement)


def fill_up(tmp_path: Path) -> None:
    """From now on nothing can be stored."""
    change(tmp_path, FULL.format("INSERT"), FULL.format("UPDATE"), FULL.format("DELETE"))


def make_room(tmp_path: Path) -> None:
    """Something can be stored again."""
    change(tmp_path, "DROP TRIGGER full_INSERT", "DROP TRIGGER full_UPDATE", "DROP TRIGGER full_DELETE")


# A store that fails, and real processes


@contextmanager
def resource_manager(tmp_path: Path) -> Iterator[tuple[Daemon, str]]:
    """A process, and where it serves."""
    words = [word for one in definitions(tmp_path) for word in ("-D", one)]
    (tmp_path / "conf").mkdir(exist_ok=True)
    process = Daemon("yarnbox.rm", ["--conf", str(tmp_path / "conf"), *words], tmp_path / "rm.out")
    try:
        assert wait_until(lambda: " serving " in process.said(), PATIENCE_S), process.said()
        line = next(line for line in process.said().splitlines() if " serving " in line)
        address = next(word for word in line.split() if word.startswith("address="))
        yield process, address.removeprefix("address=")
    finally:
        process.kill()
        process.wait()


def submit(stub: BlockingStub) -> ApplicationId:
    new: ApplicationId = stub.call("getNewApplication", GetNewApplicationRequest()).application_id
    context = ApplicationSubmissionContext(application_id=new, unmanaged_am=True)
    stub.call("submitApplication", SubmitApplicationRequest(application_submission_context=context))
    return new


def kill(stub: BlockingStub, application_id: ApplicationId) -> None:
    stub.call("forceKillApplication", KillApplicationRequest(application_id=application_id))


@pytest.mark.parametrize("asked", [lambda stub, _: submit(stub), kill])
def test_no_answer_leaves_before_its_turn_is_stored(
    tmp_path: Path, asked: Callable[[BlockingStub, ApplicationId], object]
) -> None:
    with resource_manager(tmp_path) as (process, address):
        with BlockingStub(address, CLIENT, user="ann") as stub:
            sound = submit(stub)
            fill_up(tmp_path)
            with pytest.raises(NotReadyError, match="its state store failed"):
                asked(stub, sound)
        assert process.wait() == 1
        assert process.said().splitlines()[-1] == "rm: state store: database or disk is full"
    make_room(tmp_path)
    with resource_manager(tmp_path) as (_, address), BlockingStub(address, CLIENT, user="ann") as stub:
        report = stub.call("getApplicationReport", GetApplicationReportRequest(application_id=sound))
        assert report.application_report.yarn_application_state.name == "ACCEPTED"
        assert submit(stub).cluster_timestamp > sound.cluster_timestamp


def test_a_store_that_is_deleted_under_an_rm_takes_no_more_submissions(tmp_path: Path) -> None:
    with resource_manager(tmp_path) as (process, address), BlockingStub(address, CLIENT, user="ann") as stub:
        submit(stub)
        (tmp_path / "state" / FILE).unlink()
        with pytest.raises((NotReadyError, ConnectionFailedError)):
            submit(stub)
        assert process.wait() == 1


# Stores that are not as they were left


def left_behind(tmp_path: Path) -> list[ApplicationId]:
    """The applications of an RM that has ended."""
    kept: list[ApplicationId] = []

    async def scene() -> None:
        async with running(tmp_path) as desk:
            kept.extend([await desk.submit(), await desk.submit()])

    play(scene)
    return kept


def starts(tmp_path: Path, capfd: pytest.CaptureFixture[str], *more: str) -> str:
    """What an RM says that does not start."""
    words = [word for one in (*definitions(tmp_path), *more) for word in ("-D", one)]
    assert main(["--conf", str(tmp_path), *words]) == 1
    return capfd.readouterr().err


def test_one_damaged_entry_is_no_reason_not_to_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, sound = left_behind(tmp_path)
    key = json.dumps(["application", str(broken)])
    change(tmp_path, f"UPDATE sealed SET value = '{{}}' WHERE key = '{key}'")

    async def scene() -> None:
        async with web(tmp_path) as caller:
            await in_the_desk(caller.desk, broken, sound)
            shown = (await caller.get("/state-store"))["stateStore"]
            assert [(json.loads(one["key"]), one["why"]) for one in shown["setAside"]] == [
                (["application", str(broken)], "its checksum is wrong")
            ]
            assert shown["fault"] == []
            assert yarnbox(["check-state", "--store", shown["path"]]) == 1
            assert f'"{broken}"]: its checksum is wrong' in capsys.readouterr().out

    play(scene)
    play(scene)


async def in_the_desk(desk: Desk, broken: ApplicationId, sound: ApplicationId) -> None:
    assert (await desk.report(sound)).user == "ann"
    with pytest.raises(ApplicationNotFoundError):
        await desk.report(broken)


def test_keys_and_counts_that_cannot_be_read_are_no_reason_either(tmp_path: Path) -> None:
    _, sound = left_behind(tmp_path)
    change(tmp_path, "UPDATE sealed SET value = 'no' WHERE key LIKE '[\"epoch%' OR key LIKE '%amrm%'")

    async def scene() -> None:
        async with running(tmp_path) as desk:
            assert (await desk.report(sound)).user == "ann"

    play(scene)


def test_a_missing_store_is_an_error_unless_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    left_behind(tmp_path)
    (tmp_path / "state" / FILE).unlink()
    assert f"the state store {tmp_path / 'state' / FILE} is missing" in starts(tmp_path, capfd)

    async def scene() -> None:
        async with running(tmp_path, yarn__resourcemanager__state_store__create_missing="true") as desk:
            await desk.submit()

    play(scene)


def test_a_store_of_another_cluster_is_an_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        left_behind(tmp_path / name)
    (tmp_path / "b" / "state" / FILE).replace(tmp_path / "a" / "state" / FILE)
    assert "is that of cluster" in starts(tmp_path / "a", capfd)


# Commands


def test_a_backup_made_while_the_rm_runs_brings_its_applications_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, copy = str(tmp_path / "state" / FILE), tmp_path / "copy"
    kept: list[Any] = []

    async def first() -> None:
        async with running(tmp_path) as desk:
            kept.append(await desk.submit())
            assert yarnbox(["backup-state", str(copy), "--store", store]) == 0
            kept.append(await desk.submit())
            assert yarnbox(["check-state", "--store", store]) == 0
            assert "every entry is there" in capsys.readouterr().out
            assert yarnbox(["backup-state", str(copy), "--store", store]) == 1
            assert yarnbox(["restore-state", str(copy), "--store", store]) == 1
            assert "another ResourceManager is using it" in capsys.readouterr().err

    async def second() -> None:
        async with running(tmp_path) as desk:
            assert (await desk.report(kept[0])).user == "ann"
            with pytest.raises(ApplicationNotFoundError):
                await desk.report(kept[1])

    play(first)
    assert yarnbox(["restore-state", str(copy), "--store", store]) == 0
    assert "rm-state.sqlite.before-1" in capsys.readouterr().out
    play(second)
