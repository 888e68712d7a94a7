"""Either side of the comparison as a process that answers one case after the other."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.hadoop.cases import Case
from tests.clients.jvm import environment
from tests.hadoop import installed

JAVA = Path(__file__).parent / "java"
HEAP = "4g"
_OPTIONS = (
    f"-Xms{HEAP}",
    f"-Xmx{HEAP}",
    "-XX:+UseParallelGC",
    "-Dlog4j2.level=OFF",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
)
_OF_THE_TWIN = ("DoorlessResourceManager.java", "Memory.java", "UnstoredAttributes.java")
"""Hadoop's ResourceManager without doors and threads, as in the differential tests; the time is real."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How much was done, and what it took of the processor."""

    done: float
    thread_s: float
    """Of the thread that did it."""
    process_s: float
    """Of the whole process meanwhile: with collectors and compilers, where there are any."""

    @property
    def rate(self) -> float:
        """A second of the thread."""
        return self.done / self.thread_s


class Side:
    """To be closed."""

    def __init__(self, name: str, line: Sequence[str], environ: Mapping[str, str], errors: IO[bytes]) -> None:
        self.name = name
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            line, stdin=pipe, stdout=pipe, stderr=errors, text=True, env=dict(environ)
        )

    def take(self, case: Case, seconds: float) -> Answer:
        """One measurement; EOFError when the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(case.line(seconds) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise EOFError(f"{self.name} ended at {case.name}, status {self._process.wait()}")
        return Answer(*map(float, line.split()))

    def close(self) -> None:
        """Ends the process."""
        with self._process as process:
            process.kill()


def hadoop(classes: Path, errors: IO[bytes]) -> Side:
    """A virtual machine with Hadoop's schedulers; its classes are compiled into that directory."""
    path = ":".join(map(str, (compiled(classes), *installed.jars())))
    return Side("Hadoop", ["java", *_OPTIONS, "-cp", path, "yarnbox.bench.Measure"], environment(), errors)


def ours(*, is_compiled: bool, errors: IO[bytes]) -> Side:
    """A process with our schedulers, of the compiled core or of the pure Python one."""
    name = "compiled" if is_compiled else "yarnbox"
    environ = {**os.environ, "YARNBOX_COMPILED": str(int(is_compiled)), "PYTHONHASHSEED": "0"}
    return Side(name, [sys.executable, "-m", "bench.hadoop.ours"], environ, errors)


def compiled(classes: Path) -> Path:
    """Our Java, compiled; AssertionError with what the compiler said."""
    sources = [*JAVA.glob("*.java"), *(installed.HERE / "java" / name for name in _OF_THE_TWIN)]
    line = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", ":".join(map(str, installed.jars()))]
    done = subprocess.run(
        [*line, *sorted(map(str, sources))], capture_output=True, text=True, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    return classes
