"""Active or standby: what this RM is, and the way from one to the other.

A standby has no core. It answers who asks for its role, and refuses, or sends on to the active, whoever asks
for anything else. When it is elected it opens the state store, which ends the time of every earlier active,
recovers, and serves until its lease is over, its store fails, or it is told to step down; then all of that
is dropped, and it is a standby again. Hadoop: ResourceManager's transitions and EmbeddedElector.
"""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Callable

from yarnbox.rm.edge.active import JOURNALS, ActivePeriod, Ports, Setup
from yarnbox.rm.edge.front import Served
from yarnbox.rm.edge.ha.elector import Elector
from yarnbox.rm.edge.ha.lease import ZooKeeperLease
from yarnbox.rm.edge.ha.service import HAService
from yarnbox.rm.edge.ha.standby import StandbyPages
from yarnbox.rm.edge.ha.store import ZooKeeperStore
from yarnbox.rm.edge.hadoop import AdminPort
from yarnbox.rm.edge.http.server import PROPERTY as WEB_PROPERTY
from yarnbox.rm.edge.http.server import access
from yarnbox.rm.edge.security.groups import UserGroups
from yarnbox.rm.edge.services import ADMIN, CORE_SERVICES, HA, role_handler
from yarnbox.rm.edge.store import Key, StoreError
from yarnbox.rm.settings.process import STATE_STORES
from yarnbox.rm.web.cluster import rm_info
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.connection.rm_ids import of_rm
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import NotReadyError, YarnError
from yarnbox.yarn.hadoop_ipc.server import Endpoint
from yarnbox.yarn.log import Log
from yarnbox.yarn.records.ha import ActiveRMInfo, HAServiceState
from yarnbox.yarn.security.authentication import Authentication

log = Log("rm")

_AFTER_FAILURE_S = 1.0
"""So long another RM has the chance to do better."""
_RECOVERY_S = 60.0
"""So long an administrator waits who wants it to be active."""
_RM = "yarn.resourcemanager."


class Role:
    """The role of one RM."""

    def __init__(self, setup: Setup, rm_id: str) -> None:
        self._setup = setup
        self._settings = setup.settings
        self._rm_id = rm_id
        self._news = asyncio.Event()
        self._ending = asyncio.Event()
        self._period: ActivePeriod | None = None
        self._started_ms = setup.clock.now_ms()
        self._groups = UserGroups(setup.configuration)
        self._failure = ""
        """Why the last try to be active failed."""
        self._state = HAServiceState.INITIALIZING
        self._lease: ZooKeeperLease | None = None
        """The last one that it had."""
        self.is_automatic = self._settings.ha.is_automatic
        self._wants = self.is_automatic
        self._elector = self._new_elector()

    def _new_elector(self) -> Elector:
        ha = self._settings.ha
        for name, value in ((_RM + "cluster-id", ha.cluster_id), (_RM + "zk-address", ha.zookeeper)):
            if not value:
                raise ConfigurationError.of(
                    self._setup.configuration.origin(name), "set with several RMs", name=name
                )
        if self._settings.recovery_enabled and self._settings.store_class != STATE_STORES["zookeeper"]:
            raise ConfigurationError.of(
                self._setup.configuration.origin(_RM + "store.class"),
                f"{STATE_STORES['zookeeper']} with several RMs, which must share what they recover from",
                name=_RM + "store.class",
                value=self._settings.store_class,
            )
        loop = asyncio.get_running_loop()
        return Elector(
            ha.zookeeper or "",
            f"{ha.election_path.rstrip('/')}/{ha.cluster_id}",
            ActiveRMInfo(cluster_id=ha.cluster_id or "", rm_id=self._rm_id),
            ha.session_ms / 1000,
            lambda: loop.call_soon_threadsafe(self._news.set),
        )

    # What HAServiceProtocol asks for

    @property
    def state(self) -> HAServiceState:
        """What it is; one whose lease is over is not active any more, whatever is still to be done."""
        is_over = self._lease is None or not self._lease.is_held
        return HAServiceState.STANDBY if self._state is HAServiceState.ACTIVE and is_over else self._state

    def may_administer(self, user: str) -> bool:
        """Whether the user administers the cluster."""
        admins = self._settings.addresses.admin_acl
        return user == getpass.getuser() or admins.allows(user, self._groups.groups_of(user))

    async def become_active(self) -> None:
        """Takes the lock, whoever has it, and returns when everything is recovered."""
        self._failure = ""
        self._wants = True
        self._elector.join_election(takes_over=True)
        await self._until(
            lambda: self.state is HAServiceState.ACTIVE or self._failure or self._ending.is_set(), _RECOVERY_S
        )
        if self.state is not HAServiceState.ACTIVE:
            raise NotReadyError(self._failure or "ZooKeeper does not answer")

    async def become_standby(self) -> None:
        """Gives the lock back. With automatic failover it takes it again where nobody else does."""
        self._wants = self.is_automatic
        self._step_down("asked to be a standby")
        await self._until(lambda: self.state is HAServiceState.STANDBY or self._ending.is_set(), _RECOVERY_S)

    def _step_down(self, why: str) -> None:
        self._elector.quit_election(why)
        if self._period is not None:
            self._period.end()

    async def _until(self, condition: Callable[[], object], patience_s: float) -> None:
        """Waits until the condition holds, or for the timeout."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience_s
        while not condition() and (left_s := deadline - loop.time()) > 0:
            self._news.clear()
            try:
                async with asyncio.timeout(min(left_s, 0.1)):
                    await self._news.wait()
            except TimeoutError:
                continue

    # Its life

    def end(self) -> None:
        """Asks it to end."""
        self._ending.set()
        self._news.set()
        if self._period is not None:
            self._period.end()

    async def run(self, ports: Ports, started: Callable[[], None]) -> None:
        """Until it is asked to end. UnreachableZooKeeperError when it cannot begin."""
        tls = self._setup.tls
        users = Authentication(tls) if tls is not None else None
        ha = role_handler(HAService(self), self._settings.web.static_user, users)
        admin = AdminPort(self._settings, self._setup.max_message_bytes, ha, self._setup.wire)
        shared = Ports(
            front=ports.front,
            bound=ports.bound,
            listening=ports.listening,
            web=ports.web,
            admin=admin,
            further={HA: Served(ha)},
        )
        self._refuse(shared, admin)
        await admin.start()
        try:
            await asyncio.to_thread(self._elector.open)
            try:
                await self._take_turns(shared, admin, started)
            finally:
                self._state = HAServiceState.INITIALIZING
                await asyncio.to_thread(self._elector.close)
        finally:
            await admin.stop()

    def _refuse(self, ports: Ports, admin: AdminPort) -> None:
        """Refuses all calls but those about the role from now on."""

        def refuse(rpc: str, request: object, caller: Caller) -> object:
            raise NotReadyError(f"ResourceManager {self._rm_id} is not Active!")

        ports.front.serve({**{service: Served(refuse) for service in CORE_SERVICES}, **(ports.further or {})})
        admin.serve(Endpoint(ADMIN, refuse))

    async def _take_turns(self, ports: Ports, admin: AdminPort, started: Callable[[], None]) -> None:
        first: Callable[[], None] | None = started
        while True:
            pages = StandbyPages(
                access(self._settings), self._info, self._web_of_active, ports.web, self._setup.tls
            )
            await pages.start(ports.listening.dup())
            try:
                self._state = HAServiceState.STANDBY
                self._refuse(ports, admin)
                self._news.set()
                if first is not None:
                    log.info("standby", id=self._rm_id, address=ports.bound, web=ports.web)
                    first()
                    first = None
                if self._wants:
                    self._elector.join_election()
                while self._elector.lease is None and not self._ending.is_set():
                    await self._until(lambda: self._elector.lease or self._ending.is_set(), 3600.0)
                lease = self._elector.lease
                if self._ending.is_set() or lease is None:
                    return
                self._lease = lease
                why = await self._be_active(lease, ports, pages)
            finally:
                await pages.stop()
            if self._ending.is_set():
                return
            log.warning("not active any more", why=why)
            self._elector.quit_election(why)
            await self._wait_for_other_active()

    async def _wait_for_other_active(self) -> None:
        """Waits until another RM is active, but not for ever: there may be none."""

        def is_done() -> bool:
            return self._elector.leader not in (None, self._rm_id) or self._ending.is_set()

        await self._until(is_done, _AFTER_FAILURE_S)

    async def _be_active(self, lease: ZooKeeperLease, ports: Ports, pages: StandbyPages) -> str:
        """One period of being active; why it ended."""
        start_ms = self._setup.clock.now_ms()
        try:
            store, entries = await asyncio.to_thread(self._open_store, lease, start_ms)
        except StoreError as error:
            self._failure = str(error)
            return str(error)
        journals = {name: store.journal(name) for name in JOURNALS} if store is not None else None
        self._period = period = ActivePeriod(
            self._setup, ports, start_ms, store, entries=entries, journals=journals, lease=lease
        )
        if self._ending.is_set():
            period.end()

        def began() -> None:
            self._started_ms = start_ms
            self._state = HAServiceState.ACTIVE
            self._news.set()
            log.info("active", id=self._rm_id)

        try:
            await period.run(pages.stop, began)
        except (YarnError, StoreError) as error:
            self._failure = str(error)
            return f"cannot be active: {error}"
        finally:
            self._state = HAServiceState.STANDBY
            self._period = None
            if store is not None:
                store.close()
        return period.reason if period.failure is not None else lease.why_lost or "asked to step down"

    def _open_store(
        self, lease: ZooKeeperLease, start_ms: int
    ) -> tuple[ZooKeeperStore | None, dict[Key, object]]:
        if not self._settings.recovery_enabled:
            return None, {}
        parent = self._settings.ha.store_path
        store = ZooKeeperStore(self._elector.client, parent, self._rm_id, lease, start_ms)
        entries = store.load()
        log.info("state store", path=store.path, cluster=store.cluster, is_new=store.is_new)
        for fault in store.faults:
            log.error("the state store is damaged", fault=fault)
        return store, entries

    # What a standby shows

    def _info(self) -> dict[str, object]:
        store = "ZKRMStateStore" if self._settings.recovery_enabled else "NullRMStateStore"
        connection = "CONNECTED" if self._elector.is_connected else "DISCONNECTED"
        return rm_info(self._started_ms, self.state.name, store, connection)

    def _web_of_active(self) -> str | None:
        """Where the pages of the active RM are, if it is known and another one."""
        leader = self._elector.leader
        if leader is None or leader == self._rm_id or leader not in self._settings.ha.ids:
            return None
        return of_rm(self._setup.configuration, leader).value(WEB_PROPERTY)
