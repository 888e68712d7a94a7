"""/jmx and /prom of a running RM: Hadoop's names, patterns, and Prometheus' text."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import play
from yarnbox.rm.edge.meters import Intervals
from yarnbox.yarn.http.jmx import description, is_counter, is_pattern, matches, metric_name, prometheus

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
            assert (await jmx(caller, "?qry=nothing:*"))["beans"] == []
            assert len((await jmx(caller, "?qry="))["beans"]) == len(names)
            queries = ("", "?qry=nothing:*", "", f"?qry={PREFIX}ClusterMetrics")
            at_once = await asyncio.gather(*(jmx(caller, query) for query in queries))
            assert [len(one["beans"]) for one in at_once] == [len(names), 0, len(names), 1]
            for query in ("?qry=nonsense", "?get=nonsense::x"):
                assert await jmx(caller, query, 400) == {}

    play(scene)


def test_a_question_that_has_no_answer(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            none = await jmx(caller, f"?get={PREFIX}ClusterMetrics::None", 404)
            assert none["result"] == "ERROR"
            assert none["beans"] == [
                {
                    "name": f"{PREFIX}ClusterMetrics",
                    "modelerType": "ClusterMetrics",
                    "result": "ERROR",
                    "message": "No attribute with name None was found.",
                }
            ]
            assert await jmx(caller, f"?get={PREFIX}Nothing::None") == {"beans": []}
            for query in ("?get=", "?get=nonsense", f"?get={PREFIX}ClusterMetrics", "?get=a:b=c::d::e"):
                wrong = await jmx(caller, query, 400)
                assert wrong == {"result": "ERROR", "message": "query format is not as expected."}

    play(scene)


def test_prometheus_can_read_it(tmp_path: Path) -> None:
    """Every family once, with what it is and one type; no sample twice; counters by Hadoop's names."""

    async def scene() -> None:
        async with web(tmp_path) as caller:
            await caller.desk.beat()
            for path in ("/prom", "/metrics"):
                async with caller.session.get(f"{caller.top}{path}") as answer:
                    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
                    text = await answer.text()
            heads = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
            assert len(heads) == len(set(heads))
            assert heads == [line.split()[2] for line in text.splitlines() if line.startswith("# HELP")]
            families = {family.name: family for family in text_string_to_metric_families(text)}
            assert {family.type for family in families.values()} == {"counter", "gauge"}
            for family in families.values():
                assert family.documentation or family.name.startswith("queue_metrics_running_"), family.name
                labels = [(one.name, *sorted(one.labels.items())) for one in family.samples]
                assert len(labels) == len(set(labels)), family.name
            (active,) = families["cluster_metrics_num_active_n_ms"].samples
            assert active.value == 1
            assert {"clustermetrics": "ResourceManager", "context": "yarn"}.items() <= active.labels.items()
            allocated = families["queue_metrics_allocated_mb"]
            assert (allocated.type, allocated.documentation) == ("gauge", "Allocated memory in MB")
            assert allocated.samples[0].labels["queue"] == "default"
            assert families["queue_metrics_apps_submitted"].type == "counter"
            assert "\nqueue_metrics_apps_submitted{" in text
            assert "_total{" not in text
            ports = [one.labels["port"] for one in families["rpc_received_bytes"].samples]
            assert ports == ["8030", "8031", "8032", "8033"]
            (beats,) = families["rpcdetailed_node_heartbeat_num_ops"].samples
            assert beats.value == 2

    play(scene)


def test_odd_names_and_values_in_prometheus() -> None:
    bean = {
        "name": "Hadoop:service=X,name=Y",
        "modelerType": "Y",
        "tag.Context": 'a "b"\\\n',
        "Z": float("nan"),
        "AllocatedResource.yarn.io/gpu": 1,
        "Flag": True,
        "Text": "no number",
    }
    text = prometheus([bean, {"name": "Hadoop:service=X,name=Z", "modelerType": "Z", "A": 1}]).decode()
    families = list(text_string_to_metric_families(text))
    assert [family.name for family in families] == ["yz", "y_allocated_resource_yarn_io_gpu"]
    assert families[0].samples[0].labels == {"context": 'a "b"\\\n'}
    assert families[0].samples[0].value != families[0].samples[0].value


@pytest.mark.parametrize(
    "attribute, words, is_a_counter",
    [
        ("AllocatedMB", "Allocated memory in MB", False),
        ("AllocatedVCores", "Allocated CPU in virtual cores", False),
        ("AppsSubmitted", "# of apps submitted", True),
        ("UnmanagedAppsPending", "# of unmanaged apps pending", False),
        ("AMLaunchDelayAvgTime", "Average time for am launch delay", False),
        ("NodeUpdateNumOps", "Number of ops for node update", True),
        ("SchedulerNodeHBIntervalNumOps", "Number of ops for scheduler node hb interval", False),
        ("NumLostNMs", "# of lost NMs", False),
        ("AggregateContainersReleased", "Aggregate Containers Released", True),
        ("AggregatePreemptedSeconds.x", "Aggregate Preempted Seconds.x", False),
    ],
)
def test_what_an_attribute_is(attribute: str, words: str, is_a_counter: bool) -> None:
    assert (description(attribute), is_counter(attribute)) == (words, is_a_counter)


def test_percentiles_are_those_of_the_window_that_is_past() -> None:
    intervals = Intervals()
    for number in range(100):
        intervals.add(1000 + number, 100.0 + number / 100)
    assert intervals.quantiles(101.0) == (0, dict.fromkeys((50, 75, 90, 95, 99), 0))
    assert intervals.quantiles(111.0) == (100, {50: 1049, 75: 1074, 90: 1089, 95: 1094, 99: 1098})
    assert intervals.quantiles(150.0)[0] == 0


@pytest.mark.parametrize(
    "record, attribute, name",
    [
        ("QueueMetrics", "AllocatedMB", "queue_metrics_allocated_mb"),
        ("ClusterMetrics", "NumActiveNMs", "cluster_metrics_num_active_n_ms"),
        ("QueueMetrics", "AllocatedVCores", "queue_metrics_allocated_v_cores"),
        ("QueueMetrics", "running_0", "queue_metrics_running_0"),
        ("rpc", "RpcSlowCalls", "rpc_rpc_slow_calls"),
        (
            "CapacitySchedulerMetrics",
            "SchedulerNodeHBInterval95thPercentileTime",
            "capacity_scheduler_metrics_scheduler_node_hb_interval95th_percentile_time",
        ),
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
            assert (rpc["tag.port"], rpc["tag.serverName"]) == ("8031", "ResourceTrackerService")
            assert (rpc["RpcCallSuccesses"], rpc["NumOpenConnections"], rpc["TotalRequests"]) == (2, 0, 2)
            (detailed,) = (await jmx(caller, f"?qry={PREFIX}RpcDetailedActivityForPort8031"))["beans"]
            assert detailed["tag.Context"] == "rpcdetailed"
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
                assert shown["SchedulerNodeHBInterval99thPercentileTime"] == 0, "the window is open"
                assert shown["CommitFailureNumOps"] == 0
                assert shown["tag.CapacitySchedulerMetrics"] == "ResourceManager"

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
