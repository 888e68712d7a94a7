"""A row's snapshot: queues, applications and containers as the policy would find them in a scheduler."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import cast

from tests.preempt_table.rows import AppRow, QueueRow, Row
from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.container_context import ContainerContext
from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import Arithmetic, not_below_zero, truncate
from yarnbox.rm.scheduler.capacity.preemption.snapshot import AppView, QueueView, Share, Snapshot
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.resources.resource import NONE, Resource, total


class Built:
    """The snapshot of a row, and the names behind its ids."""

    def __init__(self, row: Row, now_ms: int) -> None:
        self.row = row
        self.arithmetic = Arithmetic(is_dominant=row.is_dominant, types=row.types)
        self.nodes = {
            name: SchedulerNode(NodeId(name, 1234), "", resource, label)
            for name, (label, resource) in row.nodes.items()
        }
        self.queues: dict[str, QueueView] = {}
        self.names: dict[ApplicationAttemptId, str] = {}
        """The applications of the row."""
        self._context = cast(ContainerContext, SimpleNamespace(now_ms=0))
        for queue in row.queues:
            self._add_queue(queue)
        self.snapshot = Snapshot(
            arithmetic=self.arithmetic,
            cluster=total(row.partitions.values()),
            partitions=["", *sorted(label for label in row.partitions if label)],
            root=self.queues["root"],
            nodes=list(self.nodes.values()),
            minimum_allocation=row.minimum_allocation,
            now_ms=now_ms,
            killable={},
        )

    def _add_queue(self, row: QueueRow) -> None:
        is_leaf = not any(other.parent == row.path for other in self.row.queues)
        queue = QueueView(
            row.path,
            self.queues[row.parent] if row.parent is not None else None,
            is_leaf=is_leaf,
            priority=row.priority,
            is_disabled=row.is_disabled,
            is_intra_disabled=row.is_intra_disabled,
            is_fair=row.is_fair,
            am_limit=truncate(row.shares[""].guaranteed, float32(row.max_am_share)),
        )
        self.queues[row.path] = queue
        for label, partition_total in self.row.partitions.items():
            amounts = row.shares.get(label)
            queue.shares[label] = Share(total=partition_total)
            if amounts is not None:
                pending = amounts.pending if is_leaf else NONE
                queue.shares[label] = Share(
                    total=partition_total,
                    absolute=self.arithmetic.divide(partition_total, amounts.guaranteed, partition_total),
                    guaranteed=amounts.guaranteed,
                    maximum=amounts.maximum or (partition_total if label in self.row.shared else NONE),
                    used=amounts.used,
                    reserved=amounts.reserved,
                    pending=pending,
                    pending_deducted=not_below_zero(pending - amounts.reserved) if is_leaf else NONE,
                )
            if is_leaf:
                self._add_to_parents(queue, label)
        apps = [self._app(app, queue) for app in row.apps]
        self._order(queue, apps)
        self._add_user_figures(queue, row, apps)

    def _add_to_parents(self, leaf: QueueView, label: str) -> None:
        """Pending of a parent is the sum of its leaves'."""
        share, parent = leaf.shares[label], leaf.parent
        while parent is not None:
            above = parent.share(label)
            above.pending = above.pending + share.pending
            above.pending_deducted = above.pending_deducted + share.pending_deducted
            parent = parent.parent

    def _app(self, row: AppRow, queue: QueueView) -> AppView:
        attempt_id = ApplicationAttemptId(ApplicationId(0, len(self.names) + 1), 1)
        self.names[attempt_id] = row.name
        live: dict[ContainerId, RMContainer] = {}
        reservations: list[RMContainer] = []
        used: dict[str, Resource] = defaultdict(Resource)
        am: dict[str, Resource] = defaultdict(Resource)
        sequence = 0
        for group in row.groups:
            node = self.nodes[group.node]
            for index in range(group.count):
                sequence += 1
                container = RMContainer(
                    self._context,
                    ContainerId.build(attempt_id, sequence),
                    attempt_id,
                    node,
                    group.resource,
                    RequestKey(group.priority),
                    row.user,
                    queue.path,
                    group.label,
                    is_am=group.is_am and index == 0,
                )
                if container.is_am:
                    am[group.label] = am[group.label] + group.resource
                if group.is_reserved:
                    reservations.append(container)
                    node.reserved_container = container
                else:
                    live[container.container_id] = container
                    node.allocate(container)
                    used[node.partition] = used[node.partition] + group.resource
        return AppView(
            attempt_id,
            queue,
            row.user,
            row.priority,
            live=live,
            reservations=reservations,
            used=used,
            pending=row.pending,
            am=am,
        )

    def _order(self, queue: QueueView, apps: list[AppView]) -> None:
        if queue.is_fair:
            apps.sort(key=lambda app: (total(app.used.values()).memory_mb, app.attempt_id))
        else:
            apps.sort(key=lambda app: (-app.priority, app.attempt_id))
        for order, app in enumerate(apps):
            app.order = order
        queue.active_apps = apps

    def _add_user_figures(self, queue: QueueView, row: QueueRow, apps: list[AppView]) -> None:
        used: dict[tuple[str, str], Resource] = defaultdict(Resource)
        for app in apps:
            for partition, amount in app.used.items():
                used[app.user, partition] = used[app.user, partition] + amount
            for container in app.reservations:
                key = app.user, container.node.partition
                used[key] = used[key] + container.resource
        limit = row.user_limit
        queue.user_used = lambda user, partition: used.get((user, partition), NONE)
        queue.user_limit = lambda user, partition: (
            queue.share(partition).guaranteed if limit is None else limit
        )
