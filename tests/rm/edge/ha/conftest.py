"""A ZooKeeper for each process that runs tests, and a tree of it for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import zookeeper


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zookeeper.Server]:
    """The server; whoever stops it starts it again."""
    with zookeeper.running(tmp_path_factory.mktemp("zookeeper")) as found:
        yield found


@pytest.fixture
def tree(server: zookeeper.Server) -> str:
    """Where ZooKeeper is, below which nothing is yet."""
    return server.new_tree()
