"""Flink under test: applications submitted by its command line's own class."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.clients import installed
from tests.clients.jvm import SOURCES, Said, environment, hadoop_jars
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster

RELEASE = "flink-1.20"
SUBMISSION_S = PATIENCE_S
LOGGING = """\
rootLogger.level = INFO
rootLogger.appenderRef.console.ref = console
appender.console.name = console
appender.console.type = CONSOLE
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c: %m%n
"""
_OPENED = ("java.lang", "java.net", "java.io", "java.nio", "java.util", "java.util.concurrent", "java.time")
PROPERTIES = {
    # As Flink's own configuration has it: it looks into what Java 17 keeps closed.
    "env.java.opts.all": " ".join(
        ["-XX:TieredStopAtLevel=1", *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED)]
    ),
    "jobmanager.memory.process.size": "1024m",
    "taskmanager.memory.process.size": "1024m",
    "taskmanager.memory.managed.size": "64m",
    "taskmanager.numberOfTaskSlots": "1",
    "parallelism.default": "1",
}


@dataclass
class Flink:
    """The release and the cluster it submits to."""

    cluster: Cluster
    scratch: Path

    @property
    def _home(self) -> Path:
        return installed.home(RELEASE)

    def run(self, *arguments: str) -> Said:
        """Submits our WordCount in application mode; what `flink run-application` said."""
        configuration = self.scratch / "conf"
        configuration.mkdir(parents=True)
        lines = [f"{name}: {value}\n" for name, value in PROPERTIES.items()]
        (configuration / "config.yaml").write_text("".join(lines), encoding="utf-8")
        (configuration / "log4j.properties").write_text(LOGGING, encoding="utf-8")
        path = [f"{self._home}/lib/*", str(self.cluster.run.path), *hadoop_jars("spark-3.5")]
        line = [
            "java",
            "-XX:TieredStopAtLevel=1",
            f"-Dlog4j.configurationFile={configuration}/log4j.properties",
        ]
        line += ["-cp", ":".join(path)]
        line += ["org.apache.flink.client.cli.CliFrontend", "run-application", "-t", "yarn-application"]
        line += [f"-Dyarn.staging-directory=file://{self.scratch}/staging"]
        line += ["-c", "WordCount", str(self._jar()), *arguments]
        known = environment(
            HADOOP_CONF_DIR=str(self.cluster.run.path),
            FLINK_CONF_DIR=str(configuration),
            FLINK_LIB_DIR=str(self._needed()),
            FLINK_PLUGINS_DIR=f"{self._home}/plugins",
        )
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=SUBMISSION_S, check=False, env=known
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def _needed(self) -> Path:
        """A directory with what the nodes need besides the distribution itself: the log, and not tables."""
        directory = self.scratch / "lib"
        directory.mkdir()
        for jar in self._home.glob("lib/log4j-*.jar"):
            shutil.copy(jar, directory)
        return directory

    @property
    def _dist(self) -> Path:
        (found,) = self._home.glob("lib/flink-dist-*.jar")
        return found

    def _jar(self) -> Path:
        classes, jar = self.scratch / "classes", self.scratch / "words.jar"
        source = str(SOURCES / "flink" / "WordCount.java")
        javac = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", str(self._dist), source]
        for command in javac, ["jar", "--create", "--file", str(jar), "-C", str(classes), "."]:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
            assert done.returncode == 0, done.stderr
        return jar
