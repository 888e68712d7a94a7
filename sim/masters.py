"""Honest ApplicationMasters without processes: they keep the response id and remember what they were told.

A SimMaster speaks by the records of ApplicationMasterProtocol. What it asks for is its driver's business.
"""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse, UpdateContainerRequest
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest, SchedulingRequest

ANY = "*"


class SimMaster:
    """The AM of an application: of its current attempt."""

    def __init__(self, application_id: ApplicationId, *, is_managed: bool) -> None:
        self.application_id = application_id
        self.is_managed = is_managed
        self.attempt_id: ApplicationAttemptId | None = None
        """The attempt as which it registered; None while there is none."""
        self.response_id = 0
        self.answer: AllocateResponse | None = None
        """What its last allocate call was told."""
        self.containers: dict[ContainerId, Container] = {}
        """What it was given and has not been told the end of."""
        self.wanted: dict[int, int] = {}
        """How many containers it still waits for, by request priority, as it remembers its own asks."""

    def registered(self, attempt_id: ApplicationAttemptId) -> None:
        """It is this attempt's AM now, and begins anew."""
        self.attempt_id = attempt_id
        self.response_id = 0
        self.answer = None
        self.wanted.clear()

    def registered_again(self) -> None:
        """It has registered with a ResourceManager that was started anew."""
        self.response_id = 0

    def allocate(
        self,
        call: Callable[[AllocateRequest], AllocateResponse],
        ask: tuple[ResourceRequest, ...] = (),
        release: tuple[ContainerId, ...] = (),
        blacklist: ResourceBlacklistRequest | None = None,
        updates: tuple[UpdateContainerRequest, ...] = (),
        scheduling: tuple[SchedulingRequest, ...] = (),
        progress: float = 0.0,
    ) -> tuple[Container, ...]:
        """One allocate call; the containers that it was given by it."""
        answer = call(
            AllocateRequest(
                ask=ask,
                release=release,
                blacklist_request=blacklist,
                response_id=self.response_id,
                progress=progress,
                update_requests=updates,
                scheduling_requests=scheduling,
            )
        )
        if answer.response_id is not None:
            self.response_id = answer.response_id
        self.answer = answer
        self._record_wanted(ask, answer.allocated_containers)
        for container in answer.allocated_containers:
            self.containers[container.id] = container
        for status in answer.completed_container_statuses:
            if status.container_id is not None:
                self.containers.pop(status.container_id, None)
        return answer.allocated_containers

    def _record_wanted(self, ask: tuple[ResourceRequest, ...], given: tuple[Container, ...]) -> None:
        """What this call brought counts against earlier asks; what it asked is all to come."""
        for container in given:
            if container.priority in self.wanted:
                self.wanted[container.priority] -= 1
        self.wanted |= {
            request.priority: request.num_containers
            for request in ask
            if request.resource_name == ANY
            and request.priority is not None
            and request.num_containers is not None
        }

    def updated(self) -> tuple[Container, ...]:
        """The containers that its last call gave another size or execution type."""
        return tuple(each.container for each in self.answer.updated_containers) if self.answer else ()

    def heard_completed(self) -> dict[ContainerId, int]:
        """The ends that its last call was told, with their exit statuses."""
        statuses = self.answer.completed_container_statuses if self.answer else ()
        return {each.container_id: each.exit_status for each in statuses}

    def heard_nodes(self) -> dict[NodeId, str]:
        """The nodes that its last call was told about, with their states."""
        reports = self.answer.updated_nodes if self.answer else ()
        return {
            each.node_id: each.node_state.name
            for each in reports
            if each.node_id is not None and each.node_state is not None
        }

    def heard_rejected(self) -> dict[str, int]:
        """How many containers its last call was told it will not get, by the reason."""
        found: dict[str, int] = {}
        for each in self.answer.rejected_scheduling_requests if self.answer else ():
            sizing = each.request.resource_sizing
            count = (sizing.num_allocations or 0) if sizing is not None else 0
            found[each.reason.name] = found.get(each.reason.name, 0) + count
        return found

    def heard_to_preempt(self) -> list[ContainerId]:
        """The containers that its last call asked it to give up."""
        message = self.answer.preempt if self.answer else None
        if message is None:
            return []
        contracts = [message.strict_contract.container] if message.strict_contract else []
        contracts += [message.contract.container] if message.contract else []
        return [each.id for group in contracts for each in group if each.id is not None]
