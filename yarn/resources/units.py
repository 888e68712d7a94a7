"""Units of resource amounts, `p n u m k M G T P` and the binary `Ki Mi Gi Ti Pi`; conversion in integers.

Hadoop: UnitsConversionUtil, whose rounding is kept: a conversion to a larger unit cuts. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MAXIMUM: Final = 2**63 - 1
"""An amount is a Java long."""

UNITS: Mapping[str, tuple[int, int]] = {
    "p": (1, 10**12),
    "n": (1, 10**9),
    "u": (1, 10**6),
    "m": (1, 10**3),
    "": (1, 1),
    "k": (10**3, 1),
    "M": (10**6, 1),
    "G": (10**9, 1),
    "T": (10**12, 1),
    "P": (10**15, 1),
    "Ki": (2**10, 1),
    "Mi": (2**20, 1),
    "Gi": (2**30, 1),
    "Ti": (2**40, 1),
    "Pi": (2**50, 1),
}
"""Unit to (numerator, denominator), in Hadoop's order, by which `compare` decides what to convert."""

_ORDER = {unit: place for place, unit in enumerate(UNITS)}


def convert(amount: int, unit: str, to: str) -> int:
    """`amount` of `unit` in whole units of `to`, cut; ValueError if the unit or the result is impossible."""
    if unit == to:
        return amount
    numerator, denominator = _ratio(unit, to)
    limit = MAXIMUM // numerator
    if numerator < denominator:
        if limit < amount:
            raise _overflow(amount, unit, to)
        return _cut(amount * numerator, denominator)
    if limit > amount:
        return _cut(amount * numerator, denominator)
    # Too large to multiply first: Hadoop then takes the whole part of the ratio alone.
    times = numerator // denominator
    if MAXIMUM // times < amount:
        raise _overflow(amount, unit, to)
    return amount * times


def compare(amount: int, unit: str, other_amount: int, other_unit: str) -> int:
    """-1, 0 or 1, after the amount of the later unit was converted, and cut, to the earlier one."""
    if unit == other_unit:
        return _sign(amount - other_amount)
    if _place(unit) < _place(other_unit):
        return _sign(amount - _converted_for_comparison(other_amount, other_unit, unit))
    return _sign(_converted_for_comparison(amount, unit, other_unit) - other_amount)


def _converted_for_comparison(amount: int, unit: str, to: str) -> int:
    try:
        return convert(amount, unit, to)
    except ValueError:
        numerator, denominator = _ratio(unit, to)
        return _cut(amount * numerator, denominator)


def _ratio(unit: str, to: str) -> tuple[int, int]:
    _place(unit)
    _place(to)
    (from_numerator, from_denominator), (to_numerator, to_denominator) = UNITS[unit], UNITS[to]
    return from_numerator * to_denominator, from_denominator * to_numerator


def _place(unit: str) -> int:
    if unit not in _ORDER:
        raise ValueError("a unit of " + " ".join(known for known in UNITS if known) + ", or none")
    return _ORDER[unit]


def _cut(numerator: int, denominator: int) -> int:
    quotient = abs(numerator) // denominator
    return quotient if numerator >= 0 else -quotient


def _sign(difference: int) -> int:
    return (difference > 0) - (difference < 0)


def _overflow(amount: int, unit: str, to: str) -> ValueError:
    return ValueError(f"an amount that fits into 64 bits: {amount}{unit} in {to or 'units'} does not")
