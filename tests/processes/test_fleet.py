"""A cluster whose nodes are hosted by workers of a real Dask cluster, one of which is killed."""

from __future__ import annotations

import json
import os
import signal
import urllib.request
from pathlib import Path

import pytest

from tests.dask_cluster import can_hide_directories, dask_cluster, workers_apart
from tests.processes.conftest import QUIET, Desk, wait_until
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.long


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


@pytest.mark.skipif(not can_hide_directories(), reason="needs the right to mount")
def test_workers_that_share_no_directory_with_us(desk: Desk, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    with workers_apart(desk.directory, scratch, dashboard_address=None) as engine:
        where = ("--engine", "dask", "--scheduler-address", engine.scheduler_address)
        refused = desk.start("up", "--history-server", "0", *QUIET, *where)
        assert "directory of all hosts" in refused.communicate(timeout=PATIENCE_S)[1]
        assert refused.returncode == 1
        store = f"mapreduce.jobhistory.intermediate-done-dir=simplecache::file://{tmp_path / 'histories'}"
        desk.up("--history-server", "0", "-D", store, *where)
        said = desk.here("job", "shell", "--containers", "2", "--", "sh", "-c", "echo on $NM_HOST")
        assert [line[:-1] for line in said.splitlines() if line.startswith("on ")] == ["on nm"] * 2
        shared = f"mapreduce.output.fileoutputformat.outputdir={tmp_path / 'pi'}"
        said = desk.here("job", "pi", "1", "10", "-D", shared)
        assert "Estimated value of Pi" in said
        assert "MAP_INPUT_RECORDS" in said  # the client has found the history by its URL
        pages = f"http://{desk.run.load().history_address}/ws/v1/history/mapreduce/jobs"
        with urllib.request.urlopen(pages, timeout=PATIENCE_S) as answer:
            assert [one["state"] for one in json.load(answer)["jobs"]["job"]] == ["SUCCEEDED"]
        desk.here("kill-node", "nm1")
        desk.here("restart-node", "nm1")
        desk.here("add-node")
        assert [desk.daemon(name)["state"] for name in ("nm1", "nm2", "nm3")] == ["RUNNING"] * 3
        five = ("--containers", "5")  # more than two nodes have room for
        assert "on nm3" in desk.here("job", "shell", *five, "--", "sh", "-c", "echo on $NM_HOST; sleep 1")
        for name in ("nm1", "nm2", "nm3"):
            assert "transitioned from" in (desk.run.logs / f"{name}.log").read_text(encoding="utf-8")
        desk.here("down")
        assert list(scratch.glob("**/yarnbox-*")) == []
