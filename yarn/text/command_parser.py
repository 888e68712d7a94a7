"""Parsers of command lines that say in one line what is wrong, and what may have been meant."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from yarnbox.yarn.text.suggest import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """argparse prints the usage of the whole command above each error, and that of the command above where a
    sub-command does not know an option.
    """

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does it, but nothing is left for whoever calls: SystemExit instead."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0]
            kind = "option" if word.startswith("-") else "argument"
            self.error(f"there is no {kind} {word}{did_you_mean(word, self._option_string_actions)}")
        return options, []

    def error(self, message: str) -> NoReturn:
        """Ends with status 2."""
        self.exit(2, f"{self.prog}: {message}; `{self.prog} --help` says what there is\n")
