"""A release: `python release.py check | build | sbom | trial`, or `make release` for all of it.

    check    whether version, list of changes and tree are ready
    build    dist/: the source archive, and the wheel made of it
    trial    a cluster and a job from that wheel, in an environment of its own and an empty folder
    sbom     dist/: what the wheel depends on, by name, version and licence, as CycloneDX

The version is said in one place, src/yarnbox/__init__.py. Publishing is not done here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def version() -> str:
    """That of the tree."""
    found = _VERSION.search((ROOT / "src" / "yarnbox" / "__init__.py").read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def faults(changes: str, wanted: str, status: str) -> list[str]:
    """What keeps a version from being released, by the list of changes and what git says of the tree."""
    found = []
    heads = re.findall(r"^## (.+)$", changes, re.MULTILINE)
    if not any(head.split(" ")[0] == wanted for head in heads):
        found.append(f"CHANGELOG.md has no section for {wanted}: what is unreleased becomes it")
    unreleased = re.search(r"^## Unreleased\n(.*?)(?=^## )", changes, re.MULTILINE | re.DOTALL)
    if unreleased is not None and unreleased[1].strip():
        found.append("CHANGELOG.md has unreleased changes that no version has")
    if status.strip():
        found.append("the tree has changes that are not committed")
    return found


def build(tree: Path = ROOT, into: Path = DIST) -> Path:
    """Makes the source archive, and of that the wheel; the wheel."""
    into.mkdir(exist_ok=True)
    _run("-m", "hatchling", "build", "-t", "sdist", "-d", str(into), cwd=tree)
    (archive,) = into.glob(f"yarnbox-{version()}.tar.gz")
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
        (sources,) = Path(place).iterdir()
        _run("-m", "hatchling", "build", "-t", "wheel", "-d", str(into), cwd=sources)
    (wheel,) = into.glob(f"yarnbox-{version()}-*.whl")
    return wheel


def install(wheel: Path, place: Path, *options: str) -> Path:
    """An environment with the wheel; its interpreter. `options` are pip's."""
    _run("-m", "venv", "--without-pip", str(place))
    python = place / "bin" / "python"
    command = ("--python", str(python), "install", "--quiet", "--disable-pip-version-check", *options)
    _run("-m", "pip", *command, str(wheel))
    return python


def trial(python: Path) -> str:
    """A cluster and a job in an empty folder, by the commands of an environment; what the job printed."""
    yarnbox = str(python.parent / "yarnbox")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": folder,
            "LANG": os.environ.get("LANG", "C"),
        }

        def run(*words: str) -> str:
            done = subprocess.run(
                [yarnbox, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            if done.returncode:
                raise SystemExit(f"release: yarnbox {words[0]} ended with {done.returncode}:\n{done.stderr}")
            return done.stdout

        run("up", "--detach", "--nodes", "1", "--port", "0", "--web-port", "0")
        try:
            return run("job", "pi", "1", "10")
        finally:
            run("down")


def sbom(python: Path, target: Path) -> None:
    """Writes what an environment holds, as the parts of this version."""
    command = ("-m", "cyclonedx_py", "environment", "--pyproject", str(ROOT / "pyproject.toml"))
    _run(*command, "--output-reproducible", "--of", "JSON", "-o", str(target), str(python))
    document = json.loads(target.read_text(encoding="utf-8"))
    document["metadata"]["component"]["version"] = version()
    target.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def _run(*words: str, cwd: Path = ROOT) -> None:
    subprocess.run([sys.executable, *words], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def _wheel() -> Path:
    found = sorted(DIST.glob(f"yarnbox-{version()}-*.whl"))
    if not found:
        raise SystemExit("release: there is no wheel in dist/: `python release.py build` makes it")
    return found[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one step; its exit status."""
    parser = argparse.ArgumentParser(prog="release.py", description="A release of yarnbox.")
    parser.add_argument("step", choices=("check", "build", "trial", "sbom"))
    step = parser.parse_args(arguments).step
    if step == "check":
        git = subprocess.run(
            ["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        found = faults((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version(), git.stdout)
        print("\n".join(f"release: {one}" for one in found) or f"release: {version()} is ready")
        return 1 if found else 0
    if step == "build":
        shutil.rmtree(DIST, ignore_errors=True)
        print(build())
        return 0
    with tempfile.TemporaryDirectory() as place:
        python = install(_wheel(), Path(place))
        if step == "trial":
            print(trial(python), end="")
        else:
            sbom(python, DIST / f"yarnbox-{version()}.cdx.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
