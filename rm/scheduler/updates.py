"""Updates of running containers: increase, decrease, promotion, demotion. What is not confirmed in time is
taken back.

Answers for the parts of AbstractYarnScheduler and ContainerUpdateContext that change a container in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rm.events.node import NodeUpdateContainer
from rm.scheduler.usage import charge, refund

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.base import Scheduler
    from yarn.resource import Resource


def resize(scheduler: Scheduler[Any], container: RMContainer, resource: Resource) -> None:
    """Gives a live container another size in all books, and another version."""
    attempt = scheduler.attempt(container.attempt_id)
    assert attempt is not None
    before = container.resource
    refund(attempt.path, container.partition, before, 0)
    container.resource = resource
    container.version += 1
    charge(attempt.path, container.partition, resource, 0)
    container.node.resize_container(container, before)


def roll_back_increase(scheduler: Scheduler[Any], container: RMContainer) -> None:
    """The AM never told the node of the larger size: back to the last one that the node confirmed."""
    if container.resource == container.last_confirmed:
        return
    resize(scheduler, container, container.last_confirmed)
    scheduler.context.post(NodeUpdateContainer(node_id=container.node_id, container=container.to_record()))
