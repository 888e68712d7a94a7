"""Who calls, where callers have to prove it: by a certificate or by a token.

The common name of a certificate is the user's; `host:NAME` is a host, which is no user. A token is one of a
file in which each line is a user and the SHA-256 of the user's token, so that whoever reads the file cannot
call. Knows nothing of what a user may do. Hadoop: AuthenticationFilter and its handlers.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.security.acl import HOST_PREFIX
from yarnbox.yarn.security.tls import TOKENS_PROPERTY, Tls

_KEY_CLASS: Any = getattr(web, "RequestKey", None)  # aiohttp has it since 3.14, and then wants it
USER: Any = "user" if _KEY_CLASS is None else _KEY_CLASS("user", str)
"""The key of a request under which its user stands, once it is known."""


def digest_of(token: str) -> str:
    """What the file of tokens has of one."""
    return "sha256:" + hashlib.sha256(token.encode()).hexdigest()


class UserTokens:
    """The file of tokens; it is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._users: Mapping[str, str] = {}
        self._refresh()

    def user_of(self, token: str) -> str | None:
        """Whose token it is; None for a token that nobody has."""
        self._refresh()
        return self._users.get(digest_of(token))

    def _refresh(self) -> None:
        try:
            status = self._path.stat()
            stamp = (status.st_mtime_ns, status.st_ino, status.st_size)
            if stamp != self._stamp:
                self._users = read_tokens(self._path.read_text(encoding="utf-8"))
                self._stamp = stamp
        except (OSError, ValueError) as error:
            if self._stamp is None:
                why = f"cannot be read as a file of tokens: {error}; {TOKENS_PROPERTY} names it"
                raise ConfigurationError.of(self._path, why) from error
            self._users = {}  # better nobody than those who may have been struck off


def read_tokens(text: str) -> dict[str, str]:
    """User by digest; ValueError names the line that is wrong."""
    users: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 2 or not words[1].startswith("sha256:"):
            raise ValueError(f"line {number} is not `USER sha256:DIGEST`")
        users[words[1].lower()] = words[0]
    return users


@dataclass(frozen=True, slots=True)
class Identity:
    """Who has proved to be who."""

    user: str
    is_host: bool = False


class Authentication:
    """How the callers of one daemon are known."""

    def __init__(self, tls: Tls, spokesman: str | None = None) -> None:
        """`spokesman` is the host that may say in whose name it asks for pages: the ResourceManager's."""
        self.demands_certificates = tls.demands_certificates
        tokens = tls.settings.user_tokens
        self._tokens = UserTokens(Path(tokens)) if tokens is not None else None
        self._spokesman = spokesman

    def identity(self, common_name: str | None, token: str | None) -> Identity | None:
        """Who shows this certificate, or this token."""
        user = self._tokens.user_of(token) if token and self._tokens is not None else None
        if user is not None:
            return Identity(user)
        if not common_name:
            return None
        return Identity(common_name, common_name.startswith(HOST_PREFIX))

    def user_of(self, request: web.Request) -> str | None:
        """The user of an HTTP request; None when nobody is known."""
        names: dict[str, str] = {}
        hosts: list[str] = []
        connection = request.transport.get_extra_info("ssl_object") if request.transport else None
        certificate: Mapping[str, Any] = (connection.getpeercert() if connection is not None else None) or {}
        for part in certificate.get("subject", ()):
            names.update(part)
        hosts = [value for _, value in certificate.get("subjectAltName", ())]
        found = self.identity(names.get("commonName"), _shown(request.headers.get("Authorization", "")))
        if found is None:
            return None
        if found.is_host and self._spokesman in hosts:
            return request.query.get("user.name") or found.user
        return found.user


def _shown(header: str) -> str | None:
    """The token of an Authorization header: a bearer's, or the password that a browser has asked for."""
    kind, _, value = header.partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    if kind.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return None
    return None


def asks_for_password() -> web.Response:
    """The answer to a request of nobody."""
    text = (
        "who calls is not known: show the certificate of a user, or a token (as a password, in a browser)\n"
    )
    return web.Response(status=401, text=text, headers={"WWW-Authenticate": 'Basic realm="yarn"'})
