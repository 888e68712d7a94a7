"""Starts a cluster, runs Hadoop's own commands and Spark against it, and checks what comes out.

Spark comes from the package index into build/clients, an environment of its own; its jars contain Hadoop's
client classes. Java is the machine's: where there is none, nothing is run, and that is said.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from tests.tree import ROOT

PYSPARK = "pyspark==3.5.3"
CLI = "org.apache.hadoop.yarn.client.cli."
JOB_S = 240
COMMAND_S = 60
TEXT = ROOT / "LICENSE"


def main() -> int:
    """The exit status: 0 when everything is right, or there is no Java."""
    java = shutil.which("java")
    if java is None:
        print("test-clients: there is no java on the PATH; Hadoop's own clients were NOT run")
        return 0
    python = install(ROOT / "build" / "clients")
    jars = jars_of(python)
    with tempfile.TemporaryDirectory(prefix="yarnbox-clients-") as scratch:
        run = Path(scratch, "run")
        box("up", "--hadoop", "--nodes", "2", "--detach", "--port", "0", "--web-port", "0", directory=run)
        try:
            failures = [*check_commands(java, jars, run), *check_spark(python, jars, run, Path(scratch))]
        finally:
            box("down", directory=run)
    for failure in failures:
        print(f"test-clients: FAILED: {failure}")
    print(f"test-clients: {'all is well' if not failures else f'{len(failures)} failed'}")
    return 1 if failures else 0


def install(home: Path) -> Path:
    """The interpreter of an environment that has Spark."""
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PYSPARK]
    subprocess.run(pip, check=True)
    return python


def jars_of(python: Path) -> Path:
    """Where Spark keeps its jars, Hadoop's among them."""
    command = [str(python), "-c", "import pyspark; print(pyspark.__path__[0])"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, env=environment())
    return Path(found.stdout.strip()) / "jars"


def environment(**more: str) -> Mapping[str, str]:
    """Ours, without what leads Python to this tree."""
    return {**{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}, **more}


def box(*arguments: str, directory: Path) -> None:
    """A yarnbox command."""
    command = [sys.executable, "-m", "cluster.main", *arguments, "--dir", str(directory)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


# Hadoop's commands

COMMANDS = (
    ("NodeCLI -list", "Total Nodes:2"),
    ("NodeCLI -list -all", "127.0.1.2:"),
    ("QueueCLI -status default", "State : RUNNING"),
    ("ApplicationCLI application -list", "Total number of applications"),
    ("ApplicationCLI application -status application_1_0001", "doesn't exist in RM"),
    ("ClusterCLI -lnl", "Node Labels:"),
    ("RMAdminCLI -refreshQueues", ""),
    ("RMAdminCLI -refreshNodes", ""),
)


def check_commands(java: str, jars: Path, run: Path) -> list[str]:
    """What Hadoop's commands said that they should not have, or the reverse."""
    failures = []
    for command, expected in COMMANDS:
        name, *arguments = command.split()
        line = [java, "-XX:TieredStopAtLevel=1", "-cp", f"{run}:{jars}/*", CLI + name, *arguments]
        try:
            done = subprocess.run(
                line, capture_output=True, text=True, timeout=COMMAND_S, check=False, env=environment()
            )
        except subprocess.TimeoutExpired:
            failures.append(f"{command}: no answer after {COMMAND_S} s")
            continue
        said = done.stdout + done.stderr
        if expected not in said or (not expected and done.returncode != 0):
            failures.append(f"{command}: status {done.returncode}, said\n{said}")
        else:
            print(f"test-clients: {command}")
    return failures


# Spark


def check_spark(python: Path, jars: Path, run: Path, scratch: Path) -> list[str]:
    """Counts words in both modes and compares with our own count."""
    expected = Counter(TEXT.read_text(encoding="utf-8").split())
    wanted = "".join(sorted(f"{word}\t{count}\n" for word, count in expected.items()))
    failures = []
    for mode in ("cluster", "client"):
        target = scratch / f"{mode}.txt"
        program = ROOT / "examples" / "spark" / "word_count.py"
        line = [*submit(python, jars, scratch), "--deploy-mode", mode, str(program), str(TEXT), str(target)]
        known = environment(HADOOP_CONF_DIR=str(run), SPARK_HOME=str(jars.parent), PYSPARK_PYTHON=str(python))
        try:
            done = subprocess.run(line, capture_output=True, text=True, timeout=JOB_S, check=False, env=known)
        except subprocess.TimeoutExpired:
            failures.append(f"spark in {mode} mode: not done after {JOB_S} s")
            continue
        if done.returncode != 0 or not target.exists():
            failures.append(f"spark in {mode} mode: status {done.returncode}, said\n{done.stderr[-4000:]}")
        elif target.read_text(encoding="utf-8") != wanted:
            failures.append(f"spark in {mode} mode counted wrong")
        else:
            print(f"test-clients: word count in {mode} mode")
    return failures


def submit(python: Path, jars: Path, scratch: Path) -> list[str]:
    """The command line up to the deploy mode."""
    properties = {
        "spark.yarn.jars": f"local:{jars}/*",
        "spark.yarn.stagingDir": f"file:{scratch}/staging",
        "spark.yarn.appMasterEnv.SPARK_LOCAL_IP": "127.0.0.1",
        "spark.yarn.appMasterEnv.PYSPARK_PYTHON": str(python),
        "spark.executorEnv.SPARK_LOCAL_IP": "127.0.0.1",
    }
    line = [str(jars.parent / "bin" / "spark-submit"), "--master", "yarn", "--num-executors", "1"]
    line += ["--driver-memory", "512m", "--executor-memory", "512m"]
    for name, value in properties.items():
        line += ["--conf", f"{name}={value}"]
    return line


if __name__ == "__main__":
    sys.exit(main())
