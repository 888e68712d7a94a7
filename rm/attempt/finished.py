"""Completed containers that have not been sent to their AM, or whose receipt the AM has not acknowledged.

A status is *just finished* until an allocate answer carries it, then *sent* until the next allocate call
proves that the answer arrived; only then is its node told to forget the container. One list serves all
attempts of an application: what one AM did not acknowledge, the next one is sent again. Knows no state of the
attempt. Hadoop: the just-finished containers of RMAppAttemptImpl.
"""

from __future__ import annotations

from yarnbox.rm.events.node import NodeFinishedContainersPulledByAM
from yarnbox.rm.ports import RMTurn
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.container import ContainerStatus

Statuses = dict[NodeId, list[ContainerStatus]]


class FinishedContainers:
    """The ended containers of one application, by node."""

    __slots__ = ("_context", "_just_finished", "_sent")

    def __init__(self, context: RMTurn) -> None:
        self._context = context
        self._just_finished: Statuses = {}
        self._sent: Statuses = {}

    def add(self, node_id: NodeId, status: ContainerStatus) -> None:
        """Adds a completed container that is to be reported to its AM."""
        self._just_finished.setdefault(node_id, []).append(status)

    def pull(self, attempt_id: ApplicationAttemptId, *, keeps_containers: bool) -> list[ContainerStatus]:
        """The statuses to send to this attempt's AM now; the call itself acknowledges the last answer.

        Without keep-containers an AM is sent the containers of its own attempt only.
        """
        self._acknowledge(self._sent)
        told = []
        for node_id, statuses in self._just_finished.items():
            self._sent.setdefault(node_id, []).extend(statuses)
            told += [one for one in statuses if keeps_containers or _owner(one) == attempt_id]
        self._just_finished.clear()
        return told

    def resend(self) -> None:
        """A new attempt begins: statuses that the old AM did not acknowledge are sent again."""
        for node_id, statuses in self._sent.items():
            self._just_finished.setdefault(node_id, []).extend(statuses)
        self._sent.clear()

    def acknowledge_all(self) -> None:
        """No AM will call again: acknowledges all containers to their nodes."""
        self._acknowledge(self._sent)
        self._acknowledge(self._just_finished)

    def _acknowledge(self, statuses: Statuses) -> None:
        for node_id, ended in statuses.items():
            ids = tuple(status.container_id for status in ended)
            self._context.post(NodeFinishedContainersPulledByAM(node_id=node_id, container_ids=ids))
        statuses.clear()


def _owner(status: ContainerStatus) -> ApplicationAttemptId:
    return status.container_id.application_attempt_id
