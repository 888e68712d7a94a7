"""The `yarn` command itself: finding commands, configurations and the cluster, and how it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from tests.waiting import PATIENCE_S
from yarnbox.client.main import COMMANDS, LACKING
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.version import yarnbox_version

ROOT = Path(__file__).parents[2]


def site(directory: Path, address: str) -> Path:
    """A configuration directory that names a ResourceManager."""
    directory.mkdir(parents=True, exist_ok=True)
    properties = {
        "yarnbox.resourcemanager.grpc.address": address,
        "yarn.resourcemanager.webapp.address": "127.0.0.1:0",
        "yarn.nodemanager.webapp.address": "127.0.0.1:0",
        "hadoop.tmp.dir": str(directory / "tmp"),
        "yarn.node-labels.fs-store.root-dir": str(directory / "node-labels"),
        "yarn.node-attribute.fs-store.root-dir": str(directory / "node-attribute"),
        "yarn.scheduler.configuration.leveldb-store.path": str(directory / "confstore"),
    }
    text = write((name, value, False) for name, value in properties.items())
    (directory / "yarn-site.xml").write_text(text)
    return directory


# Which command


def test_no_command_and_unknown_ones() -> None:
    result = Shell().run()
    assert (result.status, result.err) == (1, "")
    assert result.out.startswith("Usage: yarn [OPTIONS] COMMAND [ARGUMENTS]\n")
    result = Shell().run("frobnicate")
    assert result.status == 1
    assert result.err == "ERROR: frobnicate is not COMMAND nor fully qualified CLASSNAME.\n"
    assert result.out.startswith("Usage: yarn ")
    hint = "ERROR: aplication is not COMMAND nor fully qualified CLASSNAME (did you mean application?)\n"
    assert Shell().run("aplication").err == hint


@pytest.mark.parametrize("word", ["--help", "-help", "-h", "help"])
def test_help_names_every_command(word: str) -> None:
    result = Shell().run(word)
    assert result.status == 0
    assert all(f"\n{name}" in result.out for name in COMMANDS if name != "app")


@pytest.mark.parametrize("command", LACKING)
def test_commands_that_yarnbox_lacks(command: str) -> None:
    result = Shell().run(command)
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(f"yarn: {command} is a Hadoop command that yarnbox does not have")
    assert ("yarnbox convert-conf DIR" in result.err) == (command == "fs2cs")


@pytest.mark.parametrize(
    "words, message",
    [
        (("--config",), "--config needs a value"),
        (("--loglevel", "loud", "version"), "--loglevel loud: one of trace, debug, info, warn, error, fatal"),
    ],
)
def test_wrong_words_before_the_command(words: tuple[str, ...], message: str) -> None:
    result = Shell().run(*words)
    assert (result.status, result.err) == (1, f"ERROR: {message}\n")


def test_version_has_seven_lines_and_scripts_read_the_second_word() -> None:
    result = Shell().run("version")
    lines = result.out.splitlines()
    assert (result.status, len(lines)) == (0, 7)
    assert lines[0] == f"Hadoop 3.4.1 (yarnbox {yarnbox_version()})"
    starts = (
        "Hadoop ",
        "Source code repository ",
        "Compiled by ",
        "Compiled on platform ",
        "Compiled with protoc ",
        "From source with checksum ",
        "This command was run using ",
    )
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True))


def test_log_levels_decide_what_is_told(rm: FakeResourceManager, tmp_path: Path) -> None:
    attempt = "appattempt_1700000000000_0001_000001"
    conf = str(site(tmp_path, rm.address))
    told = Shell().run("--config", conf, "applicationattempt", "-fail", attempt)
    assert told.err.endswith(f"INFO client.YarnClient: Failing application attempt {attempt}.\n")
    quiet = Shell().run("--config", conf, "--loglevel", "WARN", "applicationattempt", "-fail", attempt)
    assert quiet.err == ""


# Which cluster


def test_ways_to_name_the_configuration_in_their_order(
    rm: FakeResourceManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere, good = "127.0.0.1:1", rm.address
    monkeypatch.chdir(tmp_path)
    site(tmp_path / ".yarnbox", good)
    assert Shell().run("node", "-list").status == 0

    site(tmp_path / ".yarnbox", nowhere)
    run = site(tmp_path / "run", good)
    assert Shell(environment={"YARNBOX_DIR": str(run)}).run("node", "-list").status == 0

    site(tmp_path / "run", nowhere)
    conf = site(tmp_path / "conf", good)
    both = {"YARNBOX_DIR": str(run), "HADOOP_CONF_DIR": str(conf)}
    assert Shell(environment=both).run("node", "-list").status == 0

    site(tmp_path / "conf", nowhere)
    mine = site(tmp_path / "mine", good)
    three = {**both, "YARN_CONF_DIR": str(mine)}
    assert Shell(environment=three).run("node", "-list").status == 0

    site(tmp_path / "mine", nowhere)
    last = site(tmp_path / "last", good)
    assert Shell(environment=three).run("--dir", str(last), "node", "-list").status == 0
    assert Shell(environment=three).run(f"--config={last}", "--dir", str(run), "node", "-list").status == 0


def test_a_run_directory_may_keep_its_files_in_conf(rm: FakeResourceManager, tmp_path: Path) -> None:
    site(tmp_path / "conf", rm.address)
    assert Shell().run("--dir", str(tmp_path), "node", "-list").status == 0


def test_generic_options_stand_first(rm: FakeResourceManager, tmp_path: Path) -> None:
    file = site(tmp_path, rm.address) / "yarn-site.xml"
    assert Shell().run("node", "-conf", str(file), "-list").status == 0
    setting = f"yarnbox.resourcemanager.grpc.address={rm.address}"
    assert Shell().run("node", "-conf", str(file), "-D", setting, "-list").status == 0
    assert Shell().run("node", f"-D{setting}", "-list").status == 0
    late = Shell().run("node", "-list", f"-D{setting}")
    assert (late.status, late.err.endswith(f"Unrecognized option: -D{setting}\n")) == (1, True)


def test_the_caller_is_hadoop_user_name_or_the_login_name(rm: FakeResourceManager) -> None:
    Shell(rm.address).yarn("node", "-list")
    Shell(rm.address, environment={"HADOOP_USER_NAME": "ann"}).yarn("node", "-list")
    Shell(rm.address, environment={"HADOOP_USER_NAME": ""}).yarn("node", "-list")
    first, second, third = [caller.user for caller in rm.callers]
    assert (first, second) == ("mei", "ann")
    assert third not in ("", "mei", "ann", None)


# Failing in one line


@pytest.mark.parametrize("name", ["m\u00fcller", "a\nb"])
def test_a_user_name_that_cannot_be_sent(rm: FakeResourceManager, name: str) -> None:
    result = Shell(rm.address, environment={"HADOOP_USER_NAME": name}).yarn("node", "-list")
    assert (result.status, result.out, rm.calls) == (1, "", [])
    assert result.err == (
        f"yarn: HADOOP_USER_NAME: {name!r} cannot be sent: a user's name is of printable ASCII characters\n"
    )


def test_words_that_are_no_text(shell: Shell) -> None:
    result = shell.yarn("queue", "-status", "\udcff")
    assert (result.status, result.out) == (1, "")
    assert result.err == "yarn: '\\udcff' is not valid UTF-8 and cannot be sent\n"


def test_no_resource_manager(tmp_path: Path) -> None:
    result = Shell().run("--config", str(site(tmp_path, "127.0.0.1:1")), "node", "-list")
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        "yarn: cannot reach the ResourceManager at 127.0.0.1:1 (yarnbox.resourcemanager.grpc.address, "
        f"{tmp_path}/yarn-site.xml:3): start a cluster with `yarnbox up`, or name a running one with "
        "--dir, --config or YARN_CONF_DIR\n"
    )


def test_no_resource_manager_for_rmadmin(tmp_path: Path) -> None:
    result = Shell().run("--config", str(site(tmp_path, "127.0.0.1:1")), "rmadmin", "-refreshQueues")
    assert result.status == 255
    assert result.err.startswith("refreshQueues: cannot reach the ResourceManager at 127.0.0.1:1 ")
    assert result.err.count("\n") == 1


def test_a_wildcard_address_is_reached_on_the_loopback(rm: FakeResourceManager) -> None:
    port = rm.address.rpartition(":")[2]
    assert Shell(f"0.0.0.0:{port}").yarn("node", "-list").status == 0


@pytest.mark.parametrize(
    "words, part",
    [
        (("--config", "nowhere"), "nowhere: is not a readable directory; name another with --config"),
        (("--dir", "nowhere"), "nowhere: is not a readable directory; name another with --config"),
    ],
)
def test_no_configuration_directory(words: tuple[str, ...], part: str) -> None:
    result = Shell().run(*words, "node", "-list")
    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(f"yarn: {part}")
    assert result.err.count("\n") == 1


@pytest.mark.parametrize(
    "words, part",
    [
        (("-D", "novalue"), "`novalue` is not of the form name=value"),
        (("-D",), "Missing argument for option: D"),
        (("-conf", "nothing.xml"), "nothing.xml: is not a readable file"),
        (
            ("-Dyarnbox.resourcemanager.grpc.address=no:port",),
            "-D: yarnbox.resourcemanager.grpc.address = 'no:port': must be",
        ),
    ],
)
def test_wrong_generic_options(words: tuple[str, ...], part: str) -> None:
    result = Shell().run("node", *words, "-list") if words != ("-D",) else Shell().run("node", "-D")
    assert (result.status, result.out) == (1, "")
    assert part in result.err
    assert result.err.count("\n") == 1


def test_a_defect_of_the_rm_is_one_line(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodes"] = lambda _: 1 // 0
    result = shell.yarn("node", "-list")
    assert (result.status, result.err.count("\n")) == (1, 1)
    assert "getClusterNodes" in result.err


# Real processes


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`yarn` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "yarnbox.client", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "HADOOP_USER_NAME": "mei", **environment},
    )


def test_jar_runs_a_python_client_with_the_configuration(rm: FakeResourceManager, tmp_path: Path) -> None:
    program = tmp_path / "app.py"
    program.write_text("import os, sys\nprint(os.environ['YARN_CONF_DIR'], sys.argv[1:])\nsys.exit(7)\n")
    conf = site(tmp_path / "conf", rm.address)
    done = run("--config", str(conf), "jar", str(program), "-D", "a=b", "x")
    assert (done.returncode, done.stdout, done.stderr) == (7, f"{conf} ['-D', 'a=b', 'x']\n", "")


@pytest.mark.parametrize(
    "command, wrong",
    [
        ("resourcemanager", "yarn.resourcemanager.scheduler.class=no.such.Scheduler"),
        ("nodemanager", "yarn.nodemanager.aux-services=no_such"),
    ],
)
def test_daemons_read_the_configuration_that_was_found(tmp_path: Path, command: str, wrong: str) -> None:
    """What they say of a wrong value shows that they got so far; they end with their own status."""
    done = run(command, "-D", wrong, YARN_CONF_DIR=str(site(tmp_path, "127.0.0.1:0")))
    assert (done.returncode, done.stdout) == (2, "")
    assert "no.such" in done.stderr or "no_such" in done.stderr


def test_daemons_need_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = Shell().run("resourcemanager")
    assert (result.status, result.err.count("\n")) == (255, 1)
    assert result.err.startswith("resourcemanager: name a configuration directory with --config")


@pytest.mark.parametrize(
    "words, part",
    [((), "usage: yarn jar"), (("x.jar",), "is a Java archive"), (("nothing.py",), "does not exist")],
)
def test_jar_that_cannot_be_run(words: tuple[str, ...], part: str) -> None:
    result = Shell().run("jar", *words)
    assert (result.status, result.out) == (255, "")
    assert part in result.err
    assert result.err.count("\n") == 1


def test_a_reader_that_had_enough_is_no_traceback(rm: FakeResourceManager, tmp_path: Path) -> None:
    conf = site(tmp_path, rm.address)
    command = f'"{sys.executable}" -m yarnbox.client --config "{conf}" --help | true'
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.stderr == ""


def test_exit_statuses_as_the_shell_sees_them(rm: FakeResourceManager, tmp_path: Path) -> None:
    conf = str(site(tmp_path, rm.address))
    surprises = {
        ("application",): 0,
        ("node", "-status", "n9:1"): 0,
        ("rmadmin", "-refreshQueues", "x"): 0,
        ("queue",): 255,
    }
    assert {words: run("--config", conf, *words).returncode for words in surprises} == surprises
