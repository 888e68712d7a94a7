"""A burst of tasks, then nothing to do: `burst.py OUTPUT` writes the most executors it had, and the last."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession  # type: ignore[import-not-found]

PATIENCE_S = 60.0


def main() -> None:
    """The whole job."""
    spark = SparkSession.builder.appName("burst").getOrCreate()
    context = spark.sparkContext
    most = last = 0
    pause = threading.Event()

    def work() -> None:
        context.parallelize(range(12), 12).foreach(lambda _: pause_of_task())

    def executors() -> int:
        return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # the driver is among them

    burst = threading.Thread(target=work)
    burst.start()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and (burst.is_alive() or executors() > 0):
        most = max(most, executors())
        pause.wait(0.1)
    last = executors()
    Path(sys.argv[1]).write_text(f"{most} {last}\n", encoding="utf-8")
    spark.stop()


def pause_of_task() -> None:
    """What a task does."""
    threading.Event().wait(1.0)


if __name__ == "__main__":
    main()
