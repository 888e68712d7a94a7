"""A handler's reach: the registers, the moment, the queues out. One per NodeManager.

Owns nothing but the references; each register belongs to the part that fills it. Answers for NMContext.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nm.effects import Forget, Keep
from yarn.dispatcher import Dispatcher, Event
from yarn.ids import ApplicationId, ContainerId, NodeId
from yarn.records.container import Container as ContainerRecord
from yarn.resource import Resource
from yarn.statemachine import InvalidEventError, Table
from yarn.story import Story
from yarn.timers import Timers
from yarn.tokens import ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM

if TYPE_CHECKING:
    from nm.application import Application
    from nm.container_state import Container
    from nm.effects import Effect
    from nm.settings import NMSettings

log = logging.getLogger("nm")


class NMContext:
    """What every part of the core may reach."""

    def __init__(
        self,
        node_id: NodeId,
        settings: NMSettings,
        total: Resource,
        *,
        is_strict: bool = False,
    ) -> None:
        self.node_id = node_id
        self.settings = settings
        self.total = total
        self.nm_tokens = NMTokenSecretManagerInNM()
        self.container_tokens = ContainerTokenSecretManagerInNM()
        self.nm_tokens.node_id = self.container_tokens.node_id = node_id
        self.rm_identifier: int | None = None
        """The start time of the RM; None while the node is not registered."""
        self.is_strict = is_strict
        """Whether an invalid event raises, as in tests, or is logged and dropped, as in Hadoop."""
        self.now_ms = 0
        self.applications: dict[ApplicationId, Application] = {}
        self.containers: dict[ContainerId, Container] = {}
        self.increased: dict[ContainerId, ContainerRecord] = {}
        """Containers whose growth the RM has not been told of."""
        self.auxiliary_services: Mapping[str, bytes] = {}
        """What each auxiliary service tells every AM."""
        self.is_decommissioned = False
        self.dispatcher = Dispatcher()
        self.timers: Timers[Event] = Timers()
        self.effects: list[Effect] = []
        self.story = Story()
        self.invalid_events = 0

    def post(self, event: Event) -> None:
        """Puts an event at the end of the queue."""
        self.dispatcher.post(event)

    def ask(self, effect: Effect) -> None:
        """Asks the world to act."""
        self.effects.append(effect)

    def keep(self, key: str, value: bytes | None) -> None:
        """Has bytes remembered over a restart, if restarts are to be survived."""
        if self.settings.recovery_enabled:
            self.effects.append(Keep(key, value))

    def forget(self, prefix: str) -> None:
        """Has everything below a key forgotten."""
        if self.settings.recovery_enabled:
            self.effects.append(Forget(prefix))

    def fire(self, table: Table[Any], entity: Any, event: Event) -> None:
        """Lets the event happen to the entity; an invalid one is logged and counted, and changes nothing."""
        try:
            table.fire(entity, event, self.now_ms, self.story)
        except InvalidEventError as invalid:
            if self.is_strict:
                raise
            self.invalid_events += 1
            log.error("Can't handle this event at current state: %s", invalid)
