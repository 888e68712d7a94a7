"""The options of `yarnbox walk`: here for completion; the test kit carries the command out."""

from __future__ import annotations

import argparse
from pathlib import Path

from yarnbox.cluster.arguments import SCHEDULERS
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.numbers import factor, positive

PROGRAM = "yarnbox walk"


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = CommandParser(
        prog=PROGRAM,
        description="Test a whole cluster at random in virtual time. Each walk draws a workload and faults "
        "from a seed: processes and machines die and come back, the network loses and delays messages and "
        "splits. It checks that nothing acknowledged is lost, that nothing is granted twice, that the "
        "scheduler's accounts are right after every call, and that all applications end.",
    )
    length = found.add_mutually_exclusive_group()
    length.add_argument("--seeds", type=positive, default=1, metavar="N", help="run N walks (default: 1)")
    length.add_argument("--replay", type=Path, metavar="FILE", help="repeat a failed walk from its file")
    length.add_argument("--minutes", type=factor, metavar="M", help="run walks for M minutes")
    found.add_argument("--seed", type=int, metavar="S", help="the first seed (default: any)")
    found.add_argument(
        "--scheduler", choices=SCHEDULERS, help="only this scheduler (default: all, one after another)"
    )
    found.add_argument("--no-shrink", action="store_true", help="do not shorten a walk that failed")
    found.add_argument("-v", "--verbose", action="store_true", help="print a line for each walk")
    return found
