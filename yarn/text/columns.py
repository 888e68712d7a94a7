"""Tables of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def aligned(rows: Sequence[Sequence[str]], *, texts: int | None = None) -> Iterator[str]:
    """A line for each row: the first `texts` columns begin at the left, numbers behind them end at the right.
    None: all are texts.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = len(widths) if texts is None else texts
    for row in rows:
        cells = (
            cell.ljust(width) if place < texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
