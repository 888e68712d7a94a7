"""The command line grammar of Hadoop's tools: options with one dash, in any order, as GnuParser reads them.

`-list` and `--list` are the same option, `-name=value` and `-name value` too; names are whole words; a value
may be a list by a separator; a known option ends the values of the one before it, an unknown word with a dash
does not. Owns reading and the help text. Knows no command. Hadoop: Commons CLI's Options, GnuParser,
CommandLine and HelpFormatter.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from yarnbox.client.command_line.failures import JavaError
from yarnbox.yarn.text.words import did_you_mean

UNLIMITED = -2
"""As many values as follow."""

_HELP_WIDTH = 74
_CLI = "org.apache.commons.cli."


class OptionsError(JavaError):
    """The command line breaks the grammar."""

    java_class = _CLI + "ParseException"


class UnrecognizedOptionError(OptionsError):
    """A word with a dash that is no option of the command."""

    java_class = _CLI + "UnrecognizedOptionException"


class MissingArgumentError(OptionsError):
    """An option that needs a value stands alone."""

    java_class = _CLI + "MissingArgumentException"


@dataclass(frozen=True, slots=True)
class Option:
    """One option. `arguments` is how many values it takes at most; none may be missing unless `optional`."""

    name: str
    description: str
    arguments: int = 0
    long: str | None = None
    separator: str | None = None
    optional: bool = False
    argument_name: str = "arg"


class Options:
    """The options of a command, by their short and long names."""

    def __init__(self, *options: Option) -> None:
        self._by_name: dict[str, Option] = {}
        for option in options:
            self._by_name[option.name] = option
            if option.long is not None:
                self._by_name[option.long] = option

    def __iter__(self) -> Iterator[Option]:
        return iter(dict.fromkeys(self._by_name.values()))

    def find(self, word: str) -> Option | None:
        """The option that `word` names, with or without dashes."""
        return self._by_name.get(_without_dashes(word))

    def suggestion(self, word: str) -> str:
        """` (did you mean -list?)`, to go behind the word, where an option is like the word."""
        return did_you_mean(word, (f"-{name}" for name in self._by_name))


@dataclass(slots=True)
class CommandLine:
    """What was given: the options with their values, and the other words."""

    words: list[str] = field(default_factory=list)
    _given: dict[str, list[str]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Whether the option of that short name was given."""
        return name in self._given

    def has_other_than(self, *names: str) -> bool:
        """Whether any option was given that is not one of these."""
        return any(name not in names for name in self._given)

    def values(self, name: str) -> list[str]:
        """All values of the option, repeated ones in one list."""
        return self._given.get(name, [])

    def value(self, name: str) -> str | None:
        """The first value of the option, if there is one."""
        return next(iter(self.values(name)), None)

    def add(self, option: Option, values: Sequence[str]) -> None:
        """Notes that the option was given with these values."""
        self._given.setdefault(option.name, []).extend(values)


def parse(options: Options, arguments: Sequence[str], *, stop_at_word: bool = False) -> CommandLine:
    """Reads the arguments. With `stop_at_word` the first word that is no option ends them, and the rest are
    words; otherwise an unknown option raises.
    """
    tokens = _flatten(options, arguments, stop_at_word)
    line = CommandLine()
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token == "--":
            break
        option = options.find(token) if token.startswith("-") else None
        if option is not None:
            values = _take_values(options, option, tokens[position:])
            line.add(option, [part for value in values for part in value])
            position += len(values)
        elif token.startswith("-") and token != "-" and not stop_at_word:
            raise UnrecognizedOptionError(f"Unrecognized option: {token}{options.suggestion(token)}")
        else:
            if token != "-" or not stop_at_word:
                line.words.append(token)
            if stop_at_word:
                break
    line.words.extend(token for token in tokens[position:] if token != "--")
    return line


def _flatten(options: Options, arguments: Sequence[str], stop_at_word: bool) -> list[str]:
    """The arguments with `-name=value` and `-Dvalue` taken apart, up to a `--`."""
    tokens: list[str] = []
    for index, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if argument == "--":
            return [*tokens, *arguments[index:]]
        if not argument.startswith("-") or argument == "-" or options.find(argument):
            tokens.append(argument)
        elif equals and options.find(name):
            tokens.extend((name, value))
        elif options.find(argument[:2]):
            tokens.extend((argument[:2], argument[2:]))
        elif stop_at_word:
            return [*tokens, *arguments[index:]]
        else:
            tokens.append(argument)
    return tokens


def _take_values(options: Options, option: Option, tokens: Sequence[str]) -> list[list[str]]:
    """The values that follow, one list for each token, which a separator may have made several."""
    taken: list[list[str]] = []
    count = 0
    for token in tokens:
        full = option.arguments != UNLIMITED and count >= option.arguments
        if full or (token.startswith("-") and options.find(token)):
            break
        parts = _split(_without_quotes(token), option, count)
        taken.append(parts)
        count += len(parts)
    if option.arguments and not taken and not option.optional:
        raise MissingArgumentError(f"Missing argument for option: {option.name}")
    return taken


def _split(value: str, option: Option, count: int) -> list[str]:
    if option.separator is None:
        return [value]
    room = -1 if option.arguments == UNLIMITED else option.arguments - count - 1
    return value.split(option.separator, room)


def _without_dashes(word: str) -> str:
    return word[2:] if word.startswith("--") else word.removeprefix("-")


def _without_quotes(value: str) -> str:
    inner = value[1:-1]
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in inner
    return inner if quoted else value


def help_text(syntax: str, options: Options, prefix: str = "usage: ") -> str:
    """The usage line and the options in two columns, by name."""
    rows = [
        (_signature(option), option.description) for option in sorted(options, key=lambda o: o.name.lower())
    ]
    column = max((len(left) for left, _ in rows), default=0) + 3
    lines = [prefix + syntax]
    for left, description in rows:
        wrapped = textwrap.wrap(description, _HELP_WIDTH - column) or [""]
        lines.append((left.ljust(column) + wrapped[0]).rstrip())
        lines.extend(" " * column + text for text in wrapped[1:])
    return "\n".join(lines) + "\n"


def _signature(option: Option) -> str:
    long = "" if option.long is None else f",--{option.long}"
    argument = f" <{option.argument_name}>" if option.arguments else ""
    return f" -{option.name}{long}{argument}"
