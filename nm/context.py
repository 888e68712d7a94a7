"""A handler's reach: the registers, the turn, what is kept over a restart. One per NodeManager.

Owns nothing but the references; each register belongs to the part that fills it. Hadoop: NMContext.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.nm.application import Application
from yarnbox.nm.containers.container_state import Container
from yarnbox.nm.effects import Effect, Forget, StoreEntry, WriteLog
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container as ContainerRecord
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.statemachine import InvalidEventError
from yarnbox.yarn.runtime.turns import TurnContext
from yarnbox.yarn.security.tokens import ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM
from yarnbox.yarn.wire import PLAIN, Wire


class NMContext(TurnContext[Effect]):
    """What every part of the core may reach."""

    def __init__(
        self,
        node_id: NodeId,
        settings: NMSettings,
        total: Resource,
        wire: Wire = PLAIN,
        *,
        is_strict: bool = False,
    ) -> None:
        super().__init__(is_strict=is_strict)
        self.node_id = node_id
        self.settings = settings
        self.total = total
        self.wire = wire
        self.nm_tokens = NMTokenSecretManagerInNM()
        self.container_tokens = ContainerTokenSecretManagerInNM(wire)
        self.nm_tokens.node_id = self.container_tokens.node_id = node_id
        self.rm_identifier: int | None = None
        """The start time of the RM; None while the node is not registered."""
        self.applications: dict[ApplicationId, Application] = {}
        self.containers: dict[ContainerId, Container] = {}
        self.increased: dict[ContainerId, ContainerRecord] = {}
        """Containers whose growth the RM has not been told of."""
        self.auxiliary_services: Mapping[str, bytes] = {}
        """What each auxiliary service tells every AM."""
        self.is_decommissioned = False
        self.owner: str | None = None
        """The user of the process, always an administrator; in virtual time there is none."""

    def is_admin(self, user: str) -> bool:
        """Whether nothing is kept from the user: there are no ACLs, or he administers the cluster."""
        settings = self.settings
        return not settings.acl_enabled or user == self.owner or settings.admin_acl.allows(user, ())

    def store(self, key: str, value: bytes | None) -> None:
        """Stores bytes for a restart, if recovery is enabled."""
        if self.settings.recovery_enabled:
            self.order(StoreEntry(key, value))

    def forget(self, prefix: str) -> None:
        """Deletes everything stored below a key."""
        if self.settings.recovery_enabled:
            self.order(Forget(prefix))

    def log(self, level: str, text: str, logger: str = "nm") -> None:
        """Writes a line to the log."""
        self.order(WriteLog(level, text, logger))

    def report_invalid(self, entity: object, error: InvalidEventError) -> None:
        """Logs the event in Hadoop's words; the node goes on."""
        self.log("error", f"Can't handle this event at current state: {error}")
