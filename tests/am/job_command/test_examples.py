"""The examples that come along: what they make of a few files."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.am.mapreduce.local_job import LocalRunner, parts
from yarnbox.am.job_command.command import parser
from yarnbox.am.job_command.examples import EXAMPLES
from yarnbox.am.mapreduce.jobs.terasort import RECORD_BYTES, records
from yarnbox.am.submit import SubmissionError


def run(directory: Path, *words: str, **over: str) -> int:
    options = parser().parse_args(words)
    return EXAMPLES[options.kind].run(options, LocalRunner(directory, **over))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    words = random.Random(1).choices(["apple", "pear", "plum", "Zwetschge", "caf\udce9"], k=2000)
    path = tmp_path / "text"
    lines = [" ".join(words[at : at + 7]) for at in range(0, len(words), 7)]
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape") + b"\n")
    return path


def test_grep_counts_what_it_finds_the_most_frequent_first(tmp_path: Path, text: Path) -> None:
    assert run(tmp_path, "grep", str(text), str(tmp_path / "out"), "p[a-z]+") == 0
    counted = Counter(re.findall(b"p[a-z]+", text.read_bytes()))
    (found,) = parts(tmp_path / "out")
    pairs = [line.split(b"\t") for line in found.splitlines()]
    assert {word: int(count) for count, word in pairs} == counted
    assert [int(count) for count, _ in pairs] == sorted(counted.values(), reverse=True)
    assert run(tmp_path, "grep", str(text), str(tmp_path / "group"), "(p)l(um)", "2") == 0
    assert parts(tmp_path / "group") == [b"%d\tum\n" % text.read_bytes().count(b"plum")]


def test_grep_refuses_what_is_no_expression(tmp_path: Path, text: Path) -> None:
    with pytest.raises(SubmissionError, match=r"'\(' is not a regular expression: missing \)"):
        run(tmp_path, "grep", str(text), str(tmp_path / "out"), "(")
    with pytest.raises(SubmissionError, match="'p' has no group 1"):
        run(tmp_path, "grep", str(text), str(tmp_path / "out"), "p", "1")


def test_sort_sorts_over_all_parts(tmp_path: Path, text: Path) -> None:
    assert run(tmp_path, "sort", "-r", "3", str(text), str(tmp_path / "out")) == 0
    found = parts(tmp_path / "out")
    assert len(found) == 3
    assert all(found), "the sample cuts so that every part has some"
    assert b"".join(found).splitlines() == sorted(text.read_bytes().splitlines())


def test_terasort_sorts_what_teragen_makes_and_teravalidate_agrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, sorted_, report = (str(tmp_path / name) for name in ("rows", "sorted", "report"))
    assert run(tmp_path, "teragen", "1k", rows, **{"mapreduce.job.maps": "3"}) == 0
    made = b"".join(parts(Path(rows)))
    assert made == b"".join(records(0, 1000))
    assert run(tmp_path, "terasort", rows, sorted_, **{"mapreduce.job.reduces": "4"}) == 0
    found = parts(Path(sorted_))
    assert all(found)
    data = b"".join(found)
    rows_found = [data[at : at + RECORD_BYTES] for at in range(0, len(data), RECORD_BYTES)]
    assert rows_found == sorted(records(0, 1000))
    assert run(tmp_path, "teravalidate", sorted_, report) == 0
    said = capsys.readouterr().out
    assert said == "checksum\t1f9ffe645ec\n", "what Hadoop's says of these rows"
    # The same rows have the same check sum, sorted or not, and what is not sorted is named.
    with pytest.raises(SubmissionError, match="rows is not sorted"):
        run(tmp_path, "teravalidate", rows, str(tmp_path / "report of rows"))
    lines = capsys.readouterr().out.splitlines()
    assert said.strip() in lines
    assert any(line.startswith("error\tmisorder in part-m-00000 at ") for line in lines)
    (Path(sorted_) / "part-r-00000").rename(Path(sorted_) / "part-r-00009")
    with pytest.raises(SubmissionError):
        run(tmp_path, "teravalidate", sorted_, str(tmp_path / "report of order"))
    assert "error\tbad key partitioning: part-r-00003 ends with " in capsys.readouterr().out


def test_join_puts_together_lines_of_one_key(tmp_path: Path) -> None:
    people, pets = tmp_path / "people", tmp_path / "pets"
    people.write_text("1\tAnn\n2\tBob\n3\tCy\n")
    pets.mkdir()
    (pets / "a").write_text("2\tcat\n1\tdog\n")
    (pets / "b").write_text("2\teel\n4\tfox\n")
    assert run(tmp_path, "join", str(people), str(pets), str(tmp_path / "inner")) == 0
    assert sorted(parts(tmp_path / "inner")[0].splitlines()) == [
        b"1\tAnn\tdog", b"2\tBob\tcat", b"2\tBob\teel",
    ]  # fmt: skip
    assert run(tmp_path, "join", "-joinOp", "outer", str(people), str(pets), str(tmp_path / "outer")) == 0
    assert {b"3\tCy\t", b"4\t\tfox"} < set(parts(tmp_path / "outer")[0].splitlines())


@pytest.mark.parametrize("rows", ["0", "x", "1q", "k"])
def test_teragen_needs_a_number(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["teragen", rows, "out"])
    assert f"'{rows}' is not a number above 0" in capsys.readouterr().err
