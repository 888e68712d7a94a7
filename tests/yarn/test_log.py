"""The log: lines of a name and keys, in a file that is rotated."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.log import Log, configure_logging


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Path]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    root.handlers = []
    path = tmp_path / "logs" / "rm.log"
    configure_logging(path, "warn")
    yield path
    for handler in root.handlers:
        handler.close()
    root.handlers = handlers
    root.setLevel(level)


def test_a_line_is_a_name_and_keys(written: Path) -> None:
    log = Log("rm.test")
    log.info("not so important")
    log.warning("node lost", node="nm1:1", application=ApplicationId(1, 2), why='it said "no"\nand went')
    line = written.read_text(encoding="utf-8")
    assert line.count("\n") == 1
    assert line.endswith(
        "WARNING rm.test: node lost node=nm1:1 application=application_1_0002"
        ' why="it said \\"no\\"\\nand went"\n'
    )


def test_a_defect_has_its_traceback(written: Path) -> None:
    try:
        raise KeyError("what")
    except KeyError:
        Log("rm.test").exception("handler failed", event="NodeExpire")
    text = written.read_text(encoding="utf-8")
    assert "handler failed event=NodeExpire\nTraceback" in text
