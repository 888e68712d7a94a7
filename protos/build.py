"""Writes the Python modules of the contract from its .proto files, and knows whether they still fit them.

The modules are generated, never edited and never committed: `make setup`, editable installs and wheel builds
all come through here. Beside them lies a stamp, `stubs.sha256`: of which .proto files they were made, by
which generators, for which protobuf runtime. The package checks it when it is imported, so that a stale stub
cannot be run by accident.

Run as a file (`python protos/build.py`, with `--if-stale` to do nothing when nothing changed): as a module it
could not be reached when it is needed most, for importing the package is what fails then.
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
STAMP = "stubs.sha256"
IMPORTED_AS = "yarnbox/protos"  # how the .proto files name each other; the stubs import each other likewise
GENERATORS = ("grpcio-tools", "mypy-protobuf")
PLUGINS = {"protoc-gen-mypy": "mypy_protobuf.main:main", "protoc-gen-mypy_grpc": "mypy_protobuf.main:grpc"}
STUB_NAME = re.compile(r".+_pb2(_grpc)?\.pyi?")
RUNTIME_LINE = re.compile(r"^# Protobuf Python Version: (\d+)\.(\d+)\.(\d+)", re.MULTILINE)


class StaleStubsError(ImportError):
    """The generated modules are missing, or were made of other .proto files than those beside them."""


def fingerprint(package: Path = PACKAGE) -> str:
    """One hash over the name and the text of every .proto file, and over this generator."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for source in sorted(package.glob("*.proto")):
        digest.update(b"\0" + source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def why_stale(package: Path = PACKAGE) -> str | None:
    """Why the stubs must not be run, or None when they may.

    An installed wheel carries the stubs without the .proto files: nothing there can go stale.
    """
    if not any(package.glob("*.proto")):
        return None
    try:
        stamped = (package / STAMP).read_text(encoding="ascii").split()
    except FileNotFoundError:
        return "stubs are missing"
    if not stamped or stamped[0] != fingerprint(package):
        return "stubs are stale"
    return None


def verify(package: Path = PACKAGE) -> None:
    """Raise, in one line that says what to do, unless the stubs fit the .proto files and protobuf itself."""
    from google import protobuf  # the stubs need it anyway; the generator does not

    reason = why_stale(package)
    if reason is None and (package / STAMP).exists():
        facts = dict(fact.split("=") for fact in (package / STAMP).read_text(encoding="ascii").split()[1:])
        made_for, running = facts["protobuf"], protobuf.__version__
        # A runtime runs code generated for it, for older versions of its major, and for the major before.
        if not _version(made_for) <= _version(running) < (_version(made_for)[0] + 2,):
            reason = f"stubs were made for protobuf {made_for} and this is {running}"
    if reason is not None:
        raise StaleStubsError(f"{reason}: run `make setup`")


def generate(package: Path = PACKAGE) -> None:
    """Generate all stubs aside, then move them into place; the stamp goes first and comes back last."""
    import os  # imported here: the check above runs at every start, and must cost nothing
    import tempfile

    stamp = package / STAMP
    with tempfile.TemporaryDirectory(prefix=".stubs-", dir=package) as scratch:
        out = Path(scratch, "out")
        out.mkdir()
        _run_protoc(package, Path(scratch), out)
        made = out / IMPORTED_AS
        facts = _facts(made)
        stamp.unlink(missing_ok=True)
        for old in stubs_in(package):
            if not (made / old.name).exists():
                old.unlink()
        for new in stubs_in(made):
            os.replace(new, package / new.name)
        fresh = Path(scratch, STAMP)
        fresh.write_text("\n".join([fingerprint(package), *facts]) + "\n", encoding="ascii")
        os.replace(fresh, stamp)


def stubs_in(directory: Path) -> list[Path]:
    """The generated files of a directory, by name."""
    return sorted(path for path in directory.iterdir() if STUB_NAME.fullmatch(path.name))


def _run_protoc(package: Path, scratch: Path, out: Path) -> None:
    """One protoc run for the messages, one for the services; both typed by mypy-protobuf."""
    import subprocess

    sources = sorted(package.glob("*.proto"))
    services = [
        path for path in sources if re.search(r"^service ", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    plugins = [f"--plugin={name}={_launcher(scratch, name, entry)}" for name, entry in PLUGINS.items()]
    runs = [
        ([f"--python_out={out}", f"--mypy_out=quiet:{out}"], sources),
        ([f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}"], services),
    ]
    for outputs, files in runs:
        if not files:
            continue
        command = [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"--proto_path={IMPORTED_AS}={package}",
            *plugins,
            *outputs,
        ]
        done = subprocess.run(
            [*command, *(f"{IMPORTED_AS}/{path.name}" for path in files)],
            cwd=package.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"protoc failed:\n{done.stderr.strip()}")


def _launcher(scratch: Path, name: str, entry: str) -> Path:
    """A plugin as a program of this interpreter: an isolated build has no such program on its PATH."""
    import shlex

    module, function = entry.split(":")
    path = scratch / name
    command = shlex.join([sys.executable, "-c", f"from {module} import {function}; {function}()"])
    path.write_text(f"#!/bin/sh\nexec {command}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def _facts(generated: Path) -> list[str]:
    """What made the stubs and what they need to run, as `name=version`."""
    from importlib.metadata import version

    found = RUNTIME_LINE.search(next(iter(stubs_in(generated))).read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError("protoc does not say for which protobuf runtime it generated")
    return [f"protobuf={'.'.join(found.groups())}", *(f"{name}={version(name)}" for name in GENERATORS)]


def _version(text: str) -> tuple[int, ...]:
    """The leading numbers of a version, comparable."""
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def main(arguments: list[str]) -> int:
    """The command: generate, or with --if-stale only when the stamp says so."""
    if arguments not in ([], ["--if-stale"]):
        sys.stderr.write("usage: python protos/build.py [--if-stale]\n")
        return 2
    if not arguments or why_stale() is not None:
        generate()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
