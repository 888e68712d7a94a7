"""Delay scheduling on real processes: three word counts on six NodeManagers, without delay and with it.

    python locality.py [--maps N] [--jobs N]

Each job reads one file of its own in blocks of 64 KiB, a map each; two nodes have a block, as with
dfs.replication=2. A cluster is started twice, under the FairScheduler with its thresholds at -1 (the default:
every offer is taken) and at 1.0 (an application lets as many nodes pass as there are). Printed is how many
maps ran where their block lies, as the jobs' own counters tell, and how long all of it took.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory

NODES, BLOCK = 6, 64 * 1024
WORDS = b"the quick brown fox jumps over the lazy dog while the node waits for its block\n"
COUNTER = re.compile(r"^\s*(DATA_LOCAL_MAPS|RACK_LOCAL_MAPS|OTHER_LOCAL_MAPS)=(\d+)$", re.MULTILINE)
JOB = {
    "dfs.blocksize": BLOCK,
    "dfs.replication": 2,
    "mapreduce.input.fileinputformat.split.maxsize": BLOCK,
    "mapreduce.map.memory.mb": 512,
    "mapreduce.reduce.memory.mb": 512,
    "mapreduce.job.reduce.slowstart.completedmaps": 1.0,
    "yarn.app.mapreduce.am.resource.mb": 512,
}


def site(threshold: float) -> dict[str, str]:
    """Nodes with room for three containers, and how long an application waits for a nearer one."""
    return {
        "yarn.scheduler.fair.locality.threshold.node": str(threshold),
        "yarn.scheduler.fair.locality.threshold.rack": str(threshold),
        "yarn.scheduler.fair.assignmultiple": "false",
        "yarn.scheduler.minimum-allocation-mb": "512",
        "yarn.nodemanager.resource.memory-mb": "1536",
        "yarn.nodemanager.resource.cpu-vcores": "8",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200",
        "yarn.log-aggregation-enable": "false",
    }


def run(threshold: float, inputs: list[Path], place: Path) -> tuple[dict[str, int], float]:
    """One cluster, all jobs at a time: the sums of their counters, and the seconds from first to last."""
    cluster = Cluster(RunDirectory(place / "run"), stays_with_us=True)
    options = Options(nodes=NODES, racks=2, scheduler="fair", port=0, web_port=0, definitions=site(threshold))
    try:
        cluster.up(options)
        cluster.wait_until_ready()
        begun = time.monotonic()
        jobs = [submit(cluster, one, place / f"counts-{number}") for number, one in enumerate(inputs)]
        said = [job.communicate()[0] for job in jobs]
        seconds = time.monotonic() - begun
    finally:
        cluster.down()
    for job, text in zip(jobs, said, strict=True):
        if job.returncode:
            raise SystemExit(f"a job failed:\n{text}")
    sums: dict[str, int] = {}
    for name, value in (found for text in said for found in COUNTER.findall(text)):
        sums[name] = sums.get(name, 0) + int(value)
    return sums, seconds


def submit(cluster: Cluster, source: Path, target: Path) -> subprocess.Popen[str]:
    """`yarnbox job wordcount`, in the background."""
    definitions = [word for name, value in JOB.items() for word in ("-D", f"{name}={value}")]
    command = [sys.executable, "-m", "yarnbox.cluster.main", "job", "--dir", str(cluster.run.path)]
    return subprocess.Popen(
        [*command, "wordcount", *definitions, str(source), str(target)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.endswith("_CONF_DIR")},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--maps", type=int, default=11, help="of each job (default: 11)")
    parser.add_argument("--jobs", type=int, default=3, help="at a time (default: 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="yarnbox-locality-") as directory:
        inputs = [Path(directory, f"book-{number}.txt") for number in range(options.jobs)]
        for one in inputs:
            one.write_bytes((WORDS * (options.maps * BLOCK // len(WORDS) + 1))[: options.maps * BLOCK])
        print(
            f"{options.jobs} word counts of {options.maps} maps at a time on {NODES} NodeManagers in 2 racks"
        )
        for name, threshold in (("delay off (-1)", -1.0), ("delay on (1.0)", 1.0)):
            sums, seconds = run(threshold, inputs, Path(directory, f"threshold{threshold}"))
            node, rack, off = (sums.get(f"{one}_LOCAL_MAPS", 0) for one in ("DATA", "RACK", "OTHER"))
            print(
                f"{name}: {node} of {node + rack + off} maps node-local, {rack} rack-local, {off} off-switch;"
                f" {seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
