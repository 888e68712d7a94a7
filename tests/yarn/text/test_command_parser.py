"""What the parser of all commands says of wrong words."""

from __future__ import annotations

import pytest

from yarnbox.yarn.text.command_parser import CommandParser


def parser() -> CommandParser:
    top = CommandParser(prog="tool")
    top.add_argument("--version", action="version", version="1")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    look = commands.add_parser("look")
    look.add_argument("--port", type=int)
    look.add_argument("name")
    return top


@pytest.mark.parametrize(
    "words, said",
    [
        ("look x --prot 1", "tool look: there is no option --prot (did you mean --port?)"),
        ("look x y", "tool look: there is no argument y"),
        ("look x --port y", "tool look: argument --port: invalid int value: 'y'"),
        ("look", "tool look: the following arguments are required: name"),
        ("", "tool: the following arguments are required: COMMAND"),
        ("--verison", "tool: there is no option --verison (did you mean --version?)"),
        ("look --prot 1", "tool look: there is no option --prot (did you mean --port?)"),
        ("look --po 1", "tool look: the following arguments are required: name"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(words: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words.split())
    assert ended.value.code == 2
    where = said.partition(":")[0]
    assert capsys.readouterr().err == f"{said}; `{where} --help` says what there is\n"


def test_what_is_right_is_read_as_ever() -> None:
    options = parser().parse_args(["look", "x", "--port", "1"])
    assert (options.command, options.name, options.port) == ("look", "x", 1)
