"""`python -m yarnbox.nm`: one NodeManager, or with --virtual many simulated ones.

Exit status: 0 after a clean end, 1 when the node could not go on, 2 when the configuration or the command
line is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import getpass
import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil

from yarnbox.nm.edge.health.providers import check_providers
from yarnbox.nm.edge.naming import NamingFiles
from yarnbox.nm.edge.process import NodeManagerProcess, listening_host
from yarnbox.nm.edge.tracker import addresses_of_rms
from yarnbox.nm.edge.virtual import VirtualNodes, VirtualOptions
from yarnbox.nm.executor.layout import InUseError
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import announced
from yarnbox.yarn.connection.rpc import PortTakenError
from yarnbox.yarn.log import LEVELS, configure_logging
from yarnbox.yarn.resources.node_resources import NODE_RESOURCES_FILE, Hardware, node_resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.tasks import end_of_parent
from yarnbox.yarn.security.tls import ExposedError
from yarnbox.yarn.settings import read
from yarnbox.yarn.shuffle import SHUFFLE_SERVICE
from yarnbox.yarn.storage.sealed_store import StoreError
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.wire import wire_of

log = logging.getLogger("nm")

RESOURCE_TYPES_FILE = "resource-types.xml"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs until it is ended; the exit status."""
    options = _parser().parse_args(arguments)
    configure_logging(options.log_file, options.log_level)
    try:
        configuration = _configuration(options)
        for notice in configuration.notices:
            log.warning("%s", notice)
        settings = read(NMSettings, configuration)
        check_providers(settings)
        types = ResourceTypeRegistry.read(configuration)
        wire = wire_of(types.units)
        capacity = node_resource(configuration, types, _hardware())
        unknown = [name for name in settings.aux_services if name != SHUFFLE_SERVICE]
        if unknown:
            raise ConfigurationError.of(
                configuration.origin("yarn.nodemanager.aux-services"),
                f"{SHUFFLE_SERVICE}: there is no other auxiliary service here",
                name="yarn.nodemanager.aux-services",
                value=",".join(settings.aux_services),
            )
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    gc.freeze()
    naming = NamingFiles.of(configuration)
    if options.virtual:
        wanted = VirtualOptions(
            count=options.virtual,
            racks=options.racks,
            memory_mb=options.memory,
            vcores=options.vcores,
            prefix=options.name or "virtual",
            naming=naming,
            rms=addresses_of_rms(settings, configuration),
        )
        return asyncio.run(_run(lambda: VirtualNodes(settings, capacity, wanted, wire), options))
    host = options.name or announced(settings.address.host)

    def build() -> NodeManagerProcess:
        if options.name is not None:
            naming.announce({host: options.rack}, listening_host(settings, settings.address))
        own_logs = options.log_file.parent if options.log_file is not None else None
        return NodeManagerProcess(
            settings,
            capacity,
            host,
            options.dir,
            configuration,
            own_logs,
            lambda: read(NMSettings, _configuration(options)),
            _directory(options),
            wire,
        )

    return asyncio.run(_run(build, options))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="python -m yarnbox.nm", description="Run a NodeManager.")
    parser.add_argument(
        "--conf", type=Path, metavar="DIR", help="configuration directory (default: $YARN_CONF_DIR)"
    )
    parser.add_argument("--dir", type=Path, metavar="DIR", help="directory of this node")
    parser.add_argument(
        "--name", help="host name of this node; of virtual nodes, what their names begin with"
    )
    parser.add_argument("--rack", help="its rack, entered in the topology table if there is one")
    parser.add_argument(
        "-D", dest="define", action="append", default=[], metavar="NAME=VALUE", help="set a property"
    )
    parser.add_argument("--log-file", type=Path, metavar="FILE", help="log into this file instead of stderr")
    parser.add_argument(
        "--log-level",
        type=_level,
        default="INFO",
        metavar="LEVEL",
        help=f"one of {', '.join(LEVELS)} (default: info)",
    )
    parser.add_argument(
        "--exit-with-parent", action="store_true", help="exit when the parent process has ended"
    )
    virtual = parser.add_argument_group("virtual nodes")
    virtual.add_argument(
        "--virtual",
        type=_positive,
        default=0,
        metavar="N",
        help="register N nodes, whose containers are simulated",
    )
    virtual.add_argument("--racks", type=_positive, default=1, metavar="R", help="spread over R racks")
    virtual.add_argument("--memory", type=_positive, metavar="MIB", help="memory of each")
    virtual.add_argument("--vcores", type=_positive, metavar="N", help="vcores of each")
    return parser


def _level(text: str) -> str:
    if text.lower() not in LEVELS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a log level; expected one of {', '.join(LEVELS)}")
    return text


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")
    return int(text)


def _directory(options: argparse.Namespace) -> Path | None:
    """Where the configuration is."""
    named = options.conf or os.environ.get("YARN_CONF_DIR") or os.environ.get("HADOOP_CONF_DIR")
    return Path(named) if named else None


def _configuration(options: argparse.Namespace) -> Configuration:
    directory = _directory(options)
    system = {"user.name": getpass.getuser()}
    if directory is None:
        configuration = Configuration(environment=os.environ, system_properties=system)
    else:
        configuration = Configuration.load(directory, environment=os.environ, system_properties=system)
        configuration = configuration.with_files(directory, [RESOURCE_TYPES_FILE, NODE_RESOURCES_FILE])
    if options.dir is not None and "yarn.nodemanager.local-dirs" not in configuration:
        configuration = configuration.overlaid(
            {
                "yarn.nodemanager.local-dirs": str(options.dir / "local"),
                "yarn.nodemanager.log-dirs": str(options.dir / "logs"),
            },
            "--dir",
        )
    return configuration.overlaid_by_arguments(options.define)


def _hardware() -> Hardware:
    return Hardware(
        memory_mb=psutil.virtual_memory().total // (1024 * 1024),
        physical_cores=psutil.cpu_count(logical=False) or 1,
        logical_processors=psutil.cpu_count() or 1,
    )


async def _run(build: Callable[[], NodeManagerProcess | VirtualNodes], options: argparse.Namespace) -> int:
    process = build()
    loop = asyncio.get_running_loop()
    asked = "asked to end"

    def end(by: str) -> None:
        nonlocal asked
        asked = by
        process.shut_down()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, f"ended by {number.name}")
    try:
        await process.start()
    except (PortTakenError, InUseError, StoreError) as error:
        print(error, file=sys.stderr)
        return 1
    except (ConfigurationError, ExposedError) as error:
        print(f"nm: {error.message}", file=sys.stderr)
        return 2
    watch = loop.create_task(_follow_parent(end)) if options.exit_with_parent else None
    try:
        status = await process.run()
    finally:
        if watch is not None:
            watch.cancel()
    print(f"nm: {process.reason or asked}", file=sys.stderr)
    return status


async def _follow_parent(end: Callable[[str], None]) -> None:
    parent = os.getppid()
    await end_of_parent(parent)
    log.warning("process %d, which started this node, is gone", parent)
    end("the parent process has ended")
