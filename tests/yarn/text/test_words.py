"""Which form a noun has behind which number."""

from __future__ import annotations

from yarnbox.yarn.text.words import counted


def test_one_is_singular_and_nothing_is_not() -> None:
    assert [counted(number, "job") for number in (0, 1, 2)] == ["0 jobs", "1 job", "2 jobs"]
    assert [counted(number, "entry") for number in (1, 3)] == ["1 entry", "3 entries"]
    assert counted(24, "play") == "24 plays"
