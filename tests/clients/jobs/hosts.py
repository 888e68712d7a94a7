"""Writes the hosts on which its tasks ran: `hosts.py OUTPUT`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession  # type: ignore[import-not-found]


def main() -> None:
    """The whole job."""
    spark = SparkSession.builder.appName("hosts").getOrCreate()
    tasks = spark.sparkContext.parallelize(range(8), 8)
    hosts = tasks.map(lambda _: os.environ["NM_HOST"]).distinct().collect()
    Path(sys.argv[1]).write_text("".join(f"{host}\n" for host in sorted(hosts)), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
