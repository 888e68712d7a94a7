"""Signs of life: who called the ResourceManager and when, whom it may give up, and whose end may count.

The ResourceManager may miss a node or an AM only when it has not called for the whole of its interval, and a
container only as long as no node has reported it; then it must. An attempt may count as a failure only if its
AM failed by itself, was missed, could not be launched, or was gone when its machine came back: the
NodeManager finds no process, or starts it again, and it cannot register a second time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol

from yarnbox.rm.app.entity import RMApp
from yarnbox.rm.attempt.entity import RMAppAttemptState
from yarnbox.rm.container import RMContainerState
from yarnbox.rm.events.app import (
    AttemptContainerFinished,
    AttemptExpire,
    AttemptLaunched,
    AttemptLaunchFailed,
)
from yarnbox.rm.events.node import NodeExpire
from yarnbox.rm.events.scheduler import SchedulerContainerExpired
from yarnbox.testing.virtual_time.rm import VirtualRM
from yarnbox.testing.walk.model import Model
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier, Token
from yarnbox.yarn.security.tokens import AMRM_TOKEN, identifier_of

WATCHED = (RMAppAttemptState.LAUNCHED, RMAppAttemptState.RUNNING)
PATIENCE_MS = 2000


class Cluster(Protocol):
    """What is looked at."""

    rm: VirtualRM
    model: Model

    @property
    def now_s(self) -> float:
        """The time."""
        ...


class SignsOfLife:
    """What this ResourceManager has heard of."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._heard_s: dict[Hashable, float] = {}
        self._reported: dict[ContainerId, None] = {}
        """Containers that a node has reported, running or ended."""
        self._leaving: dict[ApplicationAttemptId, None] = {}
        """Attempts that have unregistered."""
        self._acquired_s: dict[ContainerId, float] = {}
        """Since when containers are granted and were reported by no node."""
        self.ended: dict[ContainerId, None] = {}
        """Containers that ended by themselves, as a node has told."""
        self._began_s = 0.0

    def watch(self) -> None:
        """Another ResourceManager begins: it has heard of nobody."""
        self._heard_s.clear()
        self._reported.clear()
        self._leaving.clear()
        self._acquired_s.clear()
        self.ended.clear()
        self._began_s = self._cluster.now_s
        context = self._cluster.rm.context

        def saw(event: Any) -> None:
            if self._cluster.rm.context is context:
                self._saw(event)

        context.dispatcher.watchers.append(saw)

    def note_node(self, host: str) -> None:
        """A call of a node was answered."""
        self._heard_s[host] = self._cluster.now_s

    def note_master(self, rpc: str, token: Token | None) -> None:
        """A call of an AM was answered. One that has unregistered and asks again whether it may go has no
        longer for that: as in Hadoop, it is given up so long after it unregistered first.
        """
        if token is None:
            return
        attempt_id = identifier_of(token, AMRM_TOKEN, AMRMTokenIdentifier).app_attempt_id
        if attempt_id is None or attempt_id in self._leaving:
            return
        self._heard_s[attempt_id] = self._cluster.now_s
        if rpc == "finishApplicationMaster":
            self._leaving[attempt_id] = None

    def note_reported(self, containers: Iterable[ContainerId]) -> None:
        """A node has reported them."""
        self._reported.update(dict.fromkeys(containers))

    def _saw(self, event: Any) -> None:
        settings = self._cluster.rm.context.settings
        match event:
            case NodeExpire():
                self._check(event.node_id.host, settings.node_expiry_ms)
            case AttemptExpire():
                self._check(event.attempt_id, settings.am_expiry_ms)
                self._explain(event.attempt_id)
            case AttemptLaunched():
                self._heard_s[event.attempt_id] = self._cluster.now_s
            case AttemptLaunchFailed():
                self._explain(event.attempt_id)
            case AttemptContainerFinished():
                if event.status.exit_status >= 0:
                    self.ended[event.status.container_id] = None
                promised = self._cluster.model.begun.get(event.attempt_id.application_id)
                if promised is not None and event.status.container_id in promised.lost:
                    self._explain(event.attempt_id)
            case SchedulerContainerExpired(is_increase=False):
                self._check_container(event.container_id)
                self._cluster.model.expired[event.container_id] = None
            case _:
                pass

    def _check(self, who: Hashable, interval_ms: int) -> None:
        heard_s = self._heard_s.get(who)
        if heard_s is not None:
            silent_s = self._cluster.now_s - heard_s
            self._cluster.model.expect(
                silent_s * 1000 >= interval_ms, f"{who} was given up, and called {silent_s:g} s ago"
            )

    def _check_container(self, container_id: ContainerId) -> None:
        self._cluster.model.expect(
            container_id not in self._reported, f"{container_id} was given up, and its node has reported it"
        )

    def _explain(self, attempt_id: ApplicationAttemptId) -> None:
        promised = self._cluster.model.begun.get(attempt_id.application_id)
        if promised is not None:
            promised.may_count[attempt_id.attempt_id] = None

    def look(self) -> None:
        """Who is silent for too long was missed."""
        rm = self._cluster.rm
        if not rm.is_well:
            return
        context, settings = rm.core.context, rm.core.context.settings
        for node_id in context.nodes:
            self._expect_missed(node_id.host, self._heard_s.get(node_id.host), settings.node_expiry_ms)
        for app in context.apps.values():
            attempt = app.current
            if attempt is not None and attempt.state in WATCHED:
                heard_s = self._heard_s.get(attempt.attempt_id)
                self._expect_missed(attempt.attempt_id, heard_s, settings.am_expiry_ms)
        self._acquired_s = {
            one: self._acquired_s.get(one, self._cluster.now_s)
            for node in context.scheduler.tracker.nodes.values()
            for one, container in node.containers.items()
            if container.state is RMContainerState.ACQUIRED and one not in self._reported
        }
        for container_id, since_s in self._acquired_s.items():
            self._expect_missed(container_id, since_s, settings.container_allocation_expiry_ms)

    def _expect_missed(self, who: Hashable, heard_s: float | None, interval_ms: int) -> None:
        """A monitor looks every third of its interval, and waits for all of it again after a standstill."""
        since_s = max(heard_s or 0.0, self._began_s, self._cluster.rm.awake_since_s)
        silent_s = self._cluster.now_s - since_s
        self._cluster.model.expect(
            silent_s * 1000 <= interval_ms * 4 / 3 + PATIENCE_MS,
            f"{who} is not missed, and is silent for {silent_s:g} s",
        )

    def look_at_failures(self) -> None:
        """No attempt counts as a failure that may not."""
        rm, model = self._cluster.rm, self._cluster.model
        if rm.is_well:
            for application_id, app in rm.core.context.apps.items():
                promised = model.begun.get(application_id)
                may_count = promised.may_count if promised is not None else {}
                for number in _counted(app):
                    model.expect(
                        number in may_count,
                        f"attempt {number} of {application_id} counts as a failure, and was none",
                    )


def _counted(app: RMApp) -> list[int]:
    return [
        attempt_id.attempt_id
        for attempt_id, attempt in app.attempts.items()
        if attempt.state is RMAppAttemptState.FAILED and attempt.counts_as_failure()
    ]
