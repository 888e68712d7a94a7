"""AM launches and stops: the core's orders, carried to NodeManagers, over the wire that each of them speaks.

Owns what an AM is given besides its own launch context: the AMRM token among its credentials, and the
variables that YARN promises. Knows nothing of what follows; the outcome of a launch is a call of the core.
Hadoop: ApplicationMasterLauncher and AMLauncher.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.rm.effects import LaunchContainer, StopContainer
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.log import Log
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.management import (
    ContainerExceptionMap,
    StartContainerRequest,
    StartContainersRequest,
    StopContainersRequest,
)
from yarnbox.yarn.runtime.tasks import end_tasks
from yarnbox.yarn.security.credentials import Credentials

log = Log("rm.launcher")

AMRM_ALIAS = "yarnbox-amrm"

Failed = Callable[[ApplicationAttemptId, str], None]


class Launcher:
    """Calls nodes, several at a time."""

    def __init__(
        self,
        tokens: Tokens,
        protocols: NodeProtocols,
        launched: Callable[[ApplicationAttemptId], None],
        failed: Failed,
        *,
        patience_s: float,
        at_a_time: int,
    ) -> None:
        self._tokens = tokens
        self._protocols = protocols
        self._launched = launched
        self._failed = failed
        self._patience_s = patience_s
        self._turnstile = asyncio.Semaphore(at_a_time)
        self._tasks: dict[asyncio.Task[None], None] = {}

    def launch(self, order: LaunchContainer) -> None:
        """Starts an AM; `launched` or `failed` is called with the outcome."""
        self._run(self._launch(order))

    def stop(self, order: StopContainer) -> None:
        """Stops an AM. A node that cannot be told will be told by its next heartbeat."""
        self._run(self._stop(order))

    async def close(self) -> None:
        """Cancels the calls that are under way."""
        await end_tasks(self._tasks)

    def _run(self, call: Coroutine[object, object, None]) -> None:
        task = asyncio.ensure_future(call)
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _launch(self, order: LaunchContainer) -> None:
        attempt_id = order.attempt_id
        try:
            context = launch_context(order, self._tokens)
            start = StartContainerRequest(
                container_launch_context=context, container_token=order.container.container_token
            )
            request = StartContainersRequest(start_container_request=(start,))
            answer = await self._call(attempt_id, order.node_id, order.user, "startContainers", request)
            if answer.failed_requests:
                raise YarnError(_why(answer.failed_requests[0]))
        except (YarnError, RpcError) as error:
            log.warning("launch failed", attempt=attempt_id, node=order.node_id, why=error)
            java_class = getattr(error, "java_class", "java.net.ConnectException")
            self._failed(attempt_id, f"Error launching {attempt_id}. Got exception: {java_class}: {error}")
        else:
            log.info("launched", attempt=attempt_id, container=order.container.id, node=order.node_id)
            self._launched(attempt_id)

    async def _stop(self, order: StopContainer) -> None:
        request = StopContainersRequest(container_id=(order.container_id,))
        try:
            await self._call(order.attempt_id, order.node_id, "", "stopContainers", request)
        except (YarnError, RpcError) as error:
            log.info("stop not delivered", attempt=order.attempt_id, node=order.node_id, why=error)

    async def _call(
        self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str, rpc: str, request: Record
    ) -> Any:
        token = self._tokens.nm.create_token(attempt_id, node_id, user)
        async with (
            self._turnstile,
            self._protocols.stub(attempt_id, node_id, user, token, self._patience_s) as stub,
        ):
            return await stub.call(rpc, request)


def launch_context(order: LaunchContainer, tokens: Tokens) -> ContainerLaunchContext:
    """The submitted context with the AM's token and variables; IllegalArgumentError when the submitted
    credentials cannot be read.
    """
    context = order.launch_context
    credentials = Credentials.from_bytes(context.tokens)
    token = tokens.amrm_token(order.attempt_id)
    if token is not None:
        credentials = credentials.with_token(AMRM_ALIAS, token)
    application_id = order.attempt_id.application_id
    return replace(
        context,
        tokens=credentials.to_bytes(),
        environment={
            **context.environment,
            "APPLICATION_WEB_PROXY_BASE": f"/proxy/{application_id}",
            "APP_SUBMIT_TIME_ENV": str(order.submit_time_ms),
        },
    )


def _why(failure: ContainerExceptionMap) -> str:
    thrown = failure.exception
    return (thrown.message if thrown is not None else None) or "the node refused the container"
