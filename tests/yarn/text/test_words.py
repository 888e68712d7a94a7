"""Which form a noun has behind which number, and which name a misspelt one was meant to be."""

from __future__ import annotations

import pytest

from yarnbox.yarn.text.words import counted, did_you_mean, listed, misspelt, on_lines, shortened


def test_one_is_singular_and_nothing_is_not() -> None:
    assert [counted(number, "job") for number in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]
    assert [counted(number, "entry") for number in (1, 3)] == ["1 entry", "3 entries"]
    assert counted(24, "play") == "24 plays"


def test_lists_in_a_sentence() -> None:
    assert [listed(words) for words in (["a"], ["a", "b"], ["a", "b", "c"])] == ["a", "a and b", "a, b and c"]
    assert on_lines([3, 9, 12]) == "on lines 3, 9 and 12"
    assert on_lines([3, 3]) == "2 times on line 3"


def test_a_long_text_is_cut_in_one_line() -> None:
    assert shortened("a\n  b") == "a b"
    assert shortened("a" * 60) == "a" * 60
    assert shortened("a" * 61) == "a" * 57 + "..."


@pytest.mark.parametrize(
    "word, hint",
    [
        ("statsu", " (did you mean status?)"),
        ("STATUS", " (did you mean status?)"),
        ("kill-nod", " (did you mean kill-node?)"),
        ("dance", ""),
        ("", ""),
    ],
)
def test_the_name_that_is_most_like_it(word: str, hint: str) -> None:
    assert did_you_mean(word, ["status", "kill-node", "up"]) == hint


def test_a_misspelt_property_is_told_from_one_of_somebody_else() -> None:
    known = ["yarn.resourcemanager.scheduler.monitor.enable", "yarn.resourcemanager.webapp.address"]
    names = [
        "yarn.resourcemanager.scheduler.montor.enable",
        "yarn.resourcemanager.webapp.address",
        "yarn.resourcemanager.webapp.https.address",
    ]
    assert list(misspelt(names, known)) == [(names[0], known[0])]
