"""TLS of daemons and clients: which files are read, the contexts made of them, and where TLS is required.

A daemon has the certificate of a host, a client that of a user; one authority signs both, and no other one is
trusted. A container uses the files that its NodeManager names, because the submitter's files are on another
host. Knows nothing of what is served; gRPC's side is in rpc.py.
Hadoop: SSLFactory, ssl-server.xml and ssl-client.xml.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.connection.address import announced
from yarnbox.yarn.connection.hosting import NM_TLS_AUTHORITY
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.settings import Conflict, setting, settings

_CERTIFICATE = "yarnbox.tls.certificate-file"
_KEY = "yarnbox.tls.key-file"
_AUTHORITY = "yarnbox.tls.ca-file"
_HADOOP_REMOTE = "yarnbox.hadoop-ipc.remote.enabled"
_TOKEN = "yarnbox.authentication.token-file"
TOKENS_PROPERTY = "yarnbox.authentication.tokens-file"

_TOLD = {
    _AUTHORITY: ("authority", NM_TLS_AUTHORITY),
    _CERTIFICATE: ("certificate", "YARNBOX_NM_TLS_CERTIFICATE"),
    _KEY: ("key", "YARNBOX_NM_TLS_KEY"),
    TOKENS_PROPERTY: ("user_tokens", "YARNBOX_NM_TLS_USER_TOKENS"),
}
"""What a container is told of its node's files: the setting and the variable of each property."""


TLS_PROPERTIES = (*_TOLD, _TOKEN)
"""All of them that name files."""


@settings
class TlsSettings:
    """The files of one daemon or client."""

    authority: str | None = setting(_AUTHORITY, None, "Certificates of who signs all others; absent: no TLS")
    certificate: str | None = setting(_CERTIFICATE, None, "The certificate of this host, or of a user")
    key: str | None = setting(_KEY, None, "Its private key")
    user_tokens: str | None = setting(
        TOKENS_PROPERTY,
        None,
        "File of the users' tokens, as `yarnbox certs token` writes it; where it is set, clients need no"
        " certificate",
    )
    token: str | None = setting(_TOKEN, None, "File with the token that a client shows")
    hadoop_remote: bool = setting(
        _HADOOP_REMOTE,
        False,
        "Serve Hadoop's wire at other addresses than loopback ones, too, though it has no encryption",
    )

    @property
    def scheme(self) -> str:
        """How the addresses of a daemon's pages begin."""
        return "http" if self.authority is None else "https"

    def conflicts(self) -> Iterator[Conflict]:
        """A certificate is nothing without its key, and both are nothing without an authority."""
        if (self.certificate is None) != (self.key is None):
            missing = _KEY if self.key is None else _CERTIFICATE
            yield Conflict(missing, f"set where {_CERTIFICATE if self.key is None else _KEY} is")
        if self.certificate is not None and self.authority is None:
            yield Conflict(_AUTHORITY, f"set where {_CERTIFICATE} is")


class ExposedError(YarnError):
    """A daemon would listen where others reach it, without what that demands."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files, read."""

    settings: TlsSettings
    authority: bytes
    certificate: bytes | None = None
    key: bytes | None = None
    token: str | None = None
    """What a client shows instead of a certificate, or beside it."""

    @classmethod
    def of(cls, settings: TlsSettings) -> Tls | None:
        """What the settings name; None where there is no TLS. ConfigurationError for a file that cannot be
        read.
        """
        if settings.authority is None:
            return None
        token = _bytes_of(_TOKEN, settings.token)
        return cls(
            settings,
            _bytes_of(_AUTHORITY, settings.authority) or b"",
            _bytes_of(_CERTIFICATE, settings.certificate),
            _bytes_of(_KEY, settings.key),
            token.decode("utf-8", "replace").strip() if token is not None else None,
        )

    @property
    def demands_certificates(self) -> bool:
        """Whether who calls over gRPC has to show a certificate; otherwise users show tokens."""
        return self.settings.user_tokens is None

    @property
    def variables(self) -> dict[str, str]:
        """What containers are told of the files."""
        values = {variable: getattr(self.settings, field) for field, variable in _TOLD.values()}
        return {name: str(Path(value).absolute()) for name, value in values.items() if value}

    @property
    def headers(self) -> dict[str, str]:
        """What an HTTP request shows."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def serving(self) -> ssl.SSLContext:
        """For HTTPS: whoever shows a certificate shows one of the authority's."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER)
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def calling(self) -> ssl.SSLContext:
        """For those who call an HTTPS port: it has to be the host that was called."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT)

    def _context(self, protocol: ssl._SSLMethod) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        settings = self.settings
        try:
            context.load_verify_locations(settings.authority)
            if settings.certificate is not None:
                context.load_cert_chain(settings.certificate, settings.key)
        except (OSError, ssl.SSLError) as error:
            where = f"{settings.authority} or {settings.certificate}"
            raise ConfigurationError.of(where, f"cannot be used for TLS: {error}") from error
        return context


def told_by_node(environment: Mapping[str, str]) -> dict[str, str]:
    """The properties that a container has by its NodeManager, above those of its submitter."""
    if not environment.get(_TOLD[_AUTHORITY][1]):
        return {}
    told = {name: environment.get(variable, "") for name, (_, variable) in _TOLD.items()}
    return {**told, _TOKEN: ""}


def tls_of_node(environment: Mapping[str, str]) -> Tls | None:
    """The same, read, for containers that have no configuration."""
    told: dict[str, Any] = {field: environment.get(variable) for field, variable in _TOLD.values()}
    return Tls.of(TlsSettings(**told))


def scheme(tls: Tls | None) -> str:
    """How addresses of pages begin."""
    return "http" if tls is None else tls.settings.scheme


def connection_to(host: str, port: int, tls: Tls | None, timeout_s: float) -> http.client.HTTPConnection:
    """A connection to an HTTP port of ours, over TLS where there is TLS."""
    if tls is None:
        return http.client.HTTPConnection(host, port, timeout=timeout_s)
    return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=tls.calling())


def is_loopback(host: str) -> bool:
    """Whether a host is reached from its own machine only. One that nobody knows is: it has no listeners."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return True
    return all(ipaddress.ip_address(str(one[4][0]).partition("%")[0]).is_loopback for one in found)


def check_exposure(hosts: Iterable[str], tls: Tls | None, *, has_node_secret: bool = True) -> None:
    """ExposedError, in one line, for a daemon that is to listen beyond its machine without TLS and without
    knowing who calls.
    """
    open_hosts = [host for host in hosts if not is_loopback(host)]
    if open_hosts and (tls is None or tls.certificate is None):
        host = open_hosts[0]
        raise ExposedError(
            f"{host} is not a loopback address, so TLS and authentication are demanded: `yarnbox certs ca"
            f" DIR` and `yarnbox certs host DIR {announced(host)}` make the files for {_AUTHORITY},"
            f" {_CERTIFICATE} and {_KEY}"
        )
    if tls is not None and not tls.demands_certificates and not has_node_secret:
        raise ExposedError(
            f"{TOKENS_PROPERTY} lets clients call without a certificate, so nodes have to show a secret:"
            " set yarnbox.node-secret-file"
        )


def check_hadoop_wire(hosts: Iterable[str], settings: TlsSettings) -> None:
    """ExposedError for Hadoop's wire beyond this machine, unless it is explicitly allowed."""
    for host in hosts:
        if not is_loopback(host) and not settings.hadoop_remote:
            raise ExposedError(
                f"{host} is not a loopback address, and Hadoop's wire has neither encryption nor"
                f" authentication here: set yarnbox.hadoop-ipc.enabled to false, or {_HADOOP_REMOTE} to true"
            )


def _bytes_of(name: str, path: str | None) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        why = f"cannot be read: {error.strerror}; {name} names it"
        raise ConfigurationError.of(path, why) from error
