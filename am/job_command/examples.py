"""The examples of `yarnbox job` that take several steps: grep, sort, terasort and its two companions, join.

Owns their words on the command line, and which jobs they are; what mappers and reducers do is in
mapreduce/jobs/. Hadoop: the programs of hadoop-mapreduce-examples.
"""

from __future__ import annotations

import argparse
import re
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Protocol

from yarnbox.am.mapreduce.api import name_of
from yarnbox.am.mapreduce.client import JobClient
from yarnbox.am.mapreduce.input import input_format_named
from yarnbox.am.mapreduce.jobs import grep, join, sort, terasort
from yarnbox.am.mapreduce.jobs.terasort import KEY_BYTES, RECORD_BYTES
from yarnbox.am.mapreduce.jobs.wordcount import SumReducer
from yarnbox.am.mapreduce.output import read_part
from yarnbox.am.mapreduce.shuffle.records import encode
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.submit import SubmissionError
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.urls import absolute, joined

_SUM = name_of(SumReducer)
_ROWS = {
    "mapreduce.job.inputformat.class": "FixedLengthInputFormat",
    "fixedlengthinputformat.record.length": str(RECORD_BYTES),
}
_BYTES = {"mapreduce.job.outputformat.class": "BytesOutputFormat"}
_SAMPLED_CHUNKS = 20
_SAMPLED_BATCHES = 2


class Runner(Protocol):
    """Runs jobs, one after the other, and shows how far they are."""

    def client(self, properties: dict[str, str]) -> JobClient:
        """The client of a job; what the command line says is over these properties."""

    def run_job(self, client: JobClient, splits: Sequence[Split] | None = None) -> bool:
        """Checks and runs a job, over its files if there are no splits; whether it succeeded."""


@dataclass(frozen=True, slots=True)
class Example:
    """What it is for, its arguments, what it does: the exit status."""

    help: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Runner], int]


def paths(inputs: Iterable[Path | str], output: Path | str) -> dict[str, str]:
    """The properties that name input and output."""
    given = [absolute(str(path)) for path in (*inputs, output)]
    for path in given:
        if "," in path:
            raise SubmissionError(f"the path {path} has a comma, which separates paths in properties")
    return {
        "mapreduce.input.fileinputformat.inputdir": ",".join(given[:-1]),
        "mapreduce.output.fileoutputformat.outputdir": given[-1],
    }


def _status(has_succeeded: bool) -> int:
    return 0 if has_succeeded else 1


def _add_paths(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="a file or directory, or its URL")
    _add_output(parser)


def _add_output(parser: ArgumentParser) -> None:
    parser.add_argument("output", metavar="OUTPUT_DIR", help="a directory that is not there yet, or its URL")


def _add_path(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="a file or directory, or its URL")
    _add_output(parser)


# grep.


def _add_grep_arguments(parser: ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("regex", metavar="REGEX", help="a Python regular expression")
    parser.add_argument(
        "group",
        metavar="GROUP",
        nargs="?",
        type=int,
        default=0,
        help="count this group of the expression (default: 0, all of it)",
    )


def _grep(options: Namespace, runner: Runner) -> int:
    """Two jobs: one searches and counts, one sorts by the counts."""
    try:
        groups = re.compile(options.regex).groups
    except re.error as error:
        raise SubmissionError(f"{options.regex!r} is not a regular expression: {error}") from None
    if not 0 <= options.group <= groups:
        raise SubmissionError(f"{options.regex!r} has no group {options.group}")
    output = absolute(options.output)
    between = f"{output.rstrip('/')}.grep-temp-{time.time_ns()}"  # beside it, for all hosts see it there
    found = joined(between, "found")
    search = {
        "mapreduce.job.name": "grep-search",
        "mapreduce.job.map.class": name_of(grep.RegexMapper),
        "mapreduce.job.combine.class": _SUM,
        "mapreduce.job.reduce.class": _SUM,
        grep.PATTERN: options.regex.replace("${", "$[{]"),  # not to be expanded
        grep.GROUP: str(options.group),
        **paths([options.input], found),
    }
    order = {
        "mapreduce.job.name": "grep-sort",
        "mapreduce.job.map.class": name_of(grep.FrequencyMapper),
        "mapreduce.job.reduce.class": name_of(grep.FrequencyReducer),
        "mapreduce.job.reduces": "1",
        **paths([found], options.output),
    }
    try:
        runner.client(order).check()
        return _status(runner.run_job(runner.client(search)) and runner.run_job(runner.client(order)))
    finally:
        remote_files.remove(between)


# sort and terasort.


def _add_sort_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-r", dest="reduces", metavar="N", type=_rows, help="number of reduces, and of output files"
    )
    _add_paths(parser)


def _sort(options: Namespace, runner: Runner) -> int:
    properties = {
        "mapreduce.job.name": "sorter",
        "mapreduce.job.map.class": name_of(sort.LineMapper),
        "mapreduce.job.reduce.class": name_of(sort.LineReducer),
        **paths(options.inputs, options.output),
    }
    if options.reduces is not None:
        properties["mapreduce.job.reduces"] = str(options.reduces)
    return _sort_wholly(properties, runner, lambda line: line.encode("utf-8", "surrogateescape"))


def _terasort(options: Namespace, runner: Runner) -> int:
    properties = {
        "mapreduce.job.name": "TeraSort",
        "mapreduce.job.map.class": name_of(terasort.SortMapper),
        **_ROWS,
        **_BYTES,
        **paths([options.input], options.output),
    }
    return _sort_wholly(properties, runner, lambda record: record[:KEY_BYTES])


def _sort_wholly(properties: dict[str, str], runner: Runner, key_of: Callable[[Any], Any]) -> int:
    """A job whose parts are sorted one behind the other: they are cut where a sample says."""
    client = runner.client(properties)
    client.check()
    splits = client.text_splits()
    form = input_format_named(client.settings.input_format)
    chunks = [chunk for split in splits for chunk in split.chunks]
    sample = sorted(
        encode(key_of(value))
        for chunk in chunks[:: max(1, len(chunks) // _SAMPLED_CHUNKS)]
        for batch in islice(form.batches(chunk, client.configuration), _SAMPLED_BATCHES)
        for _, value in batch
    )
    reduces = client.settings.reduces
    bounds = [sample[number * len(sample) // reduces] for number in range(1, reduces)] if sample else []
    cut = {
        "mapreduce.job.partitioner.class": name_of(sort.TotalOrderPartitioner),
        sort.BOUNDS: ",".join(bound.hex() for bound in bounds),
    }
    return _status(runner.run_job(runner.client({**properties, **cut}), splits))


def _add_teragen_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("rows", metavar="ROWS", type=_rows, help="number of rows, also as 10k, 2m or 1b")
    _add_output(parser)


def _rows(text: str) -> int:
    """A number, with Hadoop's letters for thousands."""
    factor = {"k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}.get(text[-1:].lower(), 1)
    digits = text if factor == 1 else text[:-1]
    if not digits.isascii() or not digits.isdigit() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(digits) * factor


def _teragen(options: Namespace, runner: Runner) -> int:
    """A job without reduces, of `mapreduce.job.maps` maps."""
    properties = {
        "mapreduce.job.name": "TeraGen",
        "mapreduce.job.map.class": name_of(terasort.GenerateMapper),
        "mapreduce.job.reduces": "0",
        **_BYTES,
        **paths([], options.output),
    }
    client = runner.client(properties)
    maps = client.settings.maps
    bounds = [options.rows * number // maps for number in range(maps + 1)]
    return _status(
        runner.run_job(client, [Split(records=((first, end - first),)) for first, end in pairwise(bounds)])
    )


def _teravalidate(options: Namespace, runner: Runner) -> int:
    """A job of one reduce; what it found is printed."""
    properties = {
        "mapreduce.job.name": "TeraValidate",
        "mapreduce.job.map.class": name_of(terasort.ValidateMapper),
        "mapreduce.job.reduce.class": name_of(terasort.ValidateReducer),
        "mapreduce.job.reduces": "1",
        **_ROWS,
        "mapreduce.job.inputformat.class": name_of(terasort.WholeTeraFile),
        **paths([options.input], options.output),
    }
    if not runner.run_job(runner.client(properties)):
        return 1
    report = read_part(absolute(options.output), "part-r-00000")
    print(report, end="", flush=True)
    if any(line.startswith("error\t") for line in report.splitlines()):
        raise SubmissionError(f"{options.input} is not sorted: {options.output} says where")
    return 0


# join.


def _add_join_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-joinOp", dest="operator", choices=("inner", "outer"), default="inner",
        help="inner: only keys that all inputs have; outer: all keys (default: inner)",
    )  # fmt: skip
    _add_paths(parser)


def _join(options: Namespace, runner: Runner) -> int:
    properties = {
        "mapreduce.job.name": "join",
        "mapreduce.job.map.class": name_of(join.TagMapper),
        "mapreduce.job.reduce.class": name_of(join.JoinReducer),
        "mapreduce.job.inputformat.class": name_of(join.LinesWithPaths),
        join.OPERATOR: options.operator,
        **paths(options.inputs, options.output),
    }
    return _status(runner.run_job(runner.client(properties)))


EXAMPLES = {
    "grep": Example("count what a regular expression matches", _add_grep_arguments, _grep),
    "sort": Example("sort the lines of text files", _add_sort_arguments, _sort),
    "join": Example("join the lines of several inputs that have the same key", _add_join_arguments, _join),
    "teragen": Example("generate rows of 100 bytes for terasort", _add_teragen_arguments, _teragen),
    "terasort": Example("sort the rows of teragen", _add_path, _terasort),
    "teravalidate": Example("check that the output of terasort is sorted", _add_path, _teravalidate),
}
