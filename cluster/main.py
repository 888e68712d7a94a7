"""The `yarnbox` command.

Each command is a function from parsed arguments to the exit status. What cannot be done is one line on
stderr and status 1; a wrong command line or configuration is status 2. What only one command needs is
imported there: the command is to answer at once.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from yarnbox.cluster.arguments import FORWARDED, parser, without_directory
from yarnbox.cluster.directory import ClusterError, ClusterRecord, RunDirectory
from yarnbox.yarn.connection.dask import DaskAddress, DaskUnusableError, engine_address
from yarnbox.yarn.runtime.interpreter import drop_what_cannot_be_printed
from yarnbox.yarn.text.words import did_you_mean, refused

if TYPE_CHECKING:
    from yarnbox.cluster.cluster import Cluster


_END_AT_ONCE = ("job", "yarn")
"""Commands that SIGTERM ends at once, as it ends Hadoop's: what they asked of the cluster goes on there."""


class _Terminated(KeyboardInterrupt):
    """A signal that ends a command as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] and words[0] in _END_AT_ONCE:
        return _run(words)
    with _signals_end_it_like_ctrl_c():
        return _run(words)


@contextmanager
def _signals_end_it_like_ctrl_c() -> Iterator[None]:
    """SIGTERM, and SIGHUP unless `nohup` ignores it, let a command stop its workers and remove its drafts."""

    def end(number: int, _: Any) -> NoReturn:
        for one in before:
            signal.signal(one, signal.SIG_IGN)  # it ends already
        raise _Terminated(number)

    before = {}
    if threading.current_thread() is threading.main_thread():  # no other one may ask for signals
        for one in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(one) is signal.SIG_DFL:
                before[one] = signal.signal(one, end)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _run(words: list[str]) -> int:
    try:
        status = _carried_out(words)
        if status == 0 and sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:  # `yarnbox events | head`
        return 0
    except ClusterError as error:
        return _fail(error, error.status)
    except _Terminated as error:
        return error.status
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        return _fail(refused(error), 1)
    except Exception as error:
        from yarnbox.yarn.configuration import ConfigurationError

        if isinstance(error, ConfigurationError):
            return _fail(error, 2)
        raise
    finally:
        if sys.stdout is not None:
            drop_what_cannot_be_printed(sys.stdout)


def _carried_out(words: list[str]) -> int:
    if words and words[0] in FORWARDED:
        return _forward(words[0], words[1:])
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        hint = did_you_mean(words[0], [*COMMANDS, *FORWARDED])
        raise ClusterError(f"there is no command {words[0]}{hint}; `yarnbox --help` lists them", status=2)
    if words and words[0].startswith("--dir"):
        raise ClusterError("options follow the command: yarnbox COMMAND --dir DIR", status=2)
    options = parser().parse_args(words)
    return COMMANDS[options.command](options)


def _fail(error: Exception | str, status: int) -> int:
    print(f"yarnbox: {error}", file=sys.stderr)
    return status


def _forward(command: str, words: Sequence[str]) -> int:
    """Commands of other packages. They find the cluster by its configuration, or get the run directory."""
    kept, directory = without_directory(words)
    run = RunDirectory.chosen(directory)
    if command == "scenario":
        return _status_of(importlib.import_module("yarnbox.sim.scenario.command").main(kept))
    if command == "load":
        return _status_of(importlib.import_module("yarnbox.sim.load.command").main(kept))
    if command == "sim":
        return _status_of(importlib.import_module("yarnbox.sim.workload.command").main(kept))
    if command == "whatif":
        return _status_of(importlib.import_module("yarnbox.sim.whatif.command").main(kept))
    if command == "paper":
        return _status_of(importlib.import_module("yarnbox.sim.paper.command").main(kept))
    if command == "walk":  # a process: the test kit stands above us
        return subprocess.run([sys.executable, "-m", "yarnbox.testing.walk", *kept], check=False).returncode
    if command == "yarn":  # which looks for a cluster itself, in the same places and in Hadoop's
        if directory is not None:
            run.load()
        if kept[:1] == ["logs"]:
            _collect(run)
        where = [] if directory is None else ["--dir", directory]
        return _status_of(importlib.import_module("yarnbox.client.main").main([*where, *kept]))
    return _job(kept, directory, run)


def _job(words: list[str], directory: str | None, run: RunDirectory) -> int:
    """`yarnbox job` on the cluster that `yarn` would find: --dir, Hadoop's variables, the run directory."""
    main = importlib.import_module("yarnbox.am.job_command.command").main
    wants_help = not words or "--help" in words or "-h" in words
    named = os.environ.get("YARN_CONF_DIR") or os.environ.get("HADOOP_CONF_DIR")
    if directory is None and named:
        given = RunDirectory(Path(named))
        is_ours = given.record_file.exists()
        if is_ours and not wants_help:
            _check_runs_programs(given)
        return _status_of(main(words, given.path if is_ours else None))
    if not wants_help:
        _check_runs_programs(run)
    if run.record_file.exists():
        os.environ.update({"YARN_CONF_DIR": str(run.path), "HADOOP_CONF_DIR": str(run.path)})
    yarn = "yarn" if directory is None else f"yarn --dir {shlex.quote(directory)}"
    return _status_of(main(words, run.path, yarn, partial(_collect_for_a_job, run)))


def _check_runs_programs(run: RunDirectory) -> None:
    """ClusterError where a job's ApplicationMaster would be waited for in vain."""
    if run.load().simulates_containers():
        what = f"the nodes of the cluster in {run.path} are virtual"
        raise ClusterError(f"{what}: no job runs in containers that are simulated")


def _collect_for_a_job(run: RunDirectory) -> None:
    """The same as `_collect`; OSError where it cannot be done, which is no failure of the job."""
    try:
        _collect(run)
    except ClusterError as error:
        raise OSError(str(error)) from error


def _collect(run: RunDirectory) -> None:
    """Brings logs here from the hosts of the cluster, if it has hosts that do not share its run directory."""
    fleet = run.load().fleet if run.record_file.exists() else None
    if fleet is not None and not fleet.shares_the_run:
        from yarnbox.cluster.cluster import Cluster

        with Cluster(run) as cluster:
            cluster.collect(run.load())


def _status_of(answer: object) -> int:
    return answer if isinstance(answer, int) else 0


def _up(options: argparse.Namespace) -> int:
    from yarnbox.cluster.cluster import Cluster, Options
    from yarnbox.cluster.watch import listening_for_signals, watch

    cluster = Cluster(RunDirectory.chosen(options.dir), stays_with_us=not options.detach)
    asked = Options(
        nodes=options.nodes,
        virtual=options.virtual,
        dask=_engine(options),
        racks=options.racks,
        configuration=Path(options.conf) if options.conf else None,
        scheduler=options.scheduler,
        port=options.port,
        web_port=options.web_port,
        recover=options.recover,
        for_hadoop=options.hadoop,
        history_port=options.history_server,
        rms=options.rms,
        zookeeper=options.zookeeper,
        definitions=_definitions(options.definitions),
    )
    stays = False
    begun = time.monotonic()
    with listening_for_signals() as ending:
        cluster.up(asked)
        for sentence in cluster.not_used(asked):
            print(f"yarnbox: {sentence}", file=sys.stderr)
        try:
            cluster.wait_until_ready(give_up=lambda: ending.is_asked)
            if ending.is_asked:
                return 130
            stays = options.detach  # from here on, whatever becomes of what we print
            print(_banner(cluster, time.monotonic() - begun, options), flush=True)
            if not stays:
                print(f"yarnbox: {watch(cluster, ending) or 'stopping'}", flush=True)
            return 0
        finally:
            if not stays:
                cluster.down()
            cluster.close()


def _engine(options: argparse.Namespace) -> DaskAddress | None:
    """The engine that is to host the nodes, if it is not this machine."""
    try:
        return engine_address(options)
    except DaskUnusableError as error:
        raise ClusterError(str(error), status=2) from None


def _definitions(words: Sequence[str]) -> dict[str, str]:
    definitions = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise ClusterError(f"-D {word}: expected NAME=VALUE", status=2)
        definitions[name.strip()] = value
    return definitions


def _banner(cluster: Cluster, seconds: float, options: argparse.Namespace) -> str:
    from yarnbox.cluster.site import overrides
    from yarnbox.yarn.security import tls

    record = cluster.run.load()
    suffix = f" --dir {options.dir}" if options.dir else ""
    nodes = "1 NodeManager" if len(record.nodes) == 1 else f"{len(record.nodes)} NodeManagers"
    queue: str | None = "default"  # the sample takes in everybody
    if record.configuration is not None:
        from yarnbox.cluster.suggestions import queue_for_a_job  # and with it the simulator: half a second

        queue = queue_for_a_job(Path(record.configuration), overrides(cluster.run, record))
    shown, users = cluster.tls(record), []
    if shown is not None and shown.settings.token is None:  # the run directory has the host's certificate
        queue, users = (
            None,
            ["  users            submit with a certificate of theirs: `yarnbox certs user DIR NAME`"],
        )
    hadoop = [f"  Hadoop's clients HADOOP_CONF_DIR={cluster.run.path}"] if record.for_hadoop else []
    where, scheme = record.history_address, tls.scheme(shown)
    history = [f"  job history      {scheme}://{where}/jobhistory"] if where else []
    rms = f"{len(record.rms)} ResourceManagers" if record.rms else "one ResourceManager"
    hints = hints_for(record, queue)
    ending = f"yarnbox down{suffix}   stops everything" if options.detach else "Ctrl-C stops everything"
    return "\n".join(
        [
            f"yarnbox: ready in {seconds:.1f} s: {rms} and {nodes}",
            f"  scheduler        {record.scheduler}",
            f"  gRPC             {', '.join(record.rm_addresses)}",
            f"  web              {scheme}://{record.web_address}/cluster",
            *history,
            f"  run directory    {cluster.run.path}",
            f"  logs             {cluster.run.logs}",
            *hadoop,
            *users,
            "Try, in another terminal:",
            *(f"  {_program()} {hint}{suffix}" for hint in hints),
            ending,
        ]
    )


def hints_for(record: ClusterRecord, queue: str | None) -> list[str]:
    """Commands to try, with a job in that queue if there is one that takes it."""
    jobs = {None: "yarn queue -list all", "default": "job pi 4 100000"}
    if record.simulates_containers():
        queue = None  # an ApplicationMaster that is simulated never registers
    return [
        "status",
        "yarn node -list",
        jobs.get(queue, f"job pi 4 100000 --queue {queue}") if record.nodes else "add-node",
        *(f"kill-node {name}" for name in [*record.nodes][:1]),
        *(["failover"] if record.rms else []),
    ]


def _program() -> str:
    """`yarnbox` where a shell finds it, else the path by which it was called: `.venv/bin/yarnbox`."""
    called = sys.argv[0]
    return called if shutil.which("yarnbox") is None and Path(called).name == "yarnbox" else "yarnbox"


def _certs(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.certs import certs

    return certs(options)


def _health(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.health import health

    return health(options)


def _down(options: argparse.Namespace) -> int:
    with _cluster(options) as cluster:
        cluster.down()
    print(f"yarnbox: the cluster in {cluster.run.path} is stopped")
    return 0


def _status(options: argparse.Namespace) -> int:
    from yarnbox.cluster.view import as_json, as_text, is_running, look

    cluster = _cluster(options)
    record, rows = look(cluster)
    if options.json:
        print(json.dumps(as_json(record, str(cluster.run.path), rows), indent=2))
    else:
        print(as_text(rows))
    return 0 if is_running(rows) else 1


def _add_node(options: argparse.Namespace) -> int:
    if options.rack is not None and not options.rack.startswith("/"):
        what = f"{options.rack} is not a rack"
        raise ClusterError(f"{what}: a rack begins with a slash, for example /rack2", status=2)
    with _cluster(options) as cluster:
        node = cluster.add_node(options.rack)
        cluster.wait_until_ready([node.name])
    print(f"yarnbox: {node.name} is RUNNING on {node.rack}")
    return 0


def _kill_node(options: argparse.Namespace) -> int:
    _cluster(options).kill_node(options.name, signal.Signals[f"SIG{options.signal}"])
    print(f"yarnbox: {options.name} was sent SIG{options.signal}")
    return 0


def _restart_node(options: argparse.Namespace) -> int:
    since_ms = int(time.time() * 1000)
    with _cluster(options) as cluster:
        cluster.restart_node(options.name)
        cluster.wait_until_ready([options.name], since_ms=since_ms)
    print(f"yarnbox: {options.name} is RUNNING again")
    return 0


def _decommission_node(options: argparse.Namespace) -> int:
    from yarnbox.cluster.cluster import READY_TIMEOUT_S
    from yarnbox.yarn.enums import NodeState

    cluster = _cluster(options)
    cluster.decommission_node(options.name, options.timeout)
    if options.timeout:
        print(f"yarnbox: {options.name} gets no more containers; it leaves in {options.timeout} s at most")
        sys.stdout.flush()
    cluster.wait_for_state(options.name, NodeState.DECOMMISSIONED, READY_TIMEOUT_S + (options.timeout or 0))
    print(f"yarnbox: {options.name} is DECOMMISSIONED; `yarnbox recommission-node` takes it back")
    return 0


def _recommission_node(options: argparse.Namespace) -> int:
    from yarnbox.yarn.enums import NodeState

    with _cluster(options) as cluster:
        cluster.recommission_node(options.name)
        cluster.wait_for_state(options.name, NodeState.RUNNING)
    print(f"yarnbox: {options.name} is RUNNING again")
    return 0


def _completion(options: argparse.Namespace) -> int:
    shtab = importlib.import_module("shtab")
    forwarded = {
        name: importlib.import_module(module).parser()
        for name, module in {
            "job": "yarnbox.am.job_command.command",
            "scenario": "yarnbox.sim.scenario.command",
            "sim": "yarnbox.sim.workload.command",
            "load": "yarnbox.sim.load.command",
            "whatif": "yarnbox.sim.whatif.command",
            "paper": "yarnbox.sim.paper.command",
            "walk": "yarnbox.cluster.commands.walk",
        }.items()
    }
    print(shtab.complete(parser(forwarded), options.shell))
    return 0


def _restart_rm(options: argparse.Namespace) -> int:
    with _cluster(options) as cluster:
        cluster.restart_rm(signal.Signals[f"SIG{options.signal}"], options.name)
        cluster.wait_until_ready([])
        if options.name is not None:
            cluster.wait_for_rm(options.name)
    print(f"yarnbox: {options.name or 'the ResourceManager'} is serving again")
    return 0


def _failover(options: argparse.Namespace) -> int:
    before, now = _cluster(options).fail_over()
    print(f"yarnbox: {now} is active instead of {before}")
    return 0


def _kill_rm(options: argparse.Namespace) -> int:
    _cluster(options).kill_rm(options.name, signal.Signals[f"SIG{options.signal}"])
    print(f"yarnbox: {options.name} was sent SIG{options.signal}")
    return 0


def _events(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.events import run

    return run(options)


def _convert_conf(options: argparse.Namespace) -> int:
    from yarnbox.cluster.conversion.command import run

    return run(options)


def _examples(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.examples import run

    return run(options)


def _demo(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.demo import run

    return run(options)


def _cluster(options: argparse.Namespace) -> Cluster:
    from yarnbox.cluster.cluster import Cluster

    return Cluster(RunDirectory.chosen(options.dir))


def _check_conf(options: argparse.Namespace) -> int:
    from yarnbox.cluster.checking import check_conf, check_fair

    return check_fair.run(options) if check_fair.is_fair(options) else check_conf.run(options)


def _check_state(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.state import run_check

    return run_check(options)


def _backup_state(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.state import run_backup

    return run_backup(options)


def _restore_state(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.state import run_restore

    return run_restore(options)


def _view(options: argparse.Namespace) -> int:
    from yarnbox.cluster.viewer.command import run

    return run(options)


def _why(options: argparse.Namespace) -> int:
    from yarnbox.cluster.commands.why import reasons

    cluster = _cluster(options)
    record = cluster.run.load()
    print("\n".join(reasons(record.web_address, options.application, cluster.tls(record))))
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "up": _up,
    "down": _down,
    "status": _status,
    "add-node": _add_node,
    "kill-node": _kill_node,
    "restart-node": _restart_node,
    "decommission-node": _decommission_node,
    "recommission-node": _recommission_node,
    "restart-rm": _restart_rm,
    "failover": _failover,
    "kill-rm": _kill_rm,
    "events": _events,
    "why": _why,
    "certs": _certs,
    "health": _health,
    "convert-conf": _convert_conf,
    "check-conf": _check_conf,
    "check-state": _check_state,
    "backup-state": _backup_state,
    "restore-state": _restore_state,
    "view": _view,
    "examples": _examples,
    "demo": _demo,
    "completion": _completion,
}

if __name__ == "__main__":
    sys.exit(main())
