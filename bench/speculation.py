"""What second attempts gain on a real cluster with one slow node: a job of maps on three nodes, one of which
is stopped for nine tenths of the time, without speculation, with Hadoop's, and with LATE.

    python -m bench.speculation
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import psutil

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory

MAPS = 12
NODE_MB = 5120
"""So little that the slow node is needed: the ApplicationMaster and the maps take 13 GB."""
RECORDS = 40
RECORD_S = 0.1
STOPPED_S, RUNNING_S = 0.9, 0.1

MAPPER = f"""
import time
def mapper(offset, line):
    time.sleep({RECORD_S})
    yield "records", 1
def reducer(key, values):
    yield key, sum(values)
"""

MODES = {
    "without": ["mapreduce.map.speculative=false"],
    "Hadoop's speculator": [],
    "the same, 1 s between two": ["mapreduce.job.speculative.retry-after-speculate=1000"],
    "LATE": [
        "yarn.app.mapreduce.am.job.speculator.class=LateSpeculator",
        "yarnbox.mapreduce.speculator.late.minimum-age-ms=5000",
        "mapreduce.job.speculative.retry-after-speculate=1000",
    ],
}


class SlowNode:
    """Stops what runs in the containers of maps on a node, again and again."""

    def __init__(self, pid: int) -> None:
        self._node = psutil.Process(pid)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._pace)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _pace(self) -> None:
        while not self._is_over.is_set():
            tasks = []
            for process in self._node.children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    if any(word.startswith("attempt_") and "_m_" in word for word in process.cmdline()):
                        tasks.append(process)
            self._send(tasks, signal.SIGSTOP)
            self._is_over.wait(STOPPED_S)
            self._send(tasks, signal.SIGCONT)
            time.sleep(RUNNING_S)

    @staticmethod
    def _send(tasks: list[psutil.Process], number: signal.Signals) -> None:
        for process in tasks:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)


def job_s(run: RunDirectory, root: Path, number: int, properties: list[str]) -> float:
    """Seconds of one job, from its command to its end; its answer has to be right."""
    output = root / f"out{number}"
    words = ["job", "mapreduce", "--dir", str(run.path), "--path", str(root)]
    words += ["--mapper", "slowly.mapper", "--reducer", "slowly.reducer"]
    for one in (f"mapreduce.input.fileinputformat.split.maxsize={RECORDS * 10}", *properties):
        words += ["-D", one]
    begun = time.perf_counter()
    command = [sys.executable, "-m", "yarnbox.cluster.main", *words, str(root / "input"), str(output)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert (output / "part-r-00000").read_text() == f"records\t{MAPS * RECORDS}\n"
    return time.perf_counter() - begun


def main() -> None:
    """One job in each mode, and the gain."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "input").mkdir()
        for number in range(MAPS):
            (root / "input" / f"{number:02d}").write_text("123456789\n" * RECORDS)
        (root / "slowly.py").write_text(MAPPER)
        run = RunDirectory(root / "run")
        cluster = Cluster(run, stays_with_us=True)
        small = {"yarn.nodemanager.resource.memory-mb": str(NODE_MB)}
        record = cluster.up(Options(nodes=3, port=0, web_port=0, definitions=small))
        try:
            cluster.wait_until_ready()
            slow = record.nodes["nm3"].process
            assert slow is not None
            with SlowNode(slow.pid):
                figures = {
                    mode: job_s(run, root, number, properties)
                    for number, (mode, properties) in enumerate(MODES.items())
                }
        finally:
            cluster.down()
    report("speculation", figures, dict.fromkeys(figures, "s"))


if __name__ == "__main__":
    main()
