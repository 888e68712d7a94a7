"""The node's web service over real connections: shapes, logs as `yarn logs` wants them, refusals."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.nm.rig import APPLICATION, NODE, Rig, container_id
from tests.waiting import PATIENCE_S
from yarnbox.nm.edge.http.web import WebService
from yarnbox.nm.executor.layout import Layout
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings

ONE = str(container_id(1))
Get = Callable[[str], tuple[int, str]]


def served(tmp_path: Path, ask: Callable[[Get], Any], *, is_empty: bool = False) -> Any:
    """Asks a node with two containers, the second of which has ended; the first has logs."""
    rig = Rig()
    layout = Layout([str(tmp_path / "local")], [str(tmp_path / "logs")])
    if not is_empty:
        rig.run(1)
        rig.run(2)
        rig.exited(2, 5, "broken")
        logs = tmp_path / "logs" / str(APPLICATION) / ONE
        logs.mkdir(parents=True)
        (logs / "stdout").write_text("hello world\n")

    async def body() -> Any:
        service = WebService(rig.core, layout, HttpAccess(HttpAccessSettings()))
        await service.start("127.0.0.1", 0)

        def get(path: str) -> tuple[int, str]:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
            try:
                connection.request("GET", path)
                response = connection.getresponse()
                return response.status, response.read().decode()
            finally:
                connection.close()

        try:
            return await asyncio.to_thread(ask, get)
        finally:
            await service.stop()

    return asyncio.run(body())


def _json(tmp_path: Path, path: str, *, is_empty: bool = False) -> Any:
    status, text = served(tmp_path, lambda get: get(path), is_empty=is_empty)
    assert status == 200, text
    return json.loads(text)


@pytest.mark.parametrize("path", ["/ws/v1/node", "/ws/v1/node/", "/ws/v1/node/info"])
def test_the_node(tmp_path: Path, path: str) -> None:
    info = _json(tmp_path, path)["nodeInfo"]
    assert (info["id"], info["nodeHostName"], info["nodeHealthy"]) == (str(NODE), "nm1", True)
    assert (info["totalPmemAllocatedContainersMB"], info["totalVCoresAllocatedContainers"]) == (4096, 4)
    assert (info["vmemCheckEnabled"], info["resourceTypes"]) == (True, "memory-mb (unit=Mi), vcores")


def test_applications(tmp_path: Path) -> None:
    wanted = {"id": str(APPLICATION), "state": "RUNNING", "user": "alice", "containerids": [ONE]}
    assert _json(tmp_path, "/ws/v1/node/apps") == {"apps": {"app": [wanted]}}


def test_one_application(tmp_path: Path) -> None:
    assert _json(tmp_path, f"/ws/v1/node/apps/{APPLICATION}")["app"]["state"] == "RUNNING"


@pytest.mark.parametrize("query", ["state=FINISHED", "user=bob"])
def test_applications_of_a_kind(tmp_path: Path, query: str) -> None:
    assert _json(tmp_path, f"/ws/v1/node/apps?{query}") == {"apps": {}}


def test_containers(tmp_path: Path) -> None:
    first, second = _json(tmp_path, "/ws/v1/node/containers")["containers"]["container"]
    assert (first["id"], first["state"], first["exitCode"]) == (ONE, "RUNNING", -1000)
    assert (first["totalMemoryNeededMB"], first["executionType"]) == (1024, "GUARANTEED")
    assert first["containerLogFiles"] == ["stdout"]
    assert (second["state"], second["exitCode"]) == ("DONE", 5)
    assert "broken" in second["diagnostics"]
    assert "containerLogFiles" not in second


def test_an_empty_node(tmp_path: Path) -> None:
    assert _json(tmp_path, "/ws/v1/node/containers", is_empty=True) == {"containers": {}}


def test_one_container(tmp_path: Path) -> None:
    assert _json(tmp_path, f"/ws/v1/node/containers/{ONE}")["container"]["user"] == "alice"


def test_the_list_of_logs_has_strings_and_no_array_of_one(tmp_path: Path) -> None:
    info = _json(tmp_path, f"/ws/v1/node/containers/{ONE}/logs")["containerLogsInfo"]
    assert (info["logAggregationType"], info["containerId"], info["nodeId"]) == ("LOCAL", ONE, str(NODE))
    assert (info["containerLogInfo"]["fileName"], info["containerLogInfo"]["fileSize"]) == ("stdout", "12")


@pytest.mark.parametrize("path", [f"containers/{ONE}/logs/stdout", f"containerlogs/{ONE}/stdout"])
def test_a_log_as_it_is_printed(tmp_path: Path, path: str) -> None:
    status, text = served(tmp_path, lambda get: get(f"/ws/v1/node/{path}"))
    assert status == 200
    lines = text.split("\n")
    assert lines[:2] == [f"Container: {ONE} on nm1:4321", "LogAggregationType: LOCAL"]
    assert lines[2] == "=" * len(lines[0])
    assert lines[3] == "LogType:stdout"
    assert lines[4].startswith("LogLastModifiedTime:")
    assert lines[5:8] == ["LogLength:12", "LogContents:", "hello world"]
    end = "End of LogType:stdout"
    assert lines[8] == (
        f"{end}.This log file belongs to a running container ({ONE}) and so may not be complete."
    )
    assert lines[9:] == ["*" * (len(end) + 50), "", ""]


@pytest.mark.parametrize("size, content", [("5", "hello"), ("-6", "world\n"), ("100", "hello world\n")])
def test_a_part_of_a_log(tmp_path: Path, size: str, content: str) -> None:
    _, text = served(tmp_path, lambda get: get(f"/ws/v1/node/containers/{ONE}/logs/stdout?size={size}"))
    assert f"LogLength:12\nLogContents:\n{content}End of LogType" in text


@pytest.mark.parametrize(
    "path, status",
    [
        ("/ws/v1/node/containers/container_1_1", 400),
        (f"/ws/v1/node/containers/{container_id(9)}", 404),
        (f"/ws/v1/node/containers/{container_id(9)}/logs", 404),
        (f"/ws/v1/node/containers/{ONE}/logs/nothing", 404),
        (f"/ws/v1/node/containers/{ONE}/logs/..%2F..%2Fx", 404),
        (f"/ws/v1/node/containers/{ONE}/logs/stdout?size=x", 400),
        ("/ws/v1/node/apps?user=", 400),
        ("/ws/v1/node/auxiliaryservices", 400),
        ("/ws/v1/node/apps/application_1_0001", 404),
    ],
)
def test_refusals(tmp_path: Path, path: str, status: int) -> None:
    found, text = served(tmp_path, lambda get: get(path))
    assert found == status
    assert json.loads(text)["RemoteException"]["message"].startswith("java.lang.Exception: ")


def test_an_application_id_that_is_none(tmp_path: Path) -> None:
    status, text = served(tmp_path, lambda get: get("/ws/v1/node/apps/bad"))
    told = json.loads(text)["RemoteException"]
    assert (status, told["exception"]) == (400, "BadRequestException")
    assert told["message"] == (
        "java.lang.IllegalArgumentException: Invalid ApplicationId prefix: bad. The valid ApplicationId "
        "should start with prefix application"
    )


OF_THE_NODE = {
    *("AllocatedContainers", "AllocatedGB", "AllocatedVCores", "AvailableGB", "AvailableVCores"),
    *("AllocatedOpportunisticGB", "AllocatedOpportunisticVCores", "RunningOpportunisticContainers"),
    *("ApplicationsRunning", "BadLocalDirs", "BadLogDirs"),
    *("GoodLocalDirsDiskUtilizationPerc", "GoodLogDirsDiskUtilizationPerc"),
    *("ContainerCpuUtilization", "ContainerUsedMemGB", "ContainerUsedVMemGB"),
    *("NodeCpuUtilization", "NodeGpuUtilization", "NodeUsedMemGB", "NodeUsedVMemGB"),
    *("ContainerLaunchDurationNumOps", "ContainerLaunchDurationAvgTime"),
    *("LocalizationDurationMillisNumOps", "LocalizationDurationMillisAvgTime"),
    *(f"Containers{one}" for one in ("Launched", "Completed", "Failed", "Killed", "Initing", "ReIniting")),
    *(f"Containers{one}" for one in ("Running", "Paused", "GuaranteedQueued", "OpportunisticQueued")),
}


def test_the_node_s_metrics(tmp_path: Path) -> None:
    """Hadoop 3.4.1's attributes, but for what its caches and its cleaner do."""
    found = _json(tmp_path, "/jmx?qry=Hadoop:service=NodeManager,name=*")["beans"]
    assert all(bean["tag.Hostname"] for bean in found)
    (node,) = (bean for bean in found if bean["modelerType"] == "NodeManagerMetrics")
    assert {name for name in node if "tag." not in name} - {"name", "modelerType"} == OF_THE_NODE
    assert node["ContainersRunning"] == 1
    assert 0 <= node["GoodLogDirsDiskUtilizationPerc"] <= 100
    _, text = served(tmp_path, lambda get: get("/prom"), is_empty=True)
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert families["node_manager_metrics_containers_launched"].type == "counter"
    assert families["node_manager_metrics_allocated_gb"].type == "gauge"


def test_a_state_that_there_is_not(tmp_path: Path) -> None:
    status, body = served(tmp_path, lambda get: get("/ws/v1/node/apps?state=ODD"))
    told = json.loads(body)["RemoteException"]
    assert (status, told["javaClassName"]) == (400, "java.lang.IllegalArgumentException")
    assert told["message"].endswith("application.ApplicationState.ODD")


@pytest.mark.parametrize("path", ["/nothing", "/ws/v1/node/else", "/ws/v1/nodes"])
def test_what_is_not_there(tmp_path: Path, path: str) -> None:
    status, page = served(tmp_path, lambda get: get(path))
    assert status == 404
    assert f"<tr><th>URI:</th><td>{path}</td></tr>" in page


@pytest.mark.parametrize("header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}])
def test_a_page_of_another_site(tmp_path: Path, header: dict[str, str]) -> None:
    async def body() -> int:
        rig = Rig()
        layout = Layout([str(tmp_path / "local")], [str(tmp_path / "logs")])
        service = WebService(rig.core, layout, HttpAccess(HttpAccessSettings(), ["nm1"]))
        await service.start("127.0.0.1", 0)

        def ask(headers: dict[str, str]) -> int:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
            try:
                connection.request("GET", "/ws/v1/node", headers=headers)
                return connection.getresponse().status
            finally:
                connection.close()

        try:
            assert await asyncio.to_thread(ask, {"Host": "nm1:8042"}) == 200
            return await asyncio.to_thread(ask, header)
        finally:
            await service.stop()

    assert asyncio.run(body()) == 403
