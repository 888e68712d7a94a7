"""What a scheduler shows of its queues and applications, and why these wait. Nothing is decided here.

Clients, pages, metrics, scenarios and recordings ask it between turns, through `Scheduler.views`; what they
get are the values of views.py. Hadoop: the getters of YarnScheduler, and what SchedulerInfo and its
descendants are made from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from yarnbox.rm.container import RMContainer
from yarnbox.rm.scheduler.activities import ActivityRecords
from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, Calculator
from yarnbox.rm.scheduler.checks import Reason, RequestChecks
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.views import (
    AllocationFile,
    ApplicationView,
    BookedApplicationView,
    FairQueueView,
    QueueView,
    guarantee_of,
    is_within,
)
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarnbox.yarn.resources.resource import Resource

if TYPE_CHECKING:
    from yarnbox.rm.scheduler.capacity.queue_view import CapacityQueueView
    from yarnbox.yarn.rate import Rate

A = TypeVar("A", bound=Attempt)


@mypyc_attr(allow_interpreted_subclasses=True)
class SchedulerViews(ABC, Generic[A]):
    """What all schedulers show; each adds what its queues have. `A` is its class of attempts."""

    root_queue: ClassVar[str] = "root"
    """The path of the queue that holds all others."""
    has_capacities: ClassVar[bool] = False
    """Whether queues are guaranteed capacities, and AMs limited by them; else views leave these at None."""

    def __init__(self, register: Register[A], tracker: NodeTracker) -> None:
        self.register = register
        self.tracker = tracker

    # Queues

    @abstractmethod
    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """The record of a queue for clients. YarnError when there is none of that name."""

    @abstractmethod
    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """What the user may do, queue by queue."""

    @abstractmethod
    def queue_view(self, path: str) -> QueueView | None:
        """The view of the queue of that path; None when there is none."""

    def fair_queue_view(self, path: str) -> FairQueueView | None:
        """The same of a queue of the FairScheduler; None under the others."""
        return None

    def capacity_queue_view(self, path: str) -> CapacityQueueView | None:
        """A queue of the CapacityScheduler and all below it; None under the others."""
        return None

    def is_within(self, queue: str, path: str) -> bool:
        """Whether an application's queue is the one of that path or below it."""
        return path == self.root_queue or is_within(queue, path)

    @property
    def shows_user_metrics(self) -> bool:
        """Whether the users of its queues have metrics of their own."""
        return False

    @property
    def sharing_calculator(self) -> Calculator:
        """The calculator by which it compares queues' use when it divides the cluster."""
        return DEFAULT_CALCULATOR

    def max_apps_of_user(self, user: str) -> int | None:
        """How many applications of that user may run; None where no user is limited by name."""
        return None

    # Applications and containers

    @property
    def application_books(self) -> Mapping[ApplicationId, BookedApplicationView]:
        """Its applications, for pages and recordings."""
        return self.register.applications

    def application_view(self, attempt: A) -> ApplicationView:
        """The scheduler's own figures of an application, beside its books."""
        return ApplicationView()

    def queue_usage(self, attempt: A, used: Resource) -> float:
        """What an attempt uses as a fraction of its queue's guarantee; 0 where the queue has none."""
        view, total = self.queue_view(str(attempt.queue)), self.tracker.total
        return DEFAULT_CALCULATOR.divide(total, used, guarantee_of(view, total))

    def containers_of(self, application_id: ApplicationId) -> list[RMContainer]:
        """The live and reserved containers of all its attempts: a new attempt may have taken over those of an
        earlier one.
        """
        application = self.register.applications.get(application_id)
        attempt = application.attempt if application is not None else None
        return [] if attempt is None else [*attempt.live.values(), *attempt.reserved_containers()]

    def containers_on(self, node_id: NodeId) -> list[RMContainer]:
        """The live containers of a node, and its reserved one."""
        node = self.tracker.nodes.get(node_id)
        if node is None:
            return []
        reserved = node.reserved_container
        return [*node.containers.values(), *([reserved] if reserved is not None else [])]

    def containers_in(self, path: str) -> list[RMContainer]:
        """The containers of all applications in that queue and below it, oldest first."""
        found = [
            container
            for application_id, application in self.register.applications.items()
            if self.is_within(str(application.queue), path)
            for container in self.containers_of(application_id)
        ]
        return sorted(found, key=lambda one: one.creation_ms)

    # Why an application waits

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """Why the attempt's AM has not started, as far as the scheduler knows."""
        return ""

    def request_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """The checks of each pending request of an application, in the allocator's order; those that fail are
        why it waits. Empty when it has no requests.
        """
        return []

    def foremost_reason(self, application_id: ApplicationId) -> Reason | None:
        """The reason of the first of these checks; of many on nodes, that of the most nodes."""
        found = (one.foremost for one in self.request_checks(application_id))
        return next((one.reason for one in found if one is not None), None)

    def all_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """The same, with an entry for an application without requests where the scheduler makes one."""
        return self.request_checks(application_id)

    # The scheduler itself

    @property
    def activity_records(self) -> ActivityRecords | None:
        """The records of its allocation passes; None when the scheduler does not record them."""
        return None

    def own_file(self) -> Configuration | AllocationFile | None:
        """What it read last beside the RM's own properties, the same object until it reads again."""
        return None

    def operation_durations(self) -> Mapping[str, Rate] | None:
        """How long its own operations take, by FSOpDurations' names; only the FairScheduler measures them."""
        return None
