"""Histories that jobs leave at a URL, because hosts share no directory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from tests.am.mapreduce.history.written import eventful, published, some_info
from tests.am.mapreduce.rig import JOB
from yarnbox.am.mapreduce.history.catalog import Catalog
from yarnbox.am.mapreduce.history.files import HistoryFiles
from yarnbox.am.mapreduce.history.server import main
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.yarn.storage import remote_files

_NUMBERS = count()


@pytest.fixture
def url() -> Iterator[str]:
    found = f"memory://histories{next(_NUMBERS)}/done_intermediate"
    yield found
    remote_files.remove(found)


def left(url: str) -> list[str]:
    return [name.rpartition("/")[2] for name, _ in remote_files.files_below(url)]


def test_a_history_server_takes_in_what_was_left_by_url(tmp_path: Path, url: str) -> None:
    files = published(tmp_path, eventful(), 1000, url=url)
    assert sorted(name.rpartition(".")[2] for name in left(url)) == ["jhist", "xml"]
    catalog = Catalog(files, listed=10, loaded=1)
    assert [one.job_id for one in catalog.jobs()] == [JOB]
    assert catalog.job(str(JOB)).name == "a-job of mine"
    _, properties = catalog.configuration(str(JOB))
    assert {one["name"]: one["value"] for one in properties}["mapreduce.job.name"] == "a-job of mine"
    assert not remote_files.exists(url) or left(url) == []
    assert files.take_in() == 0


def test_a_client_finds_it_before_that_and_leaves_it(tmp_path: Path, url: str) -> None:
    published(tmp_path, eventful(), 1000, url=url)
    files = HistoryFiles(url, tmp_path / "none")
    found = files.find(JOB)
    assert found is not None
    assert found.path.exists()
    assert found.conf.exists()
    assert files.find(JobId(1, 2)) is None
    assert len(left(url)) == 2
    directory = found.path.parent
    del files
    gc.collect()
    assert not directory.exists()


def test_old_ones_that_nobody_took_in_go(tmp_path: Path, url: str) -> None:
    (tmp_path / "x").write_text("x")
    files = published(tmp_path, eventful(), 1000, url=url)
    files.publish(some_info(2, finish_ms=2000), tmp_path / "x", tmp_path / "x")
    assert files.clean(999) == 0
    assert files.clean(1500) == 1
    assert files.take_in() == 1
    assert [one.info.job_id.id for one in files.all()] == [2]


def test_a_store_that_cannot_be_reached_is_an_error_of_files(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: object, **_named: object) -> None:
        raise ConnectionResetError("the store is gone")

    monkeypatch.setattr(MemoryFileSystem, "info", broken)
    with pytest.raises(OSError, match="the store is gone"):
        HistoryFiles(url, tmp_path).take_in()


def test_a_history_server_keeps_histories_in_a_directory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    assert main(["-D", "mapreduce.jobhistory.done-dir=s3://bucket/done"]) == 2
    assert "mapreduce.jobhistory.done-dir" in capsys.readouterr().err
