"""A connection to a Dask cluster, whose workers start daemons. Dask is imported when it is first used.

Whoever can connect to Dask's scheduler can run any program on its workers; Dask's own TLS files restrict who
that is.
"""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIMEOUT_S = 30


class DaskUnusableError(Exception):
    """There is no such cluster, or no Dask here; the message is one line."""


@dataclass(frozen=True, slots=True)
class DaskAddress:
    """Where Dask's scheduler is, and the files of its Security."""

    scheduler: str
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


def add_engine_options(group: argparse._ArgumentGroup, help_text: str) -> None:
    """The options of a command that runs on this machine or on a Dask cluster."""
    group.add_argument("--engine", choices=("local", "dask"), default="local", help=help_text)
    group.add_argument(
        "--scheduler-address", metavar="URL", help="address of Dask's scheduler, such as tcp://host:8786"
    )
    group.add_argument("--tls-ca", metavar="FILE", help="certificate authority of Dask's TLS")
    group.add_argument("--tls-cert", metavar="FILE", help="certificate to show to Dask")
    group.add_argument("--tls-key", metavar="FILE", help="private key of that certificate")


def engine_address(options: argparse.Namespace) -> DaskAddress | None:
    """The cluster that these options name; None is this machine. DaskUnusableError when they do not go
    together.
    """
    if options.engine == "dask":
        if options.scheduler_address is None:
            raise DaskUnusableError("--engine dask: --scheduler-address says where its scheduler is")
        return DaskAddress(options.scheduler_address, options.tls_ca, options.tls_cert, options.tls_key)
    for name in ("scheduler_address", "tls_ca", "tls_cert", "tls_key"):
        if getattr(options, name) is not None:
            raise DaskUnusableError(f"--{name.replace('_', '-')}: goes with --engine dask")
    return None


def distributed() -> Any:
    """Dask's package."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise DaskUnusableError("--engine dask needs Dask: pip install 'yarnbox[dask]'") from None


def connect(where: DaskAddress, timeout_s: float = TIMEOUT_S) -> Any:
    """A `distributed.Client`, which the caller closes."""
    dask, security = distributed(), None
    files = [where.ca, where.cert, where.key]
    for path in filter(None, files):
        if not Path(path).is_file():
            raise DaskUnusableError(f"{path}: there is no such file")
    if any(files):
        security = dask.Security(
            tls_ca_file=where.ca,
            tls_client_cert=where.cert,
            tls_client_key=where.key,
            require_encryption=True,
        )
    try:
        return dask.Client(where.scheduler, security=security, timeout=timeout_s, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise DaskUnusableError(f"--scheduler-address {where.scheduler}: {error}") from error
