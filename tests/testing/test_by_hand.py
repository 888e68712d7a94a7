"""The client of the manual, made of stubs alone, against a real ResourceManager."""

from __future__ import annotations

import subprocess
import sys

from tests.testing import labelled
from tests.tree import ROOT
from tests.waiting import PATIENCE_S

PROGRAM = ROOT / "examples" / "by_hand" / "by_hand.py"


def test_a_client_made_of_stubs_loses_its_node() -> None:
    with labelled.resource_manager() as cluster:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), cluster.address],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        first, *others = done.stdout.splitlines()
        assert first.startswith("submitted application_")
        assert others == labelled.SAID
        cluster.wait_for_event("NODE_REMOVED", node="by-hand")


def test_it_uses_nothing_of_yarnbox_but_the_stubs() -> None:
    lines = PROGRAM.read_text(encoding="utf-8").splitlines()
    imports = [line for line in lines if line.startswith(("import ", "from ")) and "yarnbox" in line]
    assert imports
    assert all(line.startswith("from yarnbox.protos import ") for line in imports)


def test_it_says_what_it_needs() -> None:
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "usage: by_hand.py HOST:PORT, the address that `yarnbox up` calls gRPC\n"
