"""`make bench-check`: what is told of counts, that each piece of work is done, and the baseline."""

from __future__ import annotations

import json

import pytest

from bench.check import BASELINE, GREW, INVALID, OTHER, TOLERANCE, main, report
from bench.work import WORKS


def test_what_grew_beyond_the_tolerance_is_told() -> None:
    before = {"same": 1000, "noise": 1000, "grown": 1000, "fallen": 1000}
    most = round(1000 * (1 + TOLERANCE))
    now = {"same": 1000, "noise": most - 1, "grown": most + 1, "fallen": 900, "added": 5}
    told = {line.split()[0]: (line.split()[-1], grew) for line, grew in report(before, now)}
    assert told["same"][1] is told["noise"][1] is False
    assert told["grown"] == ("grew", True)
    assert told["fallen"] == ("it", False), "fell: record it"
    assert told["added"] == ("new", False)


def test_the_baseline_has_every_piece_of_work() -> None:
    recorded = json.loads(BASELINE.read_text())
    assert list(recorded["instructions"]) == list(WORKS)
    assert set(recorded["here"]) == {"python", "machine"}
    assert all(count > 1000 for count in recorded["instructions"].values())


@pytest.mark.parametrize("name", WORKS)
def test_a_piece_of_work_can_be_done_again_and_again(name: str) -> None:
    prepare, _ = WORKS[name]
    work = prepare()
    work(1)
    work(2)


def test_an_unknown_piece_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["heartbeet"]) == INVALID
    assert "there is no work heartbeet" in capsys.readouterr().err


def test_counts_of_another_python_are_not_compared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.check.here", lambda: {"python": "3.99.0", "machine": "x86_64"})
    monkeypatch.setattr("bench.check.shutil.which", lambda program: f"/usr/bin/{program}")
    assert main(["heartbeat"]) == OTHER != GREW
    assert "not comparable" in capsys.readouterr().err
