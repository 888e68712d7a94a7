"""Amounts and shares of queues in words, as the pages show them.

An amount beside its name goes to the pages as REST has it; within a sentence that counts more than memory it
stands as Hadoop prints it, and they write it in their units.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from yarnbox.rm.web.values import Answer

TIMES = "\N{MULTIPLICATION SIGN}"
_MIB_OF_GIB = 1024
_UNLIMITED = 2**62


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
