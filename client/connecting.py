"""The clients of a cluster for a program: `with connect(".yarnbox/conf") as cluster: cluster.client...`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from yarnbox.client.admin_client import AdminClient
from yarnbox.client.command_line.console import Console
from yarnbox.client.session import Session, configuration_directory
from yarnbox.client.yarn_client import YarnClient


@dataclass(frozen=True, slots=True)
class ClusterConnection:
    """Both clients of one cluster; each connects at its first call."""

    client: YarnClient
    admin: AdminClient


@contextmanager
def connect(
    directory: str | os.PathLike[str] | None = None,
    *,
    user: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Iterator[ClusterConnection]:
    """The cluster of a configuration directory, or of a run directory of `yarnbox up`.

    Without a directory, YARN_CONF_DIR, HADOOP_CONF_DIR, YARNBOX_DIR and `.yarnbox` are tried in this order,
    as by the commands. `properties` override the files. Calls are made as `user`, by default HADOOP_USER_NAME
    or the login name; connections end with the `with` block. ConfigurationError: the files cannot be read.
    """
    environment = {**os.environ, **({"HADOOP_USER_NAME": user} if user is not None else {})}
    where = Path(directory) if directory is not None else None
    found = configuration_directory(environment, run_directory=str(where) if where is not None else None)
    settings = [f"{name}={value}" for name, value in (properties or {}).items()]
    with Session(Console(sys.stdout, sys.stderr, environment), found, properties=settings) as session:
        yield ClusterConnection(session.client, session.admin)
