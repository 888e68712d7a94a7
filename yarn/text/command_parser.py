"""Parsers of command lines that say in one line what is wrong, and what may have been meant."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn

from yarnbox.yarn.text.words import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """argparse prints the usage of the whole command above each error, and that of the command above where a
    sub-command does not know an option.
    """

    _words: Sequence[str] = ()
    """What is being parsed."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.register("action", "parsers", _Commands)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does it, but nothing is left for whoever calls: SystemExit instead."""
        self._words = list(sys.argv[1:] if args is None else args)
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown[0])
        return options, []

    def _refuse(self, word: str) -> NoReturn:
        kind = "option" if word.startswith("-") else "argument"
        self._end(f"there is no {kind} {word}{did_you_mean(word, self._option_string_actions)}")

    def error(self, message: str) -> NoReturn:
        """Ends with status 2. A misspelt option goes before what is missing."""
        if message.startswith("the following arguments are required"):
            for word in takewhile("--".__ne__, self._words):
                option = word.partition("=")[0]
                if option.startswith("--") and not any(
                    one.startswith(option) for one in self._option_string_actions
                ):
                    self._refuse(option)
        self._end(message)

    def _end(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; `{self.prog} --help` says what there is\n")


if TYPE_CHECKING:
    _SubParsers = argparse._SubParsersAction[CommandParser]
else:
    _SubParsers = argparse._SubParsersAction


class _Commands(_SubParsers):
    """The commands below a command: where nothing else is said, the line in the list of commands is also what
    the help of the command begins with.
    """

    def add_parser(self, name: str, **named: Any) -> CommandParser:
        text = named.get("help")
        if text and "description" not in named:
            named["description"] = f"{text[0].upper()}{text[1:]}."
        return super().add_parser(name, **named)
