"""Reduces that wait for maps keep others from the cluster: a real cluster where they do, and two remedies."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.processes.conftest import Desk, wait_until
from tests.processes.gated import GATED, output
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.long

SIZES = {
    "yarn.nodemanager.resource.memory-mb": 2048,
    "yarn.scheduler.minimum-allocation-mb": 256,
    "yarn.scheduler.capacity.maximum-am-resource-percent": 1.0,
}
NONE_HELD, HOARDING, COPYING = "slow start alone", "hoarding", "splitting"
MODES = {
    HOARDING: ("mapreduce.job.reduce.slowstart.completedmaps=0.5",),
    NONE_HELD: ("mapreduce.job.reduce.slowstart.completedmaps=1.0",),
    COPYING: (
        "mapreduce.job.reduce.slowstart.completedmaps=0.5",
        "yarnbox.mapreduce.reduce.split=admission",
        "yarnbox.mapreduce.reduce.copy.limit=0.5",
    ),
}


class Long:
    """A job of two maps and six reduces; the second map waits for its gate."""

    def __init__(self, desk: Desk, root: Path, mode: str) -> None:
        root.mkdir()
        self.root = root
        (root / "input").mkdir()
        for number, how in enumerate(("runs", "waits")):
            (root / "input" / str(number)).write_text(f"w{number} {how}\n")
        (root / "gated.py").write_text(GATED)
        defined = [word for one in MODES[mode] for word in ("-D", one)]
        self.process = desk.start(
            "job", "mapreduce", "--mapper", "gated.mapper", "--reducer", "gated.reducer", "--path", str(root),
            "-D", "mapreduce.input.fileinputformat.split.maxsize=10", "-D", "mapreduce.job.reduces=6",
            "-D", "mapreduce.map.speculative=false", "-D", "mapreduce.map.memory.mb=256",
            "-D", "yarn.app.mapreduce.am.resource.mb=256", *defined,
            str(root / "input"), str(root / "out"),
        )  # fmt: skip
        assert self.process.stdout is not None
        self.application_id = self.process.stdout.readline().split()[2].rstrip(":")

    def copied(self, web_address: str) -> int:
        """How many outputs of maps its reduces have fetched so far; -1 while there is no AM to tell."""
        job = self.application_id.replace("application", "job")
        path = f"/proxy/{self.application_id}/ws/v1/mapreduce/jobs/{job}/counters"
        try:
            groups = get(f"http://{web_address}{path}")["jobCounters"]["counterGroup"]
        except (OSError, ValueError):
            return -1
        counters = {one["name"]: one["totalCounterValue"] for group in groups for one in group["counter"]}
        return int(counters.get("SHUFFLED_MAPS", 0))

    def finish(self) -> None:
        (self.root / "open").touch()
        out, err = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, out + err
        assert output(self.root / "out") == {b"w0": 1, b"w1": 1}


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def test_what_copies_leaves_the_cluster_to_others(desk: Desk, tmp_path: Path) -> None:
    """Of 6144 MB, 512 are the AM's and the last map's. Reduces of 1024 MB take all that is left; those that
    only copy take a quarter of that, and have copied what was there; with slow start alone nobody has.
    """
    defined = [word for name, value in SIZES.items() for word in ("-D", f"{name}={value}")]
    desk.up("--scheduler", "capacity", *defined)
    web_address = desk.run.load().web_address
    seen: dict[str, tuple[int, int]] = {}
    for mode in MODES:
        long = Long(desk, tmp_path / mode.replace(" ", "-"), mode)

        def is_there(long: Long = long, mode: str = mode) -> bool:
            app = get(f"http://{web_address}/ws/v1/cluster/apps/{long.application_id}")["app"]
            held_mb, copied = seen[mode] = (int(app["allocatedMB"]), long.copied(str(web_address)))
            reduces_mb = held_mb - 512
            if mode == HOARDING:  # AM and map may be on two nodes
                return reduces_mb >= 4096 and copied == reduces_mb // 1024
            return (reduces_mb, copied) == ((0, 0) if mode == NONE_HELD else (1536, 6))

        assert wait_until(is_there, PATIENCE_S), seen
        if mode != HOARDING:
            said = desk.here("job", "pi", "1", "10", "-D", "yarn.app.mapreduce.am.resource.mb=512")
            assert "Estimated value of Pi" in said, "others have the room"
        long.finish()
