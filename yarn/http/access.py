"""Which HTTP requests a daemon answers, by their Host and Origin headers.

A web site may resolve a name of its own to 127.0.0.1 (DNS rebinding). Its pages then reach the daemons on the
machine of the person who opens them, and the browser takes site and daemon for one origin. The Host header
shows it, because it has the site's name. Where a page names the daemon by its address, the Origin header
shows where the page is from. Hadoop checks neither.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from fnmatch import translate

from yarnbox.yarn.settings import setting, settings

REGEX = "regex:"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HOSTS = "yarnbox.http.allowed-hosts"
_ORIGINS = "yarnbox.http.allowed-origins"
_HOST_FORM = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/@\[\]]+))(?::[0-9]{0,5})?")


def is_pattern(text: str) -> bool:
    """Whether a list of hosts or origins may have this entry."""
    if not text.startswith(REGEX):
        return True
    try:
        re.compile(text.removeprefix(REGEX))
    except re.error:
        return False
    return True


def compile_pattern(text: str) -> re.Pattern[str]:
    """`*` stands for anything; `regex:` begins a regular expression."""
    return re.compile(text.removeprefix(REGEX) if text.startswith(REGEX) else translate(text), re.IGNORECASE)


def _unsound(entries: tuple[str, ...]) -> str | None:
    return None if all(map(is_pattern, entries)) else "regular expressions after regex:"


@settings
class HttpAccessSettings:
    """Whose requests a daemon answers over HTTP, besides those that are always answered."""

    hosts: tuple[str, ...] = setting(
        _HOSTS,
        (),
        "Further names by which the daemons' HTTP ports are called: with `*` for anything, or `regex:` and a "
        "regular expression",
        check=_unsound,
    )
    origins: tuple[str, ...] = setting(
        _ORIGINS,
        (),
        "Further origins whose pages may send requests to the daemons' HTTP ports: with `*` for anything, or "
        "`regex:` and a regular expression",
        check=_unsound,
    )


class HttpAccess:
    """The rules of one port.

    Always answered are requests to an address, for no site can make another's address its own; to
    `localhost`; to the machine's name; to one of `names`, by which the daemon is configured or announced; and
    those without a Host header, which browsers always send. Pages that the port itself has served may ask.
    """

    def __init__(
        self,
        settings: HttpAccessSettings,
        names: Iterable[str] = (),
        origins: Iterable[str] = (),
        *,
        leaves_reading: bool = False,
    ) -> None:
        """`origins` are listed by another property; with `leaves_reading` every origin may send safe
        requests, and another filter says what its scripts may read.
        """
        known = (socket.gethostname(), *names)
        self._names = frozenset(_normal(name) for name in known if name)
        self._hosts = [compile_pattern(host) for host in settings.hosts]
        self._origins = [compile_pattern(origin) for origin in (*settings.origins, *origins)]
        self._leaves_reading = leaves_reading

    def refusal(self, method: str, host: str | None, origin: str | None) -> str | None:
        """Why a request with these headers is refused, in one line; None if it is not."""
        if host is not None and not self._is_known(host):
            return f"{_shown(host)} is not a name of this host; {_HOSTS} lists the allowed names"
        if not origin or (self._leaves_reading and method in SAFE_METHODS):
            return None
        for one in origin.split():
            if not self._may_send(one, host):
                return (
                    f"requests from pages of {_shown(one)} are refused; {_ORIGINS} lists the allowed origins"
                )
        return None

    def _is_known(self, header: str) -> bool:
        form = _HOST_FORM.fullmatch(header.strip())
        if form is None:
            return False
        name = _normal(form.group(1) or form.group(2))
        if _is_address(name) or name == "localhost" or name.endswith(".localhost") or name in self._names:
            return True
        return any(pattern.fullmatch(name) for pattern in self._hosts)

    def _may_send(self, origin: str, host: str | None) -> bool:
        _, is_whole, place = origin.partition("://")
        if is_whole and host is not None and place.lower() == host.strip().lower():
            return True
        return any(pattern.fullmatch(origin) for pattern in self._origins)


def _normal(name: str) -> str:
    return name.strip().lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    """What a stranger sent, as one printable line."""
    printable = "".join(letter if letter.isascii() and letter.isprintable() else "?" for letter in text)
    return printable if len(printable) <= 100 else printable[:100] + "..."
