"""The state store in a real ZooKeeper: what was written is there, and an old active writes nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kazoo.client import KazooClient

from tests import zookeeper
from yarnbox.rm.edge.ha.lease import ZooKeeperLease, now_s
from yarnbox.rm.edge.ha.store import ROOT, FencedError, StoreLostError, ZooKeeperStore
from yarnbox.rm.edge.ha.zookeeper import new_client
from yarnbox.rm.edge.store import Key, StoreError

pytestmark = zookeeper.MARKS

AT = f"/rmstore/{ROOT}"


@contextmanager
def client(tree: str) -> Iterator[KazooClient]:
    found = new_client(tree, zookeeper.LONGEST_SESSION_MS / 1000)
    found.start()
    try:
        yield found
    finally:
        found.stop()
        found.close()


def opened(zookeeper_client: KazooClient, owner: str = "rm1") -> tuple[ZooKeeperStore, dict[Key, Any]]:
    """A store whose lease outlives the test, and what is in it."""
    store = ZooKeeperStore(zookeeper_client, "/rmstore", owner, ZooKeeperLease(1, now_s() + 600), 5)
    return store, store.load()


def test_what_was_written_is_there_for_the_next(tree: str) -> None:
    with client(tree) as one:
        store, found = opened(one)
        assert (found, store.is_new) == ({}, True)
        store.write([(("application", "a/b, c"), {"x": 1}), (("epoch",), 1)])
        store.write([(("application", "a/b, c"), {"x": 2}), (("gone",), [])])
        store.write([(("gone",), None), (("never",), None)])
        cluster = store.cluster
        store.close()
        store, found = opened(one)
        assert found == {("application", "a/b, c"): {"x": 2}, ("epoch",): 1}
        assert (store.is_new, store.cluster, store.faults) == (False, cluster, ())


def test_an_old_active_writes_nothing_after_the_new_one_has_begun(tree: str) -> None:
    """Whatever it believes of its lease."""
    with client(tree) as one, client(tree) as other:
        old, _ = opened(one, "rm1")
        old.write([(("a",), 1)])
        new, found = opened(other, "rm2")
        assert found == {("a",): 1}
        for changes in ([(("a",), 2)], [(("a",), None)], [(("b",), "x" * 900_000)]):
            with pytest.raises(FencedError, match="was opened by another ResourceManager"):
                old.write(changes)
        with pytest.raises(FencedError):
            old.set_aside(("a",), "for nothing", 1)
        new.write([(("a",), 3)])
        assert opened(one, "rm1")[1] == {("a",): 3}
        assert one.get_children(f"{AT}/parts") == []


def test_without_a_lease_nothing_is_written(tree: str) -> None:
    with client(tree) as one:
        lease = ZooKeeperLease(1, now_s() + 600)
        store = ZooKeeperStore(one, "/rmstore", "rm1", lease, 5)
        store.load()
        lease.end("another has the lock")
        with pytest.raises(StoreLostError, match="another has the lock"):
            store.write([(("a",), 1)])
        assert opened(one)[1] == {}


def test_entries_larger_than_a_message_are_kept_in_parts(tree: str) -> None:
    with client(tree) as one:
        store, _ = opened(one)
        large = {(name,): name * 700_000 for name in "abc"}
        store.write(large.items())
        store.write([(("a",), "small")])
        one.create(f"{AT}/parts/stray", b"of an RM that died")
        store, found = opened(one)
        assert found == {**large, ("a",): "small"}
        store.write([(key, None) for key in large])
        assert one.get_children(f"{AT}/parts") == []
        assert opened(one)[1] == {}


def test_a_damaged_entry_is_set_aside_and_named(tree: str) -> None:
    with client(tree) as one:
        store, _ = opened(one)
        store.write([(("a",), 1), (("b",), 2)])
        node, _ = one.get(f"{AT}/entries/a")
        one.set(f"{AT}/entries/a", node[:-1] + b"7")
        store, found = opened(one)
        assert found == {("b",): 2}
        (aside,) = store.all_set_aside()
        assert (aside.key, aside.why, aside.at_ms) == ("a", "its checksum is wrong", 5)
        store, found = opened(one)
        assert (found, store.faults) == ({("b",): 2}, ())
        assert [one.key for one in store.all_set_aside()] == ["a"]


def test_a_missing_entry_is_a_fault(tree: str) -> None:
    with client(tree) as one:
        opened(one)[0].write([(("a",), 1), (("b",), 2)])
        one.delete(f"{AT}/entries/a")
        store, found = opened(one)
        assert found == {("b",): 2}
        assert store.faults == ("1 of 2 entries are missing, or others were added",)
        store.write([(("b",), 3)])
        assert opened(one)[0].faults == ()


def test_what_is_no_store_is_named(tree: str) -> None:
    with client(tree) as one:
        one.create(f"{AT}/seal", b"nonsense", makepath=True)
        with pytest.raises(StoreError, match="its seal is damaged"):
            opened(one)
        one.set(f"{AT}/seal", b'{"format": 99}')
        with pytest.raises(StoreError, match="has format 99, not 1"):
            opened(one)


def test_a_server_that_is_started_again_loses_and_repeats_nothing(
    server: zookeeper.Server, tree: str
) -> None:
    with client(tree) as one:
        store, _ = opened(one)
        is_enough = threading.Event()
        written: list[int] = []

        def write() -> None:
            while not is_enough.is_set():
                store.write([(("number",), len(written)), (("copy",), len(written))])
                written.append(len(written))

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(3):
                server.stop()
                server.start()
                before = len(written)
                while len(written) < before + 20:
                    assert writer.is_alive()
        finally:
            is_enough.set()
            writer.join()
        store, found = opened(one)
        assert found == {("number",): written[-1], ("copy",): written[-1]}
        assert store.faults == ()


def test_journals_are_kept_beside_the_entries(tree: str) -> None:
    with client(tree) as one:
        store, _ = opened(one)
        labels = store.journal("labels")
        assert labels.load() == []
        labels.begin([{"label": "x"}])
        labels.append({"label": "y"})
        store, found = opened(one)
        assert found == {}
        labels = store.journal("labels")
        assert labels.load() == [{"label": "x"}, {"label": "y"}]
        assert store.journal("attributes").load() == []
        labels.begin([{"label": "both"}])
        labels.append({"label": "z"})
        assert opened(one)[0].journal("labels").load() == [{"label": "both"}, {"label": "z"}]
