"""DistributedShell's ApplicationMaster: `python -m yarnbox.am.shell.master SPEC` in its container.

Asks for the containers, runs the command in each, and counts how they end. A container that YARN took away is
asked for again; one whose command fails is not, and the application fails. Each command finds its number,
from 1, in YARN_SHELL_ID. With a placement specification each container is a scheduling request of its own;
one that the RM returns is sent again, ten times in all, and then the application ends. Hadoop:
DistributedShell's ApplicationMaster.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys

from yarnbox.am.asks import ContainerRequest
from yarnbox.am.connection import Connection, configuration_of
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.launch import exact_environment, redirections
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import (
    ExecutionTypeRequest,
    PlacementConstraint,
    PlacementConstraintMapEntry,
    RejectedSchedulingRequest,
    ResourceSizing,
    SchedulingRequest,
)
from yarnbox.yarn.runtime.interpreter import leave

log = logging.getLogger("am.shell.master")

SHELL_ID = "YARN_SHELL_ID"
NOT_ITS_FAULT = (-100, -102)
REJECTIONS_TAKEN = 10


class ShellMaster:
    """One life of the AM."""

    def __init__(self, spec: ShellSpec, environment: ContainerEnvironment, connection: Connection) -> None:
        self._spec = spec
        self._resources = spec.local_resources
        self._environment = environment
        self._rm = connection.rm_client(environment.amrm_token)
        self._nm = connection.nm_client(self._rm)
        self._running: dict[ContainerId, Container] = {}
        self._shell_ids: dict[ContainerId, int] = {}
        self._free_ids = list(range(1, spec.total + 1))
        self._succeeded = 0
        self._failed = 0
        self._diagnostics: list[str] = []
        self._requests: dict[int, SchedulingRequest] = {}
        """What was asked under constraints, by allocation request id."""
        self._rejections_left = REJECTIONS_TAKEN

    async def run(self) -> bool:
        """The whole life; whether every command ended with 0."""
        entries = [
            PlacementConstraintMapEntry(allocation_tags=(one.tag,), placement_constraint=one.constraint)
            for one in self._spec.placements
            if one.tag and one.constraint is not None
        ]
        try:
            await self._rm.register(self._environment.node_id.host, placement_constraints=entries)
            self._ask()
            async for response in self._rm.responses(self._spec.heartbeat_ms, self._progress):
                await self._take(response)
                if self._succeeded + self._failed >= self._spec.total or self._rejections_left <= 0:
                    break
            return await self._finish()
        finally:
            await self._nm.close()
            await self._rm.close()

    async def _finish(self) -> bool:
        total, completed = self._spec.total, self._succeeded + self._failed
        if not self._failed and completed >= total:
            await self._rm.finish(FinalApplicationStatus.SUCCEEDED)
            return True
        counts = f"desired = {total}, completed = {completed}, failed = {self._failed}"
        message = f"Application Failure: {counts}, diagnostics = {'; '.join(self._diagnostics[:5])}"
        await self._rm.finish(FinalApplicationStatus.FAILED, message)
        return False

    def _progress(self) -> float:
        return (self._succeeded + self._failed) / self._spec.total if self._spec.total else 1.0

    def _ask(self) -> None:
        spec = self._spec
        placements = spec.placements
        if not placements:
            self._rm.asks.add(self._container_request(), spec.total)
            return
        for one in placements:
            for _ in range(spec.containers if one.count is None else one.count):
                self._ask_constrained((one.tag,) if one.tag else (), one.constraint)

    def _ask_constrained(self, tags: tuple[str, ...], constraint: PlacementConstraint | None) -> None:
        request = SchedulingRequest(
            allocation_request_id=len(self._requests) + 1,
            priority=self._spec.priority,
            execution_type=ExecutionTypeRequest(),
            allocation_tags=tags,
            resource_sizing=ResourceSizing(num_allocations=1, resources=self._spec.size),
            placement_constraint=constraint,
        )
        self._requests[request.allocation_request_id] = request
        self._rm.asks.add_scheduling_requests([request])

    def _container_request(self) -> ContainerRequest:
        return ContainerRequest(
            capability=self._spec.size, priority=self._spec.priority, node_label_expression=self._spec.label
        )

    async def _take(self, response: AllocateResponse) -> None:
        for status in response.completed_container_statuses:
            self._complete(status)
        self._take_rejected(response.rejected_scheduling_requests)
        await asyncio.gather(*map(self._start, response.allocated_containers))

    def _take_rejected(self, rejected: tuple[RejectedSchedulingRequest, ...]) -> None:
        for one in rejected:
            tags = ",".join(one.request.allocation_tags)
            log.info("the request for %s was rejected: %s", tags, one.reason.name)
        self._rejections_left -= len(rejected)
        if self._rejections_left > 0:
            self._rm.asks.add_scheduling_requests([one.request for one in rejected])
        elif rejected:
            self._diagnostics.append(
                f"{len(rejected)} requests rejected: {rejected[-1].reason.name}, retries are exhausted"
            )

    async def _start(self, container: Container) -> None:
        if not self._requests:
            self._rm.asks.remove(self._container_request())
        if not self._free_ids:
            self._rm.asks.release(container.id)
            return
        shell_id = self._free_ids.pop(0)
        self._running[container.id] = container
        self._shell_ids[container.id] = shell_id
        context = ContainerLaunchContext(
            local_resources=self._resources,
            environment=exact_environment({**self._spec.environment, SHELL_ID: str(shell_id)}),
            command=(f"{{ {self._spec.command}\n}}{redirections()}",),
            container_retry_context=self._spec.retry_context,
        )
        try:
            await self._nm.start(container, context)
            log.info("%s runs as number %d on %s", container.id, shell_id, container.node_id)
        except (YarnError, RpcError) as error:
            log.error("%s cannot be started: %s", container.id, error)
            self._rm.asks.release(container.id)
            self._end(container.id, -1, str(error))

    def _complete(self, status: ContainerStatus) -> None:
        if status.container_id not in self._running:
            return
        if status.exit_status in NOT_ITS_FAULT:
            log.info("%s was taken away: asking again", status.container_id)
            container = self._running.pop(status.container_id)
            self._free_ids.append(self._shell_ids[status.container_id])
            self._ask_again(container)
            return
        self._end(status.container_id, status.exit_status, status.diagnostics)

    def _end(self, container_id: ContainerId, exit_status: int, diagnostics: str) -> None:
        container = self._running.pop(container_id)
        if exit_status == 0:
            self._succeeded += 1
            return
        self._failed += 1
        where = container.node_id.host if container.node_id is not None else "?"
        self._diagnostics.append(f"{container_id} on {where} ended with {exit_status}: {diagnostics.strip()}")

    def _ask_again(self, container: Container) -> None:
        lost = self._requests.get(container.allocation_request_id)
        if lost is None:
            self._rm.asks.add(self._container_request())
            return
        self._ask_constrained(lost.allocation_tags, lost.placement_constraint)


def main(arguments: list[str]) -> int:
    """The process; its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    spec = ShellSpec.from_text(arguments[0])
    environment = ContainerEnvironment.read(os.environ)

    async def live() -> bool:
        connection = Connection.of(configuration_of(os.environ))
        return await ShellMaster(spec, environment, connection).run()

    try:
        return 0 if asyncio.run(live()) else 2
    except (YarnError, RpcError) as error:
        log.error("this AM ends: %s", error)
        return 1


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
