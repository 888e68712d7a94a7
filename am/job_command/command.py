"""`yarnbox job`: runs a MapReduce job that comes along, one of one's own, or a command in many containers.

Owns the command line and what is printed; what a job is stands in mapreduce/ and shell/. Exit status 0 when
the application SUCCEEDED, 1 when it did not or could not be submitted, 2 for a wrong command line or
configuration, 130 after Ctrl-C, which ends the application. Hadoop: `hadoop jar`'s example programs,
GenericOptionsParser and DistributedShell's command line.
"""

from __future__ import annotations

import argparse
import getpass
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from yarnbox.am.connection import Connection, configuration_of
from yarnbox.am.job_command.examples import EXAMPLES, paths
from yarnbox.am.job_command.output import Output, shown_diagnostics, shown_output, shown_reason
from yarnbox.am.job_command.progress import ProgressDisplay
from yarnbox.am.launch import command_line, exact_environment
from yarnbox.am.mapreduce.client import JobClient, JobProgress
from yarnbox.am.mapreduce.jobs import pi, wordcount
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.streaming import options as streaming
from yarnbox.am.placement import PlacementConstraintParseError, parse_specs
from yarnbox.am.shell.client import ShellClient
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.am.staging import STAGING_PROPERTY, GivenFile
from yarnbox.am.submit import ResourceManagerGoneError, SubmissionError, has_succeeded
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.rpc import ConnectionFailedError, RpcError
from yarnbox.yarn.enums import FinalApplicationStatus, LocalResourceType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import RemoteFileError
from yarnbox.yarn.storage.urls import absolute, is_local
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.numbers import positive
from yarnbox.yarn.text.words import counted, did_you_mean

MAX_WAIT = "yarn.resourcemanager.connect.max-wait.ms"
OUTPUT = "mapreduce.output.fileoutputformat.outputdir"
HEARTBEAT = "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms"
LOCAL_HEARTBEAT_MS = 100
"""A cluster on one desk answers sooner than one in a data centre. Hadoop: 1000."""

INTERRUPTED = 130
JOBS = ("wordcount", "pi", *EXAMPLES, "mapreduce", "streaming", "shell")


def main(
    argv: list[str],
    run_dir: Path | str | None = None,
    yarn: str = "yarn",
    collect: Callable[[], None] = lambda: None,
) -> int:
    """Runs the command; its exit status. `run_dir` is the cluster's run directory, if it has one here, `yarn`
    the command that finds the cluster, `collect` brings the logs of ended applications here from hosts that
    share no directory with this one.
    """
    words, command = _behind_dashes(argv)
    if words and not words[0].startswith("-") and words[0] not in JOBS:
        hint = did_you_mean(words[0], JOBS)
        return _fail(f"there is no job {words[0]}{hint}; `yarnbox job --help` lists them", 2)
    options = parser().parse_args(words)
    options.shell_words = command
    program = Program(options, Path(run_dir).absolute() if run_dir is not None else None, yarn, collect)
    try:
        return program.run()
    except (ConfigurationError, PlacementConstraintParseError) as error:
        return _fail(error, 2)
    except ResourceManagerGoneError as error:
        return _fail(error, 1)
    except ConnectionFailedError:
        where = f"cannot reach the ResourceManager at {program.rm_address}"
        remedy = "start a cluster with `yarnbox up`, or name a running one with --dir"
        return _fail(f"{where}: {remedy}", 1)
    except BrokenPipeError:
        raise  # nobody reads any more: the caller's affair
    except (SubmissionError, RemoteFileError, YarnError, RpcError, OSError) as error:
        return _fail(error, 1)


def _fail(error: Exception | str, status: int) -> int:
    text = error.message if isinstance(error, YarnError) else str(error)
    print(f"yarnbox: {' '.join(text.split())}", file=sys.stderr)
    return status


def _say(text: str) -> None:
    print(f"yarnbox: {text}", file=sys.stderr, flush=True)


def _tell_of_what_is_out_of_reach(output: Output) -> None:
    if text := output.out_of_reach():
        _say(text)


def _behind_dashes(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first `--`, and those behind it."""
    words = list(argv)
    if "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1 :]


# The command line.


def parser() -> argparse.ArgumentParser:
    generic = CommandParser(add_help=False)
    generic.add_argument(
        "-D",
        dest="definitions",
        metavar="PROPERTY=VALUE",
        action="append",
        default=[],
        help="set a property, over all configuration files; may be repeated",
    )
    generic.add_argument("--queue", help="queue to submit to (default: default)")
    generic.add_argument("--name", help="name of the application")
    generic.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_count,
        help="give up when the ResourceManager has not answered for so long"
        f" (default: {MAX_WAIT}, which is 15 minutes)",
    )
    parser = CommandParser(
        prog="yarnbox job",
        description="Run a job on the cluster and wait until it has ended.",
        epilog="Every JOB also takes --dir DIR, the run directory of the cluster (default: $YARN_CONF_DIR,"
        " else $HADOOP_CONF_DIR, else $YARNBOX_DIR, else ./.yarnbox). `yarnbox job JOB --help` shows its"
        " options.",
    )
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="JOB")

    counting = kinds.add_parser("wordcount", parents=[generic], help="count the words of text files")
    _add_paths(counting)

    estimating = kinds.add_parser("pi", parents=[generic], help="estimate pi")
    estimating.add_argument("maps", metavar="MAPS", type=positive, help="number of maps")
    estimating.add_argument("samples", metavar="SAMPLES", type=positive, help="points per map")

    for name, example in EXAMPLES.items():
        example.add_arguments(kinds.add_parser(name, parents=[generic], help=example.help))

    own = kinds.add_parser("mapreduce", parents=[generic], help="run a mapper and reducer of your own")
    own.add_argument(
        "--mapper", required=True, metavar="NAME", help="dotted name of a Mapper class or a function"
    )
    own.add_argument("--reducer", metavar="NAME", help="dotted name of a Reducer class or a function")
    own.add_argument("--combiner", metavar="NAME", help="dotted name of a Reducer class or a function")
    own.add_argument("--reduces", type=_count, metavar="N", help="number of reduces (default: 1)")
    own.add_argument(
        "--path",
        action="append",
        default=[],
        metavar="DIR",
        help="directory of their modules (default: the current one)",
    )
    _add_paths(own)
    streaming.add_options(
        kinds.add_parser(
            "streaming", parents=[generic], help="run any commands as mapper and reducer, as Hadoop streaming"
        )
    )
    _add_shell(kinds.add_parser("shell", parents=[generic], help="run one command in several containers"))
    return parser


def _add_paths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help="a file or directory, or its URL")
    parser.add_argument("output", metavar="OUTPUT_DIR", help="a directory that is not there yet, or its URL")


def _add_shell(parser: argparse.ArgumentParser) -> None:
    parser.usage = "yarnbox job shell [options] -- COMMAND..."
    _add_containers(parser)
    add = parser.add_argument
    add(
        "--shell-env",
        "-shell_env",
        type=_variable,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="environment variable of the command; nothing in the value is expanded; may be repeated",
    )
    add(
        "--shell-command",
        "-shell_command",
        metavar="LINE",
        help="a shell command line, instead of the words behind --; the node first replaces $NAME, {{NAME}}"
        " and <LOG_DIR> in it",
    )
    add(
        "--node-label-expression",
        "-node_label_expression",
        metavar="LABEL",
        help="node label of the nodes to use",
    )
    add(
        "--placement-spec",
        "-placement_spec",
        default="",
        metavar="SPEC",
        help="number of containers for each tag, with a placement constraint: zk(3),NOTIN,NODE,zk:...",
    )
    for option, kind, what in (
        ("--files", LocalResourceType.FILE, "files to put"),
        ("--archives", LocalResourceType.ARCHIVE, "archives to unpack"),
    ):
        add(
            option,
            "-" + option.lstrip("-"),
            type=partial(_given_files, kind=kind),
            action="extend",
            default=[],
            metavar="FILE[#LINK],...",
            help=f"{what} into the working directory of each container: paths on this host, or URLs",
        )
    add("--quiet", action="store_true", help="do not print the containers' stdout")
    _add_retries(parser)
    parser.set_defaults(refuse=parser.error)


def _add_containers(parser: argparse.ArgumentParser) -> None:
    """How many containers, and what is requested for each."""
    add = parser.add_argument
    add(
        "--containers",
        "-num_containers",
        type=positive,
        default=1,
        metavar="N",
        help="number of containers (default: 1)",
    )
    add(
        "--memory",
        "-container_memory",
        type=_count,
        default=1024,
        metavar="MIB",
        help="memory of each container (default: 1024)",
    )
    add(
        "--vcores",
        "-container_vcores",
        type=positive,
        default=1,
        metavar="N",
        help="vcores of each container (default: 1)",
    )
    add(
        "--priority",
        "-priority",
        type=_count,
        default=0,
        metavar="N",
        help="priority of the requests for containers (default: 0)",
    )


def _add_retries(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--retry-policy",
        "-container_retry_policy",
        default="NEVER_RETRY",
        choices=("NEVER_RETRY", "RETRY_ON_ALL_ERRORS", "RETRY_ON_SPECIFIC_ERROR_CODES"),
        help="whether the NodeManager runs a failed command again (default: NEVER_RETRY)",
    )
    add(
        "--max-retries",
        "-container_max_retries",
        type=int,
        default=0,
        metavar="N",
        help="how often a failed command is run again; -1: without limit (default: 0)",
    )
    add(
        "--retry-interval",
        "-container_retry_interval",
        type=_count,
        default=0,
        metavar="MS",
        help="time between two runs (default: 0)",
    )
    add(
        "--retry-error-codes",
        "-container_retry_error_codes",
        type=_exit_statuses,
        default=(),
        metavar="N,...",
        help="the exit statuses for RETRY_ON_SPECIFIC_ERROR_CODES",
    )


def _definition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name, value


def _variable(text: str) -> tuple[str, str]:
    name, value = _definition(text)
    try:
        exact_environment({name: value})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name, value


def _exit_statuses(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(status) for status in text.split(",") if status)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of exit statuses such as 1,137") from None


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)


# What it does.


class Program:
    """One run of the command."""

    def __init__(
        self,
        options: argparse.Namespace,
        run_dir: Path | None,
        yarn: str,
        collect: Callable[[], None] = lambda: None,
    ) -> None:
        self._options = options
        self._run_dir = run_dir
        self._user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
        self.rm_address = ""
        self._read: Configuration | None = None
        """The configuration, once it is read."""
        self._yarn = yarn
        self._collect = collect
        self._lost_before: tuple[NodeId, ...] = ()

    def run(self) -> int:
        """Does what the options say."""
        kinds: dict[str, Callable[[], int]] = {
            "wordcount": self._wordcount,
            "pi": self._pi,
            "mapreduce": self._mapreduce,
            "streaming": self._streaming,
            "shell": self._shell,
        }
        example = EXAMPLES.get(self._options.kind)
        return example.run(self._options, self) if example is not None else kinds[self._options.kind]()

    def _configuration(self, properties: dict[str, str]) -> Configuration:
        """The cluster's, below what the job is, below what the command line says."""
        options = self._options
        over = dict(properties)
        if options.wait is not None:
            over[MAX_WAIT] = str(options.wait * 1000)
        if options.queue is not None:
            over["mapreduce.job.queuename"] = options.queue
        if options.name is not None:
            over["mapreduce.job.name"] = options.name
        defaults = {HEARTBEAT: str(LOCAL_HEARTBEAT_MS)}
        found = configuration_of(os.environ, self._user).overlaid(over, "yarnbox job")
        found = found.overlaid_by_arguments(options.definitions)
        if self._run_dir is not None:
            defaults[STAGING_PROPERTY] = str(self._run_dir / "staging")
            shares_a_directory = is_local(found.value(STAGING_PROPERTY) or "")
            if shares_a_directory:
                history = self._run_dir / "history"
                defaults["mapreduce.jobhistory.intermediate-done-dir"] = str(history / "done_intermediate")
                defaults["mapreduce.jobhistory.done-dir"] = str(history / "done")
        configuration = found.with_defaults(defaults)
        self.rm_address = Connection.of(configuration).rm_address
        self._read = configuration
        return configuration

    # MapReduce.

    def _wordcount(self) -> int:
        options = self._options
        properties = {**wordcount.properties(), **paths(options.inputs, options.output)}
        return 0 if self.run_job(self.client(properties)) else 1

    def _mapreduce(self) -> int:
        options = self._options
        modules = [str(Path(path).absolute()) for path in options.path] or [os.getcwd()]
        properties = {
            "mapreduce.job.map.class": options.mapper,
            "mapreduce.job.name": options.mapper,
            "yarnbox.mapreduce.python.path": ",".join(modules),
            **paths(options.inputs, options.output),
        }
        if options.reducer:
            properties["mapreduce.job.reduce.class"] = options.reducer
        if options.combiner:
            properties["mapreduce.job.combine.class"] = options.combiner
        if options.reduces is not None:
            properties["mapreduce.job.reduces"] = str(options.reduces)
        return 0 if self.run_job(self.client(properties)) else 1

    def _streaming(self) -> int:
        client = self.client(streaming.properties(self._options))
        if not self._options.background:
            return 0 if self.run_job(client) else 1
        client.check()
        print(f"Submitted application {client.submit(client.text_splits())}", flush=True)
        return 0

    def _pi(self) -> int:
        options = self._options
        maps, samples = options.maps, options.samples
        parent = Path(tempfile.gettempdir()) if self._run_dir is None else self._run_dir / "tmp"
        usual = parent / f"QuasiMonteCarlo_{time.time_ns()}_{os.getpid()}"
        client = self.client({**pi.properties(), OUTPUT: str(usual)})
        assert self._read is not None
        output = absolute(self._read.value(OUTPUT) or str(usual))
        client.check()
        print(f"Number of Maps  = {maps}\nSamples per Map = {samples}", flush=True)
        started = time.monotonic()
        try:
            succeeded = self.run_job(client, pi.splits(maps, samples))
            seconds = time.monotonic() - started
            print(f"Job Finished in {seconds:.3f} seconds")
            if not succeeded:
                return 1
            print(f"Estimated value of Pi is {_pi_of(output, maps, samples)}")
            return 0
        finally:
            remote_files.remove(output)  # it was not there before

    def client(self, properties: dict[str, str]) -> JobClient:
        """The client of a job; what the command line says is over these properties."""
        return JobClient(self._configuration(properties), self._user, _say)

    def run_job(self, client: JobClient, splits: Sequence[Split] | None = None) -> bool:
        """Checks and runs a job, over its files if there are no splits; whether it succeeded."""
        client.check()
        made = splits if splits is not None else client.text_splits()
        application_id = client.submit(made)
        job = str(application_id).replace("application", "job")

        def follow() -> ApplicationReport:
            print(f"Submitted application {application_id}: {counted(len(made), 'split')}")
            print(f"Running job: {job}", flush=True)
            with ProgressDisplay(("map", "reduce")) as display:

                def tell(_report: ApplicationReport, progress: JobProgress) -> None:
                    display.show(progress.map, progress.reduce)

                return client.follow(application_id, tell)

        report = self._to_the_end(client, application_id, follow)
        if not has_succeeded(report):
            client.publish_history(report)
        history = client.job_report(application_id)
        if has_succeeded(report):
            print(f"Job {job} completed successfully")
        else:
            status = report.final_application_status or FinalApplicationStatus.UNDEFINED
            told = shown_diagnostics(report.diagnostics)
            print(f"Job {job} failed with state {status.name} due to: {told}", file=sys.stderr)
            output = self._output(client, application_id)  # once all containers have ended
            client.clean_up()
            reason = output.reason(report.diagnostics or "", _failed_containers(history))
            print(shown_reason(output, reason, told), file=sys.stderr, flush=True)
            _tell_of_what_is_out_of_reach(output)
        _print_counters(history)
        return has_succeeded(report)

    def _to_the_end(
        self,
        client: JobClient | ShellClient,
        application_id: ApplicationId,
        follow: Callable[[], ApplicationReport],
    ) -> ApplicationReport:
        try:
            with suppress(ConnectionFailedError):
                self._lost_before = client.lost_nodes()
            return follow()
        except KeyboardInterrupt:
            print(f"yarnbox: killing {application_id}", file=sys.stderr)
            try:
                client.kill(application_id)
            except ConnectionFailedError:
                _say(f"{application_id} is not killed: the ResourceManager does not answer")
            except KeyboardInterrupt:
                shows_it = f"`{self._yarn} application -status {application_id}` shows it"
                _say(f"{application_id} may not have ended yet: {shows_it}")
            raise

    # DistributedShell.

    def _shell(self) -> int:
        spec = self._shell_spec()
        client = ShellClient(self._configuration({}), self._user, _say)
        application_id = client.submit(spec, [*self._options.files, *self._options.archives])

        def follow() -> ApplicationReport:
            print(f"Submitted application {application_id}: {counted(spec.total, 'container')}", flush=True)
            with ProgressDisplay(("containers",)) as display:

                def tell(report: ApplicationReport) -> None:
                    display.show(1.0 if has_succeeded(report) else report.progress or 0.0)

                return client.follow(application_id, tell)

        report = self._to_the_end(client, application_id, follow)
        output = self._output(client, application_id)
        if not self._options.quiet:
            sys.stdout.write(shown_output(output))
            _tell_of_what_is_out_of_reach(output)
        if has_succeeded(report):
            print(f"Application {application_id} completed successfully", flush=True)
            return 0
        sys.stdout.flush()
        reason = output.reason(report.diagnostics or "")
        diagnostics = _reason(report) if reason is None else _first_line(report)
        _say(f"{application_id} did not succeed: {diagnostics}")
        print(shown_reason(output, reason), file=sys.stderr, flush=True)
        if self._options.quiet:
            _tell_of_what_is_out_of_reach(output)
        return 1

    def _output(self, client: JobClient | ShellClient, application_id: ApplicationId) -> Output:
        assert self._read is not None
        return Output.of(self._read, application_id, client, self._yarn, self._collect, self._lost_before)

    def _shell_spec(self) -> ShellSpec:
        options = self._options
        words = options.shell_words
        if bool(words) == (options.shell_command is not None):
            which = "two commands, behind -- and in --shell-command" if words else "no command"
            options.refuse(f"{which}: write one behind --, as in `yarnbox job shell -- hostname`")
        if len(words) == 1 and " " in words[0] and not Path(words[0]).exists():
            options.refuse(
                f"{words[0]!r} is a single word behind --, hence the name of a program."
                f" For a line of a shell, write -- sh -c {shlex.quote(words[0])}"
            )
        if options.placement_spec:
            parse_specs(options.placement_spec)
        return ShellSpec(
            command=options.shell_command if options.shell_command is not None else command_line(words),
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


def _pi_of(output: str, maps: int, samples: int) -> Decimal:
    try:
        return pi.estimate(output, maps, samples)
    except FileNotFoundError:
        raise SubmissionError(
            f"the job has written to {output} on another host: name a directory that all hosts share,"
            f" or a URL, with -D {OUTPUT}=DIR"
        ) from None


def _given_files(text: str, kind: LocalResourceType) -> list[GivenFile]:
    try:
        return [GivenFile.parse(one, kind) for one in text.split(",") if one]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _reason(report: ApplicationReport) -> str:
    return " ".join((report.diagnostics or "no diagnostics").split())


def _first_line(report: ApplicationReport) -> str:
    """The diagnostics without the container's own words, which are shown below."""
    return _reason(report) if not report.diagnostics else report.diagnostics.strip().splitlines()[0]


def _failed_containers(history: dict[str, Any] | None) -> list[str]:
    """The containers of the job's attempts that failed, by the job's report; first those of a task for which
    it failed.
    """
    tasks = sorted((history or {}).get("tasks", []), key=lambda task: bool(task["state"] != "FAILED"))
    attempts = [attempt for task in tasks for attempt in task["attempts"]]
    return [one["assignedContainerId"] for one in attempts if one["state"] == "FAILED"]


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
