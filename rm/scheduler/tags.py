"""What the tags of an application tell of the user in whose place it is submitted.

Answers for RMAppManager.getUserNameForPlacement.
"""

from __future__ import annotations

from collections.abc import Iterable

from rm.settings import RMSettings

TAG_OF_USER = "userid="


def placement_user(settings: RMSettings, tags: Iterable[str], user: str) -> str | None:
    """The user by whom a white-listed one wants to be placed; None when placement goes by `user`."""
    if not settings.placement_by_tag_enabled or user not in settings.placement_by_tag_users:
        return None
    for tag in tags:
        name = tag.removeprefix(TAG_OF_USER)
        if name and name != tag and "=" not in name:
            return name
    return None
