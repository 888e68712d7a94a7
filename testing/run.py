"""What a container runs whose ApplicationMaster is a function of a test.

python -m yarnbox.testing.run FILE NAME
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys

from yarnbox.am.connection import Connection, configuration_of
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.testing.masters import Master, run_master


def master_in(file: str, name: str) -> Master:
    """The function of that name in a file. ImportError."""
    spec = importlib.util.spec_from_file_location("yarnbox_master", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: Master = getattr(module, name)
    return found


def main() -> int:
    """Runs it; its exit status."""
    master = master_in(*sys.argv[1:3])
    environment = ContainerEnvironment.read(os.environ)
    connection = Connection.of(configuration_of(os.environ))
    status, said = asyncio.run(run_master(master, environment, connection, asyncio.to_thread))
    sys.stderr.write(said)
    return status


if __name__ == "__main__":
    sys.exit(main())
