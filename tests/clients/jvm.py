"""Java programs under test: ours, compiled against a release's classes, and Hadoop's commands.

Starting a virtual machine takes longer than most commands do: `Commands` keeps one for many.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients import installed
from tests.waiting import PATIENCE_S

SOURCES = Path(__file__).with_name("java")
CLI = "org.apache.hadoop.yarn.client.cli."
MAPRED_JOB = "org.apache.hadoop.mapred.JobClient"
PROGRAM_S = 2 * PATIENCE_S
_QUICK_TO_START = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

MAINS = {
    "app": (f"{CLI}ApplicationCLI", "application"),
    "application": (f"{CLI}ApplicationCLI", "application"),
    "applicationattempt": (f"{CLI}ApplicationCLI", "applicationattempt"),
    "cluster": (f"{CLI}ClusterCLI",),
    "container": (f"{CLI}ApplicationCLI", "container"),
    "job": (MAPRED_JOB,),
    "node": (f"{CLI}NodeCLI",),
    "nodeattributes": (f"{CLI}NodeAttributesCLI",),
    "queue": (f"{CLI}QueueCLI",),
    "rmadmin": (f"{CLI}RMAdminCLI",),
}
"""What bin/yarn (bin/mapred for jobs) runs: the class, and what it puts before the arguments."""


def java_home() -> Path:
    """Where the machine's Java is."""
    java = shutil.which("java")
    assert java is not None
    return Path(java).resolve().parents[1]


def environment(**more: str) -> Mapping[str, str]:
    """Ours, without what leads Python to this tree and Hadoop to another cluster."""
    ours = ("PYTHONPATH", "HADOOP_CONF_DIR", "YARN_CONF_DIR", "YARNBOX_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "JAVA_HOME": str(java_home()), "PYTHONDONTWRITEBYTECODE": "1", **more}


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"status {self.status}\n{self.out}\n{self.err}"


@dataclass(frozen=True)
class Programs:
    """Our programs with the Hadoop of one release of Spark."""

    release: str
    classes: Path

    @classmethod
    def compiled(cls, release: str, classes: Path) -> Programs:
        """Compiles them; AssertionError with what the compiler said."""
        sources = sorted(map(str, SOURCES.glob("*.java")))
        compiler = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", _jars(release), *sources]
        done = subprocess.run(compiler, capture_output=True, text=True, check=False, env=environment())
        assert done.returncode == 0, done.stderr
        return cls(release, classes)

    def command(self, configuration: Path, name: str) -> list[str]:
        """The command line of a program."""
        path = f"{self.classes}:{configuration}:{_jars(self.release)}"
        return ["java", *_QUICK_TO_START, "-cp", path, name]

    def run(self, configuration: Path, name: str, *arguments: str) -> Said:
        """Runs one to its end."""
        line = [*self.command(configuration, name), *arguments]
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=PROGRAM_S, check=False, env=environment()
        )
        return Said(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def started(self, configuration: Path, name: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Runs one beside the test; killed if it runs at the end of the block."""
        line = [*self.command(configuration, name), *arguments]
        pipe = subprocess.PIPE
        with subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=environment()) as process:
            try:
                yield process
            finally:
                process.kill()


def _jars(release: str) -> str:
    return f"{installed.home(release)}/jars/*"


def hadoop_jars(release: str) -> list[str]:
    """Hadoop's client classes alone, and what they stand on."""
    jars = installed.home(release) / "jars"
    names = ("hadoop-client-*.jar", "commons-cli-*.jar", "commons-logging-*.jar", "jackson-*-asl-*.jar")
    return [str(path) for name in names for path in sorted(jars.glob(name))]


class Commands:
    """Hadoop's commands on one cluster, in one virtual machine. To be closed."""

    def __init__(self, programs: Programs, configuration: Path, log: Path) -> None:
        self.release = programs.release
        line = programs.command(configuration, "Commands")
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=environment()
            )

    def __call__(self, *words: str) -> Said:
        """`yarn`, or `mapred`, with these words."""
        first, *rest = words
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join([*MAINS[first], *rest]).encode() + b"\n")
        self._process.stdin.flush()
        status, out, err = struct.unpack(">iii", self._read(12))
        return Said(status & 0xFF, self._read(out).decode(), self._read(err).decode())

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        data = self._process.stdout.read(size)
        assert len(data) == size, f"the virtual machine ended, status {self._process.poll()}"
        return data

    def close(self) -> None:
        """Ends the virtual machine."""
        with self._process as process:
            process.kill()
