"""`yarnbox job`: what cannot be done is one line that names the thing and the remedy, and nothing is left."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from tests.am.little_cluster import HOST, little_cluster
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.am.job_command.command import OUTPUT, Program, main, parser
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.ids import ApplicationId

PROGRAM = (
    "import sys; from yarnbox.am.job_command.command import main; sys.exit(main(sys.argv[2:], sys.argv[1]))"
)


@dataclass(frozen=True)
class Outcome:
    """How a run of the command ended."""

    status: int
    out: str
    err: str
    calls: tuple[str, ...] = ()


def _environment(directory: Path) -> dict[str, str]:
    conf = str(directory / "conf")
    return {"PYTHONPATH": str(ROOT / "src"), "YARN_CONF_DIR": conf, "HADOOP_USER_NAME": "tester"}


def in_a_process(directory: Path, *words: str) -> Outcome:
    """Runs the command as a shell does."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(directory / "run"), *words],
        cwd=directory,
        capture_output=True,
        env={**os.environ, **_environment(directory)},
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def here(directory: Path, *words: str) -> Outcome:
    """Runs it in this process, which takes a tenth of the time."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(directory),
        mock.patch.dict(os.environ, _environment(directory)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = main([*words], str(directory / "run"))
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Outcome(status, out.getvalue(), err.getvalue())


def job(directory: Path, *words: str) -> Outcome:
    """Runs the command against a little cluster."""

    async def run() -> Outcome:
        async with little_cluster(directory, ApplicationId(1, 1)) as little:
            _configure(directory, little.rm_port)
            outcome = await asyncio.to_thread(here, directory, *words)
            return Outcome(outcome.status, outcome.out, outcome.err, tuple(little.client_calls))

    return asyncio.run(run())


def _configure(directory: Path, port: int) -> None:
    (directory / "conf").mkdir()
    configuration = Configuration.of({"yarnbox.resourcemanager.grpc.address": f"{HOST}:{port}"})
    (directory / "conf" / "yarn-site.xml").write_text(configuration.to_xml(), encoding="utf-8")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "input").write_text("some words\n")
    (tmp_path / "taken").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "words, message",
    [
        ("wordcount nothing out", "Input path does not exist: .*/nothing"),
        ("wordcount input taken", "Output directory .*/taken already exists: name another one, or remove it"),
        ("wordcount --queue nowhere input out", "there is no queue nowhere; --queue names another"),
        (
            "wordcount -D mapreduce.map.memory.mb=9000 input out",
            "<memory:9000, vCores:1> exceeds .* <memory:8192, vCores:8>: lower it with -D mapreduce.map",
        ),
        ("shell --memory 9000 -- date", "a container of <memory:9000, vCores:1> exceeds the largest"),
        ("shell --queue nowhere -- date", "there is no queue nowhere"),
        ("mapreduce --mapper no.such input out", "no.such is not the dotted name of anything"),
        ("wordcount in,put out", "has a comma"),
    ],
)
def test_what_cannot_be_done_is_one_line(directory: Path, words: str, message: str) -> None:
    outcome = job(directory, *words.split())
    assert outcome.status == 1
    (line,) = outcome.err.splitlines()
    assert line.startswith("yarnbox: ")
    assert re.search(message, line), line
    assert "submitApplication" not in outcome.calls
    assert not (directory / "out").exists()
    assert not (directory / "run").exists()


@pytest.mark.parametrize(
    "words, message",
    [
        ("wordcount -D mapreduce.job.reduces=many input out", "mapreduce.job.reduces = 'many'"),
        ("wordcount -D nonsense input out", "`nonsense` is not of the form name=value"),
        ("shell --placement-spec zk -- date", "Expecting source allocation tag"),
        ("shell", "no command: write one behind --"),
        ("shell --shell-env X -- date", "'X' is not of the form NAME=VALUE"),
        ("shell --shell-env 1X=2 -- date", "'1X' is not the name of an environment variable"),
        ("shell --shell-command date -- date", "two commands, behind -- and in --shell-command"),
        ("shell --retry-error-codes 1,x -- date", "'1,x' is not a list of exit statuses such as 1,137"),
        ("pi 0 10", "'0' is not a whole number of at least 1"),
        ("wordcuont a b", "there is no job wordcuont (did you mean wordcount?)"),
        ("juggle", "there is no job juggle; `yarnbox job --help` lists them"),
    ],
)
def test_a_wrong_command_line_is_status_2(directory: Path, words: str, message: str) -> None:
    outcome = job(directory, *words.split())
    assert outcome.status == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_a_line_of_a_shell_as_one_word_is_told_how_to_be_written(directory: Path) -> None:
    outcome = job(directory, "shell", "--", "exit 3")
    assert outcome.status == 2
    assert "hence the name of a program. For a line of a shell, write -- sh -c 'exit 3'" in outcome.err


def test_without_a_cluster_the_address_and_the_remedy_are_named(directory: Path) -> None:
    _configure(directory, 1)
    outcome = in_a_process(directory, "pi", "1", "1")
    assert outcome.status == 1
    assert outcome.err == (
        "yarnbox: cannot reach the ResourceManager at 127.0.0.1:1: start a cluster with `yarnbox up`, "
        "or name a running one with --dir\n"
    )


def test_a_result_that_is_on_another_host_is_told_with_the_remedy(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Program, "run_job", lambda *given: True)  # elsewhere
    outcome = here(directory, "pi", "1", "1", "-D", f"{OUTPUT}=/no/such/place")
    assert outcome.status == 1
    assert outcome.err == (
        "yarnbox: the job has written to /no/such/place on another host: name a directory that all hosts"
        f" share, or a URL, with -D {OUTPUT}=DIR\n"
    )


def test_a_directory_that_was_there_is_not_removed(directory: Path) -> None:
    outcome = job(directory, "pi", "-D", f"{OUTPUT}={directory / 'taken'}", "1", "1")
    assert "already exists" in outcome.err
    assert (directory / "taken").is_dir()


@pytest.mark.parametrize(
    "staging, is_shared", [("/shared", True), ("file:/shared", True), ("yarnbox:", False)]
)
def test_a_job_leaves_its_history_here_where_hosts_share_a_directory(
    tmp_path: Path, staging: str, is_shared: bool
) -> None:
    words = ["pi", "-D", f"yarn.app.mapreduce.am.staging-dir={staging}", "1", "1"]
    program = Program(parser().parse_args(words), tmp_path, "yarn")
    with mock.patch("yarnbox.am.job_command.command.JobClient") as client:
        program.client({})
    history = client.call_args.args[0].value("mapreduce.jobhistory.intermediate-done-dir")
    assert history == (str(tmp_path / "history" / "done_intermediate") if is_shared else None)
