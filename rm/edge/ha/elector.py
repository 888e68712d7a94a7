"""Who is active: the RM that holds the lock of the election in ZooKeeper.

The lock is Hadoop's: an ephemeral node, `<base>/<cluster>/ActiveStandbyElectorLock`, which says whose it is
and goes with the session of its maker. One thread looks at it again and again, takes it if it is free and
this RM wants to be active, and extends the lease for as long as it has it. It decides nothing but that: what
being active means is the role's, and that an old active writes nothing is the store's. Hadoop:
ActiveStandbyElectorBasedElectorService.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from kazoo.exceptions import KazooException, NodeExistsError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from yarnbox.rm.edge.ha.lease import ZooKeeperLease, now_s
from yarnbox.rm.edge.ha.zookeeper import new_client
from yarnbox.rm.edge.store import StoreError
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.records.ha import ActiveRMInfo
from yarnbox.yarn.wire import from_bytes, to_bytes

log = logging.getLogger("rm.election")

LOCK = "ActiveStandbyElectorLock"
_LOOKS_PER_SESSION = 5
_MARGIN = 0.9
"""Of a session; clocks of two machines do not go alike."""


class UnreachableZooKeeperError(StoreError):
    """ZooKeeper did not answer when the RM started."""


class Elector:
    """One RM's part in the election. Its thread ends with `close`."""

    def __init__(
        self,
        hosts: str,
        path: str,
        member: ActiveRMInfo,
        session_s: float,
        changed: Callable[[], object],
    ) -> None:
        """`changed` is called in the elector's thread whenever the state may have changed."""
        self._hosts = hosts
        self._path = path
        self._lock = f"{path}/{LOCK}"
        self._member = member
        self._session_s = session_s
        self._changed = changed
        self._wants = False
        self._takes_over = False
        self._is_closing = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="elector", daemon=True)
        self.lease: ZooKeeperLease | None = None
        """While this RM has the lock."""
        self.leader: str | None = None
        """The id of whoever has it, as far as it is known."""
        self.client = new_client(hosts, session_s, self._record_granted)

    def _record_granted(self, session_s: float) -> None:
        self._session_s = min(self._session_s, session_s)

    @property
    def session_s(self) -> float:
        """How long ZooKeeper keeps a session that is silent."""
        return self._session_s

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection at this moment."""
        return bool(self.client.connected)

    def open(self) -> None:
        """Connects and starts watching the lock. UnreachableZooKeeperError when ZooKeeper does not answer for
        a session's timeout."""
        try:
            self.client.start(timeout=max(self._session_s, 5.0))
            self.client.ensure_path(self._path)
        except (KazooException, KazooTimeoutError) as error:
            self.client.stop()
            self.client.close()
            why = str(error) or type(error).__name__
            raise UnreachableZooKeeperError(f"ZooKeeper at {self._hosts} does not answer: {why}") from error
        self._thread.start()

    def close(self) -> None:
        """Gives the lock back by ending the session."""
        self._is_closing = True
        self._wake.set()
        self._thread.join()
        self.client.stop()
        self.client.close()

    def join_election(self, *, takes_over: bool = False) -> None:
        """Competes for the lock from now on; `takes_over` takes it from another RM."""
        self._wants, self._takes_over = True, takes_over
        self._wake.set()

    def quit_election(self, why: str) -> None:
        """Stops competing for the lock, and releases it if it holds it."""
        self._wants = self._takes_over = False
        if self.lease is not None:
            self.lease.end(why)
        self._wake.set()

    # Its thread

    def _run(self) -> None:
        while not self._is_closing:
            self._wake.clear()
            try:
                if self.client.connected:
                    self._look()
            except (KazooException, KazooTimeoutError):
                pass  # nothing was heard, so nothing is known; the lease tells for how long that is well
            except Exception as error:
                log.exception("the election fails")
                if self.lease is not None:
                    self.lease.end(f"the election failed: {error}")
            self._check_lease()
            self._wake.wait(self._session_s / _LOOKS_PER_SESSION)

    def _look(self) -> None:
        """Checks the lock and acts on its state."""
        asked_s, known = now_s(), self.client.client_id
        if known is None:
            return
        session = int(known[0])
        stat = self._answer(self.client.exists_async(self._lock, watch=self._noticed))
        if stat is None:
            self._lost("the lock of the election was taken away")
            if self._wants:
                self._create()
        elif stat.ephemeralOwner != session:
            self._lost("another ResourceManager has the lock of the election")
            self._read_leader()
            if self._wants and self._takes_over:
                self._take()
        elif self._wants:
            self._hold(session, asked_s)
        else:
            self._answer(self.client.delete_async(self._lock))

    def _hold(self, session: int, asked_s: float) -> None:
        until_s = asked_s + self._session_s * _MARGIN
        if self.lease is None:
            log.info("elected")
            self._takes_over = False
            self.leader = self._member.rm_id
            self.lease = ZooKeeperLease(session, until_s)
            self._changed()
        elif self.lease.session == session:
            self.lease.extend(until_s)
        else:
            self.lease.end("its session with ZooKeeper has ended")

    def _create(self) -> None:
        self._set_leader(None)
        try:
            data = to_bytes(self._member)
            self._answer(self.client.create_async(self._lock, data, ephemeral=True))
        except NodeExistsError:
            pass
        self._wake.set()

    def _take(self) -> None:
        """Replaces the lock in one transaction, so that no third RM can get it in between."""
        change = self.client.transaction()
        change.delete(self._lock)
        change.create(self._lock, to_bytes(self._member), ephemeral=True)
        self._answer(change.commit_async())
        self._wake.set()

    def _read_leader(self) -> None:
        try:
            data, _ = self._answer(self.client.get_async(self._lock))
            self._set_leader(from_bytes(ActiveRMInfo, data).rm_id)
        except NoNodeError:
            self._set_leader(None)
        except IllegalArgumentError:
            log.warning("%s is not of this cluster's making", self._lock)
            self._set_leader(None)

    def _set_leader(self, leader: str | None) -> None:
        if leader != self.leader:
            self.leader = leader
            self._changed()

    def _lost(self, why: str) -> None:
        if self.lease is not None:
            self.lease.end(why)

    def _check_lease(self) -> None:
        if self.lease is not None and not self.lease.is_held:
            self.lease.end(f"ZooKeeper did not answer for {self._session_s:g} s")
            log.warning("not active any more: %s", self.lease.why_lost)
            self.lease = None
            self._wants = False
            self._wake.set()
            self._changed()

    def _noticed(self, event: object) -> None:
        self._wake.set()

    def _answer(self, asked: Any) -> Any:
        return asked.get(timeout=self._session_s)
