"""Session: one command's view of a cluster: its configuration, who calls, and the clients, made when needed.

Owns where the configuration is looked for: `--config`, `--dir`, YARN_CONF_DIR, HADOOP_CONF_DIR, the run
directory (YARNBOX_DIR, else ./.yarnbox) in that order; without any of them the defaults hold. Answers for
YarnCLI.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from client import admin_client, yarn_client
from client.admin_client import AdminClient
from client.console import Console
from client.retry import RetryingRpc
from client.settings import RM_GRPC_ADDRESS, WEB_ADDRESS, ClientSettings, connectable
from client.web import Retry, WebService
from client.yarn_client import Polling, Rpc, YarnClient
from yarn.addresses import AddressBook
from yarn.aggregated_logs import LogLayout
from yarn.configuration import SITE_FILES, Configuration, ConfigurationError
from yarn.resource_types import RESOURCE_TYPES_FILE
from yarn.rpc import BlockingStub
from yarn.settings import read

RUN_DIRECTORY = ".yarnbox"
_SITE = "yarn-site.xml"
_CONF = "conf"
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
        self._stubs: list[BlockingStub] = []

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
                raise ConfigurationError.of(file, "is no file that can be read; -conf names another")
            found = found.with_files(file.parent, [file.name])
        return found.overlaid_by_arguments(self._properties)

    @staticmethod
    def _readable(directory: Path) -> Path:
        if not os.access(directory, os.R_OK | os.X_OK) or not directory.is_dir():
            raise ConfigurationError.of(
                directory,
                "is no directory that can be read; name another with --config or --dir, or by YARN_CONF_DIR",
            )
        return directory

    @cached_property
    def settings(self) -> ClientSettings:
        """The properties that concern clients."""
        return read(ClientSettings, self.configuration)

    @property
    def user(self) -> str:
        """Who calls; a ConfigurationError for a name that no call can carry."""
        name = self.console.user
        if not (name.isascii() and name.isprintable()):
            raise ConfigurationError.of(
                "HADOOP_USER_NAME", f"{name!r} cannot be sent: a user's name is of printable ASCII characters"
            )
        return name

    @property
    def rm_address(self) -> str:
        """The ResourceManager's, as it is connected to."""
        return str(connectable(self.settings.rm_address))

    @property
    def web_address(self) -> str:
        """The ResourceManager's for HTTP."""
        return str(connectable(self.settings.web_address))

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
        return WebService(self.user, AddressBook(Path(book) if book else None), retry)

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
        stub = BlockingStub(self.rm_address, service, user=self.user)
        self._stubs.append(stub)
        settings, console = self.settings, self.console
        return RetryingRpc(
            stub, Polling(console.clock, console.sleep, settings.retry_interval_ms, settings.retry_for_ms)
        )
