"""Everything that the core may order from its driver.

An effect is an order; whoever drives the core carries it out and answers with the call that is named here, as
one more turn. Effects are taken in the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.yarn.frozen import Frozen
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.runtime.event import Event

LOGGER = "rm"
"""Who says what the ResourceManager says, but for loggers of their own."""


class Effect(Frozen, frozen=True, kw_only=True):
    """An order to the world."""


class LaunchContainer(Effect, frozen=True, kw_only=True):
    """Start an AM: startContainers on its node, with the attempt's AMRM token among the credentials.

    Answered by `core.am_launched(attempt_id)` or `core.am_launch_failed(attempt_id, diagnostics)`.
    """

    attempt_id: ApplicationAttemptId
    node_id: NodeId
    container: Container
    launch_context: ContainerLaunchContext
    user: str
    submit_time_ms: int


class StopContainer(Effect, frozen=True, kw_only=True):
    """Stop an AM: stopContainers on its node. Not answered: the node's next heartbeat tells."""

    attempt_id: ApplicationAttemptId
    node_id: NodeId
    container_id: ContainerId


SCHEDULER_JOURNAL = "scheduler-conf"
"""The journal of a scheduler's configuration that is changed by API: its last record counts."""


class AppendRecord(Effect, frozen=True, kw_only=True):
    """Append one record to a journal durably, before the turn's answer is given. Not answered.

    `journal` names it (`nodelabel`, `nodeattribute`), `record` is plain data that JSON can hold. At the next
    start the records come back in their order (`core.start`).
    """

    journal: str
    record: Mapping[str, object]


class StoreState(Effect, frozen=True, kw_only=True):
    """Write one entry of the state store durably. `value` None removes it.

    `key` is the entry's place (`("app", application id)`, `("attempt", attempt id)` and the like), `value`
    plain data that JSON can hold. Answered by `core.stored(acknowledgement)` when `acknowledgement`, an
    event, is given.
    """

    key: tuple[str, ...]
    value: object
    acknowledgement: Event | None = None


class SetEntryAside(Effect, frozen=True, kw_only=True):
    """Set an unreadable entry of the state store aside, and keep it. Not answered."""

    key: tuple[str, ...]
    why: str


class WriteLog(Effect, frozen=True, kw_only=True):
    """Log a line for the operator: a name and keys, not a sentence, by the logger of that name."""

    level: str
    name: str
    keys: tuple[tuple[str, str], ...]
    logger: str = LOGGER


class ApplicationForgotten(Effect, frozen=True, kw_only=True):
    """The RM has forgotten the application: whatever is stored for it may be dropped."""

    application_id: ApplicationId
