"""`mapred`: the history server, and what is said of all else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from yarnbox.am.mapreduce.history import server
from yarnbox.am.mapreduce.history.command import USAGE, main


def test_the_history_server_gets_the_words_behind_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[list[str]] = []

    def serve(words: Sequence[str]) -> int:
        given.append(list(words))
        return 7

    monkeypatch.setattr(server, "main", serve)
    assert main(["--config", "/etc/hadoop", "historyserver", "-D", "a=b"]) == 7
    assert main(["historyserver"]) == 7
    assert given == [["--conf", "/etc/hadoop", "-D", "a=b"], []]


@pytest.mark.parametrize(
    "words, status, said",
    [
        ([], 1, ""),
        (["--help"], 0, ""),
        (["--config"], 1, "mapred: --config needs a directory\n"),
        (
            ["job", "-list"],
            1,
            "mapred: job is a Hadoop command that yarnbox does not have; `yarnbox job` runs jobs\n",
        ),
        (["historysever"], 1, "mapred: there is no command historysever\n"),
    ],
)
def test_all_else_is_answered_with_the_usage(
    words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == status
    printed = capsys.readouterr()
    assert printed.out + printed.err == said + USAGE
