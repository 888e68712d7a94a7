"""`yarnbox sim run`: a load in virtual time, under the names of Hadoop's Scheduler Load Simulator.

0: every job has finished. 1: some did not. 2: a trace, a configuration or a command line that is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim.federation import command as federation
from yarnbox.sim.load.arguments import add_load_options, load_of, warn
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.recording.document import pieces
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.reports.files import json_pieces, made, replacing
from yarnbox.sim.reports.parquet import ParquetUnusableError, parquet_file, pyarrow
from yarnbox.sim.reports.play import Play
from yarnbox.sim.reports.progress import Progress
from yarnbox.sim.reports.refusal import status_of
from yarnbox.sim.reports.report import report
from yarnbox.sim.reports.sls import SLSOutput
from yarnbox.sim.reports.table import lines
from yarnbox.sim.reports.tables import CONTAINERS, ContainerRows, TableFile, csv_file, write_tables
from yarnbox.sim.workload.arguments import (
    add_cluster_options,
    placed,
    settings_of,
    site_of,
    take_directory,
)
from yarnbox.sim.workload.files import CLASS, DirectoryFiles, equal_queues
from yarnbox.sim.workload.player import PATIENCE_MS
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.words import counted

FINISHED, UNFINISHED = 0, 1


def main(argv: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carries out the command; the answer is the exit status."""
    command_line = parser()
    options = command_line.parse_args(argv)
    if options.command == "federation":
        return federation.carried_out(options, out or sys.stdout, err or sys.stderr)
    if options.name and options.record is None and options.report is None:
        options.run.error("--name names a recording or a report: it needs --record or --report")
    if (options.directory is None) == (options.tracelocation is None):
        options.run.error("name what to play: either DIR or --tracelocation")
    out, err = out or sys.stdout, err or sys.stderr
    refusals = (InvalidTraceError, ConfigurationError, ParquetUnusableError, YarnError)
    return status_of(lambda: _run(options, out, err), refusals, err)


def parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="yarnbox sim", description="Play loads of jobs in virtual time.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="play a trace until all of its jobs have ended")
    run.set_defaults(run=run)
    run.add_argument(
        "directory",
        nargs="?",
        metavar="DIR",
        help="a directory that `yarnbox load capture` wrote: load.jsonl, nodes.json and conf/; instead of"
        " --tracelocation",
    )
    add_load_options(run)
    run.add_argument(
        "--record",
        metavar="RECORDING",
        help="write a recording for `yarnbox view`; compressed if its name ends with .gz",
    )
    run.add_argument(
        "--name",
        help="name of the recording and of the report (default: from the trace and the directory of --conf)",
    )
    results = run.add_argument_group("results")
    results.add_argument("--json", action="store_true", help="print JSON instead of the table")
    results.add_argument(
        "--csv",
        metavar="DIR",
        help="write jobs.csv, containers.csv, nodes.csv, queues.csv and fairness.csv into DIR",
    )
    results.add_argument(
        "--parquet",
        metavar="DIR",
        help="write the same tables into DIR as Parquet files (needs yarnbox[parquet])",
    )
    results.add_argument("--output-dir", metavar="DIR", help="write the files of Hadoop's SLS into DIR")
    results.add_argument(
        "--track-jobs",
        metavar="ID,...",
        type=lambda text: tuple(filter(None, text.split(","))),
        default=(),
        help="with --output-dir: jobs whose running containers are counted over time",
    )
    results.add_argument("--report", metavar="FILE", help="write one HTML page with charts and tables")
    add_cluster_options(run)
    federation.add_options(
        commands.add_parser(
            "federation", help="compare policies of routing jobs to the sub-clusters of a federation"
        )
    )
    return parser


def _run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    tables = _tables(options)
    if options.directory is not None:
        take_directory(options)
    if options.conf is not None and not Path(options.conf).is_dir():
        raise InvalidTraceError(f"{options.conf}: is not a directory")
    runner = settings_of(options)
    load = load_of(options, runner, err)
    warn(load, err)
    site = site_of(options, load, runner)
    load = placed(options, load, site)
    tracked = _tracked(options.track_jobs, load)
    progress = Progress(load.count, load.last_submit_ms, err)
    with ExitStack() as files:
        page = None
        if options.report is not None:
            page = files.enter_context(replacing(Path(options.report)))
        for directory, _ in tables:
            files.enter_context(made(directory))
        rows = [files.enter_context(kind(directory, CONTAINERS)) for directory, kind in tables]
        recording = None
        if options.record is not None:
            recording = files.enter_context(replacing(Path(options.record)))
        play = Play(
            _files(options, load, site),
            load,
            site,
            title=_title(options, load, site),
            on_task=ContainerRows(rows).add if rows else None,
        )
        play.watch(progress)
        output = None
        if options.output_dir is not None:
            output = SLSOutput(
                Path(options.output_dir),
                play.player.rm,
                play.collector,
                site,
                runner.metrics_interval_ms,
                tracked,
            )
            play.watch(files.enter_context(output))
        result = play.run()
        progress.finish()
        if recording is not None:
            recording.writelines(pieces(play.player.recording()))
        if output is not None:
            output.finish(result)
        for directory, kind in tables:
            write_tables(directory, kind, result)
        if page is not None:
            page.write(report(result, _name(options), _size(load, site)))
    if options.json:
        out.writelines(json_pieces(result))
        print(file=out)
    else:
        for line in lines(result, PATIENCE_MS // 60_000):
            print(line, file=out)
    return FINISHED if result.is_complete else UNFINISHED


def _tables(options: argparse.Namespace) -> list[tuple[Path, TableFile]]:
    """Where the tables are written, and as what."""
    found: list[tuple[Path, TableFile]] = []
    if options.csv is not None:
        found.append((Path(options.csv), csv_file))
    if options.parquet is not None:
        pyarrow()  # a run may be long, and should not fail when it ends
        found.append((Path(options.parquet), parquet_file))
    return found


def _files(options: argparse.Namespace, load: Load, site: Site) -> ConfigurationProvider:
    if options.conf is not None:
        return DirectoryFiles(Path(options.conf), {CLASS: options.scheduler} if options.scheduler else {})
    queues = tuple(dict.fromkeys((*load.queues, *options.queues)))
    return equal_queues(options.scheduler or "capacity", queues, {}, site.known().exclusive)


def _tracked(ids: Sequence[str], load: Load) -> Sequence[str]:
    """InvalidTraceError names what is no job of the load."""
    missing = set(ids).difference(job.job_id for job in load.jobs()) if ids else set()
    if missing:
        raise InvalidTraceError(f"--track-jobs: there is no job {', '.join(sorted(missing))} in the load")
    return ids


def _title(options: argparse.Namespace, load: Load, site: Site) -> Title | None:
    if options.record is None:
        return None
    return Title(name=_name(options), about=_size(load, site), kind="workload")


def _size(load: Load, site: Site) -> str:
    return f"{counted(load.count, 'job')} on {counted(len(site.specs()), 'node')}"


def _name(options: argparse.Namespace) -> str:
    trace = Path(options.tracelocation[0]).stem
    return options.name or (f"{trace}, {options.conf}" if options.conf else trace)


if __name__ == "__main__":
    sys.exit(main())
