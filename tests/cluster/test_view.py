"""The daemons as a table for a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from cluster.view import Row, as_table


def test_what_is_in_a_row_is_no_markup() -> None:
    row = Row("nm1", "RUNNING", 7, "nm1:1", "/r[bold]1[/x]", 0, 1, 2, 3, 4)
    out = io.StringIO()
    Console(file=out, width=120).print(as_table([row]))
    assert out.getvalue().splitlines()[-1].split() == [
        "nm1",
        "RUNNING",
        "7",
        "nm1:1",
        "/r[bold]1[/x]",
        "0",
        "1/2",
        "MB",
        "3/4",
    ]
