"""The command line of `yarnbox sim run`: its options, and what they say of load and cluster."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from yarnbox.sim.load.data import DataOptions, with_data
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Nodes, united
from yarnbox.sim.load.runner import RunnerSettings, read_runner
from yarnbox.sim.load.sls import numbered_nodes
from yarnbox.sim.workload.site import NodeLoss, Site
from yarnbox.sim.workload.slots import Slots, nodes_with_slots, tasks_in_slots
from yarnbox.sim.workload.speculation import CHOICES
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.numbers import factor, positive, whole

SCHEDULERS = ("fifo", "capacity", "fair")
MOST_NODES = 100_000
USUAL_NODES = 10
LOAD, LOADS, NODES, CONF = "load.jsonl", ("load.jsonl", "load.jsonl.gz"), "nodes.json", "conf"
"""What a directory holds that `sim run DIR` plays."""


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """What says on which cluster it is played."""
    cluster = parser.add_argument_group("the cluster")
    cluster.add_argument(
        "--conf",
        metavar="DIR",
        help="configuration directory: yarn-site.xml, the scheduler's file, sls-runner.xml (default: equal"
        " queues, as the load names them)",
    )
    cluster.add_argument(
        "--scheduler",
        choices=SCHEDULERS,
        help="use this scheduler instead of the configured one (default: the configured one, else capacity)",
    )
    cluster.add_argument(
        "--seed", type=int, default=0, help="seed of everything that is drawn at random (default: 0)"
    )
    add_site_options(parser, cluster)


def add_site_options(parser: argparse.ArgumentParser, cluster: argparse._ArgumentGroup) -> None:
    """How large the cluster is, where neither load nor nodes file say so, and what is assumed of it."""
    cluster.add_argument(
        "--num-nodes",
        metavar="N",
        type=nodes,
        help="number of nodes, beside the hosts that tasks name (default: the load's own, else 10)",
    )
    cluster.add_argument(
        "--num-racks", metavar="N", type=positive, default=1, help="number of racks (default: 1)"
    )
    cluster.add_argument(
        "--node-mb",
        metavar="MIB",
        type=positive,
        help="memory of a node for which no file gives it (default: 10240)",
    )
    cluster.add_argument(
        "--node-vcores",
        metavar="N",
        type=positive,
        help="vcores of a node for which no file gives them (default: 10)",
    )
    _add_time_options(parser.add_argument_group("times of nodes and ApplicationMasters"))
    model = parser.add_argument_group("ApplicationMasters")
    model.add_argument(
        "--in-order",
        action="store_true",
        help="AMs run their tasks in order, even where another task has its data on the node",
    )
    model.add_argument(
        "--reduce-split",
        action="store_true",
        help="run each reduce as two tasks: copy in a small container, then compute in one of full size",
    )
    model.add_argument("--speculation", choices=tuple(CHOICES), help=_SPECULATION)
    model.add_argument(
        "--feedback",
        action="store_true",
        help="submit a user's job some time after the user's earlier jobs have ended, as the load shows it,"
        " not at a fixed time",
    )
    _add_place_options(parser.add_argument_group("data and slots"))
    _add_failure_options(parser.add_argument_group("durations and failures"))


_SPECULATION = "second attempts for slow maps and reduces, by the rule of Hadoop or of LATE (default: none)"


def _add_time_options(model: argparse._ArgumentGroup) -> None:
    """What takes a machine time beside the work, and who waits for a moment of its own."""
    model.add_argument(
        "--am-launch-ms",
        metavar="MS",
        type=milliseconds,
        default=0,
        help="time from the allocation of an AM's container to its launch (default: 0)",
    )
    model.add_argument(
        "--am-start-ms",
        metavar="MS",
        type=positive,
        help="time from the launch of an AM to its registration (default: the AM's heartbeat interval, 1000)",
    )
    model.add_argument(
        "--am-end-ms",
        metavar="MS",
        type=milliseconds,
        default=0,
        help="time from an AM's unregistration to the end of its container (default: 0)",
    )
    model.add_argument(
        "--task-overhead-ms",
        metavar="MS",
        type=milliseconds,
        default=0,
        help="what a container takes beside its task: to start, and until its node has seen the end"
        " (default: 0)",
    )
    model.add_argument(
        "--prompt-masters",
        action="store_true",
        help="AMs process an answer when it arrives, as with Hadoop's client library, not at their next call",
    )
    model.add_argument(
        "--prompt-nodes",
        action="store_true",
        help="nodes heartbeat as soon as a container has ended on them, as NodeManagers do, not at their next"
        " moment",
    )


def _add_place_options(model: argparse._ArgumentGroup) -> None:
    """Where data lies, what its distance costs, and slots as before YARN."""
    model.add_argument(
        "--replication",
        metavar="N",
        type=positive,
        help="let maps for which the load names no hosts read blocks with N replicas (default: they run"
        " anywhere)",
    )
    model.add_argument(
        "--data-files",
        metavar="N",
        type=positive,
        default=1000,
        help="with --replication: number of files, of which each job reads one (default: 1000)",
    )
    model.add_argument(
        "--data-skew",
        metavar="X",
        type=skew,
        default=0.0,
        help="with --replication: how unequally files are read; 0: evenly, 1: by Zipf's law (default: 0)",
    )
    model.add_argument(
        "--rack-slowdown",
        metavar="X",
        type=factor,
        default=1.0,
        help="factor on the duration of a task whose data is on another node of its rack (default: 1)",
    )
    model.add_argument(
        "--remote-slowdown",
        metavar="X",
        type=factor,
        default=1.0,
        help="factor on the duration of a task whose data is in another rack (default: 1)",
    )
    _add_bandwidths(model)
    model.add_argument(
        "--map-slots",
        metavar="N",
        type=positive,
        help="map slots of a node; each map takes one beside its memory; needs --reduce-slots",
    )
    model.add_argument(
        "--reduce-slots",
        metavar="N",
        type=positive,
        help="reduce slots of a node; each reduce takes one beside its memory; needs --map-slots",
    )


def _add_bandwidths(model: argparse._ArgumentGroup) -> None:
    """From which the two slowdowns can be derived."""
    model.add_argument(
        "--disk-mbps",
        metavar="MB",
        type=factor,
        help="derive these two factors from bandwidths: this is a disk's, in MB/s",
    )
    model.add_argument(
        "--rack-mbps",
        metavar="MB",
        type=factor,
        help="with --disk-mbps: bandwidth within a rack, in MB/s (default: 100)",
    )
    model.add_argument(
        "--remote-mbps",
        metavar="MB",
        type=factor,
        help="with --disk-mbps: bandwidth between racks, in MB/s (default: 50)",
    )
    model.add_argument(
        "--block-mb",
        metavar="MIB",
        type=positive,
        default=128,
        help="with --disk-mbps: data that a task reads (default: 128)",
    )


def _add_failure_options(model: argparse._ArgumentGroup) -> None:
    """How durations vary, and what goes wrong."""
    model.add_argument(
        "--duration-spread",
        metavar="X",
        type=skew,
        default=0.0,
        help="draw the duration of each attempt; X is its standard deviation over its mean"
        " (default: %(default)s)",
    )
    model.add_argument(
        "--task-failures",
        metavar="P",
        type=share,
        default=0.0,
        help="share of the attempts that fail, 0 to below 1 (default: 0)",
    )
    model.add_argument(
        "--stragglers",
        metavar="P",
        type=share,
        default=0.0,
        help="share of the attempts that are slow, 0 to below 1 (default: 0)",
    )
    model.add_argument(
        "--straggler-slowdown",
        metavar="X",
        type=factor,
        default=3.0,
        help="factor on the duration of a slow attempt (default: 3)",
    )
    model.add_argument(
        "--lose-node",
        metavar="HOST@S[+S]",
        type=loss,
        action="append",
        default=[],
        help="let the node die at second S and, with +S, return so many seconds later; may be given several"
        " times",
    )
    model.add_argument(
        "--node-mtbf",
        metavar="S",
        type=positive,
        help="let nodes die at random, each after S seconds on average (default: none dies)",
    )
    model.add_argument(
        "--node-repair",
        metavar="S",
        type=positive,
        default=600,
        help="with --node-mtbf: seconds until a node is back, on average (default: 600)",
    )


def settings_of(options: argparse.Namespace) -> RunnerSettings:
    """sls-runner.xml of the configuration directory; sizes of the command line go before it."""
    runner = read_runner(None if options.conf is None else Path(options.conf))
    sizes = runner.defaults.node.as_dict()
    if options.node_mb is not None:
        sizes["memory-mb"] = options.node_mb
    if options.node_vcores is not None:
        sizes["vcores"] = options.node_vcores
    return replace(runner, defaults=replace(runner.defaults, node=Resource.of(sizes)))


def take_directory(options: argparse.Namespace) -> None:
    """Lets `sim run DIR` mean the load, the nodes and the configuration that lie in DIR."""
    directory = Path(options.directory)
    found = [directory / name for name in LOADS if (directory / name).is_file()]
    if directory.is_file():
        raise InvalidTraceError(f"{directory}: is not a directory; --tracelocation names a trace")
    if not directory.exists():
        raise InvalidTraceError(f"{directory}: there is no such directory")
    if not found:
        raise InvalidTraceError(f"{directory}: there is no {LOAD} in it")
    options.tracelocation, options.tracetype = found[:1], "YARNBOX"
    if options.nodes is None and (directory / NODES).is_file():
        options.nodes = str(directory / NODES)
    if options.conf is None and (directory / CONF).is_dir():
        options.conf = str(directory / CONF)


def site_of(options: argparse.Namespace, load: Load, runner: RunnerSettings) -> Site:
    """The cluster that options, load and sls-runner.xml make."""
    found = load.nodes
    if options.num_nodes is not None or not found.nodes:
        count = USUAL_NODES if options.num_nodes is None else options.num_nodes
        found = united([numbered_nodes(count, min(options.num_racks, count)), found])
    site = Site(
        nodes=found,
        node_resource=runner.defaults.node,
        nm_interval_ms=runner.nm_interval_ms,
        am_interval_ms=runner.am_interval_ms,
        am_launch_ms=options.am_launch_ms,
        am_start_ms=options.am_start_ms,
        am_end_ms=options.am_end_ms,
        task_overhead_ms=options.task_overhead_ms,
        is_prompt=options.prompt_masters,
        has_prompt_nodes=options.prompt_nodes,
        seed=options.seed,
        in_order=options.in_order,
        rack_slowdown=options.rack_slowdown,
        remote_slowdown=options.remote_slowdown,
        block_mb=options.block_mb,
        feedback=options.feedback,
        speculation=options.speculation,
        reduce_split=options.reduce_split,
        task_failures=options.task_failures,
        stragglers=options.stragglers,
        straggler_slowdown=options.straggler_slowdown,
        duration_spread=options.duration_spread,
        node_losses=tuple(options.lose_node),
        node_mtbf_ms=None if options.node_mtbf is None else options.node_mtbf * 1000,
        node_repair_ms=options.node_repair * 1000,
    )
    _check_losses(site, found)
    slots = slots_of(options)
    return _with_bandwidths(site if slots is None else nodes_with_slots(site, slots), options)


def slots_of(options: argparse.Namespace) -> Slots | None:
    """The slots of each node, where work is to take slots."""
    if options.map_slots is None and options.reduce_slots is None:
        return None
    if options.map_slots is None or options.reduce_slots is None:
        raise InvalidTraceError("--map-slots and --reduce-slots go together")
    return Slots(maps=options.map_slots, reduces=options.reduce_slots)


def _with_bandwidths(site: Site, options: argparse.Namespace) -> Site:
    """Bandwidths and slowdowns say the same in two ways, so that both are an error."""
    if options.disk_mbps is None:
        for name in ("rack", "remote"):
            if getattr(options, f"{name}_mbps") is not None:
                raise InvalidTraceError(f"--{name}-mbps needs --disk-mbps")
        return site
    if options.rack_slowdown != 1.0 or options.remote_slowdown != 1.0:
        raise InvalidTraceError("--disk-mbps goes without --rack-slowdown and --remote-slowdown")
    return replace(
        site,
        disk_mb_s=options.disk_mbps,
        rack_mb_s=options.rack_mbps or site.rack_mb_s,
        remote_mb_s=options.remote_mbps or site.remote_mb_s,
    )


def placed(options: argparse.Namespace, load: Load, site: Site) -> Load:
    """The load with data on the nodes and tasks in slots, where the options want it."""
    if slots_of(options) is not None:
        load = tasks_in_slots(load)
    if options.replication is None:
        return load
    data = DataOptions(replication=options.replication, files=options.data_files, skew=options.data_skew)
    return with_data(load, site.specs(), data, options.seed)


def _check_losses(site: Site, found: Nodes) -> None:
    hosts = {node.host: None for node in found.nodes}
    for one in site.node_losses:
        if one.host not in hosts:
            raise InvalidTraceError(f"--lose-node {one.host}: there is no such node")


# ---- values


def nodes(text: str) -> int:
    """A number of nodes."""
    count = positive(text)
    if count > MOST_NODES:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST_NODES}")
    return count


def milliseconds(text: str) -> int:
    """A whole number of at least 0."""
    return whole(text, 0)


def share(text: str) -> float:
    """A number from 0 to below 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to below 1")
    return value


def skew(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 10:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 10")
    return value


def loss(text: str) -> NodeLoss:
    """`node3@600` or `node3@600+120`: which node, when, and for how many seconds."""
    host, at, when = text.rpartition("@")
    moment, plus, span = when.partition("+")
    numbers = [word for word in (moment, span) if word or word is moment]
    if not (host and at and all(one.isascii() and one.isdigit() for one in numbers)) or (plus and not span):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form HOST@SECONDS or HOST@SECONDS+SECONDS")
    return NodeLoss(host=host, at_ms=int(moment) * 1000, for_ms=int(span) * 1000 if span else None)
