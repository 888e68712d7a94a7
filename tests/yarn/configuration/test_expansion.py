"""Variables in values: Hadoop's precedence, its limit of twenty, its way with loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.configuration.properties import MAXIMUM_SUBSTITUTIONS, TooManySubstitutionsError, expand

ENVIRONMENT = {"USER": "alice", "EMPTY": ""}
PROPERTIES = {
    "host": "rm1",
    "port": "8032",
    "address": "${host}:${port}",
    "which": "ho",
    "self": "a ${self} b",
    "ping": "${pong}",
    "pong": "${ping}",
    "env.SHELL": "from a property",
}


@pytest.mark.parametrize(
    "text, expanded",
    [
        ("plain $host {host} ${}", "plain $host {host} ${}"),
        ("${host}", "rm1"),
        ("${address}/", "rm1:8032/"),
        ("${${which}st}", "rm1"),
        ("${unknown} ${host}", "${unknown} ${host}"),
        ("${host} ${unknown}", "rm1 ${unknown}"),
        ("${ho st}${host}", "${ho st}rm1"),
        ("${host", "${host"),
        ("$${host}", "$rm1"),
        ("${env.USER}", "alice"),
        ("${env.NOBODY}", "${env.NOBODY}"),
        ("${env.NOBODY-bob}", "bob"),
        ("${env.NOBODY:-bob}", "bob"),
        ("${env.EMPTY-bob}", ""),
        ("${env.EMPTY:-bob}", "bob"),
        ("${env.USER:-bob}", "alice"),
        ("${env.NOBODY-}", ""),
        ("${env.NOBODY-a-b}", "a-b"),
        ("${env.SHELL}", "from a property"),
        ("x ${self}", "x ${self}"),
    ],
)
def test_expansion(text: str, expanded: str) -> None:
    assert expand(text, PROPERTIES.get, ENVIRONMENT) == expanded


def test_a_circle_of_properties_ends_with_an_error() -> None:
    with pytest.raises(TooManySubstitutionsError):
        expand("${ping}", PROPERTIES.get, {})


@pytest.mark.parametrize("count, enough", [(MAXIMUM_SUBSTITUTIONS - 1, True), (MAXIMUM_SUBSTITUTIONS, False)])
def test_twenty_replacements_are_the_limit(count: int, enough: bool) -> None:
    # The twentieth replacement is done, but there is no further look whether it was the last one.
    configuration = Configuration.of({"x": "1", "sum": "${x}" * count})
    if enough:
        assert configuration.value("sum") == "1" * count
    else:
        with pytest.raises(ConfigurationError, match=r"given: sum = .* 20 steps"):
            configuration.value("sum")


def test_system_properties_come_before_properties() -> None:
    properties = '<property name="user.name" value="bob"/><property name="a" value="${user.name}"/>'
    text = f"<configuration>{properties}</configuration>"
    assert Configuration.parse(text).value("a") == "bob"
    assert Configuration.parse(text, system_properties={"user.name": "alice"}).value("a") == "alice"


def test_the_environment_is_handed_in_and_never_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YARNBOX_TEST", "ambient")
    assert Configuration.of({"a": "${env.YARNBOX_TEST}"}).value("a") == "${env.YARNBOX_TEST}"


NAMES = st.sampled_from(["a", "b", "c", "env.A", "env.B:-c"])
VALUES = st.lists(
    NAMES.map("${{{}}}".format) | st.sampled_from(["x", "$", "{", "}", "${", " "]), max_size=5
).map("".join)


@given(st.dictionaries(NAMES, VALUES), st.dictionaries(st.sampled_from("AB"), VALUES), VALUES)
def test_expansion_always_ends(properties: dict[str, str], environment: dict[str, str], text: str) -> None:
    try:
        expanded = expand(text, properties.get, environment)
    except TooManySubstitutionsError:
        return
    if "${" not in text:
        assert expanded == text
