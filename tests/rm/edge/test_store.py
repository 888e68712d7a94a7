"""The state store: durable at once, whole or not at all, for one RM at a time."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from yarnbox.rm.edge.store import StateStore, StoreError


def test_entries_are_there_again_in_the_order_of_their_first_writing(tmp_path: Path) -> None:
    path = tmp_path / "state" / "rm-state.sqlite"
    store = StateStore(path)
    store.write([(("app", "b"), {"user": "ann", "n": [1, None]}), (("app", "a"), 2), (("epoch",), 0)])
    store.write([(("app", "b"), {"user": "bob"}), (("app", "a"), None), (("app", "none"), None)])
    store.close()
    again = StateStore(path)
    assert list(again.load().items()) == [(("app", "b"), {"user": "bob"}), (("epoch",), 0)]
    again.close()


def test_a_write_that_fails_changes_nothing(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")
    store.write([(("a",), 1)])
    with pytest.raises(TypeError):
        store.write([(("a",), 2), (("b",), object())])
    store.write([(("c",), 3)])
    assert store.load() == {("a",): 1, ("c",): 3}
    store.close()


def test_a_second_rm_is_turned_away(tmp_path: Path) -> None:
    store = StateStore(tmp_path / "s")
    with pytest.raises(StoreError, match="another ResourceManager is using it"):
        StateStore(tmp_path / "s")
    store.close()


def test_what_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_bytes(b"this is no database, " * 100)
    with pytest.raises(StoreError, match=f"{path} cannot be opened"):
        StateStore(path)


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom yarnbox.rm.edge.store import StateStore\n"
        "store = StateStore(Path(sys.argv[1]))\n"
        "number = 0\n"
        "while True:\n"
        "    store.write([(('left',), number), (('right',), number)])\n"
        "    print(number, flush=True)\n"
        "    number += 1\n"
    )
    path = tmp_path / "s"
    with subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        seen = [int(writer.stdout.readline()) for _ in range(50)]
        writer.send_signal(signal.SIGKILL)
        seen += [int(line) for line in writer.stdout if line.endswith(b"\n")]
    store = StateStore(path)
    found = store.load()
    assert found[("left",)] == found[("right",)]
    assert found[("left",)] >= seen[-1]
    store.close()
