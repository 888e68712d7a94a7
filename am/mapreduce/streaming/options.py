"""The command line of streaming, and the properties that it stands for. Hadoop: StreamJob."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from urllib.parse import quote_plus

from yarnbox.am.mapreduce.api import name_of
from yarnbox.am.mapreduce.streaming.commands import (
    COMBINE_COMMAND,
    MAP_COMMAND,
    REDUCE_COMMAND,
    StreamCombiner,
    StreamMapper,
    StreamReducer,
)
from yarnbox.am.mapreduce.streaming.pipes import CommandFailedError, words_of
from yarnbox.am.submit import SubmissionError
from yarnbox.yarn.storage.urls import absolute

_NO_REDUCES = "NONE"
_IDENTITY = ("org.apache.hadoop.mapred.lib.IdentityMapper", "org.apache.hadoop.mapred.lib.IdentityReducer")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Hadoop's options, with a single dash."""
    add = parser.add_argument
    add("-help", action="help", help="show this help message and exit")
    add(
        "-input", action="append", required=True, metavar="PATH",
        help="a file or directory, or its URL; may be repeated",
    )  # fmt: skip
    add("-output", required=True, metavar="DIR", help="a directory that is not there yet, or its URL")
    add("-mapper", metavar="COMMAND", help="command that maps (default: pass records on unchanged)")
    add(
        "-reducer",
        metavar="COMMAND",
        help=f"command that reduces; {_NO_REDUCES}: run no reduces (default: pass records on unchanged)",
    )
    add("-combiner", metavar="COMMAND", help="command that combines a map's output before it is written")
    add("-numReduceTasks", type=_count, metavar="N", help="number of reduces (default: 1)")
    add(
        "-file",
        action="append",
        default=[],
        metavar="FILE",
        help="file to put into the working directory of each task",
    )
    add(
        "-files",
        action="append",
        default=[],
        metavar="FILE,...",
        help="the same for several files; FILE#NAME: under this name",
    )
    add(
        "-archives",
        action="append",
        default=[],
        metavar="FILE,...",
        help="archives to unpack into the working directory of each task",
    )
    add(
        "-cmdenv", type=_variable, action="append", default=[], metavar="NAME=VALUE",
        help="environment variable of the commands; may be repeated",
    )  # fmt: skip
    add("-inputformat", metavar="NAME", help="input format (default: TextInputFormat)")
    add("-partitioner", metavar="NAME", help="dotted name of a Partitioner class or a function")
    add("-jobconf", dest="definitions", action="append", metavar="PROPERTY=VALUE", help="the same as -D")
    add("-io", choices=("text",), help="format between task and command: text is the only one")
    add("-background", action="store_true", help="do not wait for the job's end")


def properties(options: argparse.Namespace) -> dict[str, str]:
    """What makes a job of the options; SubmissionError for a command that is none."""
    found = {
        "mapreduce.job.name": f"streamjob: {options.mapper or 'identity'}",
        "mapreduce.input.fileinputformat.inputdir": ",".join(
            absolute(path) for given in options.input for path in given.split(",")
        ),
        "mapreduce.output.fileoutputformat.outputdir": absolute(options.output),
    }
    commands = (
        (options.mapper, "mapreduce.job.map.class", StreamMapper, MAP_COMMAND),
        (options.reducer, "mapreduce.job.reduce.class", StreamReducer, REDUCE_COMMAND),
        (options.combiner, "mapreduce.job.combine.class", StreamCombiner, COMBINE_COMMAND),
    )
    for command, role, processing, processor in commands:
        if command and command not in (*_IDENTITY, _NO_REDUCES):
            found[role] = name_of(processing)
            found[processor] = quote_plus(_checked(command))
    reduces = 0 if options.reducer == _NO_REDUCES else options.numReduceTasks
    if reduces is not None:
        found["mapreduce.job.reduces"] = str(reduces)
    if options.inputformat:
        found["mapreduce.job.inputformat.class"] = options.inputformat
    if options.partitioner:
        found["mapreduce.job.partitioner.class"] = options.partitioner
    files = [*options.file, *(path for given in options.files for path in given.split(","))]
    if files:
        found["mapreduce.job.cache.files"] = ",".join(map(_absolute, files))
    archives = [path for given in options.archives for path in given.split(",")]
    if archives:
        found["mapreduce.job.cache.archives"] = ",".join(map(_absolute, archives))
    if options.cmdenv:
        found["stream.addenvironment"] = quote_plus(shlex.join(options.cmdenv))
    return found


def _checked(command: str) -> str:
    try:
        words = words_of(command)
    except CommandFailedError as error:
        raise SubmissionError(str(error)) from None
    if not words:
        raise SubmissionError("a command is empty: name a program")
    return command


def _absolute(path: str) -> str:
    """The path as it is good anywhere, with the name behind # if there is one."""
    file, hash_, name = path.partition("#")
    return str(Path(file).absolute()) + hash_ + name


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*=.*", text, re.DOTALL):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return text


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)
