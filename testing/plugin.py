"""The plugin of pytest: fixtures, the marker `yarn`, and the story of its clusters under a test that failed.

    @pytest.mark.yarn(nodes=2, scheduler="fair", conf={"yarn.resourcemanager.am.max-attempts": "1"})
    def test_it(virtual_cluster): ...

Found by pytest itself where yarnbox is installed (entry point pytest11). Nothing else is imported before a
test asks for it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from yarnbox.testing.fakes.fake_rm import FakeResourceManager
    from yarnbox.testing.real import YarnCluster
    from yarnbox.testing.virtual_time.cluster import VirtualCluster
    from yarnbox.testing.watching import WatchedCluster

MARKER = "yarn"
CLUSTERS = pytest.StashKey[list["WatchedCluster"]]()
"""Those that a test uses."""

_ALLOWED = ("nodes", "scheduler", "conf", "seed", "resource", "racks", "containers", "rms", "scope")
_SCOPES: dict[str, type[pytest.Item | pytest.Collector]] = {
    "session": pytest.Session,
    "module": pytest.Module,
    "class": pytest.Class,
    "function": pytest.Function,
}


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers",
        "yarn(nodes=3, scheduler='capacity', conf={}): the cluster that the test gets; for"
        " virtual_cluster also seed, resource, racks and containers, for yarn_cluster rms and scope",
    )


def asked_for(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the nearest marker says. UsageError names what may be said."""
    marker = request.node.get_closest_marker(MARKER)
    if marker is None:
        return {}
    unknown = [name for name in marker.kwargs if name not in _ALLOWED]
    if marker.args or unknown:
        what = ", ".join([*map(repr, marker.args), *unknown])
        raise pytest.UsageError(
            f"{request.node.nodeid}: yarn({what}): it may say {', '.join(_ALLOWED)}, by name"
        )
    return dict(marker.kwargs)


def note(request: pytest.FixtureRequest, cluster: WatchedCluster) -> None:
    """Has the story of the cluster shown if the test fails."""
    request.node.stash.setdefault(CLUSTERS, []).append(cluster)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attaches what the clusters of a failed test can tell."""
    report = yield
    if report.failed and call.when == "call":
        for cluster in item.stash.get(CLUSTERS, []):
            report.sections.append((f"story of {type(cluster).__name__}", cluster.story()))
    return report


@pytest.fixture
def virtual_cluster(request: pytest.FixtureRequest) -> Iterator[VirtualCluster]:
    """A cluster in virtual time, new for each test."""
    from yarnbox.testing.virtual_time.cluster import VirtualCluster

    with VirtualCluster(**asked_for(request)) as cluster:
        note(request, cluster)
        yield cluster


class Pool:
    """The cluster of real processes that the last test has left, for the next one that asks for the same."""

    def __init__(self) -> None:
        self._asked: tuple[dict[str, Any], str] | None = None
        self._cluster: YarnCluster | None = None

    def take(self, asked: dict[str, Any], shared_in: str = "") -> YarnCluster:
        """One that is as new, which only those take that share it in the same place."""
        from yarnbox.testing.real import YarnCluster

        wanted = (asked, shared_in)
        if self._cluster is not None and (self._asked != wanted or not self._cluster.begin_again()):
            self.close()
        if self._cluster is None:
            self._cluster, self._asked = YarnCluster(**asked), wanted
        return self._cluster

    def close(self) -> None:
        """Ends it, if there is one."""
        if self._cluster is not None:
            self._cluster.close()
        self._cluster = None


@pytest.fixture(scope="session")
def yarn_cluster_pool() -> Iterator[Pool]:
    """One cluster at a time, for all tests of the session; what their daemons need is imported once."""
    from yarnbox.cluster.forkserver import imported_once

    pool = Pool()
    with imported_once():
        yield pool
        pool.close()


@pytest.fixture
def yarn_cluster(request: pytest.FixtureRequest, yarn_cluster_pool: Pool) -> YarnCluster:
    """A cluster of real processes. One that no test has broken is used again."""
    asked = asked_for(request)
    cluster = yarn_cluster_pool.take(asked, _shared_in(request, asked.pop("scope", "session")))
    note(request, cluster)
    return cluster


def _shared_in(request: pytest.FixtureRequest, scope: str) -> str:
    """The node of pytest's whose tests share a cluster. UsageError names the scopes."""
    if scope not in _SCOPES:
        raise pytest.UsageError(f"{request.node.nodeid}: scope={scope!r}: it is one of {', '.join(_SCOPES)}")
    node = request.node.getparent(_SCOPES[scope])
    return request.node.nodeid if node is None else str(node.nodeid)


@pytest.fixture
def fake_rm() -> Iterator[FakeResourceManager]:
    """A ResourceManager over gRPC that does what the test says."""
    from yarnbox.testing.fakes.fake_rm import FakeResourceManager

    with FakeResourceManager() as rm:
        yield rm


@pytest.fixture
def fake_nm(fake_rm: FakeResourceManager) -> Iterator[Any]:
    """A FakeNodeManager that has registered with fake_rm and sends heartbeats; its methods block."""
    from yarnbox.testing.fakes.fake_nm import FakeNodeManager
    from yarnbox.testing.loop_thread import Blocking, LoopThread

    async def enter() -> FakeNodeManager:
        return await FakeNodeManager(fake_rm.address, "nm1", beats=True).__aenter__()

    with LoopThread() as thread:
        node = thread.run(enter())
        yield Blocking(thread, node)
        thread.run(node.__aexit__())


@pytest.fixture
def fake_am(fake_rm: FakeResourceManager) -> Iterator[Any]:
    """A FakeApplicationMaster with a token of fake_rm; its methods block."""
    from yarnbox.testing.fakes.fake_am import FakeApplicationMaster
    from yarnbox.testing.loop_thread import Blocking, LoopThread

    token = fake_rm.environment().amrm_token
    assert token is not None

    async def connect() -> FakeApplicationMaster:
        return FakeApplicationMaster(fake_rm.address, token)

    with LoopThread() as thread:
        master = thread.run(connect())
        yield Blocking(thread, master)
        thread.run(master.close())
