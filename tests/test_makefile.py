"""`make` in a fresh checkout, with programs in the place of Python that only note what they are to do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.tree import ROOT
from tests.waiting import PATIENCE_S

PYTHON = """#!/bin/sh
case "$1 $2" in "-m venv") ;; *) exit 0;; esac
mkdir .venv || exit 1
echo made >> environments
sleep 2
mkdir .venv/bin
for program in python pip; do
    printf '#!/bin/sh\\necho "'$program' $*" >> steps\\n' > .venv/bin/$program
    chmod +x .venv/bin/$program
done
"""


def test_two_that_set_up_at_once_make_one_environment(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "hatch_build.py"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "a python"
    python.write_text(PYTHON, encoding="utf-8")
    python.chmod(0o755)
    command = ["make", "setup", "PYTHON='./a python'"]
    both = [
        subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    said = [one.communicate(timeout=PATIENCE_S)[0] for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    assert (tmp_path / "environments").read_text() == "made\n"
    steps = (tmp_path / "steps").read_text().splitlines()
    assert [step for step in steps if step.startswith("pip")] == [
        "pip install --quiet --disable-pip-version-check --editable .[dev]"
    ]
    assert sorted("waiting for another make" in each for each in said) == [False, True]
