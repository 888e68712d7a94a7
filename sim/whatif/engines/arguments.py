"""Where plays run, as the command line says it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from yarnbox.sim.whatif.engines.pool import Engine, LocalPool
from yarnbox.sim.whatif.variants import InvalidChangeError
from yarnbox.yarn.connection.dask import DaskUnusableError, engine_address
from yarnbox.yarn.connection.dask import add_engine_options as add_dask_options
from yarnbox.yarn.text.numbers import positive


def add_engine_options(found: argparse.ArgumentParser) -> None:
    """Where plays run."""
    group = found.add_argument_group("where the simulations run")
    group.add_argument(
        "--workers", metavar="N", type=positive, help="number of processes (default: one for each core)"
    )
    add_dask_options(group, "run on this machine, or on a Dask cluster (default: local)")


@contextmanager
def engine_of(options: argparse.Namespace) -> Iterator[Engine]:
    """The engine for as long as it is used."""
    try:
        address = engine_address(options)
    except DaskUnusableError as error:
        raise InvalidChangeError(str(error)) from None
    if address is None:
        yield LocalPool(options.workers)
        return
    from yarnbox.sim.whatif.engines.dask import connected

    if options.workers is not None:
        raise InvalidChangeError("--workers: the cluster of --engine dask has its own")
    with connected(address) as engine:
        yield engine
