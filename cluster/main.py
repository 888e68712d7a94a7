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
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.arguments import FORWARDED, parser, without_directory
from cluster.directory import ClusterError, RunDirectory

if TYPE_CHECKING:
    from cluster.cluster import Cluster


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words and words[0] in FORWARDED:
            return _forward(words[0], words[1:])
        options = parser().parse_args(words)
        return COMMANDS[options.command](options)
    except BrokenPipeError:  # `yarnbox events | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ClusterError as error:
        return _fail(error, error.status)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        from yarn.configuration import ConfigurationError

        if isinstance(error, ConfigurationError):
            return _fail(error, 2)
        raise


def _fail(error: Exception, status: int) -> int:
    print(f"yarnbox: {error}", file=sys.stderr)
    return status


def _forward(command: str, words: Sequence[str]) -> int:
    """Commands of other rooms. They find the cluster by its configuration, or are told the run directory."""
    kept, directory = without_directory(words)
    run = RunDirectory.chosen(directory)
    if command == "preempt-table":
        return _status_of(importlib.import_module("sim.preempt_table.command").main(kept))
    if command == "scenario":
        return _status_of(importlib.import_module("sim.scenario.command").main(kept))
    if command == "sim":
        return _status_of(importlib.import_module("sim.workload.command").main(kept))
    if command == "yarn":  # which looks for a cluster itself, in the same places and in Hadoop's
        if directory is not None:
            run.load()
            kept = ["--dir", directory, *kept]
        return _status_of(importlib.import_module("client.main").main(kept))
    wants_help = not kept or "--help" in kept or "-h" in kept
    if run.record_file.exists() or not wants_help:
        run.load()
        os.environ.update({"YARN_CONF_DIR": str(run.path), "HADOOP_CONF_DIR": str(run.path)})
    return _status_of(importlib.import_module("am.command").main(kept, run.path))


def _status_of(answer: object) -> int:
    return answer if isinstance(answer, int) else 0


def _up(options: argparse.Namespace) -> int:
    from cluster.cluster import Cluster, Options
    from cluster.watch import listening_for_signals, watch

    cluster = Cluster(RunDirectory.chosen(options.dir), stays_with_us=not options.detach)
    asked = Options(
        nodes=options.nodes,
        racks=options.racks,
        configuration=Path(options.conf) if options.conf else None,
        scheduler=options.scheduler,
        port=options.port,
        web_port=options.web_port,
        recover=options.recover,
        for_hadoop=options.hadoop,
        definitions=_definitions(options.definitions),
    )
    stays = False
    begun = time.monotonic()
    with listening_for_signals() as ending:
        cluster.up(asked)
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


def _definitions(words: Sequence[str]) -> dict[str, str]:
    definitions = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise ClusterError(f"-D {word}: it has to be of the form NAME=VALUE", status=2)
        definitions[name.strip()] = value
    return definitions


def _banner(cluster: Cluster, seconds: float, options: argparse.Namespace) -> str:
    record = cluster.run.load()
    suffix = f" --dir {options.dir}" if options.dir else ""
    nodes = "1 NodeManager" if len(record.nodes) == 1 else f"{len(record.nodes)} NodeManagers"
    hints = [
        "status",
        "yarn node -list",
        "job pi 4 100000",
        *(f"kill-node {name}" for name in [*record.nodes][:1]),
    ]
    hadoop = [f"  Hadoop's clients HADOOP_CONF_DIR={cluster.run.path}"] if record.for_hadoop else []
    ending = f"yarnbox down{suffix}   stops everything" if options.detach else "Ctrl-C stops everything"
    return "\n".join(
        [
            f"yarnbox: ready in {seconds:.1f} s: one ResourceManager and {nodes}",
            f"  scheduler        {record.scheduler}",
            f"  gRPC             {record.rm_address}",
            f"  web              http://{record.web_address}/cluster",
            f"  run directory    {cluster.run.path}",
            f"  logs             {cluster.run.logs}",
            *hadoop,
            "Try, in another terminal:",
            *(f"  yarnbox {hint}{suffix}" for hint in hints),
            ending,
        ]
    )


def _down(options: argparse.Namespace) -> int:
    cluster = _cluster(options)
    cluster.down()
    print(f"yarnbox: the cluster in {cluster.run.path} is stopped")
    return 0


def _status(options: argparse.Namespace) -> int:
    from cluster.view import as_json, as_text, look

    cluster = _cluster(options)
    record, rows = look(cluster)
    if options.json:
        print(json.dumps(as_json(record, str(cluster.run.path), rows), indent=2))
    else:
        print(as_text(rows))
    return 0 if record.is_running() else 1


def _add_node(options: argparse.Namespace) -> int:
    if options.rack is not None and not options.rack.startswith("/"):
        raise ClusterError(f"{options.rack} is no rack: racks begin with a slash, as /rack2")
    cluster = _cluster(options)
    node = cluster.add_node(options.rack)
    cluster.wait_until_ready([node.name])
    print(f"yarnbox: {node.name} is RUNNING on {node.rack}")
    return 0


def _kill_node(options: argparse.Namespace) -> int:
    _cluster(options).kill_node(options.name, signal.Signals[f"SIG{options.signal}"])
    print(f"yarnbox: {options.name} was sent SIG{options.signal}")
    return 0


def _restart_node(options: argparse.Namespace) -> int:
    cluster = _cluster(options)
    since_ms = int(time.time() * 1000)
    cluster.restart_node(options.name)
    cluster.wait_until_ready([options.name], since_ms=since_ms)
    print(f"yarnbox: {options.name} is RUNNING again")
    return 0


def _restart_rm(options: argparse.Namespace) -> int:
    cluster = _cluster(options)
    cluster.restart_rm(signal.Signals[f"SIG{options.signal}"])
    cluster.wait_until_ready([])
    print("yarnbox: the ResourceManager is serving again")
    return 0


def _told(value: object) -> str:
    return ",".join(f"{k}:{v}" for k, v in value.items()) if isinstance(value, dict) else str(value)


def _events(options: argparse.Namespace) -> int:
    from yarn.event_log import FILE, EventLogReader

    cluster = _cluster(options)
    cluster.run.load()
    reader = EventLogReader(cluster.run.logs / FILE)
    new = reader.read_all()
    while True:
        for event in new:
            if options.json:
                entry = {"time": event.time_ms, "type": event.type, "subject": event.subject}
                line = json.dumps({**entry, **event.details})
            else:
                seconds, milliseconds = divmod(event.time_ms, 1000)
                moment = time.strftime("%H:%M:%S", time.localtime(seconds))
                told = {key: value for key, value in event.details.items() if value or type(value) is int}
                details = " ".join(f"{key}={_told(value)}" for key, value in told.items())
                line = f"{moment}.{milliseconds:03d} {event.type:32} {event.subject} {details}"
            print(line.rstrip())
        sys.stdout.flush()
        if not options.follow:
            return 0
        time.sleep(0.1)
        new = reader.read_new()


def _convert_conf(options: argparse.Namespace) -> int:
    from cluster.convert_conf import run

    return run(options)


def _cluster(options: argparse.Namespace) -> Cluster:
    from cluster.cluster import Cluster

    return Cluster(RunDirectory.chosen(options.dir))


def _check_conf(options: argparse.Namespace) -> int:
    from cluster import check_conf, check_fair

    return check_fair.run(options) if check_fair.is_fair(options) else check_conf.run(options)


def _view(options: argparse.Namespace) -> int:
    from cluster.viewer.command import run

    return run(options)


def _why(options: argparse.Namespace) -> int:
    from cluster.why import reasons

    print("\n".join(reasons(_cluster(options).run.load().web_address, options.application)))
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "up": _up,
    "down": _down,
    "status": _status,
    "add-node": _add_node,
    "kill-node": _kill_node,
    "restart-node": _restart_node,
    "restart-rm": _restart_rm,
    "events": _events,
    "why": _why,
    "convert-conf": _convert_conf,
    "check-conf": _check_conf,
    "view": _view,
}

if __name__ == "__main__":
    sys.exit(main())
