"""Sums numbers slowly, and tells where: `slow_sum.py NUMBERS TRACES OUTPUT`.

Each task leaves a file in TRACES that is named after its host and its number.
"""

from __future__ import annotations

import os
import sys
import threading
from operator import add
from pathlib import Path

from pyspark.sql import SparkSession  # type: ignore[import-not-found]

TASK_S = 0.5


def main() -> None:
    """The whole job."""
    numbers, traces, target = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3])

    def work(number: int) -> tuple[int, int]:
        Path(traces, f"{os.environ['NM_HOST']}-{number}").touch()
        threading.Event().wait(TASK_S)
        return number % 7, number

    spark = SparkSession.builder.appName("slow sum").getOrCreate()
    sums = spark.sparkContext.parallelize(range(numbers), numbers).map(work).reduceByKey(add, 4).collect()
    target.write_text("".join(f"{rest} {total}\n" for rest, total in sorted(sums)), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
