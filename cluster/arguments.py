"""The command line of `yarnbox`: its words and options, as argparse knows them.

Commands that belong to other rooms (job, scenario, yarn) are handed everything behind their name, but for
--dir, which every command understands.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

SIGNALS = ("KILL", "TERM", "STOP", "CONT")
FORWARDED = ("job", "scenario", "sim", "preempt-table", "yarn")


def parser() -> argparse.ArgumentParser:
    """All commands; each leaves its name in `command`."""
    top = argparse.ArgumentParser(
        prog="yarnbox",
        description="A YARN cluster on this machine: real processes, real containers.",
        epilog="job, scenario, sim, preempt-table and yarn have options of their own: `yarnbox job --help`.",
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_up(commands)
    _add(commands, "down", "stop every process of the cluster")
    status = _add(commands, "status", "show the daemons")
    status.add_argument("--json", action="store_true", help="for programs")
    add_node = _add(commands, "add-node", "start one more NodeManager")
    add_node.add_argument("--rack", metavar="/RACK", help="its rack (default: the racks in turn)")
    kill = _add(commands, "kill-node", "signal a node and what runs on it")
    kill.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    _add_signal(kill, "KILL", "KILL: it dies; TERM: it says good-bye; STOP: it hangs; CONT: it goes on")
    restart = _add(commands, "restart-node", "end a node and start it again")
    restart.add_argument("name", metavar="NAME", help="nm1, nm2, ...")
    restart_rm = _add(commands, "restart-rm", "end the ResourceManager and start it again")
    _add_signal(restart_rm, "TERM", "how it is ended")
    events = _add(commands, "events", "show each event that the ResourceManager dispatched")
    events.add_argument("--follow", action="store_true", help="go on with what comes")
    events.add_argument("--json", action="store_true", help="a JSON object a line")
    why = _add(commands, "why", "say what an application waits for")
    why.add_argument("application", metavar="APPLICATION_ID", help="as `yarn application -list` prints it")
    _add_convert_conf(commands)
    _add_check_conf(commands)
    _add_view(commands)
    for name, text in (
        ("job", "run wordcount, pi or shell: `yarnbox job --help`"),
        ("scenario", "play a scenario file in virtual time: `yarnbox scenario --help`"),
        ("sim", "play a workload in virtual time: `yarnbox sim --help`"),
        ("preempt-table", "play tables against the preemption policy: `yarnbox preempt-table --help`"),
        ("yarn", "the `yarn` command on this cluster: `yarnbox yarn node -list`"),
    ):
        _add(commands, name, text)
    return top


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    command.add_argument(
        "--dir", metavar="DIR", help="the run directory (default: $YARNBOX_DIR, else ./.yarnbox)"
    )
    return command


def _add_up(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    up = _add(commands, "up", "start a cluster: one ResourceManager and its NodeManagers")
    up.add_argument("--nodes", metavar="N", type=_count, default=3, help="NodeManagers (default: 3)")
    up.add_argument("--racks", metavar="R", type=_positive, default=1, help="racks, in turn (default: 1)")
    up.add_argument("--conf", metavar="DIR", help="configuration directory (default: the sample one)")
    up.add_argument("--scheduler", choices=("fifo", "capacity", "fair"), help="instead of the configured one")
    up.add_argument(
        "--port", metavar="PORT", type=_port, help="of the ResourceManager; 0: any (default: 8050)"
    )
    up.add_argument("--web-port", metavar="PORT", type=_port, help="of its web pages; 0: any (default: 8088)")
    up.add_argument("--detach", action="store_true", help="return when the cluster is ready")
    up.add_argument(
        "--hadoop",
        action="store_true",
        help="serve Hadoop's own clients too (HADOOP_CONF_DIR is the run directory); nodes are called by"
        " addresses instead of nm1, nm2",
    )
    up.add_argument(
        "--recover",
        action="store_true",
        help="go on with the applications of the last cluster in this directory",
    )
    up.add_argument(
        "-D", metavar="NAME=VALUE", dest="definitions", action="append", default=[], help="set a property"
    )


_CONVERT_SWITCHES = (
    ("--percentage", "capacities in percent instead of weights"),
    ("--rules-to-file", "the placement rules in mapping-rules.json instead of among the properties"),
    ("--skip-placement-rules", "do not convert placement rules"),
    ("--no-terminal-rule-check", "let placement rules stand behind one that always has an answer"),
    ("--enable-async-scheduler", "schedule without waiting for heartbeats"),
    ("--skip-verification", "do not have the capacity scheduler look at the result"),
    ("--dry-run", "write nothing, say only what would be lost"),
)


def _add_convert_conf(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    text = "write another scheduler's configuration that comes near to one"
    convert = commands.add_parser("convert-conf", help=text, description=f"{text[0].upper()}{text[1:]}.")
    convert.add_argument(
        "--from", dest="source", choices=("fair",), required=True, help="the scheduler it is for"
    )
    convert.add_argument(
        "--to", dest="target", choices=("capacity",), required=True, help="the one it shall be for"
    )
    convert.add_argument("--output", metavar="OUT", help="write the files into that directory, not to stdout")
    for name, help_text in _CONVERT_SWITCHES:
        convert.add_argument(name, action="store_true", help=help_text)
    convert.add_argument(
        "--disable-preemption",
        choices=("nopolicy", "observeonly"),
        help="leave the preemption policy out, or let it only say what it would do",
    )
    convert.add_argument(
        "--rules", metavar="FILE", help="which losses are errors: lines as in `maxResources.action=abort`"
    )
    convert.add_argument("directory", metavar="DIR", help="the configuration directory")


def _add_check_conf(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check-conf",
        help="show what the queues of a configuration come to",
        description="Show every derived quantity of the queues in a configuration directory; start nothing.",
    )
    check.add_argument("conf", metavar="DIR", help="configuration directory")
    check.add_argument(
        "--scheduler",
        choices=("capacity", "fair"),
        help="whose file to look at (default: the configured one)",
    )
    check.add_argument(
        "--cluster",
        metavar="memory=...,vcores=...",
        help="size of the cluster (default: three nodes as the directory describes them)",
    )
    check.add_argument(
        "--diff", metavar="OTHER", help="another directory, to be shown side by side (capacity)"
    )
    check.add_argument(
        "--active",
        metavar="QUEUE,...",
        help="the leaves with running applications (fair; default: all of them)",
    )


def _add_view(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    view = commands.add_parser(
        "view",
        help="show recordings of runs in virtual time, and simulate, in the browser",
        description="Serve the web pages over one recording, or over two side by side, until Ctrl-C: without"
        " a cluster, on the loopback interface. Scenarios can be played from the page.",
    )
    view.add_argument(
        "recordings",
        nargs="*",
        metavar="RECORDING",
        help="what `--record` of `yarnbox scenario run` or `yarnbox sim run` wrote",
    )
    view.add_argument(
        "--scenarios", metavar="DIR", help="offer the scenarios and traces below it to the page"
    )
    view.add_argument(
        "--port", metavar="PORT", type=_port, default=0, help="0: any that is free (default: 0)"
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
