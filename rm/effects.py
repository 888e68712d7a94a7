"""Everything that the core may order from its driver.

An effect is an order; whoever drives the core carries it out and answers with the call that is named here, as
one more turn. Effects are taken in the order in which they were given.
"""

from __future__ import annotations

from typing import Any, TypeVar, dataclass_transform

from yarnbox.yarn.frozen import frozen
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext

T = TypeVar("T")

LOGGER = "rm"
"""Who says what the ResourceManager says, but for loggers of their own."""


class Effect:
    """An order to the world."""

    __slots__ = ()


@dataclass_transform(frozen_default=True, kw_only_default=True)
def effect(cls: type[T]) -> type[T]:
    """Makes `cls` an effect: frozen, slotted, keyword arguments only."""
    return frozen(cls)


@effect
class LaunchContainer(Effect):
    """Start an AM: startContainers on its node, with the attempt's AMRM token among the credentials.

    Answered by `core.am_launched(attempt_id)` or `core.am_launch_failed(attempt_id, diagnostics)`.
    """

    attempt_id: ApplicationAttemptId
    node_id: NodeId
    container: Container
    launch_context: ContainerLaunchContext
    user: str
    submit_time_ms: int


@effect
class StopContainer(Effect):
    """Stop an AM: stopContainers on its node. Not answered: the node's next heartbeat tells."""

    attempt_id: ApplicationAttemptId
    node_id: NodeId
    container_id: ContainerId


SCHEDULER_JOURNAL = "scheduler-conf"
"""The journal of a scheduler's configuration that is changed by API: its last record counts."""


@effect
class AppendRecord(Effect):
    """Append one record to a journal durably, before the turn's answer is given. Not answered.

    `journal` names it (`nodelabel`, `nodeattribute`), `record` is plain data that JSON can hold. At the next
    start the records come back in their order (`core.start`).
    """

    journal: str
    record: Any


@effect
class StoreState(Effect):
    """Write one entry of the state store durably. `value` None removes it.

    `key` is the entry's place (`("app", application id)`, `("attempt", attempt id)` and the like), `value`
    plain data that JSON can hold. Answered by `core.stored(acknowledgement)` when `acknowledgement`, an
    event, is given.
    """

    key: tuple[str, ...]
    value: Any
    acknowledgement: Any = None


@effect
class SetEntryAside(Effect):
    """Set an unreadable entry of the state store aside, and keep it. Not answered."""

    key: tuple[str, ...]
    why: str


@effect
class WriteLog(Effect):
    """Log a line for the operator: a name and keys, not a sentence, by the logger of that name."""

    level: str
    name: str
    keys: tuple[tuple[str, str], ...]
    logger: str = LOGGER


@effect
class ApplicationForgotten(Effect):
    """The RM has forgotten the application: whatever is stored for it may be dropped."""

    application_id: ApplicationId
