"""Session: one command's view of a cluster: its configuration, who calls, and the clients, made when needed.

Owns where the configuration is looked for: `--config`, `--dir`, YARN_CONF_DIR, HADOOP_CONF_DIR, the run
directory (YARNBOX_DIR, else ./.yarnbox) in that order; without any of them the defaults hold. Hadoop:
YarnCLI.

For a program, `connect` makes one: `with connect(".yarnbox/conf") as cluster: cluster.client...`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from yarnbox.client import admin_client, yarn_client
from yarnbox.client.admin_client import AdminClient
from yarnbox.client.command_line.console import Console
from yarnbox.client.retry import RetryingRpc
from yarnbox.client.settings import RM_GRPC_ADDRESS, WEB_ADDRESS, ClientSettings
from yarnbox.client.web import Retry, WebService, active_of
from yarnbox.client.yarn_client import Polling, Rpc, YarnClient
from yarnbox.yarn.configuration import SITE_FILES, Configuration, ConfigurationError
from yarnbox.yarn.connection.address import connectable
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.failover import BlockingCalls, blocking_stub_of, is_rm_expected
from yarnbox.yarn.connection.rm_ids import all_of, rm_addresses, rm_ids
from yarnbox.yarn.connection.rpc import BlockingStub
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.aggregated_logs import LogLayout

RUN_DIRECTORY = ".yarnbox"
_SITE = "yarn-site.xml"
_CONF = "conf"
HA_SERVICE = "HAServiceProtocolService"
_FILES = (*SITE_FILES, RESOURCE_TYPES_FILE)


def configuration_directory(
    environment: Mapping[str, str], config: str | None = None, run_directory: str | None = None
) -> Path | None:
    """The directory to read; None if nothing names one and there is no run directory here."""
    if config is not None:
        return Path(config)
    if run_directory is not None:
        return _of_run(Path(run_directory))
    for name in ("YARN_CONF_DIR", "HADOOP_CONF_DIR"):
        if environment.get(name):
            return Path(environment[name])
    if environment.get("YARNBOX_DIR"):
        return _of_run(Path(environment["YARNBOX_DIR"]))
    here = _of_run(Path(RUN_DIRECTORY))
    return here if here.is_dir() else None


def _of_run(directory: Path) -> Path:
    inner = directory / _CONF
    return inner if not (directory / _SITE).exists() and (inner / _SITE).exists() else directory


class Session:
    """A command's cluster. To be closed."""

    def __init__(
        self,
        console: Console,
        directory: Path | None = None,
        properties: Sequence[str] = (),
        files: Sequence[str] = (),
    ) -> None:
        """`properties` (`name=value`) lie above the files of the directory, further `files` between them."""
        self.console = console
        self.directory = directory
        self._properties = tuple(properties)
        self._files = tuple(files)
        self._stubs: list[BlockingCalls] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stub in self._stubs:
            stub.close()

    @cached_property
    def configuration(self) -> Configuration:
        """What the files and the command line say; a ConfigurationError says what to do about it."""
        empty = Configuration(
            environment=self.console.environment, system_properties={"user.name": self.user}
        )
        found = empty if self.directory is None else empty.with_files(self._readable(self.directory), _FILES)
        for file in map(Path, self._files):
            if not file.is_file():
                raise ConfigurationError.of(file, "is not a readable file; name another with -conf")
            found = found.with_files(file.parent, [file.name])
        return found.overlaid_by_arguments(self._properties)

    @staticmethod
    def _readable(directory: Path) -> Path:
        if not os.access(directory, os.R_OK | os.X_OK) or not directory.is_dir():
            raise ConfigurationError.of(
                directory,
                "is not a readable directory; name another with --config or --dir, or by YARN_CONF_DIR",
            )
        return directory

    @cached_property
    def settings(self) -> ClientSettings:
        """The properties that concern clients."""
        return read(ClientSettings, self.configuration)

    @cached_property
    def tls(self) -> Tls | None:
        """The files for TLS, if the cluster has it."""
        return Tls.of(self.settings.tls)

    @property
    def user(self) -> str:
        """Who calls; a ConfigurationError for a name that no call can carry."""
        name = self.console.user
        if not (name.isascii() and name.isprintable()):
            raise ConfigurationError.of(
                "HADOOP_USER_NAME", f"{name!r} cannot be sent: a user's name is of printable ASCII characters"
            )
        return name

    @cached_property
    def rm_addresses(self) -> tuple[str, ...]:
        """Where all ResourceManagers are, as they are connected to."""
        return rm_addresses(self.configuration)

    @property
    def rm_address(self) -> str:
        """The ResourceManager's, as it is connected to; of several, all of them."""
        return ", ".join(self.rm_addresses)

    @cached_property
    def web_address(self) -> str:
        """The ResourceManager's for HTTP; of several, the active one's, if there is one."""
        each = [read(ClientSettings, one).web_address for one in all_of(self.configuration)]
        addresses = [str(connectable(one)) for one in each]
        return addresses[0] if len(addresses) == 1 else active_of(addresses, self.tls)

    @property
    def polling(self) -> Polling:
        """How the clients wait."""
        settings = self.settings
        console = self.console
        return Polling(console.clock, console.sleep, settings.poll_interval_ms, settings.poll_timeout_ms)

    @cached_property
    def client(self) -> YarnClient:
        """The client; it connects at its first call."""
        return YarnClient(self._rpc(yarn_client.SERVICE), self.polling)

    @cached_property
    def admin(self) -> AdminClient:
        """The administrator's client."""
        return AdminClient(self._rpc(admin_client.SERVICE))

    def web(self, retry: Retry | None = None) -> WebService:
        """HTTP in the caller's name."""
        book = self.settings.address_book
        return WebService(self.user, AddressBook(Path(book) if book else None), retry, self.tls)

    @property
    def log_layout(self) -> LogLayout:
        """Where aggregated logs lie."""
        return LogLayout.of(self.settings.log_directory, self.settings.log_directory_suffix)

    @property
    def unreachable(self) -> str:
        """What to say when the ResourceManager does not answer: the address, and the remedy."""
        where = self.configuration.origin(RM_GRPC_ADDRESS)
        return (
            f"cannot reach the ResourceManager at {self.rm_address} ({RM_GRPC_ADDRESS}, {where}): start a "
            "cluster with `yarnbox up`, or name a running one with --dir, --config or YARN_CONF_DIR"
        )

    def web_hint(self, address: str) -> str:
        """What to add when nobody speaks HTTP there: which property names it, if it is the RM's."""
        if address != self.web_address:
            return ""
        where = self.configuration.origin(WEB_ADDRESS)
        return f" ({WEB_ADDRESS}, {where}): the ResourceManager does not serve HTTP there"

    def _rpc(self, service: str) -> Rpc:
        stub = blocking_stub_of(self.rm_addresses, service, user=self.user, tls=self.tls)
        self._stubs.append(stub)
        settings, console = self.settings, self.console
        patience = Polling(console.clock, console.sleep, settings.retry_interval_ms, settings.retry_for_ms)
        several = settings.failover if len(self.rm_addresses) > 1 else None
        return RetryingRpc(stub, patience, is_expected=is_rm_expected(self.configuration), several=several)

    def role_of(self, rm_id: str) -> BlockingStub:
        """HAServiceProtocol of one ResourceManager; to be closed."""
        address = rm_addresses(self.configuration)[rm_ids(self.configuration).index(rm_id)]
        timeout_s = self.settings.role_timeout_ms / 1000
        return BlockingStub(address, HA_SERVICE, user=self.user, timeout_s=timeout_s, tls=self.tls)


@dataclass(frozen=True, slots=True)
class ClusterConnection:
    """Both clients of one cluster; each connects at its first call."""

    client: YarnClient
    admin: AdminClient


@contextmanager
def connect(
    directory: str | os.PathLike[str] | None = None,
    *,
    user: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Iterator[ClusterConnection]:
    """The cluster of a configuration directory, or of a run directory of `yarnbox up`.

    Without a directory, YARN_CONF_DIR, HADOOP_CONF_DIR, YARNBOX_DIR and `.yarnbox` are tried in this order,
    as by the commands. `properties` override the files. Calls are made as `user`, by default HADOOP_USER_NAME
    or the login name; connections end with the `with` block. ConfigurationError: the files cannot be read.
    """
    environment = {**os.environ, **({"HADOOP_USER_NAME": user} if user is not None else {})}
    where = Path(directory) if directory is not None else None
    found = configuration_directory(environment, run_directory=str(where) if where is not None else None)
    settings = [f"{name}={value}" for name, value in (properties or {}).items()]
    with Session(Console(sys.stdout, sys.stderr, environment), found, properties=settings) as session:
        yield ClusterConnection(session.client, session.admin)
