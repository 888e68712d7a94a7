"""/jmx and /prom of a running RM: Hadoop's names, patterns, and Prometheus' text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import play
from yarn.jmx import is_pattern, matches, metric_name

PREFIX = "Hadoop:service=ResourceManager,name="


async def jmx(caller: Web, query: str, status: int = 200) -> Any:
    async with caller.session.get(f"{caller.top}/jmx{query}") as answer:
        assert answer.status == status
        return await answer.json()


def test_beans_have_hadoop_s_names(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            await caller.desk.submit()
            names = [bean["name"] for bean in (await jmx(caller, ""))["beans"]]
            assert f"{PREFIX}QueueMetrics,q0=default" in names
            (cluster,) = (await jmx(caller, f"?qry={PREFIX}ClusterMetrics"))["beans"]
            assert cluster["NumActiveNMs"] == 1
            queues = (await jmx(caller, f"?qry={PREFIX}QueueMetrics,*"))["beans"]
            assert queues[0]["AppsSubmitted"] == 1
            (one,) = (await jmx(caller, f"?get={PREFIX}ClusterMetrics::NumActiveNMs"))["beans"]
            assert one["NumActiveNMs"] == 1
            assert (await jmx(caller, f"?get={PREFIX}ClusterMetrics::None", 404))["result"] == "ERROR"
            assert (await jmx(caller, "?qry=nothing:*"))["beans"] == []
            await jmx(caller, "?qry=nonsense", 400)

    play(scene)


def test_prometheus_can_read_it(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            async with caller.session.get(f"{caller.top}/prom") as answer:
                text = await answer.text()
            samples = {
                sample.name: sample
                for family in text_string_to_metric_families(text)
                for sample in family.samples
            }
            assert samples["cluster_metrics_num_active_n_ms"].value == 1
            assert samples["queue_metrics_allocated_mb"].labels["queue"] == "default"

    play(scene)


@pytest.mark.parametrize(
    "record, attribute, name",
    [
        ("QueueMetrics", "AllocatedMB", "queue_metrics_allocated_mb"),
        ("ClusterMetrics", "NumActiveNMs", "cluster_metrics_num_active_n_ms"),
        ("QueueMetrics", "AllocatedVCores", "queue_metrics_allocated_v_cores"),
        ("QueueMetrics", "running_0", "queue_metrics_running_0"),
    ],
)
def test_names_are_those_of_hadoop(record: str, attribute: str, name: str) -> None:
    assert metric_name(record, attribute) == name


def test_the_process_tells_of_itself(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            (jvm,) = (await jmx(caller, f"?qry={PREFIX}JvmMetrics"))["beans"]
            assert jvm["MemHeapUsedM"] > 1
            assert jvm["LogInfo"] >= 1
            (runtime,) = (await jmx(caller, "?qry=java.lang:type=Runtime"))["beans"]
            assert runtime["Uptime"] > 0
            kinds = {bean["name"] for bean in (await jmx(caller, "?qry=java.lang:*"))["beans"]}
            assert {f"java.lang:type={one}" for one in ("Memory", "OperatingSystem", "Threading")} <= kinds
            (rpc,) = (await jmx(caller, f"?qry={PREFIX}RpcActivityForPort8031"))["beans"]
            assert rpc["RpcProcessingTimeNumOps"] == 2
            assert rpc["ReceivedBytes"] > 0
            (detailed,) = (await jmx(caller, f"?qry={PREFIX}RpcDetailedActivityForPort8031"))["beans"]
            assert (detailed["NodeHeartbeatNumOps"], detailed["RegisterNodeManagerNumOps"]) == (1, 1)

    play(scene)


@pytest.mark.parametrize(
    "scheduler, bean, attribute",
    [
        ("capacity", "CapacitySchedulerMetrics", "NodeUpdateNumOps"),
        ("fair", "FSOpDurations", "NodeUpdateCallNumOps"),
    ],
)
def test_the_scheduler_s_times(tmp_path: Path, scheduler: str, bean: str, attribute: str) -> None:
    queues = {
        "yarn__scheduler__capacity__root__queues": "default",
        "yarn__scheduler__capacity__root__default__capacity": "100",
    }

    async def scene() -> None:
        async with web(tmp_path, yarn__resourcemanager__scheduler__class=scheduler, **queues) as caller:
            await caller.desk.beat()
            (shown,) = (await jmx(caller, f"?qry={PREFIX}{bean}"))["beans"]
            assert shown[attribute] == 2
            if scheduler == "fair":
                assert shown["UpdateThreadRunNumOps"] >= 1
            if scheduler == "capacity":
                assert shown["SchedulerNodeHBIntervalNumOps"] == 1

    play(scene)


@pytest.mark.parametrize(
    "name, pattern, does_match",
    [
        ("a:x=1", "a:x=1", True),
        ("a:x=1,y=2", "a:y=2,x=1", True),
        ("a:x=1,y=2", "a:x=1", False),
        ("a:x=1,y=2", "a:x=1,*", True),
        ("a:x=1,y=2", "a:*", True),
        ("a:x=12", "a:x=1?", True),
        ("a:x=12", "*:x=*2", True),
        ("b:x=12", "a:x=*2", False),
    ],
)
def test_a_name_against_a_pattern(name: str, pattern: str, does_match: bool) -> None:
    assert matches(name, pattern) is does_match


@pytest.mark.parametrize("pattern", ["", "a", ":x=1", "a:", "a:x", "a:x=1,y"])
def test_what_is_no_pattern(pattern: str) -> None:
    assert not is_pattern(pattern)
