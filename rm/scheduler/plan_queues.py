"""What a scheduler does for plan reservations: its plan queues, and the queues below them.

When they come and go, and what they are entitled to, is the business of rm.reservation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.acl import AccessControlList

DEFAULT_SUFFIX = "-default"
EVERYBODY = AccessControlList.parse("*")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSettings:
    """How a plan queue is configured. Percentages are from 0 to 100."""

    path: str
    agent: str = ""
    policy: str = ""
    planner: str = ""
    """Classes of Hadoop's; the empty string is the default."""
    window_ms: int = 86_400_000
    enforcement_window_ms: int = 3_600_000
    instantaneous_percent: float = 100.0
    average_percent: float = 100.0
    moves_on_expiry: bool = True
    submitters: AccessControlList = EVERYBODY
    administrators: AccessControlList = EVERYBODY
    listers: AccessControlList = EVERYBODY

    @property
    def is_aligned(self) -> bool:
        """Whether requests are spread over their windows rather than packed at its beginning."""
        return not self.agent.endswith("GreedyReservationAgent")

    @property
    def has_quotas(self) -> bool:
        """Whether users have shares of the plan."""
        return not self.policy.endswith("NoOverCommitPolicy")

    @property
    def memory_ms(self) -> int:
        """How long the plan remembers reservations that are over."""
        return self.window_ms if self.has_quotas else 0

    @property
    def default_queue(self) -> str:
        """The child for applications without a reservation."""
        return f"{self.path}.{self.path.rpartition('.')[2]}{DEFAULT_SUFFIX}"


class PlanQueues(Protocol):
    """What a scheduler does for plans."""

    @property
    def calculator(self) -> Calculator:
        """How it compares resources."""
        ...

    def plans(self) -> list[PlanSettings]:
        """The plan queues."""
        ...

    def path_of_plan(self, queue: str) -> str | None:
        """The path of the plan queue of that path or short name; None when it is none."""
        ...

    def capacity_of(self, plan: str) -> Resource:
        """What the plan queue is entitled to now."""
        ...

    def reservation_queues(self, plan: str) -> list[str]:
        """Paths of its children, the default one included."""
        ...

    def amount_of(self, queue: str) -> Resource:
        """What a child is entitled to now; nothing where there is none."""
        ...

    def set_entitlements(self, plan: str, shares: Mapping[str, float]) -> None:
        """Gives children their shares of the plan, from 0 to 1, in the order of the mapping; those that are
        missing are made. The default queue, which is among them, gives up all of its share first.
        """
        ...

    def applications_in(self, queue: str) -> list[ApplicationId]:
        """The applications of a child."""
        ...

    def remove_queue(self, queue: str) -> None:
        """Takes an empty child away."""
        ...

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application; the path of its queue. YarnError when it may not go there."""
        ...


@runtime_checkable
class HasPlanQueues(Protocol):
    """A scheduler with plan queues."""

    plan_queues: PlanQueues
