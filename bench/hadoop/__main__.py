"""Lets both sides take turns at each case, and says how many times as fast as Hadoop's thread ours is.

    python -m bench.hadoop [--cases NAME ...] [--rounds 5] [--seconds 2] [--warm 15]

A case begins with a warm-up of Hadoop's side, which compiles as it runs. In each round every side builds
the case's cluster anew and is measured once; the ratio of a round is that of its rates: work per second of
processor time of the thread that schedules. The virtual machine's whole processor time, beside the thread's,
says what its collector and compiler took on other threads. Where the compiled core is up to date it is a
third side.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import IO

from bench._report import report
from bench.hadoop.cases import CASES, Case
from bench.hadoop.machine import HEAP, Answer, Side, hadoop, ours
from tests.clients.installed import LACKING
from tests.hadoop import installed
from yarnbox.yarn.compiled import directory, refusal

MOST_WARM_UPS = 8
Rounds = dict[str, list[Answer]]


def warm_up(side: Side, case: Case, seconds: float, warm_s: float) -> None:
    """Measures for nothing until its thread has worked so long; one of little work, a few times."""
    worked_s, times = 0.0, 0
    while worked_s < warm_s and times < MOST_WARM_UPS:
        worked_s += side.take(case, seconds).thread_s
        times += 1


def compare(sides: Sequence[Side], case: Case, rounds: int, seconds: float) -> Rounds:
    """One answer of each side a round; who begins changes from round to round."""
    found: Rounds = {side.name: [] for side in sides}
    for number in range(rounds):
        first = number % len(sides)
        for side in (*sides[first:], *sides[:first]):
            found[side.name].append(side.take(case, seconds))
    return found


def ratios(found: Rounds, name: str) -> list[float]:
    """Of that side to Hadoop's, a round each, the smallest first."""
    return sorted(our.rate / their.rate for our, their in zip(found[name], found["Hadoop"], strict=True))


def figures(case: Case, found: Rounds) -> dict[str, float]:
    """What is kept of a case."""
    kept: dict[str, float] = {}
    for name, answers in found.items():
        kept[f"{case.name}, {name}"] = median(answer.rate for answer in answers)
        if name != "Hadoop":
            of_rounds = ratios(found, name)
            kept[f"{case.name}, {name} to Hadoop"] = median(of_rounds)
            kept[f"{case.name}, {name} to Hadoop, least"] = of_rounds[0]
            kept[f"{case.name}, {name} to Hadoop, most"] = of_rounds[-1]
    whole = median(answer.process_s / answer.thread_s for answer in found["Hadoop"])
    kept[f"{case.name}, virtual machine to thread"] = whole
    return kept


def row(case: Case, found: Rounds) -> str:
    """A row of the manual's table."""
    cells = [case.what, case.unit]
    for name, answers in found.items():
        cells.append(f"{median(answer.rate for answer in answers):,.3g}".replace("e+0", "e"))
        if name != "Hadoop":
            of_rounds = ratios(found, name)
            cells.append(f"{median(of_rounds):.2f} ({of_rounds[0]:.2f} to {of_rounds[-1]:.2f})")
    cells.append(f"{median(answer.process_s / answer.thread_s for answer in found['Hadoop']):.1f}")
    return "| " + " | ".join(cells) + " |"


def heading(sides: Sequence[Side]) -> str:
    """Of that table."""
    cells = ["work", "a second"]
    for side in sides:
        cells += [side.name] if side.name == "Hadoop" else [side.name, "to Hadoop"]
    cells.append("JVM to thread")
    return "\n".join("| " + " | ".join(line) + " |" for line in (cells, ["---"] * len(cells)))


def run(options: argparse.Namespace, errors: IO[bytes], classes: Path) -> None:
    """All cases; prints and saves."""
    sides = [hadoop(classes, errors), ours(is_compiled=False, errors=errors)]
    if refusal(directory()) is None:
        sides.append(ours(is_compiled=True, errors=errors))
    kept: dict[str, float] = {}
    try:
        print(heading(sides), flush=True)
        for case in CASES:
            if not options.cases or case.name in options.cases:
                warm_up(sides[0], case, options.seconds, options.warm)
                found = compare(sides, case, options.rounds, options.seconds)
                kept |= figures(case, found)
                print(row(case, found), flush=True)
    finally:
        for side in sides:
            side.close()
    print(f"Load {os.getloadavg()[0]:.1f}; heap of the virtual machine {HEAP}.", file=sys.stderr)
    report("hadoop", kept, {})


def main() -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [case.name for case in CASES]
    parser.add_argument("--cases", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of processor time, a measurement")
    parser.add_argument("--warm", type=float, default=15.0, help="seconds of Hadoop's thread, a case")
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0 or options.warm < 0:
        parser.error("--rounds is at least 1, --seconds more than 0, --warm not negative")
    if installed.main() == LACKING:
        return LACKING
    with tempfile.TemporaryDirectory(prefix="bench-hadoop-") as draft, tempfile.TemporaryFile() as errors:
        try:
            run(options, errors, Path(draft))
        except EOFError as error:
            errors.seek(0)
            print(f"{error}\n{errors.read()[-4000:].decode(errors='replace')}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
