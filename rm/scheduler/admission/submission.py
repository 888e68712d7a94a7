"""What all schedulers decide alike about a submission: for which user it is placed, and who may submit.

Hadoop: RMAppManager.getUserNameForPlacement and checkUserPermissionForPlacement, YarnScheduler.checkAccess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.enums import QueueACL

TAG_OF_USER = "userid="


def place_by_tags(
    settings: RMSettings,
    tags: Iterable[str],
    user: str,
    place: Callable[[str], str | None],
    may_submit_to: Callable[[str], bool],
) -> str | None:
    """The queue that the rules give the user whom a tag names, if the submitting user may submit to it, else
    the one that they give the submitting user; None where they give none. `place` applies the rules for a
    user, `may_submit_to` tells of a queue whether the submitting user may submit to it.
    """
    tagged = _placement_user(settings, tags, user)
    if tagged is not None:
        found = place(tagged)
        if found is not None and may_submit_to(found):
            return found
    return place(user)


def _placement_user(settings: RMSettings, tags: Iterable[str], user: str) -> str | None:
    """The user by whom a white-listed one wants to be placed; None when placement goes by `user`."""
    if not settings.placement_by_tag_enabled or user not in settings.placement_by_tag_users:
        return None
    for tag in tags:
        name = tag.removeprefix(TAG_OF_USER)
        if name and name != tag and "=" not in name:
            return name
    return None


def may_submit(settings: RMSettings, allows: Callable[[QueueACL], bool]) -> bool:
    """Whether a user may submit to a queue whose lists, or whose ancestors', are asked by `allows`: who may
    submit or administer there may; everybody may without ACLs.
    """
    return not settings.addresses.acl_enabled or any(allows(acl) for acl in QueueACL)
