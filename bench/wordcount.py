"""Word count of a large text on three NodeManagers, beside the same work under Python's multiprocessing on
the same cores in the same run: what a cluster costs in processor time.

    python -m bench.wordcount [MB [NAME=VALUE...]]

The job is run three times: as it is, when more maps run at a time than there are cores; with no more than
those, which is what the pool does; and so that these are processes which take one map after another, as the
pool's are.

The processor time of the job is that of its client and of all daemons meanwhile, with the containers that
they have waited for.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from bench._report import report
from yarnbox.am.mapreduce.input import input_format_named
from yarnbox.am.mapreduce.splits import Chunk, Placement, input_files, make_splits
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import ClusterRecord, RunDirectory

MEGABYTES = 500
PIECE_BYTES = 4 << 20
PIECES = 8
VOCABULARY = 50_000
SPLIT_BYTES = 8 << 20
"""As large as the splits of a job by default."""


def write_text(path: Path, megabytes: int) -> None:
    """Words of a vocabulary, the n-th one n times rarer than the first."""
    chance = random.Random(1)
    words = [
        "".join(chance.choices("etaoinshrdlucmfwyp", k=chance.randint(2, 11))) for _ in range(VOCABULARY)
    ]
    weights = [1 / rank for rank in range(1, VOCABULARY + 1)]
    pieces = []
    for _ in range(PIECES):
        drawn = chance.choices(words, weights, k=PIECE_BYTES // 6)
        lines = (" ".join(drawn[at : at + 12]) for at in range(0, len(drawn), 12))
        pieces.append("\n".join(lines).encode()[: PIECE_BYTES - 1] + b"\n")
    with path.open("wb") as file:
        while file.tell() < megabytes << 20:
            file.write(pieces[file.tell() // PIECE_BYTES % PIECES])


def count_chunk(chunk: Chunk) -> Counter[bytes]:
    """The words of a part of the text, as the job's mapper counts them."""
    words: Counter[bytes] = Counter()
    for block in input_format_named("TextInputFormat").blocks(chunk):
        words.update(block.split())
    return words


def used_s() -> float:
    """Processor time of this process and of the children that it has waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def by_multiprocessing(text: Path) -> tuple[Counter[bytes], float, float]:
    """The words, processor time and seconds of a pool with a process per core."""
    splits = make_splits(input_files([text]), Placement(), block_bytes=SPLIT_BYTES, max_bytes=SPLIT_BYTES)
    chunks = [chunk for split in splits for chunk in split.chunks]
    used, begun = used_s(), time.perf_counter()
    words: Counter[bytes] = Counter()
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for counted in pool.imap_unordered(count_chunk, chunks):
            words.update(counted)
        pool.close()
        pool.join()
    return words, used_s() - used, time.perf_counter() - begun


def daemons_s(record: ClusterRecord) -> float:
    """Processor time of the daemons and of the children that they have waited for."""
    processes = [record.rm, *(node.process for node in record.nodes.values())]
    times = [psutil.Process(process.pid).cpu_times() for process in processes if process is not None]
    return sum(one.user + one.system + one.children_user + one.children_system for one in times)


def by_job(run: RunDirectory, text: Path, output: Path, *properties: str) -> tuple[float, float]:
    """Processor time and seconds of the job."""
    words = ["job", "wordcount", "--dir", str(run.path), str(text), str(output)]
    record = run.load()
    used, there, begun = used_s(), daemons_s(record), time.perf_counter()
    command = [sys.executable, "-m", "yarnbox.cluster.main", *words]
    for one in properties:
        command += ["-D", one]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return used_s() - used + daemons_s(record) - there, time.perf_counter() - begun


def counted(output: Path) -> Counter[bytes]:
    """What the job has written."""
    words: Counter[bytes] = Counter()
    for part in output.glob("part-r-*"):
        for line in part.read_bytes().splitlines():
            word, _, count = line.rpartition(b"\t")
            words[word] += int(count)
    return words


def main() -> None:
    """All of it, and the ratios."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES
    properties = sys.argv[2:]
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        text = root / "text"
        write_text(text, megabytes)
        run = RunDirectory(root / "run")
        cluster = Cluster(run)
        cluster.up(Options(nodes=3, port=0, web_port=0))
        try:
            cluster.wait_until_ready()
            job_cpu, job_s = by_job(run, text, root / "out", *properties)
            few = f"mapreduce.job.running.map.limit={os.cpu_count()}"
            few_cpu, few_s = by_job(run, text, root / "few", few, *properties)
            again = "mapreduce.job.jvm.numtasks=-1"
            again_cpu, again_s = by_job(run, text, root / "again", few, again, *properties)
            words, pool_cpu, pool_s = by_multiprocessing(text)
            for output in ("out", "few", "again"):
                assert counted(root / output) == words
        finally:
            cluster.down()
    report(
        "wordcount",
        {
            "processor time of the job": job_cpu,
            "processor time of multiprocessing": pool_cpu,
            "ratio": job_cpu / pool_cpu,
            "processor time with a map for each core": few_cpu,
            "ratio with a map for each core": few_cpu / pool_cpu,
            "processor time with a process for each core": again_cpu,
            "ratio with a process for each core": again_cpu / pool_cpu,
            "the job with a map for each core": few_s,
            "the job with a process for each core": again_s,
            "the job, from the command to its end": job_s,
            "multiprocessing": pool_s,
        },
        {
            "processor time of the job": "s",
            "processor time of multiprocessing": "s",
            "processor time with a map for each core": "s",
            "processor time with a process for each core": "s",
            "the job with a process for each core": "s",
            "the job with a map for each core": "s",
            "the job, from the command to its end": "s",
            "multiprocessing": "s",
        },
    )


if __name__ == "__main__":
    main()
