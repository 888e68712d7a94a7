"""The grammar of GnuParser: what Commons CLI makes of a line of words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.client.command_line.options import (
    UNLIMITED,
    CommandLine,
    MissingArgumentError,
    Option,
    Options,
    UnrecognizedOptionError,
    help_text,
    parse,
)

OPTIONS = Options(
    Option("list", "lists things"),
    Option("status", "shows one thing", arguments=1, argument_name="Application ID"),
    Option("states", "filters", arguments=UNLIMITED, separator=","),
    Option("kill", "ends things", arguments=UNLIMITED, separator=" "),
    Option("signal", "signals", arguments=3),
    Option("pair", "two parts", arguments=2, separator="="),
    Option("g", "waits", arguments=1, long="graceful", optional=True),
    Option("D", "a property", arguments=1),
    Option("lnl", "labels", long="list-node-labels"),
)


@pytest.mark.parametrize("word", ["-list", "--list"])
def test_one_dash_or_two(word: str) -> None:
    assert parse(OPTIONS, [word]).has("list")


def test_long_names_are_the_same_option() -> None:
    assert parse(OPTIONS, ["--list-node-labels"]).has("lnl")
    assert parse(OPTIONS, ["-list-node-labels"]).has("lnl")


def test_any_order() -> None:
    line = parse(OPTIONS, ["-states", "a,b", "-list", "-states", "c", "d"])
    assert line.has("list")
    assert line.values("states") == ["a", "b", "c", "d"]
    assert line.value("states") == "a"
    assert line.words == []


def test_no_abbreviation() -> None:
    with pytest.raises(UnrecognizedOptionError, match=r"^Unrecognized.*: -lis \(did you mean -list\?\)$"):
        parse(OPTIONS, ["-lis"])


def test_equals_sign_gives_the_value() -> None:
    assert parse(OPTIONS, ["-status=x=1"]).value("status") == "x=1"
    assert parse(OPTIONS, ["--status=x"]).value("status") == "x"


def test_property_stuck_to_its_letter() -> None:
    assert parse(OPTIONS, ["-Dname=value", "-D", "other=1"]).values("D") == ["name=value", "other=1"]


def test_words_beyond_the_values_are_words() -> None:
    line = parse(OPTIONS, ["-status", "a", "b", "-list", "c"])
    assert line.value("status") == "a"
    assert line.words == ["b", "c"]


def test_a_known_option_ends_values_and_an_unknown_one_is_a_value() -> None:
    line = parse(OPTIONS, ["-kill", "a", "-b", "-1", "-list"])
    assert line.values("kill") == ["a", "-b", "-1"]
    assert line.has("list")


def test_values_of_a_limited_option() -> None:
    assert parse(OPTIONS, ["-signal", "a", "b", "c", "d"]).values("signal") == ["a", "b", "c"]
    assert parse(OPTIONS, ["-pair", "a=b=c"]).values("pair") == ["a", "b=c"]


def test_missing_value() -> None:
    with pytest.raises(MissingArgumentError, match=r"^Missing argument for option: status$"):
        parse(OPTIONS, ["-status", "-list"])


def test_optional_value() -> None:
    line = parse(OPTIONS, ["-g", "-list"])
    assert line.has("g")
    assert line.value("g") is None
    assert parse(OPTIONS, ["-graceful", "7"]).value("g") == "7"


def test_quotes_around_a_value_go() -> None:
    assert parse(OPTIONS, ["-status", '"a b"']).value("status") == "a b"
    assert parse(OPTIONS, ["-status", '"a" "b"']).value("status") == '"a" "b"'


def test_double_dash_ends_options() -> None:
    line = parse(OPTIONS, ["-list", "--", "-status", "--", "x"])
    assert line.has("list")
    assert not line.has("status")
    assert line.words == ["-status", "x"]


def test_a_lone_dash_is_a_word() -> None:
    assert parse(OPTIONS, ["-list", "-"]).words == ["-"]


def test_stopping_at_the_first_word_or_unknown_option() -> None:
    line = parse(OPTIONS, ["-D", "a=b", "run", "-list"], stop_at_word=True)
    assert (line.values("D"), line.words) == (["a=b"], ["run", "-list"])
    line = parse(OPTIONS, ["-Da=b", "-foo", "-list"], stop_at_word=True)
    assert (line.values("D"), line.words) == (["a=b"], ["-foo", "-list"])


def test_other_options() -> None:
    line = parse(OPTIONS, ["-list", "-status", "x"])
    assert line.has_other_than("list")
    assert not line.has_other_than("list", "status")


def test_help_has_a_usage_line_and_two_columns() -> None:
    text = help_text(
        "thing", Options(Option("status", "one", 1, argument_name="ID"), Option("b", "two", long="big"))
    )
    assert text == "usage: thing\n -b,--big       two\n -status <ID>   one\n"


def test_help_wraps_at_74() -> None:
    text = help_text("x", Options(Option("long", "word " * 40)))
    assert max(len(line) for line in text.splitlines()) <= 74
    assert all(line.startswith(" " * 9) for line in text.splitlines()[2:])


WORDS = st.text("abc,= -", max_size=6)


@given(st.lists(st.one_of(WORDS, st.sampled_from(["-list", "--states", "-kill", "-g", "--", "-", "-D"]))))
def test_every_line_is_read_or_refused_by_name(words: list[str]) -> None:
    try:
        line = parse(OPTIONS, words)
    except (UnrecognizedOptionError, MissingArgumentError) as error:
        named = error.message.rpartition(" ")[2]
        line = CommandLine([named])
    # A refusal names a word of the line; else words and values are made of its characters and nothing else.
    joined = "".join(line.words) + "".join("".join(line.values(option.name)) for option in OPTIONS)
    assert set(joined) <= set("".join(words))  # quotes and separators may be gone


@given(st.lists(st.text("abcdef", min_size=1), min_size=1), st.booleans())
def test_a_list_is_the_same_joined_or_apart(values: list[str], first: bool) -> None:
    apart = ["-states", *values]
    joined = ["-states", ",".join(values)]
    for words in (apart, joined):
        line = parse(OPTIONS, ["-list", *words] if first else [*words, "-list"])
        assert line.values("states") == values
