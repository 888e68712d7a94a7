"""The command line of `yarnbox`: its words and options, as argparse knows them.

Commands of other packages (job, scenario, yarn) are handed everything behind their name, but for
--dir, which every command understands.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from yarnbox import CORE, __version__
from yarnbox.yarn.connection.dask import add_engine_options
from yarnbox.yarn.text.command_parser import CommandParser

SHELLS = ("bash", "zsh", "tcsh")
SCHEDULERS = ("capacity", "fair", "fifo")
SIGNALS = ("KILL", "TERM", "STOP", "CONT")
FORWARDED = {
    "job": "run a job on the cluster: wordcount, pi, shell and others",
    "scenario": "play a scenario file in virtual time",
    "sim": "play a load of jobs in virtual time",
    "load": "convert a load, or capture one from a running cluster",
    "whatif": "compare configurations on a load: who gets faster, who slower",
    "paper": "repeat experiments of the literature on fair sharing",
    "walk": "test whole clusters in virtual time with random faults",
    "yarn": "the yarn command on this cluster, as in `yarnbox yarn node -list`",
}
"""Commands of other packages, and what they do."""


def parser(forwarded: Mapping[str, argparse.ArgumentParser] | None = None) -> argparse.ArgumentParser:
    """All commands; each leaves its name in `command`. `forwarded`: parsers of other packages' commands."""
    top: argparse.ArgumentParser = CommandParser(
        prog="yarnbox",
        description="A YARN cluster on this machine: real processes, real containers.",
        epilog="`yarnbox COMMAND --help` shows the options of a command.",
    )
    top.add_argument("--version", action="version", version=f"yarnbox {__version__} ({CORE})")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_up(commands)
    _add(commands, "down", "stop every process of the cluster")
    status = _add(commands, "status", "show the cluster's daemons and whether they run")
    status.add_argument("--json", action="store_true", help="print JSON")
    add_node = _add(commands, "add-node", "start one more NodeManager")
    add_node.add_argument(
        "--rack", metavar="/RACK", help="its rack (default: the next one of the cluster's racks)"
    )
    kill = _add(commands, "kill-node", "send a signal to a NodeManager and its containers")
    kill.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    _add_signal(
        kill, "KILL", "KILL: it dies; TERM: it unregisters and ends; STOP: it hangs; CONT: it runs again"
    )
    restart = _add(commands, "restart-node", "stop a NodeManager and start it again")
    restart.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    decommission = _add(commands, "decommission-node", "decommission a node")
    decommission.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    decommission.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        help="wait so long for running containers to finish (default: kill them at once)",
    )
    recommission = _add(commands, "recommission-node", "take a decommissioned node back into the cluster")
    recommission.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    _add_rms(commands)
    _add_events(commands)
    why = _add(commands, "why", "say what an application waits for")
    why.add_argument("application", metavar="APPLICATION_ID", help="as `yarn application -list` prints it")
    _add_state(commands)
    _add_convert_conf(commands)
    _add_check_conf(commands)
    _add_view(commands)
    _add_certs(commands)
    _add_health(commands)
    examples = commands.add_parser("examples", help="list the examples, print one, or copy them")
    examples.add_argument("name", metavar="NAME", nargs="?", help="print this example")
    examples.add_argument(
        "--copy", metavar="TARGET", help="copy the example, or all of them, into this directory"
    )
    _add_demo(commands)
    completion = commands.add_parser(
        "completion", help="print a script that completes commands and options in a shell"
    )
    completion.add_argument("shell", choices=SHELLS, help="the shell that will read the script")
    for name, text in FORWARDED.items():
        _add(commands, name, text)
    commands.choices.update(forwarded or {})
    return top


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text)
    command.add_argument(
        "--dir", metavar="DIR", help="the run directory (default: $YARNBOX_DIR, else ./.yarnbox)"
    )
    return command


def _add_up(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    up = _add(commands, "up", "start a cluster: one ResourceManager and its NodeManagers")
    up.add_argument(
        "--nodes",
        metavar="N",
        type=_count,
        help="number of NodeManagers (default: 3, or with --engine one for each worker)",
    )
    up.add_argument(
        "--virtual",
        metavar="N",
        type=_count,
        default=0,
        help="let each NodeManager be N nodes whose containers are simulated",
    )
    up.add_argument(
        "--racks",
        metavar="R",
        type=_positive,
        default=1,
        help="number of racks, among which the NodeManagers are distributed (default: 1)",
    )
    up.add_argument("--conf", metavar="DIR", help="configuration directory (default: the sample one)")
    up.add_argument(
        "--scheduler",
        choices=SCHEDULERS,
        help="use this scheduler instead of the configured one",
    )
    up.add_argument(
        "--port",
        metavar="PORT",
        type=_port,
        help="port of the ResourceManager's RPC; 0: any free port (default: 8050)",
    )
    up.add_argument(
        "--web-port",
        metavar="PORT",
        type=_port,
        help="port of the ResourceManager's web pages; 0: any free port (default: 8088)",
    )
    _add_daemons(up)
    add_engine_options(
        up.add_argument_group("where NodeManagers run"),
        "on this machine, or on the workers of a Dask cluster (default: local)",
    )


def _add_daemons(up: argparse.ArgumentParser) -> None:
    """Daemons beside one ResourceManager and its NodeManagers, and how all of them run."""
    up.add_argument(
        "--history-server",
        metavar="PORT",
        nargs="?",
        type=_port,
        const=19888,
        help="also start a MapReduce history server; PORT is that of its web pages, 0: any free port"
        " (default: 19888); --hadoop starts one at a free port, unless the configuration has a"
        " mapreduce.jobhistory.address",
    )
    up.add_argument(
        "--rms",
        metavar="N",
        type=_positive,
        default=1,
        help="number of ResourceManagers, of which one is active (default: 1)",
    )
    up.add_argument(
        "--zookeeper",
        metavar="HOST:PORT",
        help="use this ZooKeeper to elect the active ResourceManager (default: start one, which needs Java)",
    )
    up.add_argument(
        "--detach", action="store_true", help="return when the cluster is ready, and leave it running"
    )
    up.add_argument(
        "--hadoop",
        action="store_true",
        help="also serve Hadoop's own clients (set HADOOP_CONF_DIR to the run directory); nodes are then"
        " named by their addresses instead of nm1, nm2",
    )
    up.add_argument(
        "--recover",
        action="store_true",
        help="recover the applications of the last cluster in this run directory",
    )
    up.add_argument(
        "-D",
        metavar="NAME=VALUE",
        dest="definitions",
        action="append",
        default=[],
        help="set a property, over all files",
    )


def _add_rms(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    restart_rm = _add(commands, "restart-rm", "stop the ResourceManager and start it again")
    restart_rm.add_argument(
        "name", metavar="NAME", nargs="?", help="which one, where there are several: rm1, rm2, ..."
    )
    _add_signal(restart_rm, "TERM", "the signal that stops it")
    _add(commands, "failover", "make a standby ResourceManager the active one")
    kill_rm = _add(commands, "kill-rm", "send a signal to one of several ResourceManagers")
    kill_rm.add_argument("name", metavar="NAME", help="rm1, rm2, ...")
    _add_signal(kill_rm, "KILL", "KILL: it dies; TERM: it ends; STOP: it hangs; CONT: it runs again")


_CONVERT_SWITCHES = (
    ("--percentage", "write capacities in percent instead of weights"),
    ("--rules-to-file", "write the placement rules to mapping-rules.json instead of into a property"),
    ("--skip-placement-rules", "do not convert placement rules"),
    ("--no-terminal-rule-check", "allow placement rules after a rule that always places"),
    ("--enable-async-scheduler", "enable asynchronous scheduling, which does not wait for heartbeats"),
    ("--skip-verification", "do not check that the CapacityScheduler accepts the result"),
    ("--dry-run", "write nothing, only report what cannot be converted"),
)


def _add_events(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    events = _add(commands, "events", "show the events that the ResourceManager dispatched")
    events.description = (
        "Show the events that the ResourceManager dispatched: time, name, Hadoop's constant, subject, "
        "details. Events of every heartbeat or tick are left out, unless --all or --type asks for it."
    )
    events.add_argument("--all", action="store_true", help="include heartbeats and ticks")
    events.add_argument(
        "--type",
        metavar="NAME[,NAME...]",
        help="only these events, by yarnbox's name (SchedulerNodeRemoved) or Hadoop's (NODE_REMOVED)",
    )
    events.add_argument("--app", metavar="ID", help="only events of this application or its containers")
    events.add_argument("--node", metavar="NODE", help="only events of this node: nm1, or host:port")
    events.add_argument("--queue", metavar="PATH", help="only events in this queue or below it")
    events.add_argument(
        "--since",
        metavar="TIME",
        help="only events since TIME: 30s, 10m, 2h or 1d ago; 14:05 or 14:05:30 today; 2026-01-31T14:05",
    )
    events.add_argument("--follow", action="store_true", help="keep showing new events")
    events.add_argument("--json", action="store_true", help="one JSON object per line")


def _add_certs(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "create certificates and tokens for daemons and users"
    kinds = commands.add_parser(
        "certs", help=text, description=f"{text[0].upper()}{text[1:]}."
    ).add_subparsers(dest="kind", metavar="KIND", required=True)
    authority = kinds.add_parser("ca", help="create a certificate authority: ca.pem and ca.key")
    host = kinds.add_parser("host", help="create a certificate for a host on which daemons run")
    user = kinds.add_parser("user", help="create a certificate for a user")
    for kind in (authority, host, user):
        kind.add_argument("directory", metavar="DIR", help="directory of the authority's files")
        kind.add_argument(
            "--days", metavar="N", type=_count, default=365, help="days of validity (default: 365)"
        )
    host.add_argument(
        "names", metavar="NAME", nargs="+", help="the host's names and addresses, its own name first"
    )
    user.add_argument("name", metavar="USER", help="the user's name")
    token = kinds.add_parser(
        "token", help="create a token for a user: print it, and add its digest to a file"
    )
    token.add_argument("file", metavar="FILE", help="the file that yarnbox.authentication.tokens-file names")
    token.add_argument("name", metavar="USER", help="the user's name")


def _add_health(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    health = commands.add_parser("health", help="check whether a daemon answers: for Docker and Kubernetes")
    health.add_argument("daemon", choices=("rm", "nm"), help="the ResourceManager or the NodeManager")
    health.add_argument("--conf", metavar="DIR", help="its configuration directory (default: $YARN_CONF_DIR)")


def _add_convert_conf(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "convert the FairScheduler's configuration to the CapacityScheduler's"
    convert = commands.add_parser("convert-conf", help=text)
    convert.add_argument(
        "--from", dest="source", choices=("fair",), default="fair", help="the scheduler to convert from"
    )
    convert.add_argument(
        "--to", dest="target", choices=("capacity",), default="capacity", help="the scheduler to convert to"
    )
    convert.add_argument("--output", metavar="OUT", help="write the files into OUT (default: print them)")
    for name, help_text in _CONVERT_SWITCHES:
        convert.add_argument(name, action="store_true", help=help_text)
    convert.add_argument(
        "--disable-preemption",
        choices=("nopolicy", "observeonly"),
        help="do not configure the preemption policy, or let it only observe",
    )
    convert.add_argument(
        "--rules",
        metavar="FILE",
        help="what to do about settings that cannot be converted: lines like maxResources.action=abort",
    )
    convert.add_argument("directory", metavar="DIR", help="the configuration directory")


def _add_state(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = _add(commands, "check-state", "check the ResourceManager's state store for damage")
    backup = _add(commands, "backup-state", "copy the state store, while the ResourceManager runs")
    backup.add_argument("file", metavar="FILE", help="the copy; the file must not exist yet")
    restore = _add(
        commands, "restore-state", "replace the state store by a backup, and keep the replaced one"
    )
    restore.add_argument("file", metavar="FILE", help="a file that backup-state wrote")
    for one in (check, backup, restore):
        one.add_argument("--store", metavar="PATH", help="the store's file (default: the run directory's)")


def _add_check_conf(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check-conf",
        help="show what a configuration gives each queue",
        description="Show every quantity that follows from a scheduler's configuration, for each queue, and"
        " settings that look wrong. Nothing is started.",
    )
    check.add_argument("conf", metavar="DIR", help="configuration directory")
    check.add_argument(
        "--scheduler",
        choices=("capacity", "fair"),
        help="the scheduler whose file is checked (default: the configured one)",
    )
    check.add_argument(
        "--cluster",
        action="append",
        default=[],
        metavar="[LABEL:]memory=...,vcores=...",
        help="size of the cluster (default: three nodes as the directory describes them), or of the partition"
        " of a node label (default: as large as the rest); may be given several times",
    )
    check.add_argument(
        "--diff",
        metavar="OTHER",
        help="compare with this directory and show the differences first (capacity only)",
    )
    check.add_argument(
        "--active",
        metavar="QUEUE,...",
        help="leaf queues that are taken to have applications (fair only; default: all)",
    )


def _add_view(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    view = commands.add_parser(
        "view",
        help="show recordings in the browser, and play scenarios there",
        description="Serve web pages that show one recording, or compare two, until Ctrl-C. No cluster is"
        " needed; the pages are at an address of this machine only. Scenarios can be played from the pages.",
    )
    view.add_argument(
        "recordings",
        nargs="*",
        metavar="RECORDING",
        help="a file written by `yarnbox scenario run --record` or `yarnbox sim run --record`; a directory"
        " written by `yarnbox whatif --out`",
    )
    view.add_argument(
        "--scenarios", metavar="DIR", help="offer the scenarios and traces below DIR on the page Simulation"
    )
    view.add_argument(
        "--port",
        metavar="PORT",
        type=_port,
        default=0,
        help="port of the pages; 0: any free port (default: 0)",
    )


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="list the demos, or play one and show it in the browser",
        description="Play a demo in virtual time and serve web pages that show it until Ctrl-C. Each demo"
        " says what to watch and what to change. Without a name the demos are listed.",
    )
    demo.add_argument("name", metavar="NAME", nargs="?", help="the demo to play")
    demo.add_argument(
        "--no-browser", action="store_true", help="print the address, and do not open a browser"
    )
    demo.add_argument(
        "--out", metavar="FILE", help="write the recording for `yarnbox view`, and serve nothing"
    )
    demo.add_argument(
        "--port",
        metavar="PORT",
        type=_port,
        default=0,
        help="port of the pages; 0: any free port (default: 0)",
    )


def _add_signal(command: argparse.ArgumentParser, default: str, text: str) -> None:
    command.add_argument(
        "--signal", choices=SIGNALS, default=default, help=f"{text} (default: {default})", type=_signal_name
    )


def _signal_name(text: str) -> str:
    return text.upper().removeprefix("SIG")


def _count(text: str) -> int:
    return _number(text, 0, 1000)


def _positive(text: str) -> int:
    return _number(text, 1, 1000)


def _seconds(text: str) -> int:
    return _number(text, 1, 7 * 24 * 3600)


def _port(text: str) -> int:
    return _number(text, 0, 65535)


def _number(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
    return int(text)


def without_directory(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """The arguments of a forwarded command without --dir, and its value; what stands behind `--` is left
    alone.
    """
    kept: list[str] = []
    directory: str | None = None
    words = iter(arguments)
    for word in words:
        if word == "--":
            kept.extend([word, *words])
        elif word == "--dir":
            directory = next(words, None)
        elif word.startswith("--dir="):
            directory = word.removeprefix("--dir=")
        else:
            kept.append(word)
    return kept, directory
