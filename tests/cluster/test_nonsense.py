"""Every command of `yarnbox`, asked for what cannot be: one line that begins alike, and a status that says
whether the words were wrong (2) or the world (1).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.cluster.main import main

NOWHERE = (
    "down --dir none",
    "status --dir none",
    "status --dir junk",
    "add-node --dir none",
    "kill-node nm1 --dir none",
    "restart-node nm1 --dir none",
    "restart-rm --dir none",
    "events --dir none",
    "why application_1_0001 --dir none",
    "job pi 1 1 --dir none",
    "up --dir junk --port 0 --web-port 0",
)
WRONG = (
    "up --dir here --conf none",
    "up --dir here --conf broken",
    "up --dir here -D nonsense",
    "view none",
    "view junk",
    "view empty",
    "view --scenarios none",
    "view junk junk junk",
    "check-conf none",
    "check-conf junk",
    "check-conf broken",
    "check-conf empty --active a",
    "check-conf empty --scheduler fair --diff empty",
    "check-conf empty --cluster much",
    "check-conf binary --scheduler fair",
    "convert-conf --from fair --to capacity none",
    "convert-conf --from fair --to capacity broken",
    "convert-conf --from fair --to capacity binary",
    "convert-conf --from fair --to capacity fair --rules none",
    "convert-conf --from fair --to capacity fair --rules junk",
    "sim run --tracelocation none",
    "sim run --tracelocation junk",
    "sim run --tracelocation empty",
    "sim run --tracelocation trace --conf none",
    "sim run --tracelocation trace --conf broken",
    "sim run --tracelocation trace --conf binary --scheduler fair",
    "sim run --tracelocation trace --record none/recording",
    "sim run none",
    "load convert --tracetype SLS --tracelocation junk --output load.jsonl",
    "load capture nowhere --out captured",
    "load from-state-dump none --out captured",
    "scenario run none",
    "scenario run empty",
    "scenario run --record recording none none",
)


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory with things that are not what they are taken for."""
    monkeypatch.chdir(tmp_path)
    Path("junk").write_text("nonsense <<<\n", encoding="utf-8")
    Path("trace").write_text("job\t0\t0\t1000\t10\t10\n", encoding="utf-8")
    for name in ("empty", "broken", "binary", "fair"):
        Path(name).mkdir()
    for name in ("yarn-site.xml", "capacity-scheduler.xml"):
        (Path("broken") / name).write_text("<configuration><prop", encoding="utf-8")
    (Path("binary") / "fair-scheduler.xml").write_bytes(b"\xff\xfe")
    (Path("fair") / "fair-scheduler.xml").write_text("<allocations/>", encoding="utf-8")


SAID = {
    "scenario run --conf none trace": "--conf none: is not a directory",
    "sim run --tracelocation none": "none: there is no such file",
    "sim run --tracelocation junk": "junk: the format cannot be told from its name: --tracetype names it",
    "restore-state vain --dir here": "vain is no state store that yarnbox wrote",
    "restore-state empty --dir here": "empty is a directory, not a state store",
    "view vain": "vain: is not a recording: the file is empty",
    "examples minimal_am --copy vain": "vain is not a directory",
    "check-conf empty": "empty/capacity-scheduler.xml: there is no such file",
    "sim run --tracelocation trace --tracetype SWIM --csv vain": "vain: is not a directory",
}
"""What is wrong, not what followed from it."""


@pytest.mark.parametrize("words", SAID)
def test_what_is_wrong_is_named(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("vain").touch()
    assert main(words.split()) in (1, 2)
    assert capsys.readouterr().err.startswith(f"yarnbox: {SAID[words]}")


@pytest.mark.parametrize(("words", "status"), [*((one, 1) for one in NOWHERE), *((one, 2) for one in WRONG)])
def test_what_cannot_be_is_one_line(words: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == status
    out, err = capsys.readouterr()
    (line,) = err.splitlines()
    assert line.startswith("yarnbox: ")
    assert out == ""


@pytest.mark.parametrize(
    "words",
    [
        "paper --workers 0",
        "sim run --num-nodes 0",
        "whatif --load trace --seeds 0",
        "sim run",
        "walk --seeds 0",
        "walk --minutes 0",
        "walk --minutes some",
        "up --nodes x",
    ],
)
def test_a_value_that_cannot_be_is_one_line(words: str, capfd: pytest.CaptureFixture[str]) -> None:
    status: object
    try:
        status = main(words.split())
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    out, err = capfd.readouterr()
    (line,) = err.splitlines()
    assert line.startswith(f"yarnbox {words.partition(' --')[0]}: ")
    assert out == ""
