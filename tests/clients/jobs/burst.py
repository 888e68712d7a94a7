"""A burst of tasks, then nothing to do: `burst.py OUTPUT` writes the most executors it had, and the last.

The tasks wait for a second executor, however long that takes to come.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

from pyspark.sql import SparkSession  # type: ignore[import-not-found]

PATIENCE_S = 240.0


def main() -> None:
    """The whole job."""
    spark = SparkSession.builder.appName("burst").getOrCreate()
    context = spark.sparkContext
    most = last = 0
    pause, gate = threading.Event(), f"{sys.argv[1]}.gate"

    def work() -> None:
        context.parallelize(range(12), 12).foreach(lambda _: wait_for(gate))

    def executors() -> int:
        return int(context._jsc.sc().getExecutorMemoryStatus().size()) - 1  # the driver is among them

    burst = threading.Thread(target=work)
    burst.start()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and (burst.is_alive() or executors() > 0):
        most = max(most, executors())
        if most > 1:
            Path(gate).touch()
        pause.wait(0.1)
    last = executors()
    Path(sys.argv[1]).write_text(f"{most} {last}\n", encoding="utf-8")
    spark.stop()


def wait_for(gate: str) -> None:
    """What a task does."""
    deadline = time.monotonic() + PATIENCE_S
    while not os.path.exists(gate) and time.monotonic() < deadline:
        threading.Event().wait(0.1)


if __name__ == "__main__":
    main()
