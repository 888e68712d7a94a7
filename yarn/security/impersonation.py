"""Who may act in whose name: hadoop.proxyuser.<superuser>.users, .groups and .hosts.

A superuser without such properties may act in nobody's name. Hosts are addresses, ranges of them (CIDR),
`localhost` or `*`; other names are not looked up. Hadoop: ProxyUsers, DefaultImpersonationProvider
and MachineList.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.security.acl import WILDCARD, AccessControlList

PREFIX = "hadoop.proxyuser."
_LOCALHOST = ("127.0.0.1", "::1")


class ProxyUsers:
    """The superusers of one configuration."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration

    def refusal(self, real_user: str, user: str, groups: Iterable[str], host: str | None) -> str | None:
        """Why `real_user`, calling from `host`, may not act as `user`, who is in `groups`; None if he may."""
        allowed = self._allowed(real_user)
        if allowed is None or not allowed.allows(user, groups):
            return f"User: {real_user} is not allowed to impersonate {user}"
        hosts = self._configuration.value(f"{PREFIX}{real_user}.hosts") or ""
        if not any(_includes(one.strip(), host) for one in hosts.split(",")):
            return f"Unauthorized connection for super-user: {real_user} from IP {host}"
        return None

    def _allowed(self, real_user: str) -> AccessControlList | None:
        users = self._configuration.value(f"{PREFIX}{real_user}.users")
        groups = self._configuration.value(f"{PREFIX}{real_user}.groups")
        if users is None and groups is None:
            return None
        return AccessControlList.parse(f"{''.join((users or '').split())} {groups or ''}")


def _includes(written: str, host: str | None) -> bool:
    if written == WILDCARD:
        return True
    if not written or host is None:
        return False
    if written == "localhost":
        return host in _LOCALHOST
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(written, strict=False)
    except ValueError:
        return False
