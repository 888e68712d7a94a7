"""`yarnbox load`: loads from one format into another, or out of a cluster.

0: done. 1: done, and bad jobs were left out. 2: a file or a command line that is wrong; nothing was written.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from yarnbox.sim.capture.directory import CaptureOptions, capture
from yarnbox.sim.capture.moments import moment_ms
from yarnbox.sim.capture.source import (
    MAPREDUCE,
    RM,
    SPARK,
    LivingCluster,
    NothingToCaptureError,
    SavedAnswers,
    Source,
    StateDump,
)
from yarnbox.sim.load.arguments import add_load_options, load_of, warn
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.load.reading import Complaints
from yarnbox.sim.load.runner import read_runner
from yarnbox.sim.load.sls import job_as_sls, lost_as_sls, nodes_as_sls, write_objects
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.reports.progress import Ticker
from yarnbox.sim.reports.refusal import print_notes, status_of
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.numbers import positive
from yarnbox.yarn.text.words import counted

DONE, SOME_LEFT_OUT = 0, 1
JOBS_FILE, NODES_FILE = "sls-jobs.json", "sls-nodes.json"


def main(argv: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carries out the command; the answer is the exit status."""
    words = parser()
    options = words.parse_args(argv)
    out, err = out or sys.stdout, err or sys.stderr
    act = _capture if options.command in ("capture", "from-state-dump") else _rewrite
    if act is _rewrite and options.tracelocation is None:
        words.error("name the trace with --tracelocation")
    try:
        return status_of(lambda: act(options, out, err), (InvalidTraceError, ConfigurationError), err)
    except KeyboardInterrupt as error:
        print_notes(error, err)
        raise


def _rewrite(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    runner = read_runner(None if options.conf is None else Path(options.conf))
    load = load_of(options, runner, err)
    warn(load, err)
    if options.command == "convert":
        _convert(load, options, out)
    else:
        _rumen2sls(load, Path(options.output_dir), out)
    return SOME_LEFT_OUT if load.dropped else DONE


def parser() -> argparse.ArgumentParser:
    """All commands; each leaves its name in `command`."""
    found: argparse.ArgumentParser = CommandParser(
        prog="yarnbox load", description="Convert loads of jobs, and capture them from running clusters."
    )
    commands = found.add_subparsers(dest="command", required=True, metavar="COMMAND")
    convert = commands.add_parser("convert", help="convert a load to another format")
    add_load_options(convert)
    convert.add_argument(
        "--conf", metavar="DIR", help="directory with an sls-runner.xml, for sizes that the trace leaves out"
    )
    convert.add_argument(
        "--to", choices=("YARNBOX", "SLS"), default="YARNBOX", help="format to write (default: YARNBOX)"
    )
    convert.add_argument(
        "--output",
        metavar="FILE",
        required=True,
        help="file to write: NAME.jsonl or NAME.jsonl.gz for YARNBOX, NAME.json for SLS",
    )
    convert.add_argument(
        "--nodes-output", metavar="FILE", help="write the load's nodes to FILE, for `yarnbox sim run --nodes`"
    )
    rumen = commands.add_parser(
        "rumen2sls", help="convert a Rumen trace to SLS: sls-jobs.json and sls-nodes.json"
    )
    add_load_options(rumen)
    rumen.add_argument(
        "--conf", metavar="DIR", help="directory with an sls-runner.xml, for sizes that the trace leaves out"
    )
    rumen.add_argument(
        "--output-dir", metavar="DIR", required=True, help="directory to write to; created if it is missing"
    )
    rumen.set_defaults(tracetype="RUMEN", every_attempt=True)
    _add_capture(commands)
    return found


def _add_capture(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    living = commands.add_parser("capture", help="read configuration, nodes and jobs of a running cluster")
    living.add_argument("address", metavar="URL", help="address of the ResourceManager: http://host:8088")
    living.add_argument(
        "--history", metavar="URL", help="address of MapReduce's JobHistoryServer: http://host:19888"
    )
    living.add_argument(
        "--spark-history", metavar="URL", help="address of Spark's history server: http://host:18080"
    )
    living.add_argument(
        "--user", metavar="NAME", help="user name to send with each request (default: none is sent)"
    )
    living.add_argument(
        "--answers", metavar="DIR", help="keep the servers' answers in DIR, for `load from-state-dump`"
    )
    dump = commands.add_parser("from-state-dump", help="the same as capture, from saved answers")
    dump.add_argument(
        "dump", metavar="DIR", help="directory with at least apps.json, nodes.json and scheduler.json"
    )
    for command in (living, dump):
        command.add_argument(
            "--out", metavar="DIR", required=True, help="directory to write; it must not exist yet"
        )
        command.add_argument(
            "--since",
            metavar="WHEN",
            default="",
            help="only applications submitted since then: 2026-11-01T08:00 (UTC), 7d or 12h ago, or ms since"
            " 1970 (default: all)",
        )
        command.add_argument(
            "--attempts",
            action="store_true",
            help="read MapReduce's task attempts too: where maps ran, which attempts failed",
        )
        command.add_argument(
            "--am-mb",
            metavar="MIB",
            type=positive,
            default=1024,
            help="memory of an AM where no history server tells it (default: 1024)",
        )
        command.add_argument(
            "--anonymize",
            action="store_true",
            help="write numbers in place of users, queues, applications, hosts and racks",
        )
        command.add_argument("--lenient", action="store_true", help="skip and count bad applications")


def _capture(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    place, complaints, ticker = Path(options.out), Complaints(options.lenient), Ticker(err)
    source: Source
    saved: SavedAnswers | None = None
    if options.command == "capture":
        if place.exists():
            raise InvalidTraceError(f"{place}: exists already")
        moment_ms(options.since, 0)  # refused before anything is saved
        saved = SavedAnswers(Path(options.answers or place.with_name(f".{place.name}.answers")))
        source = _living(options, saved.directory, err)
    else:
        source = StateDump(Path(options.dump))
    wanted = CaptureOptions(
        am=Resource(options.am_mb, 1),
        since_ms=moment_ms(options.since, source.now_ms()),
        is_anonymous=options.anonymize,
        with_attempts=options.attempts,
    )
    is_kept = saved is None or options.answers is not None
    try:
        found = capture(source, place, complaints, wanted, ticker)
    except NothingToCaptureError:
        if saved is not None and not is_kept:
            saved.remove()
        raise
    except (InvalidTraceError, OSError, KeyboardInterrupt) as error:
        if saved is not None and saved.directory.is_dir():
            error.add_note(
                f"What was answered is in {saved.directory}: the same command goes on from there."
                " Remove that directory to ask anew."
            )
        raise
    if saved is not None and not is_kept:
        saved.remove()
    for text in (*complaints.warnings, *(f"left out: {one}" for one in complaints.told)):
        print(text, file=err)
    how = f"{found.traced} traced, {found.jobs - found.traced} modelled from sums"
    print(f"{place}: {counted(found.jobs, 'job')} ({how}), {counted(found.nodes, 'node')}", file=out)
    print(f"yarnbox sim run {place} plays it", file=out)
    return SOME_LEFT_OUT if complaints.dropped else DONE


def _living(options: argparse.Namespace, answers: Path, err: TextIO) -> LivingCluster:
    addresses = {RM: options.address, MAPREDUCE: options.history, SPARK: options.spark_history}
    known = {server: address for server, address in addresses.items() if address is not None}
    source = LivingCluster(known, answers, options.user, options.since)
    if source.begin():
        print(f"goes on with the answers in {answers}", file=err)
    return source


def _convert(load: Load, options: argparse.Namespace, out: TextIO) -> None:
    output = Path(options.output)
    if options.nodes_output is not None and not load.nodes.nodes:
        raise InvalidTraceError("--nodes-output: the load names no node; --nodes FILE says which there are")
    if options.to == "YARNBOX":
        write_load(output, load.jobs())
    else:
        write_objects(output, (job_as_sls(job) for job in load.jobs()))
    print(f"{output}: {counted(load.count, 'job')}", file=out)
    if options.to == "SLS":
        lost = Counter(key for job in load.jobs() for key in lost_as_sls(job))
        for key, count in lost.items():
            print(f"  not kept, as SLS has no {key}: in {counted(count, 'job')}", file=out)
    if options.nodes_output is not None:
        write_objects(Path(options.nodes_output), nodes_as_sls(load.nodes))
        print(f"{options.nodes_output}: {counted(len(load.nodes.nodes), 'node')}", file=out)
        return
    named = {place for job in load.jobs() for task in job.tasks for place in task.places}
    others = sum(node.place not in named for node in load.nodes.nodes)
    if others:
        print(f"  {counted(others, 'node')} that no task names: --nodes-output writes the nodes", file=out)


def _rumen2sls(load: Load, directory: Path, out: TextIO) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    write_objects(directory / JOBS_FILE, (job_as_sls(job) for job in load.jobs()))
    write_objects(directory / NODES_FILE, nodes_as_sls(load.nodes))
    print(f"{directory / JOBS_FILE}: {counted(load.count, 'job')}", file=out)
    print(f"{directory / NODES_FILE}: {counted(len(load.nodes.nodes), 'node')}", file=out)


if __name__ == "__main__":
    sys.exit(main())
