"""A turn of the NodeManager as its applications and containers see it."""

from __future__ import annotations

from typing import Protocol

from yarnbox.nm.effects import Effect
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.runtime.turn import Turn
from yarnbox.yarn.security.tokens import ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM
from yarnbox.yarn.wire import Wire


class NMTurn(Turn, Protocol):
    """The turn, the node's settings and keys, and what is kept over a restart."""

    @property
    def node_id(self) -> NodeId: ...

    @property
    def settings(self) -> NMSettings: ...

    @property
    def wire(self) -> Wire: ...

    @property
    def nm_tokens(self) -> NMTokenSecretManagerInNM: ...

    @property
    def container_tokens(self) -> ContainerTokenSecretManagerInNM: ...

    def order(self, effect: Effect) -> None:
        """Asks something of the world; it is carried out after this turn."""
        ...

    def store(self, key: str, value: bytes | None) -> None:
        """Has bytes remembered over a restart, if restarts are to be survived."""
        ...

    def forget(self, prefix: str) -> None:
        """Has everything below a key forgotten."""
        ...
