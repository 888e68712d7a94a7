"""The `mapred` command, as far as there is one: `mapred [--config DIR] historyserver [-D name=value ...]`.

Hadoop: bin/mapred.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from yarnbox.am.mapreduce.history import server

HISTORY_SERVER = "historyserver"
USAGE = (
    f"Usage: mapred [--config DIR] {HISTORY_SERVER} [-D NAME=VALUE] [--log-file FILE]\n"
    "  serves the histories of jobs that have ended, at mapreduce.jobhistory.webapp.address\n"
)
_HELP = ("-h", "--h", "-help", "--help", "help", "-?", "--?")
_LACKING = (
    "archive",
    "archive-logs",
    "classpath",
    "distcp",
    "envvars",
    "frameworkuploader",
    "hsadmin",
    "job",
    "minicluster",
    "pipes",
    "queue",
    "sampler",
    "successfile",
    "version",
)
"""Commands of Hadoop's."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    directory: list[str] = []
    while words and words[0] == "--config":
        if len(words) < 2:
            return _refuse("--config needs a directory")
        directory, words = ["--conf", words[1]], words[2:]
    if not words or words[0] in _HELP:
        sys.stdout.write(USAGE)
        return 0 if words else 1
    command, *more = words
    if command in _LACKING:
        return _refuse(f"{command} is a Hadoop command that yarnbox does not have; `yarnbox job` runs jobs")
    if command != HISTORY_SERVER:
        return _refuse(f"there is no command {command}")
    return server.main([*directory, *more])


def _refuse(message: str) -> int:
    print(f"mapred: {message}\n{USAGE}", end="", file=sys.stderr)
    return 1
