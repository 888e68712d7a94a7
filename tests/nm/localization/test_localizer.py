"""Resources fetched from real files: checks, types, archives that would break out."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from yarnbox.nm.effects import FetchResource
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.localization.localizer import FetchError, Localizer
from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.storage import remote_files

PRIVATE = CacheKey(LocalResourceVisibility.PRIVATE, "alice")
PUBLIC = CacheKey(LocalResourceVisibility.PUBLIC)
FILE, ARCHIVE, PATTERN = LocalResourceType.FILE, LocalResourceType.ARCHIVE, LocalResourceType.PATTERN


def _fetch(
    tmp_path: Path,
    source: Path,
    kind: LocalResourceType = FILE,
    cache: CacheKey = PRIVATE,
    pattern: str = "",
    *,
    url: str | None = None,
    timestamp: int | None = None,
) -> tuple[Path, int]:
    layout = Layout([str(tmp_path / "local")], [str(tmp_path / "logs")])
    moment = source.stat().st_mtime_ns // 1_000_000 if timestamp is None else timestamp
    key = ResourceKey(url or f"file://{source}", moment, kind, pattern)

    async def body() -> tuple[str, int]:
        return await Localizer(layout, 2).fetch(FetchResource(cache, key, "0/10"))

    path, size = asyncio.run(body())
    return Path(path), size


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "data.txt"
    path.write_text("content")
    os.utime(path, ns=(0, 1_700_000_000_123_999_999))  # a moment that floating point would round up
    return path


@pytest.mark.parametrize("form", ["file://{}", "{}", "local://{}", "file:{}"])
def test_a_file_is_copied(tmp_path: Path, source: Path, form: str) -> None:
    path, size = _fetch(tmp_path, source, url=form.format(source), timestamp=1_700_000_000_123)
    assert path == tmp_path / "local" / "usercache" / "alice" / "filecache" / "0" / "10" / "data.txt"
    assert (path.read_text(), size) == ("content", 7)
    source.write_text("changed")
    assert path.read_text() == "content"


def test_a_source_that_has_changed(tmp_path: Path, source: Path) -> None:
    with pytest.raises(FetchError, match=r"Resource .*data.txt changed on src filesystem"):
        _fetch(tmp_path, source, timestamp=1_700_000_000_124)
    assert list((tmp_path / "local").rglob("*.txt")) == []


def fsspec_url(path: Path) -> str:
    """A file as one of fsspec's filesystems knows it."""
    return f"simplecache::file://{path}"


def told_ms(url: str) -> int:
    """When that filesystem says that the file was written."""
    moment = remote_files.status(url).modified_ms
    assert moment is not None
    return moment


def test_a_resource_of_any_filesystem_that_fsspec_knows(tmp_path: Path, source: Path) -> None:
    url = fsspec_url(source)
    path, size = _fetch(tmp_path, source, url=url, timestamp=told_ms(url))
    assert (path.name, path.read_text(), size) == ("data.txt", "content", 7)
    assert [one.name for one in path.parent.iterdir()] == ["data.txt"]
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("inner/two.txt", "more")
    url = fsspec_url(tmp_path / "all.zip")
    path, _ = _fetch(tmp_path, source, ARCHIVE, url=url, timestamp=told_ms(url))
    assert (path / "inner" / "two.txt").read_text() == "more"


def test_a_remote_resource_that_has_changed_or_gone(tmp_path: Path, source: Path) -> None:
    with pytest.raises(FetchError, match="changed on src filesystem - expected: 1, was: 17000000"):
        _fetch(tmp_path, source, url=fsspec_url(source), timestamp=1)
    with pytest.raises(FetchError, match="none does not exist"):
        _fetch(tmp_path, source, url=fsspec_url(tmp_path / "none"), timestamp=1)


def test_a_filesystem_that_tells_no_times_is_believed(tmp_path: Path) -> None:
    (tmp_path / "up").write_text("content")
    assert remote_files.upload(tmp_path / "up", "memory:///believed/up").modified_ms is None
    path, _ = _fetch(tmp_path, tmp_path, url="memory:///believed/up", timestamp=1)
    assert path.read_text() == "content"
    remote_files.remove("memory:///believed")
    with pytest.raises(FetchError, match="does not exist"):
        _fetch(tmp_path, tmp_path, url="memory:///believed/up", timestamp=1)


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="does not exist"):
        _fetch(tmp_path, tmp_path / "nothing", timestamp=1)


def test_another_file_system(tmp_path: Path, source: Path) -> None:
    with pytest.raises(FetchError, match="No FileSystem for scheme 'nosuch'"):
        _fetch(tmp_path, source, url="nosuch://nn/data.txt")


def test_what_is_public_has_to_be_so(tmp_path: Path, source: Path) -> None:
    source.chmod(0o600)
    with pytest.raises(FetchError, match="is not publicly accessible"):
        _fetch(tmp_path, source, cache=PUBLIC)


def _zip(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            archive.writestr(info, text)
    return path


def _tar(path: Path, members: dict[str, str]) -> Path:
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.mark.parametrize("name", ["a.zip", "a.jar", "a.tar", "a.tar.gz", "a.tgz"])
def test_archives_are_unpacked_by_their_ending(tmp_path: Path, name: str) -> None:
    make = _zip if name.endswith((".zip", ".jar")) else _tar
    path, size = _fetch(tmp_path, make(tmp_path / name, {"top/a.txt": "A", "b.sh": "BB"}), ARCHIVE)
    assert path.is_dir()
    assert path.name == name
    assert (path / "top" / "a.txt").read_text() == "A"
    assert size == 3
    if make is _zip:
        assert os.access(path / "b.sh", os.X_OK)


def test_an_archive_of_another_ending_is_copied(tmp_path: Path, source: Path) -> None:
    path, _ = _fetch(tmp_path, source, ARCHIVE)
    assert path.read_text() == "content"


def test_a_pattern_takes_some_members_and_keeps_the_archive(tmp_path: Path) -> None:
    jar = _zip(tmp_path / "job.jar", {"classes/A.class": "a", "lib/x.jar": "x", "other": "o"})
    path, _ = _fetch(tmp_path, jar, PATTERN, pattern=r"(?:classes/|lib/).*")
    names = sorted(str(one.relative_to(path)) for one in path.rglob("*") if one.is_file())
    assert names == ["classes/A.class", "job.jar", "lib/x.jar"]


def test_a_pattern_that_is_none(tmp_path: Path) -> None:
    jar = _zip(tmp_path / "job.jar", {"a": "a"})
    with pytest.raises(FetchError, match="is not a regular expression"):
        _fetch(tmp_path, jar, PATTERN, pattern="(")


@pytest.mark.parametrize("name", ["bad.zip", "bad.tar"])
def test_archives_cannot_break_out(tmp_path: Path, name: str) -> None:
    make = _zip if name.endswith("zip") else _tar
    with pytest.raises(FetchError):
        _fetch(tmp_path, make(tmp_path / name, {"../../escaped": "x"}), ARCHIVE)
    assert not list(tmp_path.rglob("escaped"))


def test_a_damaged_archive(tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_text("no zip")
    with pytest.raises(FetchError, match="cannot be localized"):
        _fetch(tmp_path, bad, ARCHIVE)
    assert not list((tmp_path / "local").rglob("*_tmp"))


def test_a_directory_is_copied_whole(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "a").mkdir(parents=True)
    (tree / "a" / "b").write_text("bb")
    path, size = _fetch(tmp_path, tree)
    assert (path / "a" / "b").read_text() == "bb"
    assert size == 2
