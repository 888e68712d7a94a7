"""The node's pages, its metrics and tools, over real connections."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from defusedxml import ElementTree

from tests.nm.rig import APPLICATION, NODE, Rig, container_id
from tests.waiting import PATIENCE_S
from yarnbox.nm.edge.http.web import WebService
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.settings import read
from yarnbox.yarn.storage.aggregated_logs import AggregatedLogWriter, LogLayout

ONE = str(container_id(1))
PAST = container_id(7)
Answer = tuple[int, str, dict[str, str]]
Ask = Callable[..., Answer]


def asked(
    tmp_path: Path,
    ask: Callable[[Ask], Any],
    conf: dict[str, str] | None = None,
    properties: dict[str, str] | None = None,
) -> Any:
    """Asks a node with two containers, the second of which has ended; the first has logs."""
    rig = Rig(read(NMSettings, Configuration.of(properties or {})))
    rig.context.owner = "owner"
    layout = Layout([str(tmp_path / "local")], [str(tmp_path / "logs")])
    own_logs = tmp_path / "own"
    own_logs.mkdir(parents=True)
    (own_logs / "nm.log").write_text("hello from the node\n")

    async def body() -> Any:
        service = WebService(
            rig.core, layout, HttpAccess(HttpAccessSettings()), Configuration.of(conf or {}), own_logs
        )
        if not rig.context.settings.logs.aggregation_enabled:
            rig.run(1)
            rig.run(2)
            rig.exited(2, 5, "<b>broken</b>")
        logs = tmp_path / "logs" / str(APPLICATION) / ONE
        logs.mkdir(parents=True)
        (logs / "stdout").write_text("0123456789<i>" + "x" * 5000)
        (logs / "std err").write_text("")
        await service.start("127.0.0.1", 0)

        def get(path: str, method: str = "GET", **headers: str) -> Answer:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_S)
            try:
                connection.request(method, path, headers=headers)
                response = connection.getresponse()
                return response.status, response.read().decode(), dict(response.getheaders())
            finally:
                connection.close()

        try:
            return await asyncio.to_thread(ask, get)
        finally:
            await service.stop()

    return asyncio.run(body())


def page(tmp_path: Path, path: str, status: int = 200, **others: Any) -> str:
    found, text, headers = asked(tmp_path, lambda get: get(path), **others)
    assert found == status, text
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert ('rel="icon" href="data:,"' in text) <= ("img-src data:" in policy), "browsers refuse the icon"
    return str(text)


def test_the_node(tmp_path: Path) -> None:
    shown = page(tmp_path, "/node", conf={"yarn.resourcemanager.webapp.address": "rm:8088"})
    assert "NodeHealthyStatus" in shown
    assert 'href="http://rm:8088/cluster"' in shown
    assert "8.40 GiB" in shown  # 4 GB times the ratio of virtual memory


@pytest.mark.parametrize(
    "path, text",
    [
        ("/node/allApplications", f'href="/node/application/{APPLICATION}"'),
        (f"/node/application/{APPLICATION}", f'href="/node/container/{ONE}"'),
        ("/node/allContainers", f'href="/node/containerlogs/{ONE}/alice"'),
        (f"/node/container/{ONE}", "N/A"),
        (f"/node/container/{container_id(2)}", "&lt;b&gt;broken&lt;/b&gt;"),
    ],
)
def test_what_runs_here(tmp_path: Path, path: str, text: str) -> None:
    assert text in page(tmp_path, path)


@pytest.mark.parametrize(
    "path, status",
    [
        ("/node/nothing", 404),
        ("/node/container/x", 400),
        (f"/node/container/{container_id(9)}", 404),
        ("/node/application/<script>", 400),
        (f"/node/containerlogs/{ONE}/alice/nothing", 404),
        (f"/node/containerlogs/{ONE}/alice/..%2F..%2Fx", 404),
        (f"/node/containerlogs/{ONE}/alice/stdout?start=x", 400),
        (f"/node/containerlogs/{ONE}/alice/stdout?start=5&end=2", 400),
    ],
)
def test_refusals_are_pages(tmp_path: Path, path: str, status: int) -> None:
    assert "<script>" not in page(tmp_path, path, status)


def test_the_logs_of_a_container(tmp_path: Path) -> None:
    shown = page(tmp_path, f"/node/containerlogs/{ONE}/alice")
    assert f'href="/node/containerlogs/{ONE}/alice/stdout?start=-4096"' in shown
    assert "stdout : Total file length is 5013 bytes." in shown
    assert f'href="/node/containerlogs/{ONE}/alice/std%20err?start=-4096"' in shown
    assert "No logs available" in page(tmp_path / "2", f"/node/containerlogs/{container_id(2)}/alice")


@pytest.mark.parametrize(
    "query, begins, note",
    [
        ("", "xxx", "Showing 4096 bytes of 5013"),
        ("?start=0", "0123456789&lt;i&gt;x", ""),
        ("?start=2&end=5", "234</pre>", "Showing 3 bytes"),
        ("?start=-4&end=-1", "xxx</pre>", "Showing 3 bytes"),
        ("?start=-9999&end=3", "012</pre>", "Showing 3 bytes"),
    ],
)
def test_a_part_of_a_log(tmp_path: Path, query: str, begins: str, note: str) -> None:
    shown = page(tmp_path, f"/node/containerlogs/{ONE}/alice/stdout{query}")
    assert f"<pre>{begins}" in shown
    assert note in shown
    assert ("Showing" in shown) is bool(note)


def collected(tmp_path: Path) -> dict[str, Any]:
    """Settings of a node that collects logs, and a log that it has collected."""
    root = tmp_path / "remote"
    with AggregatedLogWriter(LogLayout.of(str(root)).node_file("bob", APPLICATION, NODE), "bob") as writer:
        writer.append(PAST, [("stdout", BytesIO(b"long ago\n"))])
    return {"yarn.log-aggregation-enable": "true", "yarn.nodemanager.remote-app-log-dir": str(root)}


def test_collected_logs_are_found(tmp_path: Path) -> None:
    settings = collected(tmp_path)

    def ask(get: Ask) -> None:
        _, listed, _ = get(f"/node/containerlogs/{PAST}/alice")
        assert "Aggregated Logs:" in listed
        _, shown, _ = get(f"/node/containerlogs/{PAST}/alice/stdout?log.aggregation.type=remote")
        assert "<pre>long ago" in shown
        group = json.loads(get(f"/ws/v1/node/containers/{PAST}/logs")[1])["containerLogsInfo"]
        assert [one["logAggregationType"] for one in group] == ["LOCAL", "AGGREGATED"]
        assert group[1]["containerLogInfo"]["fileSize"] == "9"
        text = get(f"/ws/v1/node/containers/{PAST}/logs/stdout?size=-4")[1]
        assert "LogAggregationType: AGGREGATED" in text
        assert "LogContents:\nago\nEnd of LogType" in text
        assert get(f"/node/containerlogs/{ONE}/alice/stdout?log.aggregation.type=odd")[0] == 400

    asked(tmp_path, ask, properties=settings)


def test_gone_logs_are_the_log_server_s(tmp_path: Path) -> None:
    other = "container_1700000000000_0099_01_000001"
    status, _, headers = asked(
        tmp_path,
        lambda get: get(f"/node/containerlogs/{other}/bob/stdout?start=0"),
        conf={"yarn.log.server.url": "http://logs:19888/jobhistory/logs"},
        properties=collected(tmp_path),
    )
    where = f"http://logs:19888/jobhistory/logs/{NODE}/{other}/{other}/bob/stdout?start=0"
    assert (status, headers["Location"]) == (307, where)


def test_logs_are_for_those_who_may_view_the_application(tmp_path: Path) -> None:
    def ask(get: Ask) -> None:
        path = f"/node/containerlogs/{ONE}/alice"
        assert "not authorized to view the logs" in get(f"{path}?user.name=bob")[1]
        assert get(f"/ws/v1/node/containers/{ONE}/logs/stdout?user.name=bob")[0] == 404
        assert get(f"{path}?user.name=alice")[0] == 200
        for administrator in ("boss", "owner"):
            assert get(f"{path}?user.name={administrator}")[0] == 200
            assert get(f"/conf?user.name={administrator}")[0] == 200
        assert get("/conf?user.name=alice")[0] == 403

    asked(tmp_path, ask, properties={"yarn.acl.enable": "true", "yarn.admin.acl": "boss"})


def test_xml_says_the_same_as_json(tmp_path: Path) -> None:
    def ask(get: Ask) -> None:
        root = ElementTree.fromstring(get("/ws/v1/node/containers", Accept="application/xml")[1])
        assert [one.findtext("id") for one in root.findall("container")] == [ONE, str(container_id(2))]
        logs = ElementTree.fromstring(get(f"/ws/v1/node/containers/{ONE}/logs", Accept="application/xml")[1])
        assert logs.findtext("containerLogsInfo/logAggregationType") == "LOCAL"
        error = ElementTree.fromstring(get("/ws/v1/node/apps/x", Accept="application/xml")[1])
        assert error.findtext("exception") == "BadRequestException"
        assert get("/ws/v1/node", Accept="text/csv")[0] == 406
        assert get(f"/ws/v1/node/containerlogs/{ONE}/stdout", Accept="text/plain")[0] == 200
        assert get(f"/ws/v1/node/containerlogs/{ONE}/stdout?format=odd")[0] == 400
        link = json.loads(get("/ws/v1/node/containers")[1])["containers"]["container"][0]["containerLogsLink"]
        assert get("/" + link.split("/", 3)[3])[0] == 200

    asked(tmp_path, ask)


def test_metrics(tmp_path: Path) -> None:
    def ask(get: Ask) -> None:
        name = "Hadoop:service=NodeManager,name=NodeManagerMetrics"
        (bean,) = json.loads(get(f"/jmx?qry={name}")[1])["beans"]
        counts = ("ContainersLaunched", "ContainersCompleted", "ContainersFailed", "ContainersKilled")
        assert [bean[one] for one in counts] == [2, 0, 1, 0]
        assert (bean["ContainersRunning"], bean["AllocatedGB"], bean["AvailableVCores"]) == (1, 1, 3)
        assert bean["ContainerLaunchDurationNumOps"] == 2
        assert json.loads(get(f"/jmx?get={name}::AllocatedVCores")[1])["beans"][0]["AllocatedVCores"] == 1
        assert get("/jmx?qry=odd")[0] == 400
        assert "node_manager_metrics_containers_running" in get("/prom")[1]

    asked(tmp_path, ask)


def test_tools(tmp_path: Path) -> None:
    def ask(get: Ask) -> None:
        assert get("/")[2]["Location"] == "/node"
        assert "color-scheme" in get("/static/node.css")[1]
        assert "<name>yarn.nodemanager.address</name>" in get("/conf")[1]
        assert get("/conf?name=nothing")[0] == 404
        assert "MainThread" in get("/stacks")[1]
        assert get("/logs")[2]["Location"] == "/logs/"
        assert "nm.log" in get("/logs/")[1]
        assert get("/logs/nm.log")[1] == "hello from the node\n"
        assert get("/logs/..%2fx")[0] == 404
        assert "Effective Level" in get("/logLevel?log=nm.test")[1]
        browser = {"User-Agent": "Mozilla/5.0"}
        assert get("/logLevel?log=nm.test&level=INFO", **browser)[0] == 400
        assert get("/ws/v1/node", "POST")[0] == 405
        assert get("/ws/v1/node/auxiliaryservices", "PUT")[0] == 400

    asked(tmp_path, ask)
