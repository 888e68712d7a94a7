"""What nodes report, and what follows from it, against what really happened on their machines.

A process ends once, with one exit status: its node tells no other one, and neither does the ResourceManager,
unless somebody had it stopped or it was lost. A node that was started again accepts the tokens that it
accepted before. When an attempt ends, the node of its AM is called at once: it does not wait for a heartbeat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from yarnbox.rm.events.app import AttemptLaunchFailed
from yarnbox.rm.events.node import NodeDecommission, NodeStatusUpdate
from yarnbox.rm.events.scheduler import SchedulerAppAttemptRemoved, SchedulerNodeRemoved
from yarnbox.testing.virtual_time.rm import VirtualRM
from yarnbox.testing.walk.model import Model
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.errors import InvalidTokenError, NMNotYetReadyError, YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.management import StartContainersResponse
from yarnbox.yarn.records.tokens import NMTokenIdentifier, Token
from yarnbox.yarn.records.tracker import NodeStatus
from yarnbox.yarn.security.tokens import NM_TOKEN, identifier_of

ABORTED = -100
"""ContainerExitStatus of what was lost with its node, never started, or given back."""
PROMPT_MS = 400
"""By then a call to a node that is there has arrived: sooner than its next heartbeat, mostly."""


class Machine(Protocol):
    """What really runs on a host."""

    stopped: dict[ContainerId, None]

    def running(self) -> Sequence[ContainerId]:
        """The containers that run."""
        ...


class Cluster(Protocol):
    """What is looked at."""

    rm: VirtualRM
    model: Model

    def executor_of(self, host: str) -> Machine: ...

    def reaches(self, host: str) -> object | None:
        """The NodeManager there, if it can be called."""
        ...

    def later(self, ms: int, action: Any) -> None: ...


class NodeReports:
    """What is known of the ends of processes, and of keys."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._ends: dict[ContainerId, tuple[str, int]] = {}
        """Where processes have ended that nobody had stopped, and with which exit status."""
        self._removed: dict[str, None] = {}
        """Hosts that this ResourceManager has given up, or taken out of use."""
        self._not_launched: dict[ApplicationAttemptId, None] = {}
        """Attempts that this ResourceManager could not launch."""
        self._untaken: dict[ContainerId, None] = {}
        """Containers of whose ends a node told this ResourceManager while it was ill."""
        self._tokens: dict[tuple[str, ApplicationAttemptId | None], bytes] = {}
        """By host and attempt, the token with which a container was last started."""

    def watch(self) -> None:
        """Another ResourceManager begins."""
        self._removed.clear()
        self._not_launched.clear()
        self._untaken.clear()
        context = self._cluster.rm.context

        def saw(event: Any) -> None:
            if self._cluster.rm.context is context:
                self._saw(event)

        context.dispatcher.watchers.append(saw)

    def _saw(self, event: Any) -> None:
        match event:
            case SchedulerNodeRemoved() | NodeDecommission():
                self._removed[event.node_id.host] = None
            case AttemptLaunchFailed():
                self._not_launched[event.attempt_id] = None
            case NodeStatusUpdate():
                self._note_untaken(event.status)
            case SchedulerAppAttemptRemoved():
                self._expect_stopped(event.attempt_id)
            case _:
                pass

    def _note_untaken(self, status: NodeStatus) -> None:
        """A node that drains stays as it is when it falls ill, and nothing of its report is taken, in Hadoop,
        too (StatusUpdateWhenHealthyTransition): what ended is missed when the node is well again.
        """
        health = status.node_health_status
        if health is not None and health.is_node_healthy is False:
            ended = (one for one in status.containers_statuses if one.state is ContainerState.COMPLETE)
            self._untaken.update(dict.fromkeys(one.container_id for one in ended))

    # Exit statuses

    def note_end(self, host: str, container_id: ContainerId, code: int) -> None:
        """A process has ended."""
        if container_id not in self._cluster.executor_of(host).stopped:
            self._ends[container_id] = (host, code)

    def note_loss(self, host: str) -> None:
        """A machine is gone, and perhaps what was stored there."""
        for container_id in [one for one, (where, _) in self._ends.items() if where == host]:
            del self._ends[container_id]
        for known in [one for one in self._tokens if one[0] == host]:
            del self._tokens[known]

    def look_at_statuses(self, host: str, told: Iterable[tuple[ContainerId, ContainerState, int]]) -> None:
        """A node says of these containers how they are."""
        for container_id, state, exit_status in told:
            where, code = self._ends.get(container_id, ("", 0))
            if where == host and state is ContainerState.COMPLETE:
                self._cluster.model.expect(
                    exit_status == code, f"{container_id} exited with {code}, and {host} says {exit_status}"
                )

    def look_at_ends(self, statuses: Iterable[ContainerStatus]) -> None:
        """An AM is told that these have ended. It may have been told of the same end before: a machine that
        lost its last entries runs them again, and no longer tells of what its AM has received.
        """
        model = self._cluster.model
        for status in statuses:
            container_id = status.container_id
            host, code = self._ends.get(container_id, ("", 0))
            if not host:
                continue
            if status.exit_status >= 0:
                is_right = status.exit_status == code
            else:
                was_told = (container_id.application_attempt_id, container_id) in model.told
                is_given_up = was_told or container_id in model.released or container_id in model.expired
                is_missed = host in self._removed or container_id in self._untaken
                is_right = status.exit_status != ABORTED or is_missed or is_given_up
            model.expect(
                is_right, f"{container_id} exited with {code}, and its AM is told {status.exit_status}"
            )

    # Tokens

    def note_started(self, host: str, token: Token | None, answer: StartContainersResponse) -> None:
        """A node has started what it was asked to start with this token. Of an attempt's keys it keeps that
        which was used so last, as Hadoop's does.
        """
        if token is not None and not answer.failed_requests:
            self._tokens[host, _attempt_of(token)] = token.identifier

    def look_at_refusal(self, host: str, token: Token | None, request: Any, error: YarnError) -> None:
        """A node refuses to stop a container, or to say how it is. It knows the last token with which one was
        started that still runs.
        """
        is_of_token = isinstance(error, (InvalidTokenError, NMNotYetReadyError))
        if (
            token is None
            or not is_of_token
            or self._tokens.get((host, _attempt_of(token))) != token.identifier
        ):
            return
        machine = self._cluster.executor_of(host)
        for one in machine.running():
            is_asked = one in request.container_id and one not in machine.stopped
            self._cluster.model.expect(not is_asked, f"{host} does not know the token of {one}: {error}")

    # AMs that are to end

    def _expect_stopped(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt ends. Where its AM runs on, its node is called, if it can be."""
        rm, model = self._cluster.rm, self._cluster.model
        app = rm.context.apps.get(attempt_id.application_id)
        attempt = app.attempts.get(attempt_id) if app is not None else None
        if attempt is None or attempt.master_container is None or attempt_id in self._not_launched:
            return
        container_id, node_id = attempt.master_container.id, attempt.master_container.node_id
        if node_id is None or attempt.recovered_final_state is not None:
            return
        host, number = node_id.host, model.rm_number
        node, machine = self._cluster.reaches(host), self._cluster.executor_of(host)
        if node is None or container_id not in machine.running():
            return

        def look() -> None:
            is_same = model.rm_number == number and self._cluster.reaches(host) is node
            if is_same and rm.is_well and container_id in machine.running():
                model.expect(
                    container_id in machine.stopped, f"{attempt_id} has ended, and its AM was not stopped"
                )

        self._cluster.later(PROMPT_MS, look)


def _attempt_of(token: Token) -> ApplicationAttemptId | None:
    return identifier_of(token, NM_TOKEN, NMTokenIdentifier).app_attempt_id
