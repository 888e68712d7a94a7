"""Commands as mappers and reducers: lines in, lines out, reports on stderr, statuses."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.task_rig import Surroundings
from yarnbox.am.job_command.command import parser
from yarnbox.am.mapreduce.api import MapContext, ReduceContext, Tally
from yarnbox.am.mapreduce.streaming.commands import StreamMapper, StreamReducer
from yarnbox.am.mapreduce.streaming.options import properties
from yarnbox.am.mapreduce.streaming.pipes import CommandFailedError, Fields, words_of
from yarnbox.am.submit import SubmissionError
from yarnbox.yarn.configuration import Configuration


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The task's directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Out:
    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []

    def emit(self, key: Any, value: Any) -> None:
        self.pairs.append((key, value))

    def emit_all(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        self.pairs.extend(pairs)


class Ran:
    """A mapper that ran over some lines."""

    def __init__(self, command: str, text: bytes = b"", **stream: str) -> None:
        given = {f"stream.{name.replace('_', '.')}": value for name, value in stream.items()}
        options = parser().parse_args(["streaming", "-input", "in", "-output", "out", "-mapper", command])
        self.surroundings = Surroundings({**properties(options), **given})
        self.tally, self.out = Tally(), Out()
        StreamMapper().run(
            MapContext(
                self.records, lambda: iter([text] if text else []), self.out, self.tally, self.surroundings
            )
        )

    def records(self) -> Iterator[tuple[Any, Any]]:
        raise AssertionError("lines of text are fed as they are")


def script(code: str) -> str:
    Path("script.py").write_text(code)
    return f"{sys.executable} script.py"


def test_lines_go_in_and_pairs_come_out() -> None:
    assert Ran("cat", b"a\t1\nb\t2\t3\nc\n").out.pairs == [(b"a", b"1"), (b"b", b"2\t3"), (b"c", b"")]
    assert Ran("tr a-z A-Z", b"no end").out.pairs == [(b"NO END", b"")]
    many = b"".join(b"%d\n" % number for number in range(50_000))
    assert Ran("cat", many).out.pairs == [(line, b"") for line in many.splitlines()]


def test_a_command_runs_although_there_is_no_input() -> None:
    assert Ran("echo done").out.pairs == [(b"done", b"")]


@pytest.mark.parametrize(
    "line, fields, pair",
    [
        (b"11.12.1.2.x", Fields(".", 4), (b"11.12.1.2", b"x")),
        (b"a.b", Fields(".", 4), (b"a.b", b"")),
        (b"a.b.", Fields(".", 2), (b"a.b", b"")),
        (b"a--b--c", Fields("--", 2), (b"a--b", b"c")),
        (b"a", Fields("\t", 1), (b"a", b"")),
    ],
)
def test_keys_end_at_the_nth_separator(line: bytes, fields: Fields, pair: tuple[bytes, bytes]) -> None:
    assert fields.pair(line) == pair


def test_separator_and_number_of_key_fields_are_properties() -> None:
    ran = Ran("cat", b"a.b.c\n", map_output_field_separator=".", num_map_output_key_fields="2")
    assert ran.out.pairs == [(b"a.b", b"c")]


def test_words_are_split_at_blanks_and_quotes_group() -> None:
    assert words_of("awk '{print $1, \"x\"}' a\\b \"c d\" #e") == [
        "awk", '{print $1, "x"}', "a\\b", "c d", "#e",
    ]  # fmt: skip
    with pytest.raises(CommandFailedError, match="a quote is not closed"):
        words_of("awk '{")


def test_a_command_sees_the_jobs_properties_and_its_own_variables() -> None:
    code = "import os\nfor n in ('stream_my_property', 'X', 'TMPDIR'): print(os.environ[n])"
    options = ["-cmdenv", "X=two words '\""]
    Path("script.py").write_text(code)
    given = ["streaming", "-input", "i", "-output", "o", "-mapper", f"{sys.executable} script.py", *options]
    surroundings = Surroundings({**properties(parser().parse_args(given)), "stream.my-property": "seen"})
    out = Out()
    StreamMapper().run(MapContext(lambda: iter([]), lambda: iter([]), out, Tally(), surroundings))
    assert [key.decode() for key, _ in out.pairs] == ["seen", "two words '\"", str(Path.cwd() / "tmp")]


def test_reports_on_stderr_count_and_say(capfd: pytest.CaptureFixture[str]) -> None:
    ran = Ran(
        script(
            "import sys\n"
            "for line in sys.stdin:\n"
            "    print('reporter:counter:UserCounters,InputLines,1', file=sys.stderr)\n"
            "print('reporter:counter:UserCounters,2', file=sys.stderr)\n"
            "print('reporter:status:nearly', 'there', file=sys.stderr)\n"
            "print('for the log', file=sys.stderr)\n"
        ),
        b"a\nb\nc\n",
    )
    assert ran.tally.groups["UserCounters"] == {"InputLines": 3}
    assert ran.surroundings.status == "nearly there"
    seen = capfd.readouterr().err.splitlines()
    assert seen == ["WARN: Cannot parse the report 'reporter:counter:UserCounters,2'", "for the log"]


def test_a_command_that_fails_fails_the_task_unless_the_job_says_otherwise() -> None:
    failing = script("import sys\nfor line in sys.stdin: print(line.strip())\nsys.exit(3)")
    with pytest.raises(CommandFailedError, match=r"waitOutputThreads\(\): subprocess failed with code 3: "):
        Ran(failing, b"a\n")
    assert Ran(failing, b"a\n", non_zero_exit_is_failure="false").out.pairs == [(b"a", b"")]
    with pytest.raises(CommandFailedError, match="Broken pipe"):
        Ran("true", b"line\n" * 1_000_000)
    with pytest.raises(CommandFailedError, match="Cannot run program 'no-such-program': No such file"):
        Ran("no-such-program")


def test_a_program_of_the_tasks_directory_is_made_executable(work: Path) -> None:
    (work / "mine.sh").write_text("#!/bin/sh\nsed s/a/b/\n")
    assert Ran("mine.sh", b"a\n").out.pairs == [(b"b", b"")]
    assert os.access(work / "mine.sh", os.X_OK)


def test_a_reducer_gets_a_line_for_each_value_in_one_run() -> None:
    groups = [(b"a", iter([b"1", b"2"])), ("b", iter([3]))]
    surroundings = Surroundings({"stream.reduce.streamprocessor": "cat+-n"})
    out = Out()
    StreamReducer().run(ReduceContext(lambda: iter(groups), out, Tally(), surroundings))
    assert [(key.strip(), value) for key, value in out.pairs] == [
        (b"1", b"a\t1"), (b"2", b"a\t2"), (b"3", b"b\t3"),
    ]  # fmt: skip


def options_of(*words: str) -> dict[str, str]:
    return properties(
        parser().parse_args(["streaming", "-input", "a,b", "-input", "c", "-output", "o", *words])
    )


def test_options_become_properties() -> None:
    here = Path.cwd()
    found = options_of("-mapper", "sed s/a/b/", "-reducer", "NONE", "-file", "x.py", "-files", "y#z,w")
    assert found["mapreduce.input.fileinputformat.inputdir"] == f"{here}/a,{here}/b,{here}/c"
    assert found["mapreduce.job.reduces"] == "0"
    assert found["mapreduce.job.cache.files"] == f"{here}/x.py,{here}/y#z,{here}/w"
    assert found["stream.map.streamprocessor"] == "sed+s%2Fa%2Fb%2F", "nothing in it is expanded"
    assert "mapreduce.job.reduce.class" not in found
    assert options_of("-reducer", "cat", "-numReduceTasks", "3")["mapreduce.job.reduces"] == "3"
    with pytest.raises(SubmissionError, match="a quote is not closed"):
        options_of("-mapper", "awk '")
    command = Configuration.of(options_of("-mapper", "echo ${user.name}")).value("stream.map.streamprocessor")
    assert command == "echo+%24%7Buser.name%7D"
