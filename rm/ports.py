"""What is handed to the core because it must not find it by itself, and what every part sees of a turn.

Time, chance, tokens, configuration files and the groups of users come from outside. A part asks for the
narrowest context that it needs: `RMTurn` here, or one that it declares itself from `RMTurn` and the registers
that it reads. `RMContext`, which comes after all of them, is every one of these.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Protocol

from yarnbox.rm.effects import Effect
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.java_order import allocation_hash, attempt_hash, node_hash
from yarnbox.yarn.runtime.liveliness import LivelinessMonitor
from yarnbox.yarn.runtime.turn import Turn
from yarnbox.yarn.storage.sealed_store import SetAside
from yarnbox.yarn.wire import Wire


class ConfigurationProvider(Protocol):
    """Loads configuration files, for the refresh commands."""

    def load(self, *file_names: str) -> Configuration:
        """The present content of these files of the configuration directory, later above earlier ones."""
        ...

    def read_text(self, file_name: str) -> str | None:
        """The text of one file, by path or by name within the configuration directory; None when there is
        none.
        """
        ...

    def modified_ms(self, file_name: str) -> int | None:
        """When that file was written last; None when there is none."""
        ...


class GroupMapping(Protocol):
    """Which groups a user is in; the first one is the primary group."""

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups of `user`; empty when unknown."""
        ...


class KeptState(Protocol):
    """The state store, for views."""

    name: str
    """Hadoop's class of such a store."""
    path: Path
    cluster: str
    faults: tuple[str, ...]
    """What was wrong with it when it was opened."""

    @property
    def connection(self) -> str | None:
        """The state of the connection to ZooKeeper, if the store is there."""

    def all_set_aside(self) -> Sequence[SetAside]:
        """The unreadable entries, oldest first."""
        ...


class AttemptTokens(Protocol):
    """Issues the tokens of attempts. In virtual time none are checked and none are issued."""

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        """An NM token for the attempt and node; None when the attempt has one already."""
        ...

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt needs new NM tokens."""
        ...

    def forget_node(self, node_id: NodeId) -> None:
        """The node registered again: every attempt needs a new NM token for it."""
        ...

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt begins: tokens of it are good from now on."""
        ...

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended: its tokens are revoked."""
        ...

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        """The AMRM token of the attempt."""
        ...

    def new_client_key(self) -> bytes | None:
        """A secret for the tokens of an attempt's clients; None where clients get none."""
        ...

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """The attempt's secret is in the state store: clients may have tokens from now on."""
        ...

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """The client's token for the attempt's AM; None when there is no secret to sign it with."""
        ...


class Chance(Protocol):
    """Chance, from a seed: what the core uses of random.Random."""

    def random(self) -> float:
        """A number from 0 to 1, 1 excluded."""
        ...

    def randrange(self, stop: int, /) -> int:
        """An integer from 0 to `stop`, `stop` excluded."""
        ...


class Pages(Protocol):
    """The addresses of the web pages."""

    def application(self, application_id: ApplicationId) -> str:
        """The RM's page of an application."""
        ...

    def proxy(self, application_id: ApplicationId) -> str:
        """The address under which the RM passes an application's own page on."""
        ...

    def node(self, address: str) -> str:
        """Where the pages of a node are that says to serve them at `address`."""
        ...


class AMSession:
    """The RM's session with one attempt's AM."""

    __slots__ = ("answer", "response_id")

    def __init__(self) -> None:
        self.response_id = -1
        """The id of the last answer; -1 until the AM has registered."""
        self.answer: AllocateResponse | None = None
        """The last answer, kept in case the AM did not get it."""


class Monitors:
    """The liveliness monitors: the last heartbeat of each node and AM. rm.monitoring decides when
    they check.
    """

    __slots__ = ("am", "am_finishing", "container", "increase", "lifetime", "node")

    def __init__(self, settings: RMSettings) -> None:
        self.node: LivelinessMonitor[NodeId] = LivelinessMonitor(settings.node_expiry_ms, hash_of=node_hash)
        self.am: LivelinessMonitor[ApplicationAttemptId] = LivelinessMonitor(
            settings.am_expiry_ms, hash_of=attempt_hash
        )
        self.am_finishing: LivelinessMonitor[ApplicationAttemptId] = LivelinessMonitor(
            settings.am_expiry_ms, hash_of=attempt_hash
        )
        """AMs that have unregistered and are to exit."""
        self.lifetime: LivelinessMonitor[ApplicationId] = LivelinessMonitor(
            0, settings.lifetime_check_interval_ms
        )
        """Applications with a lifetime, registered with the moment at which it ends."""
        self.container: LivelinessMonitor[ContainerId] = LivelinessMonitor(
            settings.container_allocation_expiry_ms, hash_of=allocation_hash
        )
        """Containers that their AM took and that no node has reported yet."""
        self.increase: LivelinessMonitor[ContainerId] = LivelinessMonitor(
            settings.container_allocation_expiry_ms, hash_of=allocation_hash
        )
        """Containers whose AM took a larger size that their node has not confirmed yet."""


class RMTurn(Turn, Protocol):
    """A turn of the ResourceManager."""

    @property
    def settings(self) -> RMSettings: ...

    @property
    def monitors(self) -> Monitors: ...

    @property
    def wire(self) -> Wire:
        """How records become messages, in the units of the cluster's resource types."""
        ...

    def order(self, effect: Effect) -> None:
        """Orders an effect; it is carried out after this turn."""
        ...

    def store(self, key: tuple[str, ...], value: Callable[[], object], acknowledgement: Event | None) -> None:
        """Writes an entry of the state store; without recovery there is none, and all is well at once."""
        ...

    def timer_at(self, due_ms: int, key: Hashable, event: Event) -> None:
        """Lets `event` happen at `due_ms`, in place of what was set under `key` before."""
        ...

    def tell(self, kind: str, subject: object, event: str, because: str = "", after: str = "") -> None:
        """A line of the story about a decision; callers on a hot path ask `story.listeners` first."""
        ...

    def log(self, level: str, name: str, **keys: object) -> None:
        """A line for the operator: a name and keys, not a sentence."""
        ...
