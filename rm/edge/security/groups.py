"""Groups of users: those that the configuration names, else the machine's.

Hadoop: Groups, ShellBasedUnixGroupsMapping and the static mapping overrides.
"""

from __future__ import annotations

import grp
import pwd

from yarnbox.yarn.configuration import Configuration

OVERRIDES_PROPERTY = "hadoop.user.group.static.mapping.overrides"
_DEFAULT_OVERRIDES = "dr.who=;"


class UserGroups:
    """A user's groups, the primary one first."""

    def __init__(self, configuration: Configuration) -> None:
        text = configuration.value(OVERRIDES_PROPERTY)
        self._overrides = parse_overrides(_DEFAULT_OVERRIDES if text is None else text)

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups of `user`; none when the machine does not know the user."""
        named = self._overrides.get(user)
        return _groups_of_machine(user) if named is None else named


def parse_overrides(text: str) -> dict[str, tuple[str, ...]]:
    """`ann=staff,admin;bob=` to groups by user."""
    groups: dict[str, tuple[str, ...]] = {}
    for entry in text.split(";"):
        user, _, names = entry.strip().partition("=")
        if user.strip():
            groups[user.strip()] = tuple(name.strip() for name in names.split(",") if name.strip())
    return groups


def _groups_of_machine(user: str) -> tuple[str, ...]:
    try:
        primary = grp.getgrgid(pwd.getpwnam(user).pw_gid).gr_name
    except (KeyError, ValueError):  # ValueError: a name that no machine could have, for a zero is in it
        return ()
    others = [entry.gr_name for entry in grp.getgrall() if user in entry.gr_mem]
    return tuple(dict.fromkeys([primary, *others]))
