"""What words of the pages mean."""

from __future__ import annotations

import pytest

from tests.blocks import facts_of
from tests.cluster.viewer.conftest import recorded
from tests.pictures import SCENARIO
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.rm.web.pages.blocks import facts
from yarnbox.rm.web.pages.facts import fact
from yarnbox.rm.web.pages.terms import TERMS, explained, term

PLAIN = {"Queue State", "Num Containers", "Max Applications", "Default Application Priority"}


@pytest.mark.parametrize("word", TERMS)
def test_a_meaning_is_a_sentence_or_two(word: str) -> None:
    assert word == word.lower().strip()
    meaning = TERMS[word]
    assert meaning.endswith(".")
    assert len(meaning) < 200
    assert "  " not in meaning


def test_most_facts_of_a_queue_are_explained() -> None:
    shown = RecordedCluster(recorded(SCENARIO)).answer("/ui/queues", {"queue": "root.etl"}, None)
    names = set(facts_of(shown["queues"]["block"]))
    explained = {name for name in names if name.lower() in TERMS}
    assert len(explained) >= len(names) / 2
    assert not explained & PLAIN


def test_a_word_is_explained_where_it_occurs_first() -> None:
    text = "Its user-limit-factor and the User Limit of root.guarantee: the user limit falls."
    pieces = explained(text)
    words = [one["term"] for one in pieces if isinstance(one, dict)]
    assert words == ["user-limit-factor", "User Limit"], "the longest word, and none within a name"
    assert "".join(one["term"] if isinstance(one, dict) else str(one) for one in pieces) == text


def test_names_that_are_words_bear_their_meaning() -> None:
    (shown,) = facts([fact("Fair Share", 1)])["facts"]
    assert shown["means"] == TERMS["fair share"]
    assert term("Fair Share") == {"term": "Fair Share", "means": TERMS["fair share"]}
    assert term("Share") == "Share"
    assert term({"swatch": "pending"}) == {"swatch": "pending"}
