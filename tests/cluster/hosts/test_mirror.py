"""The copy of the run directory: what goes there, and what comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.cluster.directory import RECORD, RunDirectory
from yarnbox.cluster.hosts import mirror
from yarnbox.cluster.hosts.mirror import Mirror, Piece, known_files, take_in, write, written


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    found = RunDirectory(tmp_path / "run")
    found.create()
    return found


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return tmp_path / "there"


def bring_back(run: RunDirectory, there: Path) -> dict[str, Piece]:
    pieces = written(str(there), ["logs", "tmp/app-logs"], known_files(run, ["logs", "tmp/app-logs"]))
    take_in(run, pieces)
    return pieces


def test_paths_of_the_run_directory_become_those_of_the_copy(run: RunDirectory) -> None:
    copy, ours = Mirror(run, "/scratch/run"), str(run.path)
    assert copy.text(ours) == "/scratch/run"
    assert copy.text(f"<value>{ours}/nodes.secret,{ours}</value>") == (
        "<value>/scratch/run/nodes.secret,/scratch/run</value>"
    )
    for other in (f"{ours}-2/x", f"{ours}.old", f"/more{ours}"):
        assert copy.text(other) == other


def test_what_daemons_read_goes_there(run: RunDirectory, there: Path) -> None:
    secret = run.path / "nodes.secret"
    secret.write_text("psst")
    secret.chmod(0o600)
    (run.path / "keys.p12").write_bytes(b"\xff\xfe" + str(run.path).encode())
    for hidden in (RECORD, ".draft"):
        (run.path / hidden).write_text("")
    conf = run.node("nm1") / "conf"
    conf.mkdir(parents=True)
    (conf / "yarn-site.xml").write_text(f"{run.path}/logs")
    copy = Mirror(run, str(there))
    write(str(there), {**copy.shared_files(), **copy.node_files("nm1")})
    found = {str(one.relative_to(there)) for one in there.rglob("*") if one.is_file()}
    assert found == {"nodes.secret", "keys.p12", "nodes/nm1/conf/yarn-site.xml"}
    assert (there / "nodes.secret").stat().st_mode & 0o777 == 0o600
    assert (there / "nodes/nm1/conf/yarn-site.xml").read_text() == f"{there}/logs"
    assert (there / "keys.p12").read_bytes() == (run.path / "keys.p12").read_bytes()


def test_only_what_is_new_comes_back(run: RunDirectory, there: Path) -> None:
    log, collected = there / "logs" / "nm1.log", there / "tmp/app-logs/ann/nm1_1"
    for file in (log, collected, there / "logs" / ".draft", collected.with_suffix(".tmp")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("one ")
    assert set(bring_back(run, there)) == {"logs/nm1.log", "tmp/app-logs/ann/nm1_1"}
    assert bring_back(run, there) == {}
    with log.open("a") as more:
        more.write("two")
    assert bring_back(run, there) == {"logs/nm1.log": Piece(4, b"two")}
    assert (run.logs / "nm1.log").read_text() == "one two"
    assert (run.path / "tmp/app-logs/ann/nm1_1").read_text() == "one "


def test_a_log_that_begins_anew_replaces_the_old_one(run: RunDirectory, there: Path) -> None:
    log = there / "logs" / "nm1.log"
    log.parent.mkdir(parents=True)
    log.write_text("a long life")
    bring_back(run, there)
    log.rename(log.with_suffix(".log.1"))
    log.write_text("another life, which is longer")
    bring_back(run, there)
    assert (run.logs / "nm1.log").read_text() == "another life, which is longer"
    assert (run.logs / "nm1.log.1").read_text() == "a long life"


def test_large_logs_come_in_pieces(run: RunDirectory, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror, "_AT_ONCE_BYTES", 5)
    (there / "logs").mkdir(parents=True)
    for name in ("nm1.log", "nm2.log", "nm3.log"):
        (there / "logs" / name).write_text("12345678")
    (there / "logs" / "empty.out").touch()
    rounds = 0
    while bring_back(run, there):
        rounds += 1
    assert rounds == 5
    assert [(run.logs / f"nm{number}.log").read_text() for number in (1, 2, 3)] == ["12345678"] * 3
    assert (run.logs / "empty.out").read_text() == ""
