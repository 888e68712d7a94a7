"""What a next AM takes over from the ones before: tasks that are done and whose output is still there.

A map's output is there while its node runs with the same NodeManager; a reduce's when what it committed can
be moved to this AM's directory. Hadoop: MRAppMaster.processRecovery.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from pathlib import Path

from yarnbox.am.connection import Connection
from yarnbox.am.mapreduce.app.events import TaskRecover
from yarnbox.am.mapreduce.committers.protocol import Committer
from yarnbox.am.mapreduce.history.files import events_file
from yarnbox.am.mapreduce.history.jhist import UnreadableHistoryError, read_events
from yarnbox.am.mapreduce.history.parsed import PastJob, completed_tasks, parse
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.client import GetClusterNodesRequest
from yarnbox.yarn.records.tokens import Token

log = logging.getLogger("am.mapreduce.recovery")


def earlier_life(staging: Path, job_id: JobId, app_attempt: int) -> PastJob:
    """What the AM before this one wrote. One that recovered a task wrote of it as well, so the last one's
    events tell of all.
    """
    path = events_file(staging, job_id, app_attempt - 1)
    try:
        return parse(read_events(path))
    except (OSError, UnreadableHistoryError) as error:
        log.warning("nothing is recovered: %s", error)
        return PastJob()


async def recoverable_tasks(
    earlier: PastJob,
    app_attempt: int,
    committer: Committer,
    connection: Connection,
    token: Token | None,
) -> list[TaskRecover]:
    """The tasks that need not run again. The token is the AM's own."""
    nodes = await _running_nodes(connection, token)
    tasks = completed_tasks(earlier)
    return await asyncio.to_thread(still_there, tasks, committer, app_attempt - 1, nodes)


def still_there(
    tasks: Iterable[TaskRecover],
    committer: Committer,
    earlier_app_attempt: int,
    nodes: tuple[NodeId, ...],
) -> list[TaskRecover]:
    """Those whose output is not lost."""
    kept = []
    for task in tasks:
        if task.task_id.is_map and task.shuffle_port:
            is_there = task.node_id in nodes
        else:
            is_there = committer.recover_task(task.task_id, earlier_app_attempt)
        if is_there:
            kept.append(task)
    return kept


async def _running_nodes(connection: Connection, token: Token | None) -> tuple[NodeId, ...]:
    """The nodes that run now; none when the RM does not say, and then nothing on them is taken over."""
    request = GetClusterNodesRequest(node_states=(NodeState.RUNNING,))
    stub = connection.async_client_stub("mapreduce", token)
    try:
        response = await stub.call("getClusterNodes", request)
    except (YarnError, RpcError) as error:
        log.warning("which nodes run cannot be asked: %s", error)
        return ()
    finally:
        await stub.close()
    return tuple(report.node_id for report in response.node_reports if report.node_id is not None)
