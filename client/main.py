"""The `yarn` command: finds the command, runs it, and makes an exit status of whatever nobody caught.

    yarn [--config DIR | --dir DIR] [--loglevel LEVEL] COMMAND [-conf FILE] [-D name=value] [arguments]

Owns the words before and directly behind the command's name. Hadoop: bin/yarn, ToolRunner and
GenericOptionsParser.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from yarnbox.client.command_line.console import Console
from yarnbox.client.command_line.failures import OK, UNCAUGHT, JavaError
from yarnbox.client.command_line.options import MissingArgumentError, Option, Options, help_text, parse
from yarnbox.client.commands import (
    application,
    attempt,
    cluster,
    container,
    logs,
    node,
    nodeattributes,
    programs,
    queue,
    schedulerconf,
    top,
    version,
)
from yarnbox.client.commands.administration import rmadmin
from yarnbox.client.commands.reading import Command
from yarnbox.client.session import Session, configuration_directory
from yarnbox.client.web import UnreachableError
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.connection.rpc import ConnectionFailedError, RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.interpreter import drop_what_cannot_be_printed
from yarnbox.yarn.text.words import did_you_mean, refused

INTERRUPTED = 130
"""The exit status of a command that Ctrl-C ended."""

COMMANDS: Mapping[str, tuple[Command, str]] = {
    "app": (application.run, ""),
    "application": (application.run, "applications: list, show, kill, move, change"),
    "applicationattempt": (attempt.run, "the attempts of an application"),
    "cluster": (cluster.run, "node labels and attributes of the cluster"),
    "container": (container.run, "the containers of an attempt"),
    "jar": (programs.run_jar, "runs a client program written in Python"),
    "logs": (logs.run, "the logs of containers"),
    "node": (node.run, "nodes: list, show"),
    "nodeattributes": (nodeattributes.run, "attributes of nodes"),
    "nodemanager": (programs.run_nodemanager, "runs a NodeManager"),
    "queue": (queue.run, "queues: list, show"),
    "resourcemanager": (programs.run_resourcemanager, "runs a ResourceManager"),
    "rmadmin": (rmadmin.run, "administration of the ResourceManager"),
    "schedulerconf": (schedulerconf.run, "the scheduler's configuration: show, change"),
    "top": (top.run, "the cluster and its applications on a full screen"),
    "version": (version.run, "shows the version of Hadoop that yarnbox follows"),
}

LACKING = (
    "classpath",
    "daemonlog",
    "envvars",
    "fs2cs",
    "globalpolicygenerator",
    "gpgadmin",
    "proxyserver",
    "registrydns",
    "router",
    "routeradmin",
    "scmadmin",
    "sharedcachemanager",
    "timelinereader",
    "timelineserver",
)
"""Commands of Hadoop that have nothing to act on here."""

INSTEAD = {"fs2cs": "`yarnbox convert-conf DIR` converts a FairScheduler's files"}
"""What does the work of one of them."""

_NO_GENERIC_OPTIONS = ("jar", "nodemanager", "resourcemanager")
_GENERIC = Options(
    Option("conf", "A configuration file that overrides those of the directory.", 1, argument_name="file"),
    Option("D", "A property that overrides all files.", 1, argument_name="name=value"),
)
_HELP_WORDS = ("-h", "--h", "-help", "--help", "help", "-?", "--?")
_LEVELS = {
    "trace": logging.DEBUG,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
}


class UsageError(Exception):
    """The words before the command make no sense; the message says which, if there is anything to say."""


@dataclass(slots=True)
class Invocation:
    """The command line taken apart."""

    command: str = ""
    arguments: list[str] = field(default_factory=list)
    config: str | None = None
    run_directory: str | None = None
    level: str = "info"


def main(argv: Sequence[str] | None = None, console: Console | None = None) -> int:
    """Runs one command; its exit status as the shell sees it, 255 for a failure."""
    console = console or Console.of_process()
    try:
        status = _main(list(sys.argv[1:] if argv is None else argv), console)
        console.out.flush()
    except BrokenPipeError:  # whoever read our output has enough
        return UNCAUGHT
    except OSError as error:
        console.error(f"yarn: {refused(error)}")
        return UNCAUGHT
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        drop_what_cannot_be_printed(console.out)
    return status & 0xFF


def _main(argv: list[str], console: Console) -> int:
    try:
        invocation = _parse_invocation(argv)
    except UsageError as error:
        if error.args:
            console.error(f"ERROR: {error}")
        console.write(usage())
        return UNCAUGHT
    if invocation is None:
        console.write(usage())
        return OK
    if invocation.command in LACKING:
        instead = f"; {INSTEAD[invocation.command]}" if invocation.command in INSTEAD else ""
        console.error(f"yarn: {invocation.command} is a Hadoop command that yarnbox does not have{instead}")
        return UNCAUGHT
    run, _ = COMMANDS[invocation.command]
    try:
        session, arguments = _session(invocation, console)
        with session, _logging(console, _LEVELS[invocation.level]):
            try:
                return run(session, arguments)
            except ConnectionFailedError:
                console.error(f"yarn: {session.unreachable}")
            except UnreachableError as error:
                console.error(f"yarn: {error}{session.web_hint(error.address)}")
    except UnicodeEncodeError as error:
        console.error(f"yarn: {error.object!a} is not valid UTF-8 and cannot be sent")
    except (RpcError, ConfigurationError) as error:
        console.error(f"yarn: {error}")
    except (YarnError, JavaError) as error:
        console.error(f'Exception in thread "main" {error.java_class}: {error.message}')
    return UNCAUGHT


def _parse_invocation(argv: list[str]) -> Invocation | None:
    """The invocation; None if help was asked for."""
    found = Invocation()
    words = iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if word in _HELP_WORDS:
            return None
        if name in ("--config", "--dir", "--loglevel"):
            value = value if equals else next(words, "")
            if not value:
                raise UsageError(f"{name} needs a value")
            if name == "--config":
                found.config = value
            elif name == "--dir":
                found.run_directory = value
            elif value.lower() in _LEVELS:
                found.level = value.lower()
            else:
                raise UsageError(f"--loglevel {value}: one of {', '.join(_LEVELS)}")
        elif word == "--debug":
            found.level = "debug"
        elif word in COMMANDS or word in LACKING:
            found.command, found.arguments = word, list(words)
            return found
        else:
            hint = did_you_mean(word, COMMANDS)
            raise UsageError(f"{word} is not COMMAND nor fully qualified CLASSNAME{hint or '.'}")
    raise UsageError


def _session(invocation: Invocation, console: Console) -> tuple[Session, list[str]]:
    """The session, and what is left of the arguments when the generic options are taken off their front."""
    directory = configuration_directory(console.environment, invocation.config, invocation.run_directory)
    if invocation.command in _NO_GENERIC_OPTIONS:
        return Session(console, directory), invocation.arguments
    try:
        line = parse(_GENERIC, invocation.arguments, stop_at_word=True)
    except MissingArgumentError as error:
        raise ConfigurationError.of("command line", f"options parsing failed: {error.message}") from None
    session = Session(console, directory, properties=line.values("D"), files=line.values("conf"))
    if invocation.command != "logs":  # it writes files, whose names may be any bytes
        for word in line.words:
            word.encode()  # no message can carry what is no text
    return session, line.words


def usage() -> str:
    """The commands and the options before them."""
    lines = ["Usage: yarn [OPTIONS] COMMAND [ARGUMENTS]", "", "  OPTIONS:", ""]
    lines += [
        "--config dir     the configuration directory",
        "--dir dir        the run directory of a yarnbox cluster (default: .yarnbox)",
        f"--loglevel level one of {', '.join(_LEVELS)}",
        "",
        "  COMMANDS:",
        "",
    ]
    lines += [f"{name:<20} {text}" for name, (_, text) in COMMANDS.items() if text]
    return "\n".join([*lines, "", help_text("generic options follow the command", _GENERIC, prefix="")])


@contextmanager
def _logging(console: Console, level: int) -> Iterator[None]:
    """Log lines on stderr while the command runs."""
    handler = logging.StreamHandler(console.err)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("client")
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before


if __name__ == "__main__":
    sys.exit(main())
