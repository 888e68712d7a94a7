"""The run directory: never somebody else's, found again, told in one line when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.directory import ClusterError, ClusterRecord, NodeRecord, RunDirectory
from yarnbox.cluster.processes import ProcessId


def record() -> ClusterRecord:
    made = ClusterRecord("id", "127.0.0.1:8050", "127.0.0.1:8088", "fifo", rm=ProcessId(1, 2.5))
    made.nodes["nm1"] = NodeRecord("nm1", "/rack1", ProcessId(3, 4.5))
    made.nodes["nm2"] = NodeRecord("nm2", "/rack2")
    return made


def test_the_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    run.create()
    run.save(record())
    assert run.load() == record()
    assert [process.pid for process in run.load().processes()] == [1, 3]


def test_a_directory_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ClusterError, match="is not empty and holds no cluster; choose another"):
        RunDirectory(tmp_path).create()
    with pytest.raises(ClusterError, match="is not a directory"):
        RunDirectory(tmp_path / "thesis.txt").create()
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_path_that_a_shell_would_take_apart_is_refused(tmp_path: Path) -> None:
    for name in ("my run", "a;b", "$HOME", "it's"):
        with pytest.raises(ClusterError, match="mean something to a shell"):
            RunDirectory(tmp_path / name).create()
        assert not (tmp_path / name).exists()


def test_an_earlier_life_is_forgotten_but_for_its_logs(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.create()
    run.save(record())
    (run.node("nm1") / "local").mkdir(parents=True)
    (run.path / "yarn-site.xml").write_text("<configuration/>")
    (run.logs / "rm.log").write_text("it ran\n")
    run.forget_earlier_life()
    assert not run.node("nm1").exists()
    assert not (run.path / "yarn-site.xml").exists()
    assert (run.logs / "rm.log").read_text() == "it ran\n"


def test_no_cluster_is_one_line(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "none")
    with pytest.raises(ClusterError, match=r"there is no cluster in .*none: start one with `yarnbox up`"):
        run.load()
    run.create()
    run.record_file.write_text("{")
    with pytest.raises(
        ClusterError, match=r"cannot be read: .*; remove it, or name another directory with --dir"
    ):
        run.load()
    run.save(record())
    with pytest.raises(ClusterError, match="is not running"):
        Cluster(run).load_running()


def test_nodes_are_numbered_and_named_when_unknown() -> None:
    made = record()
    assert made.next_node_name() == "nm3"
    assert made.node("nm2").rack == "/rack2"
    with pytest.raises(ClusterError, match="there is no node nm9; the nodes are nm1, nm2"):
        made.node("nm9")


def test_the_directory_is_chosen_by_option_then_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("YARNBOX_DIR", raising=False)
    assert RunDirectory.chosen(None).path == tmp_path / ".yarnbox"
    monkeypatch.setenv("YARNBOX_DIR", "other")
    assert RunDirectory.chosen(None).path == tmp_path / "other"
    assert RunDirectory.chosen("given").path == tmp_path / "given"


def test_pids_lie_about_for_people(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.create()
    run.write_pid("rm", ProcessId(42, 1.0))
    assert (run.pids / "rm.pid").read_text() == "42\n"
    run.write_pid("rm", None)
    assert not (run.pids / "rm.pid").exists()
