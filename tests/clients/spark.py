"""Spark under test: its submissions to the cluster, and what they came to."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.clients import installed
from tests.clients.jvm import SOURCES, environment
from tests.tree import ROOT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.cluster import Cluster, wait_until

JOB_S = PATIENCE_S
PI = re.compile(r"Pi is roughly 3\.1\d+")
_APPLICATION = re.compile(r"application_\d+_\d+")
_LAST_BYTES = 6000


@dataclass
class Submission:
    """One spark-submit: a running process, and what it prints."""

    process: subprocess.Popen[str]
    output: Path
    run: Path

    @property
    def said(self) -> str:
        """All that it printed until now."""
        return self.output.read_text(encoding="utf-8", errors="replace")

    @property
    def application(self) -> str:
        """The id of its application, once there is one."""
        assert wait_until(lambda: self._known() or self.process.poll() is not None, JOB_S), self.story
        assert self._known(), self.story
        found = _APPLICATION.search(self.said)
        assert found is not None
        return found.group()

    def _known(self) -> bool:
        return "Submitted application application_" in self.said

    def wait(self) -> int:
        """Its exit status."""
        return self.process.wait(JOB_S)

    @property
    def story(self) -> str:
        """For whoever has to find out why it failed."""
        parts = [self.said[-_LAST_BYTES:]]
        for path in sorted(self.run.glob("nodes/*/logs/application_*/*/*")):  # while they are not collected
            if path.parent.parent.name in self.said:
                parts += [f"--- {path}", path.read_text(encoding="utf-8", errors="replace")[-_LAST_BYTES:]]
        return "\n".join(parts)


@dataclass
class Spark:
    """A release of Spark and the cluster it submits to."""

    release: str
    cluster: Cluster
    scratch: Path
    python: Path = field(default_factory=lambda: Path(sys.executable))
    _count: int = 0

    @property
    def home(self) -> Path:
        """Its directory."""
        return installed.home(self.release)

    def pi(self, tasks: int, darts: int) -> list[str]:
        """Our program in Java, for the end of a command line."""
        if not self._jar.exists():
            self._build()
        return ["--class", "SparkPi", str(self._jar), str(tasks), str(darts)]

    @property
    def _jar(self) -> Path:
        return self.scratch / f"{self.release}.jar"

    def _build(self) -> None:
        classes = self.scratch / f"{self.release}-classes"
        source = [str(SOURCES / "spark" / "SparkPi.java")]
        javac = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", f"{self.home}/jars/*", *source]
        for command in javac, ["jar", "--create", "--file", str(self._jar), "-C", str(classes), "."]:
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
            assert done.returncode == 0, done.stderr

    @contextmanager
    def submitted(
        self,
        *words: str,
        master: str = "yarn",
        mode: str = "cluster",
        conf: Mapping[str, str] | None = None,
    ) -> Iterator[Submission]:
        """spark-submit with these words; killed if it runs at the end of the block."""
        self.scratch.mkdir(exist_ok=True)
        self._count += 1
        output = self.scratch / f"{self.release}-{self._count}.log"
        line = [str(self.home / "bin" / "spark-submit"), "--master", master, "--deploy-mode", mode]
        for name, value in {**self._properties(), **(conf or {})}.items():
            line += ["--conf", f"{name}={value}"]
        known = environment(
            HADOOP_CONF_DIR=str(self.cluster.run.path),
            SPARK_HOME=str(self.home),
            SPARK_LOCAL_IP="127.0.0.1",
            PYSPARK_PYTHON=str(self.python),
        )
        with output.open("w", encoding="utf-8") as stream:
            process = subprocess.Popen(
                [*line, *words], env=known, stdout=stream, stderr=subprocess.STDOUT, text=True
            )
        with process:
            try:
                yield Submission(process, output, self.cluster.run.path)
            finally:
                process.kill()

    def _properties(self) -> dict[str, str]:
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        return {
            "spark.yarn.jars": f"local:{self.home}/jars/*",
            "spark.yarn.stagingDir": f"file:{self.scratch}/staging",
            "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
            "spark.yarn.appMasterEnv.PYSPARK_PYTHON": str(self.python),
            "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.executor.instances": "1",
            "spark.driver.extraJavaOptions": quick,
            "spark.executor.extraJavaOptions": quick,
            "spark.yarn.am.extraJavaOptions": quick,
            "spark.ui.enabled": "false",
        }


def counted(text: Path) -> str:
    """What word_count.py has to write."""
    words = Counter(text.read_text(encoding="utf-8").split())
    return "".join(sorted(f"{word}\t{count}\n" for word, count in words.items()))


def real_text(target: Path) -> Path:
    """The modules of Python's standard library, one behind the other."""
    library = Path(subprocess.__file__).parent
    target.write_text("".join(path.read_text(encoding="utf-8") for path in sorted(library.glob("*.py"))))
    return target


WORD_COUNT = str(ROOT / "examples" / "spark" / "word_count.py")
