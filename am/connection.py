"""Where an ApplicationMaster finds its cluster: the RM's address, the address book, how long to keep trying.

Owns the properties that every AM and submitter reads, and the making of clients from them. The configuration
is that of YARN_CONF_DIR or HADOOP_CONF_DIR, which whoever submits an AM hands on to it. Answers for
ClientRMProxy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from am.asks import RequestTable
from am.blocking import BlockingAMRMClient, BlockingNMClient
from am.nm_client import NMClient
from am.rm_client import SERVICE, AMRMClient
from am.submit import Submitter
from yarn.address import Address, with_default_port
from yarn.addresses import ADDRESS_BOOK_PROPERTY, AddressBook
from yarn.configuration import SITE_FILES, Configuration
from yarn.ids import NodeId
from yarn.records.tokens import Token
from yarn.resource_types import RESOURCE_TYPES_FILE
from yarn.rpc import BlockingStub, Stub
from yarn.settings import read, setting, settings
from yarn.topology import RackResolver

CONF_DIRS = ("YARN_CONF_DIR", "HADOOP_CONF_DIR")
CLIENT_SERVICE = "ApplicationClientProtocolService"

_WILDCARDS = ("0.0.0.0", "::")


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


def configuration_of(environment: Mapping[str, str], user: str = "") -> Configuration:
    """The configuration that the environment names; the defaults when it names none."""
    empty = Configuration(environment=environment, system_properties={"user.name": user} if user else None)
    for name in CONF_DIRS:
        if environment.get(name):
            directory = Path(environment[name])
            return empty.with_files(directory, (*SITE_FILES, RESOURCE_TYPES_FILE))
    return empty


@dataclass(frozen=True, slots=True)
class Connection:
    """A cluster, as its configuration describes it. Nothing is connected before the first call."""

    settings: ConnectionSettings
    book: AddressBook
    racks: RackResolver

    @classmethod
    def of(cls, configuration: Configuration) -> Self:
        """Reads the configuration; ConfigurationError says what is wrong with it."""
        found = read(ConnectionSettings, configuration)
        path = Path(found.address_book) if found.address_book else None
        return cls(found, AddressBook(path), RackResolver.of(configuration))

    @property
    def rm_address(self) -> str:
        """The RM's address, as it is connected to."""
        address = self.settings.rm_address
        return str(replace(address, host="127.0.0.1") if address.host in _WILDCARDS else address)

    def resolve(self, node_id: NodeId) -> str:
        """The address of a node, as it is connected to."""
        return self.book.resolve(str(node_id))

    def asks(self) -> RequestTable:
        """An empty request table that knows the racks."""
        return RequestTable(self.racks)

    def rm_client(self, token: Token | None, asks: RequestTable | None = None) -> AMRMClient:
        """The RM for an AM with this token, with asyncio."""
        stub = Stub(self.rm_address, SERVICE, token=token, peer="the ResourceManager")
        return AMRMClient(stub, asks or self.asks(), max_wait_ms=self._max_wait_ms, retry_ms=self._retry_ms)

    def nm_client(self, rm: AMRMClient) -> NMClient:
        """The nodes, with asyncio."""
        return NMClient(rm.nm_tokens, self.resolve, hadoop_ipc=self.settings.hadoop_ipc)

    def blocking_rm_client(self, token: Token | None) -> BlockingAMRMClient:
        """The RM for an AM with this token, without asyncio."""
        stub = BlockingStub(self.rm_address, SERVICE, token=token, peer="the ResourceManager")
        return BlockingAMRMClient(stub, self.asks(), max_wait_ms=self._max_wait_ms, retry_ms=self._retry_ms)

    def blocking_nm_client(self, rm: BlockingAMRMClient) -> BlockingNMClient:
        """The nodes, without asyncio."""
        return BlockingNMClient(rm.nm_tokens, self.resolve, hadoop_ipc=self.settings.hadoop_ipc)

    def client_stub(self, user: str) -> BlockingStub:
        """The RM for a client."""
        return BlockingStub(self.rm_address, CLIENT_SERVICE, user=user, peer="the ResourceManager")

    def submitter(self, user: str) -> Submitter:
        """The RM for whoever submits an application and follows it."""
        return Submitter(self.client_stub(user), self._max_wait_ms)

    @property
    def _max_wait_ms(self) -> int:
        return self.settings.max_wait_ms if self.settings.max_wait_ms >= 0 else 10**12

    @property
    def _retry_ms(self) -> int:
        return self.settings.retry_ms
