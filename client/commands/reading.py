"""What commands share: the line read or refused as all of Hadoop's tools do it, and help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from yarnbox.client.command_line.options import CommandLine, MissingArgumentError, Options, help_text, parse
from yarnbox.client.session import Session

Command = Callable[[Session, Sequence[str]], int]
"""A session and the words behind the command's name to an exit status."""

HELP = "help"
HELP_DESCRIPTION = "Shows this help."


def print_help(session: Session, title: str, options: Options) -> None:
    """The usage of a command, on stdout."""
    session.console.write(help_text(title, options))


def read_line(session: Session, title: str, options: Options, arguments: Sequence[str]) -> CommandLine | None:
    """The line; None after a complaint on stdout when an option lacks its value. An unknown option raises."""
    try:
        return parse(options, arguments)
    except MissingArgumentError:
        session.console.print("Missing argument for options")
        print_help(session, title, options)
        return None


def invalid_usage(session: Session, title: str, options: Options) -> None:
    """Says that no action was given: a line with a trailing blank on stderr, help on stdout."""
    session.console.error("Invalid Command Usage : ")
    print_help(session, title, options)


def words_of(values: Sequence[str]) -> list[str]:
    """The values of a list without blanks around them and without empty ones."""
    return [value.strip() for value in values if value.strip()]
