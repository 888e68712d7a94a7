"""Who may view and change what: administrators, owners of applications, and the users in their ACLs.

Queues' own lists are the scheduler's. Without yarn.acl.enable every user may do everything. Hadoop:
ApplicationACLsManager, QueueACLsManager, AdminService's check and ProxyUsers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.admission.submission import may_submit
from yarnbox.yarn.enums import ApplicationAccessType, QueueACL
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.records.container import ApplicationACLMap
from yarnbox.yarn.security.acl import AccessControlList
from yarnbox.yarn.security.impersonation import ProxyUsers

if TYPE_CHECKING:
    from yarnbox.rm.app import RMApp
    from yarnbox.rm.context import RMContext


class Access:
    """The ACLs of one RM."""

    def __init__(self, context: RMContext) -> None:
        self._context = context
        self.is_enabled = context.settings.addresses.acl_enabled
        self.proxy_users = ProxyUsers(context.configuration)
        """Who may act in whose name; refreshed by refreshSuperUserGroupsConfiguration."""

    def why_not_as(self, real_user: str, user: str, host: str | None) -> str | None:
        """Why `real_user`, who calls from there, may not act as `user`; None if he may."""
        return self.proxy_users.refusal(real_user, user, self._context.groups.groups_of(user), host)

    def is_admin(self, user: str) -> bool:
        """Whether the user administers the cluster."""
        return self._context.is_admin(user)

    def check_admin(self, user: str, call: str) -> None:
        """AccessControlError unless the user administers the cluster."""
        if not self.is_admin(user):
            raise AccessControlError(f"User {user} doesn't have permission to call '{call}'")

    def may_view(self, user: str, app: RMApp) -> bool:
        """Whether the user may view the application."""
        return self._may(user, app, ApplicationAccessType.VIEW_APP)

    def may_modify(self, user: str, app: RMApp) -> bool:
        """Whether the user may kill, move or otherwise change the application."""
        return self._may(user, app, ApplicationAccessType.MODIFY_APP)

    def check_modify(self, user: str, app: RMApp) -> None:
        """AccessControlError unless the user may change the application."""
        if not self.may_modify(user, app):
            raise AccessControlError(
                f"User {user} cannot perform operation MODIFY_APP on {app.application_id}"
            )

    def may_move_to(self, user: str, queue: str) -> bool:
        """Whether the user may move an application to that queue: may submit there or administer it."""
        scheduler = self._context.scheduler
        is_there = not self.is_enabled or scheduler.views.queue_view(queue) is not None
        return is_there and may_submit(
            self._context.settings, lambda acl: scheduler.has_access(user, acl, queue)
        )

    def may_in_queue(self, user: str, kind: QueueACL, queue: str) -> bool:
        """Whether an ACL of the queue, or of one above it, allows the user; False when the queue does not
        exist.
        """
        scheduler = self._context.scheduler
        return scheduler.views.queue_view(queue) is not None and (
            not self.is_enabled or self.is_admin(user) or scheduler.has_access(user, kind, queue)
        )

    def _may(self, user: str, app: RMApp, kind: ApplicationAccessType) -> bool:
        if not self.is_enabled or user == app.user or self.is_admin(user):
            return True
        spec = app.submission.am_container_spec
        lists = spec.application_acls if spec is not None else ()
        if _list_of(lists, kind).allows(user, self._context.groups.groups_of(user)):
            return True
        return self._context.scheduler.has_access(user, QueueACL.ADMINISTER_QUEUE, app.queue)


def _list_of(lists: tuple[ApplicationACLMap, ...], kind: ApplicationAccessType) -> AccessControlList:
    text = next((one.acl for one in lists if one.access_type is kind), " ")
    return AccessControlList.parse(text)
