"""Elections by a real ZooKeeper: one has the lock, and knows for how long."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import KazooException
from kazoo.handlers.threading import KazooTimeoutError

from tests import zookeeper
from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.rm.edge.ha.elector import Elector, UnreachableZooKeeperError
from yarnbox.yarn.records.ha import ActiveRMInfo

pytestmark = zookeeper.MARKS

SHORT_S = MISSED_MS / 1000
LONG_S = zookeeper.LONGEST_SESSION_MS / 1000


class Candidate(Elector):
    """An elector that can be waited for."""

    def __init__(self, tree: str, rm_id: str, session_s: float) -> None:
        self.news = threading.Event()
        member = ActiveRMInfo(cluster_id="c", rm_id=rm_id)
        super().__init__(tree, "/yarn-leader-election/c", member, session_s, self.news.set)

    def wait(self, *, until_elected: bool) -> None:
        while (self.lease is not None) is not until_elected:
            assert self.news.wait(PATIENCE_S)
            self.news.clear()

    def wait_for_leader(self, leader: str) -> None:
        while self.leader != leader:
            assert self.news.wait(PATIENCE_S)
            self.news.clear()


@contextmanager
def candidates(tree: str, *ids: str, session_s: float = LONG_S) -> Iterator[list[Candidate]]:
    found = [Candidate(tree, rm_id, session_s) for rm_id in ids]
    opened: list[Candidate] = []
    try:
        for one in found:
            one.open()
            opened.append(one)
        yield found
    finally:
        for one in opened:
            one.close()


def test_the_first_has_the_lock_and_the_others_know_whose_it_is(tree: str) -> None:
    with candidates(tree, "rm1", "rm2") as (first, second):
        first.join_election()
        first.wait(until_elected=True)
        second.join_election()
        second.wait_for_leader("rm1")
        assert first.lease is not None
        assert 0 < first.lease.left_s <= LONG_S
        assert second.lease is None


def test_who_ends_or_withdraws_is_followed_by_another(tree: str) -> None:
    with candidates(tree, "rm1", "rm2") as (first, second):
        first.join_election()
        first.wait(until_elected=True)
        held = first.lease
        second.join_election()
        second.wait_for_leader("rm1")
        first.quit_election("enough")
        second.wait(until_elected=True)
        assert held is not None
        assert (held.is_held, held.why_lost) == (False, "enough")
        with candidates(tree, "rm3") as (third,):
            third.join_election()
            third.wait_for_leader("rm2")
            second.quit_election("enough")
            third.wait(until_elected=True)
        first.join_election()
        first.wait(until_elected=True)


def test_the_lock_can_be_taken_from_another(tree: str) -> None:
    with candidates(tree, "rm1", "rm2") as (first, second):
        first.join_election()
        first.wait(until_elected=True)
        held = first.lease
        second.join_election(takes_over=True)
        second.wait(until_elected=True)
        first.wait(until_elected=False)
        assert held is not None
        assert not held.is_held
        first.join_election()
        first.wait_for_leader("rm2")
        assert first.lease is None


def end_session(tree: str, candidate: Candidate) -> None:
    """Has ZooKeeper end its session: another connection takes it over and closes it, again where the
    candidate has taken it back in between.
    """
    session, deadline = candidate.client.client_id, time.monotonic() + PATIENCE_S
    while candidate.lease is not None:
        assert time.monotonic() < deadline
        other = KazooClient(tree, client_id=session)
        with contextlib.suppress(KazooException, KazooTimeoutError):
            other.start()
        other.stop()
        other.close()
        candidate.news.wait(1.0)
        candidate.news.clear()


def test_a_session_that_ends_ends_the_lease(tree: str) -> None:
    with candidates(tree, "rm1", session_s=SHORT_S) as (only,):  # which also says how often it looks
        only.join_election()
        only.wait(until_elected=True)
        held = only.lease
        end_session(tree, only)
        assert held is not None
        assert not held.is_held
        only.join_election()
        only.wait(until_elected=True)
        assert only.lease is not None
        assert only.lease.session != held.session


def test_a_lease_ends_before_anybody_else_can_have_one(server: zookeeper.Server, tree: str) -> None:
    with candidates(tree, "rm1", "rm2", session_s=SHORT_S) as (first, second):
        first.join_election()
        first.wait(until_elected=True)
        held = first.lease
        second.join_election()
        server.freeze()
        try:
            first.wait(until_elected=False)
        finally:
            server.thaw()
        assert held is not None
        assert not held.is_held
        assert held.why_lost == f"ZooKeeper did not answer for {SHORT_S:.0f} s"
        second.wait(until_elected=True)


def test_a_server_that_is_started_again_within_the_session_changes_nothing(
    server: zookeeper.Server, tree: str
) -> None:
    with candidates(tree, "rm1") as (only,):
        only.join_election()
        only.wait(until_elected=True)
        session = only.client.client_id
        server.stop()
        server.start()
        assert only.client.exists("/") is not None  # which waits for the connection
        only.join_election()
        only.wait(until_elected=True)
        assert only.client.client_id == session


def test_without_zookeeper_an_rm_says_so() -> None:
    nobody = Candidate("127.0.0.1:1", "rm1", 2.0)
    with pytest.raises(UnreachableZooKeeperError, match=r"ZooKeeper at 127\.0\.0\.1:1 does not answer"):
        nobody.open()
