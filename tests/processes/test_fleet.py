"""A cluster whose nodes are hosted by workers of a real Dask cluster, one of which is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.dask_cluster import dask_cluster
from tests.processes.conftest import Desk, wait_until
from tests.waiting import PATIENCE_S


def test_workers_are_hosts_and_a_worker_that_dies_is_a_node_that_leaves(desk: Desk, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    with dask_cluster(scratch, threads_per_worker=2, memory_limit="2GiB", dashboard_address=None) as engine:
        desk.up("--engine", "dask", "--scheduler-address", engine.scheduler_address)
        rows = [desk.daemon(name) for name in ("nm1", "nm2")]
        assert [(row["state"], row["total_mb"], row["total_vcores"]) for row in rows] == [
            ("RUNNING", 2048, 2)
        ] * 2

        lost = desk.run.load().nodes["nm2"].place
        assert lost is not None
        (worker,) = [one for one in engine.workers.values() if one.worker_address == lost.worker]
        os.kill(worker.process.pid, signal.SIGKILL)

        def has_left() -> bool:
            gone = [one for one in desk.events() if one.type == "SchedulerNodeRemoved"]
            return any(one.subject.startswith("nm2:") for one in gone) and desk.daemon("nm2")["pid"] is None

        assert wait_until(has_left, PATIENCE_S), desk.status()
        desk.here("kill-node", "nm1")
        assert desk.daemon("nm1")["pid"] is None
        desk.here("down")
        assert list(scratch.glob("**/yarnbox-*")) == []
