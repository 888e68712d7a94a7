"""Where plays run, as the command line says it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from yarnbox.sim.load.arguments import positive
from yarnbox.sim.whatif.engines.pool import Engine, LocalPool
from yarnbox.sim.whatif.variants import InvalidChangeError


def add_engine_options(found: argparse.ArgumentParser) -> None:
    """Where plays run."""
    group = found.add_argument_group("where the simulations run")
    group.add_argument(
        "--workers", metavar="N", type=positive, help="number of processes (default: one for each core)"
    )
    group.add_argument(
        "--engine",
        choices=("local", "dask"),
        default="local",
        help="run on this machine, or on a Dask cluster (default: local)",
    )
    group.add_argument(
        "--scheduler-address", metavar="URL", help="address of Dask's scheduler: tcp://host:8786"
    )
    group.add_argument("--tls-ca", metavar="FILE", help="Dask with TLS: certificate of the authority")
    group.add_argument("--tls-cert", metavar="FILE", help="Dask with TLS: the client's certificate")
    group.add_argument("--tls-key", metavar="FILE", help="Dask with TLS: the client's key")


@contextmanager
def engine_of(options: argparse.Namespace) -> Iterator[Engine]:
    """The engine for as long as it is used."""
    if options.engine == "local":
        for name in ("scheduler_address", "tls_ca", "tls_cert", "tls_key"):
            if getattr(options, name) is not None:
                raise InvalidChangeError(f"--{name.replace('_', '-')}: goes with --engine dask")
        yield LocalPool(options.workers)
        return
    from yarnbox.sim.whatif.engines.dask import connected

    if options.scheduler_address is None:
        raise InvalidChangeError("--engine dask: --scheduler-address says where its scheduler is")
    if options.workers is not None:
        raise InvalidChangeError("--workers: the cluster of --engine dask has its own")
    with connected(
        options.scheduler_address, ca=options.tls_ca, cert=options.tls_cert, key=options.tls_key
    ) as engine:
        yield engine
