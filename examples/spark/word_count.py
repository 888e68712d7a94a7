"""Counts the words of a file with Spark, and writes them to another: `word_count.py INPUT OUTPUT`."""

from __future__ import annotations

import sys
from operator import add
from pathlib import Path

from pyspark.sql import SparkSession  # type: ignore[import-not-found]


def main() -> None:
    """The whole job."""
    source, target = sys.argv[1:]
    spark = SparkSession.builder.appName("word count").getOrCreate()
    words = spark.sparkContext.textFile(f"file:{source}", 2).flatMap(str.split)
    counts = words.map(lambda word: (word, 1)).reduceByKey(add).collect()
    lines = sorted(f"{word}\t{count}\n" for word, count in counts)
    Path(target).write_text("".join(lines), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
