"""What the command says of its plays, however they end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.hadoop.compare import INTERRUPTED, Compared, report
from tests.hadoop.comparison import DIFFERENT, SAME, Verdict
from tests.hadoop.workers import LostWorkerError


def _compared(kinds: list[str], end: BaseException | None = None) -> Iterator[Compared]:
    for number, kind in enumerate(kinds):
        yield Compared(Verdict(f"walk {number}", kind), Counter({"verb ask": 2}))
    if end is not None:
        raise end


def test_the_report_joins_the_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(_compared([SAME, DIFFERENT, SAME]), 3) == 1
    assert capsys.readouterr().out.splitlines()[3:] == ["2 same, 1 DIFFERENT", "drawn: verb ask 6"]


@pytest.mark.parametrize(
    ("end", "status", "message"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "interrupted after 2 of 5\n"),
        (LostWorkerError("no more"), 1, "ended after 2 of 5: no more\n"),
    ],
)
def test_an_early_end_is_told_with_what_was_played(
    end: BaseException, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(_compared([SAME, SAME], end), 5) == status
    said = capsys.readouterr()
    assert said.err == message
    assert said.out.splitlines()[2] == "2 same"
