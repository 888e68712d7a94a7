"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 job`, `2 plays`, `0 entries`: a noun of English whose plural is regular."""
    if number == 1:
        return f"1 {noun}"
    is_ies = noun.endswith("y") and noun[-2] not in "aeiou"
    return f"{number} {noun[:-1]}ies" if is_ies else f"{number} {noun}s"
