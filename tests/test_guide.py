"""The guides do what they say: their commands are carried out, and print what stands below them.

A fenced block whose first line names a file, as in "yaml borrow.yaml", is written; a block "console" has
commands behind "$", each with its output. In an output "..." stands for any text within a line, and alone on
a line for any lines. Commands are called in this process, in a directory for each page; those that need a
cluster find one that all pages share.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, Options, wait_until
from yarnbox.cluster.directory import RunDirectory
from yarnbox.cluster.main import main

PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """A command of a page, and what is printed below it."""

    words: list[str]
    expected: str


def blocks(text: str) -> Iterator[tuple[Path, str] | Call]:
    """The files and commands of a page, in their order."""
    for kind, name, body in BLOCK.findall(text):
        if kind == "console":
            yield from (Call(shlex.split(line), said) for line, said in COMMAND.findall(body))
        elif name:
            yield Path(name), body


def carry_out(call: Call) -> str:
    """What a command prints; its own words alone are known: yarnbox, and sed to change a file."""
    program, *words = call.words
    out = io.StringIO()
    if program == "sed":
        (old, new), (source, target) = _change(words)
        text = Path(source).read_text()
        assert old in text, f"{source} has no {old}"
        Path(target).write_text(text.replace(old, new))
        return ""
    assert program == "yarnbox", f"{program} is not carried out here"
    with redirect_stdout(out), redirect_stderr(out), patch.dict(os.environ):  # a job changes it
        main(words)
    return out.getvalue()


def _change(words: list[str]) -> tuple[list[str], tuple[str, str]]:
    """Of `sed 's/old/new/' SOURCE > TARGET`."""
    script, source, arrow, target = words
    assert arrow == ">"
    _, old, new, _ = script.split("/")
    return [old, new], (source, target)


def is_told(expected: str, got: str) -> bool:
    """Whether an output is as a page has it."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in got.splitlines())) is not None


def is_told_by(call: Call) -> bool:
    """Whether a command, carried out now, prints what its page has."""
    return is_told(call.expected, carry_out(call))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The run directory of one cluster, for all pages that ask a cluster."""
    place = tmp_path_factory.mktemp("cluster") / "run"
    found = Cluster(RunDirectory(place), stays_with_us=True)
    try:
        found.up(Options(nodes=1, port=0, web_port=0))
        found.wait_until_ready()
        yield place
    finally:
        found.down()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_prints_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ yarnbox events" in text:
        monkeypatch.setenv("YARNBOX_DIR", str(request.getfixturevalue("cluster")))
    for name in ("YARN_CONF_DIR", "HADOOP_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    calls = 0
    for one in blocks(text):
        if isinstance(one, Call):
            calls += 1
            if one.words[:2] == ["yarnbox", "events"]:  # the log is written with a little delay
                wait_until(partial(is_told_by, one), PATIENCE_S)
            got = carry_out(one)
            assert is_told(one.expected, got), f"$ {shlex.join(one.words)}\n{got}"
        else:
            path, body = one
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
    assert calls, "a guide without a command"


def test_there_is_a_guide_for_each_part() -> None:
    assert [page.stem for page in PAGES] == [
        "capacity-queues",
        "events",
        "fair-sharing",
        "node-labels",
        "preemption",
    ]


@pytest.mark.parametrize(
    "expected, got, holds",
    [
        ("a\n", "a\n", True),
        ("a\n", "b\n", False),
        ("a\n", "a\nb\n", False),
        ("a\n...\nc\n", "a\nb\nb\nc\n", True),
        ("a\n...\nc\n", "a\nb\n", False),
        ("a ... c\n", "a b c\n", True),
        ("a ... c\n", "a b\nc\n", False),
        ("", "a\n", False),
    ],
)
def test_an_output_is_compared_line_by_line(expected: str, got: str, holds: bool) -> None:
    assert is_told(expected, got) is holds
