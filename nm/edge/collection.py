"""Logs written to where they are collected: one file per node, application and cycle.

Reads the local log directories and writes with yarn/storage/aggregated_logs.py. Which containers, and when,
is nm/logs.py's. Hadoop: the uploading half of AppLogAggregatorImpl and LogAggregationFileController.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from yarnbox.nm.effects import AggregateLogs
from yarnbox.nm.executor.layout import Layout
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.storage.aggregated_logs import (
    DEFAULT_COMPRESSION,
    AggregatedLogWriter,
    LogLayout,
    is_of_node,
)


class LogCollection:
    """Writes one node's logs to the remote directory."""

    def __init__(
        self,
        root: str,
        suffix: str,
        layout: Layout,
        node_id: NodeId,
        *,
        files_per_application: int = 30,
        compression: str = DEFAULT_COMPRESSION,
    ) -> None:
        self._remote = LogLayout.of(root, suffix)
        self._files_per_application = files_per_application
        self._compression = compression
        self._layout = layout
        self._node_id = node_id

    def prepare(self, application_id: ApplicationId, user: str) -> str | None:
        """Makes the application's directory; what went wrong."""
        try:
            self._remote.application_directory(user, application_id).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return f"Failed to setup application log directory for {application_id}: {error}"
        return None

    def aggregate(self, order: AggregateLogs, now_ms: int) -> str | None:
        """Writes one cycle's file; what went wrong."""
        is_only = order.is_final and order.cycle == 1
        target = self._remote.node_file(
            order.user, order.application_id, self._node_id, None if is_only else now_ms
        )
        try:
            with AggregatedLogWriter(target, order.user, order.acls, self._compression) as writer:
                for container_id in order.containers:
                    if paths := self._logs_of(container_id, order.context):
                        writer.append(container_id, _opened(paths))
            if not is_only:
                self._forget_old_cycles(order)
            if not order.is_final:
                self._forget_rolled(order)
        except OSError as error:
            return f"Cannot create writer for app {order.application_id}: {error}"
        return None

    def _logs_of(self, container_id: ContainerId, context: LogAggregationContext) -> list[Path]:
        directory = self._layout.find_log_directory(container_id)
        if directory is None:
            return []
        return sorted(
            path for path in directory.iterdir() if path.is_file() and is_wanted(path.name, context)
        )

    def _forget_old_cycles(self, order: AggregateLogs) -> None:
        """Of the files that this node has written for the application only the newest stay."""
        mine = [
            path
            for path in self._remote.node_files(order.user, order.application_id)
            if is_of_node(path, self._node_id)
        ]
        mine.sort(key=lambda path: (path.stat().st_mtime_ns, path.name))
        for path in mine[: -self._files_per_application]:
            path.unlink(missing_ok=True)

    def _forget_rolled(self, order: AggregateLogs) -> None:
        """What was collected while a container runs is not collected again."""
        for container_id in order.containers:
            for path in self._logs_of(container_id, order.context):
                path.unlink(missing_ok=True)


def _opened(paths: list[Path]) -> Iterator[tuple[str, BinaryIO]]:
    for path in paths:
        with path.open("rb") as source:
            yield path.name, source


def is_wanted(name: str, context: LogAggregationContext) -> bool:
    """Whether a log file's name matches what is to be collected, and not what is not."""
    if not context.include_pattern or not _matches(context.include_pattern, name):
        return False
    return not (context.exclude_pattern and _matches(context.exclude_pattern, name))


def _matches(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False
