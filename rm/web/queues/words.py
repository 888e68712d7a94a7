"""Amounts and shares of queues in words, as the pages show them.

Pages are made of amounts as REST has them and, within sentences, as Hadoop prints them; at last all of them
are put into the units of the pages.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from yarnbox.rm.web.values import Answer

TIMES = "\N{MULTIPLICATION SIGN}"
_MIB_OF_GIB = 1024
_UNLIMITED = 2**62
_PRINTED = re.compile(r"<memory:(-?\d+), vCores:(-?\d+)((?:, [^<>]*)?)>")


def number(value: float, digits: int = 2) -> str:
    """With the digits that it needs behind the point, and no more than so many."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def factor(value: float) -> str:
    """A number that something is multiplied by."""
    return number(value, 4)


def gibs(memory_mb: float) -> str:
    """GiB in a formula, without the unit."""
    return number(memory_mb / _MIB_OF_GIB)


def size(memory_mb: float) -> str:
    """Memory in a formula."""
    return f"{gibs(memory_mb)} GiB"


def total(memory_mb: float, more_mb: float) -> str:
    """A sum in a formula."""
    return f"({gibs(memory_mb)} + {gibs(more_mb)}) GiB"


def memory(memory_mb: float) -> str:
    """Memory in a sentence."""
    return "no limit" if memory_mb >= _UNLIMITED else f"{_tenths(memory_mb / _MIB_OF_GIB)} GiB"


def printed(resource: Answer) -> str:
    """Memory and vcores as Hadoop prints them."""
    return f"<memory:{resource['memory']}, vCores:{resource['vCores']}>"


def percentage(value: float | None) -> str:
    """A share that is counted in hundredths already."""
    return "n/a" if value is None else f"{_tenths(value)} %"


def _tenths(value: float) -> Decimal:
    """As the scripts of the pages round: what is halfway goes up, so that 256 MiB are 0.3 GiB everywhere."""
    return Decimal(value).quantize(Decimal("0.1"), ROUND_HALF_UP)


def plural(count: int, what: str) -> str:
    """1 user, 2 users."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def in_units(said: Any, *, counts_vcores: bool) -> Any:
    """What a page says, or a part of that, with all amounts in GiB and, where the scheduler counts them, in
    vcores; whoever points at an amount is told the MiB.
    """

    def found(said: Any) -> Any:
        if isinstance(said, str):
            return _PRINTED.sub(written, said) if "<memory:" in said else said
        if isinstance(said, list | tuple):
            return [found(one) for one in said]
        if not isinstance(said, dict):
            return said
        if "memory" in said and "vCores" in said:
            return amount(said["memory"], said["vCores"])
        return {name: found(one) for name, one in said.items()}

    def vcores(count: int) -> str:
        return f", {plural(count, 'vcore')}" if counts_vcores and count < _UNLIMITED else ""

    def written(match: re.Match[str]) -> str:
        return f"{memory(int(match[1]))}{vcores(int(match[2]))}{match[3]}"

    def amount(memory_mb: int, count: int) -> list[object]:
        shown = memory(memory_mb)
        is_known = memory_mb < _UNLIMITED
        return [{"word": shown, "title": f"{memory_mb} MiB"} if is_known else shown, vcores(count)]

    return found(said)


def page_in_units(answer: Answer, *, counts_vcores: bool) -> Answer:
    """An answer, whose page has its amounts in the units of the pages."""
    if "block" not in answer:
        return answer
    return {**answer, "block": in_units(answer["block"], counts_vcores=counts_vcores)}
