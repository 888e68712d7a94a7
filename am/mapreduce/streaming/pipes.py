"""A command that reads lines and writes lines, as a part of a task.

It runs in the task's directory, once per task, with the job's properties in its environment. What it writes
on stderr goes where the task's own does, but for lines that speak to the task:

    reporter:counter:GROUP,COUNTER,AMOUNT
    reporter:status:TEXT

Hadoop: PipeMapRed and StreamUtil.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import unquote_plus

from yarnbox.am.mapreduce.api import TaskContext
from yarnbox.yarn.configuration import Configuration

Feed = Callable[[IO[bytes]], None]
"""Writes the input of a command."""

_NO_NAME = re.compile("[^A-Za-z0-9]")
_WORD = re.compile(r"""(?:[^\s"']+|"[^"]*"|'[^']*')+""")
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")
_READ_BYTES = 1 << 18
_LONGEST_STRING = 128 * 1024 - 1
"""What Linux lets a variable be, with its name."""


class CommandFailedError(Exception):
    """The command did not end as it should."""


def words_of(command: str) -> list[str]:
    """The words of a command: blanks separate, quotes group, nothing else has a meaning."""
    if _WORD.sub("", command).strip():
        raise CommandFailedError(f"a quote is not closed in {command!r}")
    return [_QUOTED.sub(lambda quoted: quoted[0][1:-1], word) for word in _WORD.findall(command)]


class Fields:
    """Where keys end: at the n-th separator of a line."""

    def __init__(self, separator: str, key_fields: int) -> None:
        self._separator = separator.encode()
        self._key_fields = key_fields

    @classmethod
    def of_output(cls, configuration: Configuration, side: str) -> Fields:
        """Those of a command's output; `side` is map or reduce."""
        return cls(
            configuration.untrimmed(f"stream.{side}.output.field.separator") or "\t",
            configuration.integer(f"stream.num.{side}.output.key.fields", 1),
        )

    def pair(self, line: bytes) -> tuple[bytes, bytes]:
        """Key and value; a line with too few separators is all key."""
        separator = self._separator
        if self._key_fields == 1:
            key, _, value = line.partition(separator)
            return key, value
        at = -len(separator)
        for _ in range(self._key_fields):
            at = line.find(separator, at + len(separator))
            if at < 0:
                return line, b""
        return line[:at], line[at + len(separator) :]


class Pipe:
    """One run of a command within a task."""

    def __init__(self, command: str, context: TaskContext, fields: Fields) -> None:
        self._configuration = context.configuration
        self._words = words_of(unquote_plus(command))
        self._context = context
        self._fields = fields
        self._failure: BaseException | None = None
        self._prefix = self._configuration.value("stream.stderr.reporter.prefix") or "reporter:"

    def run(self, feed: Feed) -> None:
        """Feeds the command, emits what it says, and sees it end."""
        work = Path.cwd()
        program = _program(self._words[0], work)
        try:
            process = subprocess.Popen(
                [program, *self._words[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment_of(self._configuration, work),
            )
        except OSError as error:
            raise CommandFailedError(f"Cannot run program {self._words[0]!r}: {error.strerror}") from None
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            readers = [
                threading.Thread(target=self._emit_lines, args=(process, process.stdout)),
                threading.Thread(target=self._hear, args=(process, process.stderr)),
            ]
            for reader in readers:
                reader.start()
            try:
                with process.stdin:
                    feed(process.stdin)
            except BrokenPipeError as error:
                self._failure = self._failure or error
            except BaseException:
                process.kill()
                raise
            finally:
                for reader in readers:
                    reader.join()
        self._judge(process.returncode)

    def _judge(self, status: int) -> None:
        if self._failure is not None and not isinstance(self._failure, BrokenPipeError):
            raise self._failure
        is_failure = self._configuration.boolean("stream.non.zero.exit.is.failure", True)
        if status != 0 and is_failure:
            command = shlex.join(self._words)
            raise CommandFailedError(
                f"PipeMapRed.waitOutputThreads(): subprocess failed with code {status}: {command}"
            )
        if self._failure is not None:
            raise CommandFailedError("Broken pipe: the command ended before it had read its input")

    def _emit_lines(self, process: subprocess.Popen[bytes], stdout: IO[bytes]) -> None:
        try:
            self._context.emit_all(map(self._fields.pair, _lines(stdout)))
        except BaseException as error:  # the task's own thread raises it
            self._failure = error
            process.kill()

    def _hear(self, process: subprocess.Popen[bytes], stderr: IO[bytes]) -> None:
        try:
            for line in stderr:
                self._context.progress()
                self._understand(line)
        except BaseException as error:  # as above: too many counters, say
            self._failure = error
            process.kill()

    def _understand(self, line: bytes) -> None:
        """A line of the standard error: a report, or words for people."""
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text.startswith(self._prefix):
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
            return
        kind, _, rest = text.removeprefix(self._prefix).partition(":")
        if kind == "status":
            self._context.set_status(rest)
        elif kind != "counter" or not self._count(rest.split(",")):
            print(f"WARN: Cannot parse the report {text!r}", file=sys.stderr, flush=True)

    def _count(self, parts: list[str]) -> bool:
        if len(parts) != 3 or not re.fullmatch(r"\s*[+-]?\d+\s*", parts[2], re.ASCII):
            return False
        self._context.tally.add(parts[1], int(parts[2]), parts[0])
        return True


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream, without their ends."""
    rest = b""
    while block := os.read(stream.fileno(), _READ_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _program(word: str, work: Path) -> str:
    """The program of a command: in the task's directory, where it is made executable, or wherever it is."""
    mine = work / word
    if not os.path.isabs(word) and mine.is_file():
        if not os.access(mine, os.X_OK):
            mine.chmod(mine.stat().st_mode | 0o100)
        return str(mine)
    return shutil.which(word) or word


def environment_of(configuration: Configuration, work: Path) -> dict[str, str]:
    """A command's environment: the task's own, the properties, what -cmdenv gives."""
    longest = configuration.integer("stream.jobconf.truncate.limit", -1)
    environment = dict(os.environ)
    for name in configuration.names():
        value = configuration.value(name) or ""
        variable = _NO_NAME.sub("_", name)
        limit = _LONGEST_STRING - len(os.fsencode(variable)) - 2
        shown = value[:longest] if longest >= 0 else value
        if "\0" not in shown and len(shown.encode("utf-8", "surrogateescape")) <= limit:
            environment[variable] = shown
    temporary = work / "tmp"
    temporary.mkdir(exist_ok=True)
    environment["TMPDIR"] = str(temporary)
    environment["PATH"] = os.pathsep.join([str(work), os.environ.get("PATH", os.defpath)])
    for pair in words_of(unquote_plus(configuration.value("stream.addenvironment") or "")):
        name, equals, value = pair.partition("=")
        if equals:
            environment[name] = value
    return environment
