"""`yarnbox whatif`: a load under a configuration and under changes of it, and how certain the difference is.

0: done. 2: a load, a configuration or a command line that is wrong; nothing has been written. 3: a condition
of --fail-if holds. 130: Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from yarnbox.sim.load.arguments import warn
from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.reports.files import replacing, try_to_make
from yarnbox.sim.reports.progress import Plays
from yarnbox.sim.reports.refusal import status_of
from yarnbox.sim.whatif.arguments import (
    add_base_options,
    add_change_options,
    add_output_options,
    base_and_load,
    changes_of,
    drawn,
)
from yarnbox.sim.whatif.compare import study_of
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.conditions import (
    Condition,
    InvalidConditionError,
    Judgement,
    check_groups,
    judge,
    read_condition,
)
from yarnbox.sim.whatif.engines.arguments import add_engine_options, engine_of
from yarnbox.sim.whatif.engines.pool import Done, LostWorkersError
from yarnbox.sim.whatif.reports.files import document, write_all
from yarnbox.sim.whatif.reports.page import page_of
from yarnbox.sim.whatif.reports.summary import markdown
from yarnbox.sim.whatif.reports.table import lines
from yarnbox.sim.whatif.search import command as search
from yarnbox.sim.whatif.study import Played, Study, check
from yarnbox.sim.whatif.variants import InvalidChangeError, without_effect
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.text.command_parser import CommandParser

SEARCH = "search"
DONE, HOLDS = 0, 3
INVALIDITIES = (
    InvalidTraceError,
    InvalidChangeError,
    InvalidConditionError,
    ConfigurationError,
    YarnError,
    LostWorkersError,
)


def main(argv: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carries out the command; the answer is the exit status."""
    words = list(sys.argv[1:] if argv is None else argv)
    out, err = out or sys.stdout, err or sys.stderr
    is_search = words[:1] == [SEARCH]
    options = search.parser().parse_args(words[1:]) if is_search else parser().parse_args(words)
    act = search.run if is_search else _compare
    return status_of(lambda: act(options, out, err), INVALIDITIES, err)


def parser() -> argparse.ArgumentParser:
    found = CommandParser(
        prog="yarnbox whatif",
        description="Play a load in virtual time under a configuration and under changes to it, and print"
        " for whom waiting times and other figures get better or worse, and whether that is more than noise.",
        epilog="`yarnbox whatif search` looks for the settings that serve a goal best; it has a --help too.",
    )
    add_base_options(found)
    add_change_options(found)
    add_output_options(found)
    found.add_argument(
        "--fail-if",
        metavar="CONDITION",
        action="append",
        default=[],
        help="exit with status 3 if this holds for a change, for example 'queue:root.* wait.p95 > +10%%';"
        " may be given several times",
    )
    found.add_argument("--summary", metavar="FILE.md", help="write a summary in Markdown, for a pull request")
    found.add_argument(
        "--out",
        metavar="DIR",
        help="write report.html, and all figures as JSON and CSV, into DIR",
    )
    add_engine_options(found)
    return found


def _compare(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    conditions = [(text, read_condition(text)) for text in options.fail_if]
    base, load = base_and_load(options)
    warn(load, err)
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    study = study_of(base, changes_of(options), load, seeds, drawn(options, base.site, seeds))
    check(study)
    for variant in study.variants[1:]:
        for sentence in without_effect(variant, study.variants[0]):
            print(f"warning: {variant.name}: {sentence}", file=err)
    _check_outputs(options)
    with engine_of(options) as engine:
        progress = Plays(len(study.cases), engine.where, err)
        try:
            plays = engine.run(study, study.cases, _watched(study, conditions, progress.done))
        finally:
            progress.finish()
    comparison = Comparison(study, plays, options.confidence)
    failures = list(_failures(comparison, conditions))
    if options.out is not None:
        page = page_of(comparison, options.metrics, failures)
        write_all(Path(options.out), comparison, failures, page)
    if options.summary is not None:
        with replacing(Path(options.summary)) as file:
            file.write(markdown(comparison, options.metrics, failures))
    if options.json:
        print(json.dumps(document(comparison, failures), indent=2), file=out)
    else:
        for line in lines(comparison, options.metrics):
            print(line, file=out)
        for name, text, judgement in failures:
            print(f"{name}: fails, because {text}", file=out)
            for reason in judgement.reasons:
                print(f"  {reason}", file=out)
    return HOLDS if failures else DONE


def _watched(study: Study, conditions: Sequence[tuple[str, Condition]], done: Done) -> Done:
    """`done`, which also refuses a condition of nobody as soon as the first seed shows whom there is."""
    left = dict.fromkeys(range(len(study.variants)))
    groups: dict[str, None] = {}

    def told(play: Played) -> None:
        done(play)
        if play.case.seed != study.seeds[0]:
            return
        left.pop(play.case.variant)
        groups.update(dict.fromkeys(play.figures))
        if not left:
            for text, condition in conditions:
                check_groups(condition, text, tuple(groups))

    return told


def _check_outputs(options: argparse.Namespace) -> None:
    """Before minutes of plays: what cannot be written afterwards."""
    if options.summary is not None and not Path(options.summary).absolute().parent.is_dir():
        raise InvalidChangeError(f"--summary {options.summary}: there is no such directory")
    if options.out is not None and Path(options.out).exists() and not Path(options.out).is_dir():
        raise InvalidChangeError(f"--out {options.out}: is not a directory")
    if options.out is not None:
        try_to_make(Path(options.out))


def _failures(
    comparison: Comparison, conditions: Sequence[tuple[str, Condition]]
) -> Iterator[tuple[str, str, Judgement]]:
    for text, condition in conditions:
        for variant, name in enumerate(comparison.changes, 1):
            judgement = judge(condition, text, comparison, variant)
            if judgement.holds:
                yield name, text, judgement


if __name__ == "__main__":
    sys.exit(main())
