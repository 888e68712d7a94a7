"""`yarnbox scenario run` and `yarnbox scenario check`: files in, lines or JSON out, and the exit status.

0: every expectation of every file held. 1: one did not. 2: a file cannot be read or is no valid scenario.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO

from yarnbox.sim.recording.document import pieces
from yarnbox.sim.reports.files import replacing
from yarnbox.sim.scenario.playing.following import Following
from yarnbox.sim.scenario.playing.player import Outcome, Player, play, play_recorded
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, Scenario, read_scenario
from yarnbox.yarn.text.command_parser import CommandParser

HELD, FAILED, INVALID = 0, 1, 2


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """A file that cannot be played, and the lines that say why."""

    lines: tuple[str, ...]


class Play(Protocol):
    """What plays a scenario."""

    def __call__(self, scenario: Scenario, *, with_reasons: bool = False) -> Outcome:
        """From its beginning to its end."""
        ...


def main(
    argv: Sequence[str] | None = None,
    *,
    out: TextIO | None = None,
    err: TextIO | None = None,
    play: Play = play,
) -> int:
    """Carries out the command; the answer is the exit status."""
    arguments = parser().parse_args(argv)
    out, err = out or sys.stdout, err or sys.stderr
    if arguments.command == "check":
        return _check(arguments, out)
    show = _show_json if arguments.json else _show_lines
    if arguments.record is not None and len(arguments.files) != 1:
        print(f"yarnbox: --record: one file is recorded at a time, not {len(arguments.files)}", file=err)
        return INVALID
    if arguments.steps and (arguments.json or arguments.record is not None):
        print("yarnbox: --steps goes without --json and --record", file=err)
        return INVALID
    if arguments.name and arguments.record is None:
        print("yarnbox: --name names a recording: it needs --record", file=err)
        return INVALID
    if arguments.conf is not None and not arguments.conf.is_dir():
        print(f"yarnbox: --conf {arguments.conf}: is not a directory", file=err)
        return INVALID
    status = HELD
    for read in _read_all(arguments.files, arguments.conf):
        if isinstance(read, _Unreadable):
            print(*read.lines, sep="\n", file=err)
            status = INVALID
            continue
        try:
            if arguments.record is not None:
                outcome = _recorded(read, Path(arguments.record), arguments.name)
            elif arguments.steps:
                outcome = _followed(read, out)
            else:
                outcome = play(read, with_reasons=arguments.json)
        except OSError as error:
            print(f"yarnbox: {arguments.record}: cannot be written: {error.strerror or error}", file=err)
            return INVALID
        show(read, outcome, out)
        status = max(status, HELD if outcome.is_ok else FAILED)
    return status


def parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog="yarnbox scenario", description="Play scenario files in virtual time.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="play each file, and report the expectations that did not hold")
    run.add_argument("--json", action="store_true", help="print one JSON object per file, with all events")
    run.add_argument(
        "--steps", action="store_true", help="print what each step changes in applications and queues"
    )
    run.add_argument(
        "--record", metavar="RECORDING", help="write a recording, for `yarnbox view RECORDING`; one FILE only"
    )
    run.add_argument("--name", default="", help="name of the recording (default: the scenario's)")
    check = commands.add_parser("check", help="check that files are valid, without playing them")
    for command in (run, check):
        command.add_argument(
            "--conf",
            metavar="DIR",
            type=Path,
            help="take this configuration directory instead of the files' own configuration",
        )
        command.add_argument("files", nargs="+", metavar="FILE")
    return parser


def _check(arguments: argparse.Namespace, out: TextIO) -> int:
    status = HELD
    for read in _read_all(arguments.files, arguments.conf):
        if isinstance(read, _Unreadable):
            print(*read.lines, sep="\n", file=out)
            status = INVALID
        else:
            print(f"ok {read.name}", file=out)
    return status


def _read_all(files: Sequence[str], conf: Path | None) -> Iterator[Scenario | _Unreadable]:
    for file in files:
        try:
            yield read_scenario(Path(file), conf=conf)
        except InvalidScenarioError as error:
            yield _Unreadable(tuple(str(error).splitlines()))
        except OSError as error:
            yield _Unreadable((f"yarnbox: {file}: cannot be read: {error.strerror or error}",))


class _NothingToRecordError(Exception):
    """The ResourceManager did not start: no file takes its name."""


def _recorded(scenario: Scenario, to: Path, name: str) -> Outcome:
    text = Path(scenario.file).read_text(encoding="utf-8")
    try:
        with replacing(to) as file:  # what cannot be written is told before anything is played
            outcome, data = play_recorded(scenario, text, name)
            if data is None:
                raise _NothingToRecordError
            file.writelines(pieces(data))
    except _NothingToRecordError:
        pass
    return outcome


def _followed(scenario: Scenario, out: TextIO) -> Outcome:
    player = Player(scenario)
    Following(player, out)
    return player.play()


def _show_lines(scenario: Scenario, outcome: Outcome, out: TextIO) -> None:
    print(f"{'ok' if outcome.is_ok else 'FAILED'} {scenario.name}", file=out)
    for failure in outcome.failures:
        print(f"  {failure}", file=out)


def _show_json(scenario: Scenario, outcome: Outcome, out: TextIO) -> None:
    failures = [
        {"step": each.step, "path": each.path, "expected": each.expected, "got": each.got}
        for each in outcome.failures
    ]
    whole = {
        "file": scenario.file,
        "name": scenario.name,
        "ok": outcome.is_ok,
        "failures": failures,
        "events": list(outcome.events),
        "pending": dict(outcome.pending),
    }
    print(json.dumps(whole, allow_nan=False), file=out)


if __name__ == "__main__":
    sys.exit(main())
