"""The same calls tell the same story, whatever the order of hashes in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIFE = """
from tests.rig import Rig, ask
expiry = {"yarn.nm.liveness-monitor.expiry-interval-ms": "30000"}
rig = Rig({"yarn.resourcemanager.recovery.enabled": "true", **expiry})
for number in range(6):
    rig.racks[f"n{number}"] = f"/r{number % 2}"
    rig.add_node(f"n{number}")
ids = [rig.submit(user=f"u{number % 3}", unmanaged_am=number % 2 == 0) for number in range(8)]
for turn in range(12):
    for name in list(rig.nodes)[: 6 - turn // 4]:
        rig.heartbeat(name)
    for application_id in ids:
        app = rig.app(application_id)
        if app.current is not None and app.state.name in ("ACCEPTED", "RUNNING"):
            state = app.current.state.name
            if state == "LAUNCHED":
                rig.register(application_id)
            elif state == "RUNNING":
                rig.allocate(application_id, ask(1024, 3, "n1"), ask(1024, 3, "/r1"), ask(1024, 3))
    rig.advance(9_000)
for application_id in ids[::2]:
    rig.kill(application_id)
for line in rig.story:
    print(line)
print(rig.stored)
"""


def told(seed: str) -> str:
    """The story of that life in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", LIFE], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_two_hash_seeds_one_story() -> None:
    first = told("1")
    assert first.count("\n") > 300
    assert "LOST" in first
    assert told("2") == first
