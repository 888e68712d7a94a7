"""Whether the ResourceManager's work has become dearer: instructions, which other programs do not change.

    python -m bench.check [NAME ...] [--record]

Each piece of `bench.work` is prepared under valgrind; two forked children do it n and 2 n times, and the
difference, divided by n, is what it costs once. Counts depend on the interpreter, not on the machine's speed
or load: they are compared with bench/check.json only under the Python that it was recorded with, on the same
kind of processor.

0: nothing costs more than the tolerance allows. 1: something does. 2: a wrong command line, or no valgrind.
3: the baseline is of another Python.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.work import WORKS

BASELINE = Path(__file__).with_name("check.json")
TOLERANCE = 0.03
SAME, GREW, INVALID, OTHER = 0, 1, 2, 3
_COLLECTED = re.compile(r"Collected : (\d+)")
_CHILD = "--in-valgrind"


def here() -> dict[str, str]:
    """What counts depend on."""
    return {"python": platform.python_version(), "machine": platform.machine()}


def counted(names: Sequence[str]) -> dict[str, int]:
    """Instructions of each piece, once."""
    with tempfile.TemporaryDirectory() as directory:
        command = [
            *("setarch", platform.machine(), "-R"),
            *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
            f"--log-file={directory}/%p",
            *(sys.executable, "-m", "bench.check", _CHILD, *names),
        ]
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "PYTHONPATH") if key in os.environ}
        environment = {**kept, "PYTHONHASHSEED": "0", "YARNBOX_COMPILED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        found = {}
        for line in done.stdout.splitlines():
            name, *children = line.split()
            once, twice = (
                int(_COLLECTED.findall(Path(directory, child).read_text())[-1]) for child in children
            )
            found[name] = (twice - once) // WORKS[name][1]
    return found


def _in_valgrind(names: Sequence[str]) -> None:
    """A child for each piece, so that none finds what another one has left."""
    for name in names:
        print(f"bench-check: {name}", file=sys.stderr, flush=True)
        child = os.fork()
        if not child:
            _do(name)
            os._exit(0)
        os.waitpid(child, 0)


def _do(name: str) -> None:
    """Prepares the work and forks a child that does it n times, and one that does it twice as often."""
    prepare, times = WORKS[name]
    work = prepare()
    work(times)  # what is made at the first time alone is made
    gc.disable()  # when Python collects garbage depends on how many objects all imports have made
    children = []
    for count in (times, 2 * times):
        children.append(os.fork())
        if not children[-1]:
            work(count)
            os._exit(0)
        os.waitpid(children[-1], 0)
    print(name, *children, flush=True)


def report(baseline: Mapping[str, int], now: Mapping[str, int]) -> Iterator[tuple[str, bool]]:
    """A line for each piece, and whether it grew beyond the tolerance."""
    for name, count in now.items():
        before = baseline.get(name)
        if before is None:
            yield f"{name:20} {'':>14} {count:14,}           new", False
            continue
        change = count / before - 1
        verdict = "grew" if change > TOLERANCE else "fell: record it" if change < -TOLERANCE else ""
        yield (
            f"{name:20} {before:14,} {count:14,} {100 * change:+8.1f} %  {verdict}".rstrip(),
            verdict == "grew",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Counts, compares and says what grew."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == [_CHILD]:
        _in_valgrind(words[1:])
        return SAME
    parser = argparse.ArgumentParser(
        prog="bench.check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(WORKS)} (default: all)")
    parser.add_argument("--record", action="store_true", help="write what is counted to bench/check.json")
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in WORKS]
    if unknown:
        print(f"bench-check: there is no work {unknown[0]}; there is {', '.join(WORKS)}", file=sys.stderr)
        return INVALID
    for program in ("valgrind", "setarch"):
        if shutil.which(program) is None:
            print(
                f"bench-check: {program} is not installed (apt install valgrind util-linux)", file=sys.stderr
            )
            return INVALID
    recorded = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {}
    if not options.record and recorded.get("here") != here():
        print(
            f"bench-check: recorded with {recorded.get('here')}, this is {here()}: not comparable",
            file=sys.stderr,
        )
        return OTHER
    wanted = options.names or list(WORKS)
    now = counted(wanted)
    for name in wanted:
        if name not in now:
            print(f"bench-check: {name} could not be done: see above", file=sys.stderr)
            return INVALID
    if options.record:
        known = recorded.get("instructions", {}) if recorded.get("here") == here() else {}
        document = {"here": here(), "instructions": {**known, **now}}
        BASELINE.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        print(f"bench-check: recorded {', '.join(now)}")
        return SAME
    print(
        f"{'instructions':20} {'recorded':>14} {'now':>14} {'change':>8}    tolerance {100 * TOLERANCE:.0f} %"
    )
    lines = list(report(recorded["instructions"], now))
    for line, _ in lines:
        print(line)
    return GREW if any(grew for _, grew in lines) else SAME


if __name__ == "__main__":
    sys.exit(main())
