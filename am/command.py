"""`yarnbox job`: runs wordcount, pi, a MapReduce job of one's own, or a command in many containers.

Owns the command line and what is printed; what a job is stands in mapreduce/ and shell/. Exit status 0 when
the application SUCCEEDED, 1 when it did not or could not be submitted, 2 for a wrong command line or
configuration, 130 after Ctrl-C, which ends the application. Answers for `hadoop jar`'s example programs,
GenericOptionsParser and DistributedShell's command line.
"""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from am.connection import Connection, configuration_of
from am.mapreduce.client import JobClient, JobProgress
from am.mapreduce.jobs import pi, wordcount
from am.mapreduce.splits import Split
from am.placement import PlacementConstraintParseError, parse_specs
from am.progress import ProgressDisplay
from am.shell.client import ShellClient
from am.shell.spec import ShellSpec
from am.submit import SubmissionError, has_succeeded
from yarn.configuration import Configuration, ConfigurationError
from yarn.errors import YarnError
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport
from yarn.rpc import ConnectionFailedError, RpcError

HEARTBEAT = "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms"
LOCAL_HEARTBEAT_MS = 100
"""A cluster on one desk answers sooner than one in a data centre. Hadoop: 1000."""

INTERRUPTED = 130


def main(argv: list[str], run_dir: Path | str | None = None) -> int:
    """Runs the command; its exit status."""
    words, command = _behind_dashes(argv)
    options = _parser().parse_args(words)
    options.shell_words = command
    program = Program(options, Path(run_dir) if run_dir is not None else Path(".yarnbox"))
    try:
        return program.run()
    except (ConfigurationError, PlacementConstraintParseError) as error:
        return _fail(error, 2)
    except ConnectionFailedError:
        where = f"cannot reach the ResourceManager at {program.rm_address}"
        remedy = "start a cluster with `yarnbox up`, or name a running one with --dir"
        return _fail(f"{where}: {remedy}", 1)
    except BrokenPipeError:
        raise  # nobody reads any more: the caller's affair
    except (SubmissionError, YarnError, RpcError, OSError) as error:
        return _fail(error, 1)


def _fail(error: Exception | str, status: int) -> int:
    text = error.message if isinstance(error, YarnError) else str(error)
    print(f"yarnbox: {' '.join(text.split())}", file=sys.stderr)
    return status


def _behind_dashes(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first `--`, and those behind it."""
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


# The command line.


def _parser() -> argparse.ArgumentParser:
    generic = argparse.ArgumentParser(add_help=False)
    generic.add_argument(
        "-D",
        dest="definitions",
        metavar="PROPERTY=VALUE",
        action="append",
        default=[],
        help="set a property, over all configuration files; may be repeated",
    )
    generic.add_argument("--queue", help="the queue it is submitted to (default: default)")
    generic.add_argument("--name", help="the application's name")
    parser = argparse.ArgumentParser(
        prog="yarnbox job", description="Runs a job on the cluster and follows it to its end."
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="JOB")

    counting = kinds.add_parser("wordcount", parents=[generic], help="how often each word stands in a text")
    _add_paths(counting)

    estimating = kinds.add_parser("pi", parents=[generic], help="an estimate of pi")
    estimating.add_argument("maps", metavar="MAPS", type=_positive, help="number of maps")
    estimating.add_argument("samples", metavar="SAMPLES", type=_positive, help="points per map")

    own = kinds.add_parser("mapreduce", parents=[generic], help="a mapper and a reducer of one's own")
    own.add_argument("--mapper", required=True, metavar="NAME", help="dotted name of a Mapper or function")
    own.add_argument("--reducer", metavar="NAME", help="dotted name of a Reducer or function")
    own.add_argument("--combiner", metavar="NAME", help="dotted name of a Reducer or function")
    own.add_argument("--reduces", type=_count, metavar="N", help="number of reduces (default: 1)")
    own.add_argument(
        "--path", action="append", default=[], metavar="DIR", help="where their modules are (default: here)"
    )
    _add_paths(own)
    _add_shell(kinds.add_parser("shell", parents=[generic], help="one command in many containers"))
    return parser


def _add_paths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="a file or directory")
    parser.add_argument("output", metavar="OUTPUT_DIR", help="a directory that does not exist yet")


def _add_shell(parser: argparse.ArgumentParser) -> None:
    parser.usage = "yarnbox job shell [options] -- COMMAND..."
    add = parser.add_argument
    add("--containers", "-num_containers", type=_positive, default=1, metavar="N", help="default: 1")
    add(
        "--memory",
        "-container_memory",
        type=_count,
        default=1024,
        metavar="MB",
        help="of each (default: 1024)",
    )
    add("--vcores", "-container_vcores", type=_positive, default=1, metavar="N", help="of each (default: 1)")
    add("--priority", "-priority", type=_count, default=0, metavar="N", help="request priority (default: 0)")
    add(
        "--shell-env",
        "-shell_env",
        type=_definition,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an environment variable of the command; may be repeated",
    )
    add("--shell-command", "-shell_command", metavar="COMMAND", help="instead of the words behind --")
    add("--node-label-expression", "-node_label_expression", metavar="LABEL", help="label of the containers")
    add(
        "--placement-spec",
        "-placement_spec",
        default="",
        metavar="SPEC",
        help="containers by tag, and where they go: zk(3),NOTIN,NODE,zk:...",
    )
    _add_retries(parser)
    parser.set_defaults(refuse=parser.error)


def _add_retries(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--retry-policy",
        "-container_retry_policy",
        default="NEVER_RETRY",
        choices=("NEVER_RETRY", "RETRY_ON_ALL_ERRORS", "RETRY_ON_SPECIFIC_ERROR_CODES"),
        help="what the node does when the command fails",
    )
    add(
        "--max-retries",
        "-container_max_retries",
        type=int,
        default=0,
        metavar="N",
        help="how often it tries again; -1: for ever (default: 0)",
    )
    add(
        "--retry-interval",
        "-container_retry_interval",
        type=_count,
        default=0,
        metavar="MS",
        help="how long it waits in between (default: 0)",
    )
    add(
        "--retry-error-codes",
        "-container_retry_error_codes",
        type=_exit_statuses,
        default=(),
        metavar="N,...",
        help="exit statuses after which RETRY_ON_SPECIFIC_ERROR_CODES tries again",
    )


def _definition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _exit_statuses(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(status) for status in text.split(",") if status)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of exit statuses, as 1,137") from None


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)


# What it does.


class Program:
    """One run of the command."""

    def __init__(self, options: argparse.Namespace, run_dir: Path) -> None:
        self._options = options
        self._run_dir = run_dir.absolute()
        self._user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
        self.rm_address = ""

    def run(self) -> int:
        """Does what the options say."""
        kinds: dict[str, Callable[[], int]] = {
            "wordcount": self._wordcount,
            "pi": self._pi,
            "mapreduce": self._mapreduce,
            "shell": self._shell,
        }
        return kinds[self._options.kind]()

    def _configuration(self, properties: dict[str, str]) -> Configuration:
        """The cluster's, below what the job is, below what the command line says."""
        options = self._options
        over = dict(properties)
        if options.queue is not None:
            over["mapreduce.job.queuename"] = options.queue
        if options.name is not None:
            over["mapreduce.job.name"] = options.name
        defaults = {
            "yarn.app.mapreduce.am.staging-dir": str(self._run_dir / "staging"),
            "mapreduce.jobhistory.done-dir": str(self._run_dir / "history"),
            HEARTBEAT: str(LOCAL_HEARTBEAT_MS),
        }
        found = configuration_of(os.environ, self._user).with_defaults(defaults)
        configuration = found.overlaid(over, "yarnbox job").overlaid_by_arguments(options.definitions)
        self.rm_address = Connection.of(configuration).rm_address
        return configuration

    # MapReduce.

    def _wordcount(self) -> int:
        properties = {**wordcount.properties(), **self._paths()}
        return self._run_text_job(properties)

    def _mapreduce(self) -> int:
        options = self._options
        paths = [str(Path(path).absolute()) for path in options.path] or [os.getcwd()]
        properties = {
            "mapreduce.job.map.class": options.mapper,
            "mapreduce.job.name": options.mapper,
            "yarnbox.mapreduce.python.path": ",".join(paths),
            **self._paths(),
        }
        if options.reducer:
            properties["mapreduce.job.reduce.class"] = options.reducer
        if options.combiner:
            properties["mapreduce.job.combine.class"] = options.combiner
        if options.reduces is not None:
            properties["mapreduce.job.reduces"] = str(options.reduces)
        return self._run_text_job(properties)

    def _paths(self) -> dict[str, str]:
        options = self._options
        for path in (*options.inputs, options.output):
            if "," in path:
                raise SubmissionError(f"the path {path} has a comma, which separates paths in properties")
        return {
            "mapreduce.input.fileinputformat.inputdir": ",".join(
                str(Path(path).absolute()) for path in options.inputs
            ),
            "mapreduce.output.fileoutputformat.outputdir": str(Path(options.output).absolute()),
        }

    def _run_text_job(self, properties: dict[str, str]) -> int:
        client = JobClient(self._configuration(properties), self._user)
        client.check()
        return 0 if self._run_job(client, client.text_splits) else 1

    def _pi(self) -> int:
        options = self._options
        maps, samples = options.maps, options.samples
        output = self._run_dir / "tmp" / f"QuasiMonteCarlo_{time.time_ns()}_{os.getpid()}"
        place = {"mapreduce.output.fileoutputformat.outputdir": str(output)}
        client = JobClient(self._configuration({**pi.properties(), **place}), self._user)
        print(f"Number of Maps  = {maps}\nSamples per Map = {samples}", flush=True)
        client.check()
        started = time.monotonic()
        try:
            succeeded = self._run_job(client, lambda: pi.splits(maps, samples))
            seconds = time.monotonic() - started
            print(f"Job Finished in {seconds:.3f} seconds")
            if not succeeded:
                return 1
            print(f"Estimated value of Pi is {pi.estimate(output, maps, samples)}")
            return 0
        finally:
            shutil.rmtree(output, ignore_errors=True)

    def _run_job(self, client: JobClient, splits: Callable[[], list[Split]]) -> bool:
        made = splits()
        application_id = client.submit(made)
        job = str(application_id).replace("application", "job")
        print(f"Submitted application {application_id}: {len(made)} splits\nRunning job: {job}", flush=True)
        with ProgressDisplay(("map", "reduce")) as display:

            def tell(_report: ApplicationReport, progress: JobProgress) -> None:
                display.show(progress.map, progress.reduce)

            report = self._to_the_end(client, application_id, lambda: client.follow(application_id, tell))
        if has_succeeded(report):
            print(f"Job {job} completed successfully")
        else:
            state = report.yarn_application_state.name if report.yarn_application_state else "UNKNOWN"
            print(f"Job {job} failed with state {state} due to: {_reason(report)}", file=sys.stderr)
        _print_counters(client.job_report(application_id))
        return has_succeeded(report)

    def _to_the_end(
        self,
        client: JobClient | ShellClient,
        application_id: ApplicationId,
        follow: Callable[[], ApplicationReport],
    ) -> ApplicationReport:
        try:
            return follow()
        except KeyboardInterrupt:
            print(f"yarnbox: killing {application_id}", file=sys.stderr)
            client.kill(application_id)
            raise

    # DistributedShell.

    def _shell(self) -> int:
        spec = self._shell_spec()
        client = ShellClient(self._configuration({}), self._user)
        application_id = client.submit(spec)
        print(f"Submitted application {application_id}: {spec.total} containers", flush=True)
        with ProgressDisplay(("containers",)) as display:

            def tell(report: ApplicationReport) -> None:
                display.show(1.0 if has_succeeded(report) else report.progress or 0.0)

            report = self._to_the_end(client, application_id, lambda: client.follow(application_id, tell))
        if has_succeeded(report):
            print(f"Application {application_id} completed successfully")
            return 0
        print(f"yarnbox: {application_id} did not succeed: {_reason(report)}", file=sys.stderr)
        return 1

    def _shell_spec(self) -> ShellSpec:
        options = self._options
        words = options.shell_words
        command = options.shell_command or (words[0] if len(words) == 1 else shlex.join(words))
        if not command:
            options.refuse("no command: write it behind --, as in `yarnbox job shell -- hostname`")
        if options.placement_spec:
            parse_specs(options.placement_spec)
        return ShellSpec(
            command=command,
            containers=options.containers,
            memory_mb=options.memory,
            vcores=options.vcores,
            priority=options.priority,
            environment=dict(options.shell_env),
            label=options.node_label_expression,
            placement=options.placement_spec,
            retry_policy=options.retry_policy,
            max_retries=options.max_retries,
            retry_interval_ms=options.retry_interval,
            retry_error_codes=options.retry_error_codes,
        )


def _reason(report: ApplicationReport) -> str:
    return " ".join((report.diagnostics or "no diagnostics").split())


def _print_counters(report: dict[str, Any] | None) -> None:
    """The job's counters, as Hadoop's client prints them when a job has ended."""
    if report is None:
        return
    counters: dict[str, dict[str, int]] = report["counters"]
    total = sum(len(amounts) for amounts in counters.values())
    print(f"Counters: {total}")
    for group, amounts in counters.items():
        print(f"\t{_GROUP_NAMES.get(group, group)}")
        for name, value in amounts.items():
            print(f"\t\t{name}={value}")


_GROUP_NAMES = {
    "org.apache.hadoop.mapreduce.TaskCounter": "Map-Reduce Framework",
    "org.apache.hadoop.mapreduce.JobCounter": "Job Counters",
}
