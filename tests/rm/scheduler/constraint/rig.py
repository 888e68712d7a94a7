"""Applications that ask with constraints, written in the short form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from tests.rig import Rig
from yarnbox.am.placement import parse_constraint
from yarnbox.rm.container import RMContainer
from yarnbox.rm.scheduler.constraint.asking import with_number
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import (
    ExecutionTypeRequest,
    PlacementConstraintMapEntry,
    ResourceSizing,
    SchedulingRequest,
)
from yarnbox.yarn.resources.resource import Resource

HANDLER = "yarn.resourcemanager.placement-constraints.handler"
RETRIES = "yarn.resourcemanager.placement-constraints.retry-attempts"
RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}
WAIT_MS = 10_000
"""So long a new RM gives its nodes and AMs to come back."""
ONE_QUEUE = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
}


def wants(
    tag: str,
    count: int = 1,
    constraint: str = "",
    *,
    memory_mb: int = 1024,
    number: int = 0,
    priority: int = 1,
) -> SchedulingRequest:
    """A scheduling request; `number` is its allocation request id."""
    return SchedulingRequest(
        allocation_request_id=number,
        priority=priority,
        execution_type=ExecutionTypeRequest(),
        allocation_tags=(tag,) if tag else (),
        resource_sizing=ResourceSizing(num_allocations=count, resources=Resource(memory_mb, 1)),
        placement_constraint=parse_constraint(constraint) if constraint else None,
    )


def again(request: SchedulingRequest, count: int) -> SchedulingRequest:
    """The same request for another number of containers."""
    return with_number(request, count)


class ConstraintRig(Rig):
    """Nodes n1, n2, .. on two racks by turns, and unmanaged applications."""

    def __init__(
        self,
        handler: str,
        nodes: int = 3,
        *,
        scheduler: str = "capacity",
        memory_mb: int = 8192,
        site: Mapping[str, str] | None = None,
        **restart: Any,
    ) -> None:
        super().__init__(
            {
                **ONE_QUEUE,
                "yarn.resourcemanager.scheduler.class": scheduler,
                HANDLER: handler,
                **(site or {}),
            },
            **restart,
        )
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        for place, name in enumerate(self.names):
            self.racks[name] = f"/r{place % 2 + 1}"
            self.add_node(name, memory_mb)

    def start(self, constraints: Mapping[str, str] | None = None, *tags: str) -> ApplicationId:
        """An application with these tags whose AM registered these constraints by source tag."""
        application_id = self.submit(unmanaged_am=True, application_tags=tags)
        self.register_again(application_id, constraints or {})
        return application_id

    def register_again(self, application_id: ApplicationId, constraints: Mapping[str, str]) -> None:
        """Its AM registers these constraints by source tag, for the first time or after a restart."""
        entries = tuple(
            PlacementConstraintMapEntry(allocation_tags=(tag,), placement_constraint=parse_constraint(one))
            for tag, one in constraints.items()
        )
        self.register(application_id, placement_constraints=entries)

    def ask(self, application_id: ApplicationId, *requests: SchedulingRequest) -> AllocateResponse:
        """One allocate call."""
        return self.allocate(application_id, scheduling=requests)

    def exchange(self, application_id: ApplicationId, times: int = 1) -> list[AllocateResponse]:
        """Every node heartbeats, then the AM calls; so many times."""
        answers = []
        for _ in range(times):
            self.heartbeat(*self.names)
            answers.append(self.allocate(application_id))
        return answers

    def live(self, application_id: ApplicationId) -> list[RMContainer]:
        """Its containers."""
        return self.context.scheduler.live_containers(self.attempt(application_id).attempt_id)

    def where(self, application_id: ApplicationId) -> dict[str, int]:
        """How many of its containers are on each node."""
        return dict(Counter(container.node.host for container in self.live(application_id)))


def restarted(old: ConstraintRig, handler: str) -> ConstraintRig:
    """Another RM over what the first one stored; nodes and AMs live on."""
    rig = ConstraintRig(
        handler,
        0,
        site=RECOVERY,
        start_ms=old.clock.now_ms() + 1_000,
        stored=old.stored,
        epoch=old.context.epoch + 1,
    )
    rig.nodes, rig.masters, rig.names, rig.racks = old.nodes, old.masters, old.names, old.racks
    for name in rig.names:
        if rig.nodes[name].is_live:
            assert rig.heartbeat(name).node_action is NodeAction.RESYNC
            rig.add_node(name, rig.nodes[name].resource.memory_mb, keep=True)
    rig.advance(WAIT_MS + 1)
    return rig
