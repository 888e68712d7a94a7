"""What the tests of Hadoop's clients install, once, into a cache: Spark and Flink from the package index, and
Hadoop's own MapReduce by Maven.

Spark's packages contain Hadoop's client classes, so for all but MapReduce nothing but pip is needed; pip
compares the checksums, and for Maven this file does. The cache is $YARNBOX_CACHE, else yarnbox in
$XDG_CACHE_HOME or ~/.cache. Run as a program it installs all.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages")
RELEASES = {"spark-3.5": "pyspark", "spark-4.0": "pyspark", "flink-1.20": "pyflink"}
"""Each release, and the directory of it that is the software's home."""

HADOOP = "hadoop-3.4"
"""Jars of Hadoop's daemons and of MapReduce; they come by Maven."""

GRPC = "grpc-1.71"
"""Jars of gRPC for Java, and protoc; they come by Maven, too."""

ZOOKEEPER = "zookeeper-3.8"
"""Jars of a ZooKeeper server; they come by Maven, for tests/zookeeper.py."""

BY_MAVEN = {HADOOP: "Hadoop's own MapReduce", GRPC: "the client made of protos/ in Java"}
"""Each, and what is not run without it."""

PAUSES_S = (5, 30)
"""Networks hiccup: what cannot be fetched is tried again after each of them."""

LACKING = 3
"""The exit status when something cannot be had here: Java, or the network. A wrong checksum is an error."""


def cache() -> Path:
    """Where releases are kept."""
    chosen = os.environ.get("YARNBOX_CACHE")
    if chosen:
        return Path(chosen, "clients")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "yarnbox", "clients")


def home(release: str) -> Path:
    """Where the release is; it has to be installed."""
    return _directory(release) / RELEASES[release]


def _directory(release: str) -> Path:
    """Named after what it has to contain, so that another version goes to another place."""
    wanted = (PACKAGES / f"{release}{'.txt' if release in RELEASES else '.sha256'}").read_bytes()
    return cache() / f"{release}-{sha256(wanted).hexdigest()[:12]}"


def persistently(fetch: Callable[[], None]) -> None:
    """Does what needs the network, again where it fails; the OSError of the last try."""
    for pause_s in PAUSES_S:
        try:
            return fetch()
        except OSError as error:
            print(f"test-clients: {error}: trying again in {pause_s} s", flush=True)
            threading.Event().wait(pause_s)
    return fetch()


def install(release: str) -> None:
    """Puts the release into the cache if it is not there; OSError when it cannot be had."""
    target = _directory(release)
    if target.exists():
        return
    print(f"test-clients: installing {release} into {target}", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    persistently(lambda: _install_by_pip(release, target))


def _install_by_pip(release: str, target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=target.parent) as draft:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        pip += ["--no-cache-dir", "--root-user-action", "ignore", "--no-deps", "--require-hashes"]
        pip += ["--target", f"{draft}/tree", "--requirement", str(PACKAGES / f"{release}.txt")]
        done = subprocess.run(pip, stderr=subprocess.PIPE, text=True, check=False)
        sys.stderr.write(done.stderr)
        if "DO NOT MATCH THE HASHES" in done.stderr:
            raise ValueError(f"{release} is not what it was when its checksums were written down")
        if done.returncode != 0:
            raise OSError(f"{release} cannot be installed")
        Path(draft, "tree").rename(target)


def hadoop_home() -> Path:
    """The directory of Hadoop's jars, whether they are there or not."""
    return _directory(HADOOP)


def grpc_home() -> Path:
    """The directory of gRPC's jars and protoc, whether they are there or not."""
    return _directory(GRPC)


def zookeeper_home() -> Path:
    """The directory of ZooKeeper's jars, whether they are there or not."""
    return _directory(ZOOKEEPER)


def install_by_maven(release: str) -> None:
    """Puts the jars of a release into the cache if they are not there; OSError when they cannot be had."""
    target = _directory(release)
    if target.exists():
        return
    if shutil.which("mvn") is None:
        raise OSError(f"{release} cannot be installed: no mvn on the PATH")
    print(f"test-clients: installing {release} into {target}", flush=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    persistently(lambda: _copy_by_maven(release, target))


def _copy_by_maven(release: str, target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=target.parent) as draft:
        maven = ["mvn", "--quiet", "--batch-mode", "--file", str(PACKAGES / f"{release}.xml")]
        maven += ["dependency:copy", f"-DoutputDirectory={draft}/tree"]
        done = subprocess.run(maven, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.stderr.write(done.stdout)
            raise OSError(f"{release} cannot be installed")
        _check_jars(release, Path(draft, "tree"))
        Path(draft, "tree").rename(target)


def _check_jars(release: str, directory: Path) -> None:
    lines = (PACKAGES / f"{release}.sha256").read_text(encoding="ascii").splitlines()
    wanted = {name: digest for digest, name in (line.split() for line in lines)}
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in directory.iterdir()}
    if found != wanted:
        raise ValueError(f"{release} is not what it was when its checksums were written down")


def main() -> int:
    """Installs everything; the exit status."""
    if shutil.which("java") is None or shutil.which("javac") is None:
        print("test-clients: no java and javac on the PATH: the tests of Hadoop's own clients were NOT run")
        return LACKING
    with ThreadPoolExecutor(1) as beside:
        jars = {release: beside.submit(install_by_maven, release) for release in BY_MAVEN}
        try:
            for release in RELEASES:
                install(release)
        except OSError as error:
            print(f"test-clients: {error}: the tests of Hadoop's own clients were NOT run")
            return LACKING
        for release, what in BY_MAVEN.items():
            try:
                jars[release].result()
            except OSError as error:
                print(f"test-clients: {error}: {what} is NOT run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
