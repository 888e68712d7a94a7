"""The command line: commands on a cluster take --dir, and wrong words are refused before anything happens."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from yarnbox import CORE, __version__
from yarnbox.cluster.arguments import parser, without_directory
from yarnbox.cluster.directory import ClusterRecord, NodeRecord, RunDirectory
from yarnbox.cluster.main import main


def test_commands_on_a_cluster_take_a_directory() -> None:
    for words in (
        ["up", "--nodes", "5", "--racks", "2", "--scheduler", "fair", "--detach", "--port", "0", "-D", "a=b"],
        ["down"],
        ["status", "--json"],
        ["add-node", "--rack", "/r"],
        ["kill-node", "nm1", "--signal", "stop"],
        ["restart-node", "nm1"],
        ["restart-rm", "--signal", "SIGKILL"],
        ["decommission-node", "nm1", "--timeout", "5"],
        ["recommission-node", "nm1"],
        ["events", "--follow", "--json"],
    ):
        assert parser().parse_args([*words, "--dir", "d"]).dir == "d"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["dance"],
        ["up", "--nodes", "-1"],
        ["up", "--nodes", "many"],
        ["up", "--racks", "0"],
        ["up", "--port", "65536"],
        ["up", "--history-server", "many"],
        ["up", "--scheduler", "lottery"],
        ["kill-node"],
        ["kill-node", "nm1", "--signal", "HUP"],
        ["decommission-node", "nm1", "--timeout", "0"],
        ["completion", "tea"],
    ],
)
def test_wrong_words_are_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words)
    assert ended.value.code == 2
    assert "yarnbox" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, kept, directory",
    [
        (["pi", "4", "100"], ["pi", "4", "100"], None),
        (["--dir", "d", "pi", "4"], ["pi", "4"], "d"),
        (["pi", "--dir=d", "4"], ["pi", "4"], "d"),
        (["shell", "--", "ls", "--dir", "x"], ["shell", "--", "ls", "--dir", "x"], None),
    ],
)
def test_a_forwarded_command_loses_only_its_directory(
    words: list[str], kept: list[str], directory: str | None
) -> None:
    assert without_directory(words) == (kept, directory)


def test_no_cluster_is_one_line_and_status_1(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    for words in (["status"], ["down"], ["kill-node", "nm1"], ["events"], ["yarn", "node", "-list"]):
        assert main([*words, "--dir", f"{tmp_path}/none"]) == 1
        captured = capsys.readouterr()
        assert captured.err.count("\n") == 1
        assert "there is no cluster in" in captured.err


def test_the_yarn_command_alone_prints_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["yarn"]) == 1
    assert capsys.readouterr().out.startswith("Usage: yarn [OPTIONS] COMMAND [ARGUMENTS]")


def test_help_begins_with_what_the_command_does() -> None:
    (commands,) = (one for one in parser()._actions if isinstance(one, argparse._SubParsersAction))
    for listed in commands._choices_actions:
        assert listed.help is not None
        assert commands.choices[listed.dest].description, listed.dest
    assert commands.choices["health"].description == (
        "Check whether a daemon answers: for Docker and Kubernetes."
    )


def test_a_definition_needs_a_name(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    assert main(["up", "--dir", f"{tmp_path}/run", "-D", "no"]) == 2
    assert "-D no: expected NAME=VALUE" in capsys.readouterr().err


def test_a_command_that_is_none_is_told_what_is_like_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stauts"]) == 2
    told = "there is no command stauts (did you mean status?); `yarnbox --help` lists them"
    assert capsys.readouterr().err == f"yarnbox: {told}\n"


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"yarnbox {__version__} ({CORE})\n"


@pytest.mark.parametrize("name", ["YARN_CONF_DIR", "HADOOP_CONF_DIR"])
def test_job_finds_the_cluster_that_the_environment_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[object, ...]] = []

    def noted(*given: object) -> int:
        calls.append((*given, os.environ.get(name)))
        return 0

    monkeypatch.setattr("yarnbox.am.job_command.command.main", noted)
    monkeypatch.chdir(tmp_path)
    for variable in ("YARN_CONF_DIR", "HADOOP_CONF_DIR", "YARNBOX_DIR"):
        monkeypatch.delenv(variable, raising=False)
    production, run = tmp_path / "production", tmp_path / "run"
    for directory in (production, run):
        directory.mkdir()
    RunDirectory(run).save(ClusterRecord("1", "127.0.0.1:1", "127.0.0.1:2", "capacity"))
    for directory, expected in ((production, None), (run, run)):
        monkeypatch.setenv(name, str(directory))
        assert main(["job", "pi", "1", "1"]) == 0
        assert calls.pop() == (["pi", "1", "1"], expected, str(directory))


@pytest.mark.parametrize("words", [["pi", "4", "1000"], ["shell", "--", "hostname"]])
@pytest.mark.parametrize("is_named", [False, True])
def test_no_job_is_sent_to_nodes_that_run_no_programs(
    words: list[str],
    is_named: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its ApplicationMaster would be awaited for as long as one may be silent, twice."""
    nodes = {"nm1": NodeRecord("nm1", "/r", virtual=2)}
    RunDirectory(tmp_path).save(ClusterRecord("1", "127.0.0.1:1", "127.0.0.1:2", "capacity", nodes=nodes))
    for variable in ("YARN_CONF_DIR", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(variable, raising=False)
    if is_named:
        monkeypatch.setenv("YARN_CONF_DIR", str(tmp_path))
    assert main(["job", *([] if is_named else ["--dir", str(tmp_path)]), *words]) == 1
    told = "are virtual: no job runs in containers that are simulated"
    assert capsys.readouterr().err == f"yarnbox: the nodes of the cluster in {tmp_path} {told}\n"
