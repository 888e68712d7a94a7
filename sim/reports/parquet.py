"""Tables as Parquet files. PyArrow, which writes them, is imported when the first one is asked for.

Integers are int64, other numbers double; times stay milliseconds of virtual time, which has no date. Columns
are compressed by Zstandard. Rows become a row group as soon as there are enough of them, so that memory is
bounded however long a file grows.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from yarnbox.sim.reports.tables import AddRow, Table
from yarnbox.yarn.storage.drafts import draft_of, named_file

ROW_GROUP = 1 << 16
_TYPES = {int: "int64", float: "float64", str: "string"}


class ParquetUnusableError(Exception):
    """PyArrow is not installed; the message is one line."""


def pyarrow(module: str = "pyarrow") -> Any:
    """The package, or one of its modules."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ParquetUnusableError("--parquet needs PyArrow: pip install 'yarnbox[parquet]'") from None


@contextmanager
def parquet_file(directory: Path, table: Table) -> Iterator[AddRow]:
    """TABLE.parquet, whole when the block has ended."""
    arrow, parquet = pyarrow(), pyarrow("pyarrow.parquet")
    schema = arrow.schema([(name, _TYPES[kind]) for name, kind in table.columns.items()])
    waiting: list[Sequence[object]] = []
    with (
        draft_of(directory / f"{table.name}.parquet") as draft,
        named_file(draft) as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):

        def write() -> None:
            columns = zip(*waiting, strict=True)
            arrays = [arrow.array(one, kind) for one, kind in zip(columns, schema.types, strict=True)]
            writer.write_batch(arrow.record_batch(arrays, schema=schema))
            waiting.clear()

        def add(row: Sequence[object]) -> None:
            waiting.append(row)
            if len(waiting) == ROW_GROUP:
                write()

        yield add
        if waiting:
            write()
