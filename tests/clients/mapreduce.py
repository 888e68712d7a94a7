"""Hadoop's own MapReduce under test: jobs of ours, submitted by its job client, with its AM and its tasks."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.clients import installed
from tests.clients.jvm import MAPRED_JOB, SOURCES, Said, environment
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster

JOB_S = PATIENCE_S
LOGGING = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d %p %c{1}: %m%n
"""
_JAVA = "-Xmx200m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
PROPERTIES = {
    "mapreduce.application.classpath": f"{installed.hadoop_home()}/*",
    "yarn.application.classpath": "$HADOOP_CONF_DIR",  # the cluster's names other jars, for Flink
    "yarn.app.mapreduce.am.command-opts": _JAVA,
    "mapreduce.map.java.opts": _JAVA,
    "mapreduce.reduce.java.opts": _JAVA,
    "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "200",
    "mapreduce.client.completion.pollinterval": "200",
    "mapreduce.map.memory.mb": "512",
    "mapreduce.reduce.memory.mb": "512",
    "mapreduce.map.speculative": "false",  # how fast a machine is decides nothing
    "mapreduce.reduce.speculative": "false",
}


@dataclass(frozen=True)
class MapReduce:
    """Hadoop's release, our job in a jar, and the cluster it is submitted to."""

    cluster: Cluster
    scratch: Path

    @classmethod
    def packed(cls, cluster: Cluster, scratch: Path) -> MapReduce:
        """Compiles the job and packs it; AssertionError with what the compiler said."""
        scratch.mkdir(parents=True)
        (scratch / "log4j.properties").write_text(LOGGING, encoding="ascii")
        source = str(SOURCES / "mapreduce" / "WordCount.java")
        classes = str(scratch / "classes")
        javac = [
            "javac",
            "-nowarn",
            "-proc:none",
            "-d",
            classes,
            "-cp",
            f"{installed.hadoop_home()}/*",
            source,
        ]
        for command in javac, ["jar", "--create", "--file", str(scratch / "words.jar"), "-C", classes, "."]:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
            assert done.returncode == 0, done.stderr
        return cls(cluster, scratch)

    @contextmanager
    def started(self, source: Path, target: Path, **properties: str) -> Iterator[subprocess.Popen[str]]:
        """One job beside the test; its client is killed if it runs at the end of the block."""
        line = self._java(f"{self.scratch}/words.jar", "WordCount")
        chosen = {name.replace("_", "."): value for name, value in properties.items()}
        for name, value in {**PROPERTIES, **chosen}.items():
            line += ["-D", f"{name}={value}"]
        line += [source.as_uri(), target.as_uri()]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            line, stdout=pipe, stderr=subprocess.STDOUT, text=True, env=environment()
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def job(self, *words: str) -> Said:
        """`mapred job` with these words."""
        done = subprocess.run(
            [*self._java(str(self.scratch), MAPRED_JOB), *words],
            capture_output=True,
            text=True,
            timeout=JOB_S,
            check=False,
            env=environment(),
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def _java(self, ours: str, name: str) -> list[str]:
        path = [ours, str(self.scratch), str(self.cluster.run.path), f"{installed.hadoop_home()}/*"]
        return ["java", *_JAVA.split(), "-cp", ":".join(path), name]
