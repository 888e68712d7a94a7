"""One cluster for all of them, and what the releases have compiled; a test leaves three nodes running."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients import installed, site
from tests.clients.jvm import Commands, Programs
from tests.hadoop import installed as daemons
from yarnbox.cluster.cluster import Cluster

_NEEDS = {
    "check_by_hand.py": installed.grpc_home(),
    "check_logs.py": installed.hadoop_home(),
    "check_mapreduce.py": installed.hadoop_home(),
    "check_nodemanager.py": daemons.home(),
}
collect_ignore = [name for name, jars in _NEEDS.items() if not jars.exists()]
"""What the jars could not be installed for is not run; the installer has said so."""

HADOOP = {"3.3": "spark-3.5", "3.4": "spark-4.0"}


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for the session."""
    return tmp_path_factory.mktemp("clients")


@pytest.fixture(scope="session")
def cluster(scratch: Path) -> Iterator[Cluster]:
    """The cluster under test."""
    with site.running(scratch) as found:
        yield found


@pytest.fixture(scope="session", params=HADOOP)
def programs(request: pytest.FixtureRequest, scratch: Path) -> Programs:
    """Our Java programs, with the client classes of each Hadoop."""
    return Programs.compiled(HADOOP[request.param], scratch / f"classes-{request.param}")


@pytest.fixture(scope="session")
def hadoop(programs: Programs, cluster: Cluster, scratch: Path) -> Iterator[Commands]:
    """The commands of each Hadoop."""
    commands = Commands(programs, cluster.run.path, scratch / f"{programs.classes.name}.log")
    yield commands
    commands.close()
