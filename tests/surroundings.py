"""What surrounds a core or a scheduler in tests: files, groups, tokens, pages, nodes that only report.

Shared by the rigs of the whole ResourceManager (tests/rig.py) and of one scheduler by itself
(tests/rm/scheduler/capacity/rig.py, tests/rm/scheduler/fair/rig.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from yarnbox.rm.container import RMContainer
from yarnbox.rm.context import RMContext
from yarnbox.rm.events.app import AppEvent, AppManagerEvent, AttemptEvent
from yarnbox.rm.events.node import MonitorEvent, NodeEvent, NodesListEvent
from yarnbox.rm.node import RMNode
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event


class Files:
    """The configuration directory: the properties of every configuration file, and texts by path."""

    def __init__(
        self,
        properties: Mapping[str, str],
        texts: Mapping[str, str] | None = None,
        base: Configuration | None = None,
        source: str = "given",
    ) -> None:
        self.properties = dict(properties)
        self._base = base or Configuration()
        self._source = source
        self.texts = dict(texts or {})
        self.written_ms: dict[str, int] = {}
        """When a text was written, by path; 0 where that is not told."""

    def load(self, *file_names: str) -> Configuration:
        """The properties, whatever the file."""
        return self._base.overlaid(self.properties, self._source)

    def modified_ms(self, file_name: str) -> int | None:
        return self.written_ms.get(file_name, 0) if file_name in self.texts else None

    def read_text(self, file_name: str) -> str | None:
        return self.texts.get(file_name)


class Groups:
    """Groups by user, the primary one first."""

    def __init__(
        self,
        groups: Mapping[str, Sequence[str]] | None = None,
        default: Callable[[str], tuple[str, ...]] = lambda user: (),
    ) -> None:
        self.groups = {user: tuple(names) for user, names in (groups or {}).items()}
        self._default = default

    def groups_of(self, user: str) -> tuple[str, ...]:
        found = self.groups.get(user)
        return self._default(user) if found is None else found


class Tokens:
    """Notes what is asked for, and makes nothing but NM tokens that say for whom they are."""

    def __init__(self) -> None:
        self.live: dict[ApplicationAttemptId, None] = {}
        self.sent: dict[tuple[ApplicationAttemptId, NodeId], None] = {}
        self.gives_client_tokens = False
        self.client_keys: dict[ApplicationAttemptId, bytes] = {}
        self.client_keys_made = 0

    def container_token(self, container: RMContainer, user: str, now_ms: int) -> Token | None:
        """None is needed."""
        return None

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        """Once for each attempt and node."""
        if (attempt_id, node_id) in self.sent:
            return None
        self.sent[attempt_id, node_id] = None
        return Token(identifier=str(attempt_id).encode(), password=b"", kind="NMToken", service=str(node_id))

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """It holds none."""
        for key in [key for key in self.sent if key[0] == attempt_id]:
            del self.sent[key]

    def forget_node(self, node_id: NodeId) -> None:
        """Nobody holds one for it."""
        for key in [key for key in self.sent if key[1] == node_id]:
            del self.sent[key]

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """Its tokens are good."""
        self.live[attempt_id] = None

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """Its tokens are worthless."""
        self.live.pop(attempt_id, None)
        self.client_keys.pop(attempt_id, None)

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        """One that says for whom it is."""
        return Token(
            identifier=str(attempt_id).encode(), password=b"", kind="YARN_AM_RM_TOKEN", service="rm:8050"
        )

    def new_client_key(self) -> bytes | None:
        """Another one each time, where clients get tokens."""
        if not self.gives_client_tokens:
            return None
        self.client_keys_made += 1
        return f"key {self.client_keys_made}".encode()

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """Clients may have tokens."""
        self.client_keys[attempt_id] = key

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """One that says for whom it is, and by which secret."""
        key = self.client_keys.get(attempt_id)
        if key is None:
            return None
        return Token(identifier=client.encode(), password=key, kind="YARN_CLIENT_TOKEN", service="")


class Pages:
    """Addresses of pages that nobody serves."""

    def application(self, application_id: ApplicationId) -> str:
        """The RM's."""
        return f"http://rm:8088/cluster/app/{application_id}"

    def proxy(self, application_id: ApplicationId) -> str:
        """The proxy's."""
        return f"http://rm:8088/proxy/{application_id}/"

    def node(self, address: str) -> str:
        """Where a node says that its pages are."""
        return address


def reporting_node(context: RMContext, node_id: NodeId, rack: str, capability: Resource) -> RMNode:
    """A node that has registered; the compiled core takes no other object for one."""
    node = RMNode(context, node_id, 0, capability)
    node.rack = rack
    return node


def report(node: RMNode, status: ContainerStatus) -> None:
    """The scheduler will hear of it with the next heartbeat, whatever the ResourceManager knows."""
    is_over = status.state is ContainerState.COMPLETE
    (node._new_completed if is_over else node._new_launched).append(status)


class NoTokens(Tokens):
    """Nobody needs tokens."""

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        return None

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        return None


class PostedEvents:
    """Receives the events that a scheduler posts for other parts, which do not exist here."""

    def __init__(self, context: RMContext) -> None:
        self._dispatcher = context.dispatcher
        self._events: list[Event] = []
        self.history: list[Event] = []
        """All that was taken since a test set `keeps_history`, in order."""
        self.keeps_history = False
        self.receive(AppEvent, AttemptEvent, AppManagerEvent, NodeEvent, NodesListEvent, MonitorEvent)

    def receive(self, *families: type[Event]) -> None:
        """Receives events of these families, too."""
        for family in families:
            self._dispatcher.register(family, self._events.append)

    def take(self) -> list[Event]:
        """All that was posted since the last time; it is forgotten."""
        self._dispatcher.drain()
        found = list(self._events)
        self._events.clear()
        if self.keeps_history:
            self.history.extend(found)
        return found
