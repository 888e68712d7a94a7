"""AccessControlList: which users and groups may do something.

Owns the text form `user1,user2 group1,group2`, `*` for everybody and a blank for nobody, and the decision.
Does not know who is in which group: the caller brings the groups of a user. Hadoop: AccessControlList.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

WILDCARD = "*"
REAL_USER_PREFIX = "~"
"""Before a user in the list: requests that this user makes in another's name are allowed, too."""
HOST_PREFIX = "host:"
"""With it begins the name of a caller that is a host, not a user: the common name of a host's certificate."""


@dataclass(frozen=True, slots=True)
class AccessControlList:
    """Users and groups in the order in which they were written; `everybody` makes both irrelevant."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    everybody: bool = False

    @classmethod
    def parse(cls, text: str) -> AccessControlList:
        """Users before the first blank, groups after it; any text at all has a meaning."""
        users, _, groups = text.partition(" ")
        if WILDCARD in (users.strip(), groups.strip()):
            return EVERYBODY
        return cls(_names(users), _names(groups))

    def __str__(self) -> str:
        return WILDCARD if self.everybody else f"{','.join(self.users)} {','.join(self.groups)}"

    def allows(self, user: str, groups: Iterable[str] = (), real_user: str | None = None) -> bool:
        """Whether `user`, a member of `groups`, is in it; `real_user` is who acts in the user's name."""
        if self.everybody or user in self.users:
            return True
        if self.groups and any(group in self.groups for group in groups):
            return True
        return real_user is not None and REAL_USER_PREFIX + real_user in self.users

    @property
    def description(self) -> str:
        """One line for people."""
        if self.everybody:
            return "All users are allowed"
        users = f"Users {', '.join(self.users)}" if self.users else ""
        groups = f"members of the groups {', '.join(self.groups)}" if self.groups else ""
        if not users and not groups:
            return "No users are allowed"
        text = " and ".join(part for part in (users, groups) if part)
        return f"{text[0].upper()}{text[1:]} are allowed"


EVERYBODY = AccessControlList(everybody=True)
NOBODY = AccessControlList()


def _names(text: str) -> tuple[str, ...]:
    names = (name.strip() for name in text.replace("\n", ",").split(","))
    return tuple(dict.fromkeys(name for name in names if name))
