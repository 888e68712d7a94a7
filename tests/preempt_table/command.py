"""`python -m tests.preempt_table FILE...`: plays tables and says which rows hold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.preempt_table.player import TableFailure, play
from tests.preempt_table.rows import Row, TableError, read_table


def main(argv: Sequence[str]) -> int:
    """0 when every row is as expected, 1 when one is not, 2 when a file is not a table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.preempt_table",
        description="Play rows of a preemption table against the policy, without a cluster or a scheduler.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="a JSON array of rows")
    parser.add_argument("--json", action="store_true", help="one JSON object per row")
    arguments = parser.parse_args(argv)
    try:
        tables = [(name, read_table(Path(name))) for name in arguments.files]
        outcomes = [(name, row, _played(name, row)) for name, rows in tables for row in rows]
    except TableError as error:
        print(f"preempt_table: {error}", file=sys.stderr)
        return 2
    for name, row, failures in outcomes:
        if arguments.json:
            print(_as_json(name, row, failures))
        else:
            print(f"{'FAILED' if failures else 'ok'} {row.name}")
            for failure in failures:
                print(
                    f"  at {failure.at_ms} ms, {failure.key}: expected {failure.expected}, got {failure.got}"
                )
    return 1 if any(failures for _, _, failures in outcomes) else 0


def _played(name: str, row: Row) -> list[TableFailure]:
    try:
        return play(row)
    except TableError as error:
        raise TableError(f"{name}: {error}") from error


def _as_json(name: str, row: Row, failures: Sequence[TableFailure]) -> str:
    found = [
        {"at": failure.at_ms, "key": failure.key, "expected": failure.expected, "got": failure.got}
        for failure in failures
    ]
    return json.dumps({"file": name, "name": row.name, "ok": not failures, "failures": found})
