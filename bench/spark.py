"""SparkPi in cluster mode, beside Spark's local mode: same program, same cores, same run.

Heavy, and wants Java and Spark as `make test-clients` installs them: `make bench-clients` runs it. YARN
adds the start of two more virtual machines, and the way of the application through the ResourceManager.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from bench._report import report
from tests.clients.spark import Spark
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory

RELEASE = "spark-3.5"
CORES = 2
TASKS = 40
DARTS = 4_000_000
RUNS = 3


def main() -> None:
    """Measures each mode in turn, several times; the best of each counts."""
    with tempfile.TemporaryDirectory(prefix="yarnbox-bench-") as scratch:
        cluster = Cluster(RunDirectory(Path(scratch, "run")), stays_with_us=True)
        cluster.up(Options(nodes=2, port=0, web_port=0, for_hadoop=True))
        try:
            cluster.wait_until_ready()
            spark = Spark(RELEASE, cluster, Path(scratch, "spark"))
            rounds = [(local(spark), on_yarn(spark)) for _ in range(RUNS)]
        finally:
            cluster.down()
    best_local, best_yarn = (min(times) for times in zip(*rounds, strict=True))
    figures = {"local": best_local, "yarn_cluster": best_yarn, "ratio": best_yarn / best_local}
    report("spark", figures, {"local": "s", "yarn_cluster": "s", "ratio": ""})


def on_yarn(spark: Spark) -> float:
    """Seconds of spark-submit in cluster mode, with as many cores in its executor."""
    return seconds(spark, conf={"spark.executor.cores": str(CORES)})


def local(spark: Spark) -> float:
    """Seconds of spark-submit where everything is one process."""
    return seconds(spark, master=f"local[{CORES}]", mode="client")


def seconds(spark: Spark, **options: Any) -> float:
    """From the start of spark-submit to its end."""
    program = spark.pi(TASKS, DARTS)
    begun = time.perf_counter()
    with spark.submitted(*program, **options) as job:
        if job.wait() != 0:
            raise SystemExit(job.story)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
