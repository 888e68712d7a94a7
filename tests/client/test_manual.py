"""The manual names what there is: every command, every property of a client; its links lead somewhere."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from tests.client.fakes import FakeResourceManager
from tests.client.test_main import site
from yarnbox.client.main import COMMANDS
from yarnbox.client.settings import ClientSettings
from yarnbox.yarn.settings import declarations

DOCS = Path(__file__).parents[2] / "docs"
CHAPTER = (DOCS / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_its_chapter(command: str) -> None:
    assert f"`{command}`" in CHAPTER


@pytest.mark.parametrize("name", [one.name for one in declarations(ClientSettings)])
def test_every_property_is_in_its_chapter(name: str) -> None:
    assert name in CHAPTER


def test_the_program_of_the_chapter_runs(rm: FakeResourceManager, tmp_path: Path) -> None:
    code = textwrap.dedent("".join(re.findall(r"(?m)^    (?:from|import|with|    ).*\n|^\n", CHAPTER)))
    assert "connect(" in code
    directory = str(site(tmp_path, rm.address))
    exec(compile(code.replace(".yarnbox", directory), "commands.md", "exec"), {})
    assert [name for name, _ in rm.calls] == ["getApplications", "refreshQueues"]
    assert rm.callers[0].user == "mei"


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_no_link_of_the_manual_is_dead(page: Path) -> None:
    linked = re.findall(r"\]\(([^):#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in linked if not (DOCS / link).exists()] == []
