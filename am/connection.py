"""Where an ApplicationMaster finds its cluster: the RM's address, the address book, how long to keep trying.

Owns the properties that every AM and submitter reads, and the making of clients from them. The configuration
is that of YARN_CONF_DIR or HADOOP_CONF_DIR, which whoever submits an AM hands on to it. Hadoop:
ClientRMProxy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from yarnbox.am.asks import RequestTable
from yarnbox.am.blocking import BlockingAMRMClient, BlockingNMClient
from yarnbox.am.nm_client import NMClient
from yarnbox.am.rm_client import SERVICE, AMRMClient
from yarnbox.am.submit import Patience, Submitter
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_PROPERTY, AddressBook
from yarnbox.yarn.connection.failover import (
    BlockingCalls,
    Calls,
    FailoverSettings,
    blocking_stub_of,
    is_rm_expected,
    stub_of,
)
from yarnbox.yarn.connection.hosting import NM_CONF_DIR, properties_of_host
from yarnbox.yarn.connection.rm_ids import rm_addresses
from yarnbox.yarn.http.access import HttpAccessSettings
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE
from yarnbox.yarn.security.tls import Tls, TlsSettings, told_by_node
from yarnbox.yarn.settings import group, read, setting, settings
from yarnbox.yarn.topology import RackResolver

CONF_DIRS = ("YARN_CONF_DIR", "HADOOP_CONF_DIR")
CLIENT_SERVICE = "ApplicationClientProtocolService"
_PEER = "the ResourceManager"


@settings
class ConnectionSettings:
    """What an AM needs to know of a cluster."""

    rm_address: Address = setting(
        "yarnbox.resourcemanager.grpc.address",
        "${yarn.resourcemanager.hostname}:8050",
        "Where the ResourceManager serves gRPC",
        parse=with_default_port(8050),
    )
    address_book: str | None = setting(
        ADDRESS_BOOK_PROPERTY, None, "File with the real addresses of emulated hosts"
    )
    hadoop_ipc: bool = setting(
        "yarnbox.hadoop-ipc.enabled",
        False,
        "Speak Hadoop's wire with nodes, and serve the applications' clients over it too",
    )
    max_wait_ms: int = setting(
        "yarn.resourcemanager.connect.max-wait.ms", 900_000, "How long an RM is looked for", at_least=-1
    )
    retry_ms: int = setting(
        "yarn.resourcemanager.connect.retry-interval.ms", 30_000, "The pause in between", at_least=1
    )
    http_access: HttpAccessSettings = group(HttpAccessSettings)
    tls: TlsSettings = group(TlsSettings)
    failover: FailoverSettings = group(FailoverSettings)


def configuration_of(environment: Mapping[str, str], user: str = "") -> Configuration:
    """The configuration that the environment names; the defaults when it names none. In a container on a host
    that has no such directory, or nothing in it, it is that of the node.
    """
    empty = Configuration(environment=environment, system_properties={"user.name": user} if user else None)
    named = [Path(environment[name]) for name in (*CONF_DIRS, NM_CONF_DIR) if environment.get(name)]
    if not named:
        return empty
    found = next(filter(_has_site_files, named), named[0])
    written = empty.with_files(found, (*SITE_FILES, RESOURCE_TYPES_FILE))
    told = {**told_by_node(environment), **properties_of_host(environment)}
    return written.overlaid(told, "the NodeManager")


def _has_site_files(directory: Path) -> bool:
    return any((directory / name).is_file() for name in SITE_FILES)


@dataclass(frozen=True, slots=True)
class Connection:
    """A cluster, as its configuration describes it. Nothing is connected before the first call."""

    settings: ConnectionSettings
    book: AddressBook
    racks: RackResolver
    is_rm_expected: bool
    """Whether an RM that does not answer is restarting, and not missing."""
    tls: Tls | None
    rm_addresses: tuple[str, ...]
    """Where all RMs are, as they are connected to; one of them is active."""

    @classmethod
    def of(cls, configuration: Configuration) -> Self:
        """Reads the configuration; ConfigurationError says what is wrong with it."""
        found = read(ConnectionSettings, configuration)
        path = Path(found.address_book) if found.address_book else None
        racks = RackResolver.of(configuration)
        tls, addresses = Tls.of(found.tls), rm_addresses(configuration)
        return cls(found, AddressBook(path), racks, is_rm_expected(configuration), tls, addresses)

    @property
    def rm_address(self) -> str:
        """The RM's address, as it is connected to; of several, all of them."""
        return ", ".join(self.rm_addresses)

    def resolve(self, node_id: NodeId) -> str:
        """The address of a node, as it is connected to."""
        return self.book.resolve(str(node_id))

    def asks(self) -> RequestTable:
        """An empty request table that knows the racks."""
        return RequestTable(self.racks)

    def rm_client(self, token: Token | None, asks: RequestTable | None = None) -> AMRMClient:
        """The RM for an AM with this token, with asyncio."""
        stub = stub_of(self.rm_addresses, SERVICE, token=token, peer=_PEER, tls=self.tls)
        return AMRMClient(stub, asks or self.asks(), max_wait_ms=self._max_wait_ms, retry_ms=self._retry_ms)

    def nm_client(self, rm: AMRMClient) -> NMClient:
        """The nodes, with asyncio."""
        return NMClient(rm.nm_tokens, self.resolve, hadoop_ipc=self.settings.hadoop_ipc, tls=self.tls)

    def blocking_rm_client(self, token: Token | None) -> BlockingAMRMClient:
        """The RM for an AM with this token, without asyncio."""
        stub = blocking_stub_of(self.rm_addresses, SERVICE, token=token, peer=_PEER, tls=self.tls)
        return BlockingAMRMClient(stub, self.asks(), max_wait_ms=self._max_wait_ms, retry_ms=self._retry_ms)

    def blocking_nm_client(self, rm: BlockingAMRMClient) -> BlockingNMClient:
        """The nodes, without asyncio."""
        return BlockingNMClient(rm.nm_tokens, self.resolve, hadoop_ipc=self.settings.hadoop_ipc, tls=self.tls)

    def client_stub(self, user: str) -> BlockingCalls:
        """The RM for a client."""
        return blocking_stub_of(self.rm_addresses, CLIENT_SERVICE, user=user, peer=_PEER, tls=self.tls)

    def async_client_stub(self, user: str, token: Token | None) -> Calls:
        """The RM for a client, with asyncio."""
        return stub_of(self.rm_addresses, CLIENT_SERVICE, user=user, token=token, peer=_PEER, tls=self.tls)

    def submitter(self, user: str, say: Callable[[str], None] = lambda _text: None) -> Submitter:
        """The RM for whoever submits an application and follows it; `say` is told when the RM is away."""
        settings = self.settings
        patience = Patience(settings.max_wait_ms, self._retry_ms, self.rm_address, say, self.is_rm_expected)
        return Submitter(self.client_stub(user), patience)

    @property
    def _max_wait_ms(self) -> int:
        return self.settings.max_wait_ms if self.settings.max_wait_ms >= 0 else 10**12

    @property
    def _retry_ms(self) -> int:
        settings, is_alone = self.settings, len(self.rm_addresses) <= 1
        interval_ms = settings.retry_ms
        return interval_ms if is_alone else settings.failover.pause_ms(1, interval_ms, lambda: 0.5)
