"""Hadoop's server classes and our Java beside them: what the comparison stands on, and Hadoop's NodeManager.

The client classes come with the Spark that `tests.clients.installed` installs; the rest, named in pom.xml,
comes from Maven's repository, once, into the same cache, and is what its checksums (jars.sha256) say.
Run as a program it installs all.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from tests.clients import installed
from tests.clients.installed import LACKING
from tests.clients.jvm import environment

HERE = Path(__file__).parent
SPARK = "spark-4.0"
_OF_SPARK = (
    *("hadoop-client-api-*.jar", "hadoop-client-runtime-*.jar", "slf4j-api-*.jar", "jcl-over-slf4j-*.jar"),
    *("log4j-*.jar", "javax.servlet-api-*.jar"),
)
_MAVEN_S = 300


def home() -> Path:
    """The directory of the server classes, whether they are there or not: named after what it has to contain,
    so that another version goes to another place.
    """
    return installed.cache() / f"hadoop-3.4-{sha256(_checksums().encode()).hexdigest()[:12]}"


def jars() -> list[Path]:
    """Hadoop's classes and what they need; they have to be installed."""
    spark = installed.home(SPARK) / "jars"
    return [
        *sorted(home().glob("*.jar")),
        *(jar for name in _OF_SPARK for jar in sorted(spark.glob(name))),
    ]


def compiled(classes: Path) -> Path:
    """Our Java, compiled into that directory; AssertionError with what the compiler said."""
    sources = sorted(map(str, (HERE / "java").glob("*.java")))
    line = ["javac", "-nowarn", "-proc:none", "-d", str(classes), "-cp", ":".join(map(str, jars())), *sources]
    done = subprocess.run(line, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    return classes


def install() -> None:
    """Fetches what is not there; OSError when it cannot be had, ValueError when it is not what it was."""
    installed.install(SPARK)
    target = home()
    if target.exists():
        return
    if shutil.which("mvn") is None:
        raise OSError("no mvn on the PATH")
    print(f"test-clients: fetching Hadoop's server classes into {target}", flush=True)
    installed.persistently(lambda: _copy_by_maven(target))


def _copy_by_maven(target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=".draft-", dir=installed.cache()) as draft:
        tree = Path(draft, "tree")
        line = ["mvn", "--quiet", "--batch-mode", "--file", str(HERE / "pom.xml")]
        line += ["dependency:copy-dependencies", f"-DoutputDirectory={tree}"]
        try:
            done = subprocess.run(
                line, capture_output=True, text=True, check=False, env=environment(), timeout=_MAVEN_S
            )
        except subprocess.TimeoutExpired as error:
            raise OSError(f"mvn has not ended after {_MAVEN_S} s") from error
        if done.returncode != 0:
            sys.stderr.write(done.stdout[-2000:] + done.stderr[-2000:])
            raise OSError("mvn cannot fetch Hadoop's server classes")
        _check(tree)
        tree.rename(target)


def _check(tree: Path) -> None:
    lines = map(str.split, _checksums().splitlines())
    wanted = {name: checksum for checksum, name in lines}
    found = {path.name: sha256(path.read_bytes()).hexdigest() for path in tree.iterdir()}
    if found != wanted:
        raise ValueError(
            "Hadoop's server classes are not what they were when their checksums were written down"
        )


def _checksums() -> str:
    return (HERE / "jars.sha256").read_text()


def main() -> int:
    """Installs everything; the exit status."""
    try:
        if shutil.which("java") is None or shutil.which("javac") is None:
            raise OSError("no java and javac on the PATH")
        install()
    except OSError as error:
        print(f"test-clients: {error}: Hadoop's own NodeManager and the schedulers' comparison were NOT run")
        return LACKING
    return 0


if __name__ == "__main__":
    sys.exit(main())
