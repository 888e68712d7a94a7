"""The recipe for a repository, and policies of one's own: what they show is what comes about."""

from __future__ import annotations

import importlib
import io
import re
import shlex
from pathlib import Path

import pytest

from tests.tree import ROOT
from yarnbox.sim.whatif.command import main, parser
from yarnbox.sim.whatif.conditions import read_condition

EXAMPLE = ROOT / "examples" / "what-if"


def test_the_workflow_calls_the_command_as_it_is() -> None:
    text = (EXAMPLE / "check.yml").read_text()
    called = re.search(r"yarnbox whatif (.*?)\n      - uses", text, re.DOTALL)
    assert called is not None
    options = parser().parse_args(shlex.split(called[1]))
    assert [type(read_condition(one)) for one in options.fail_if]
    assert options.summary == "$GITHUB_STEP_SUMMARY"


@pytest.mark.long
def test_the_example_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLE)
    line = next(
        one for one in Path("README.md").read_text().splitlines() if one.startswith("    yarnbox whatif ")
    )
    out = io.StringIO()
    words = shlex.split(line.split("whatif ", 1)[1])
    assert main([*words, "--jobs", "8", "--seeds", "1", "--workers", "1"], out=out, err=io.StringIO()) == 0
    assert "2 plays: 1 seed each" in out.getvalue()


OWN_POLICY = ROOT / "examples" / "own_policy"
TUTORIAL = ROOT / "docs" / "own-policy.md"


def test_the_tutorial_shows_the_policies_as_they_are() -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```$", TUTORIAL.read_text(), re.MULTILINE | re.DOTALL)
    assert shown == (OWN_POLICY / "policies.py").read_text()


@pytest.mark.long
def test_the_tutorial_shows_what_its_program_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(OWN_POLICY))
    called = re.search(
        r"^    \$ python compare.py (--scale .*)\n((?:    .*\n)+)", TUTORIAL.read_text(), re.MULTILINE
    )
    assert called is not None
    program = importlib.import_module("examples.own_policy.compare")
    program.main([*shlex.split(called[1]), "--workers", "1"])
    printed = capsys.readouterr().out
    assert [line[4:] for line in called[2].splitlines()] == printed.splitlines()
