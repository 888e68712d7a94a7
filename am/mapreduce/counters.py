"""Sums of counters, by group and name.

Light on purpose: clients and the history server add up without the parts of an AM.
"""

from __future__ import annotations

from collections.abc import Mapping

JOB_COUNTERS = "org.apache.hadoop.mapreduce.JobCounter"
"""The group of what AMs count themselves."""

Sums = dict[str, dict[str, int]]


def add(sums: Sums, counters: Mapping[str, Mapping[str, int]]) -> None:
    """Adds amounts of the same group and name."""
    for group, amounts in counters.items():
        into = sums.setdefault(group, {})
        for name, value in amounts.items():
            into[name] = into.get(name, 0) + value
