"""Pages of a large cluster in headless Chromium: 10,000 nodes, 50,000 running containers of 100 applications.

The ResourceManager is a process of its own; nodes and ApplicationMasters are made up here, over gRPC. While a
page is open, some nodes report. Measured are the first paint, when the page has what it shows, and what an
update costs the browser in processor time: its script, all of its work, and the longest of its tasks.
Budgets: 1 s to the first paint, 100 ms of script.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import tempfile
import time
from itertools import cycle
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, async_playwright

from bench._report import report
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeStatus,
    RegisterNodeManagerRequest,
)
from yarnbox.yarn.resources.resource import Resource

NODES, CONTAINERS, APPLICATIONS = 10_000, 50_000, 100
NODE_MB = 16_384
"""Twice what is needed and more: the queue `default` of the sample has half of the cluster."""
AT_ONCE = 32
REPORTS_A_SECOND = 100
UPDATES = 8
PAGES = {
    "cluster": "",
    "nodes": "/nodes",
    "applications": "/apps",
    "scheduler": "/scheduler",
    "application": "/app/{app}",
    "node": "/node/{node}",
}
DEFINITIONS = {
    "yarn.resourcemanager.recovery.enabled": "false",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "3600000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "3600000",
    "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "3600000",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
    "yarnbox.node-secret-file": "",  # the nodes are made up here
}
UNITS = {
    "first paint": "ms",
    "complete": "ms",
    "script of an update": "ms",
    "work of an update": "ms",
    "longest task": "ms",
}
# A page says when it has shown something new by an attribute.
WATCH = """
  window.shown = 0;
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(() => { window.shown += 1; })
      .observe(document.getElementById("main"), { attributes: true, attributeFilter: ["data-ready"] });
  });
"""
# A page that has shown something asks for it again.
UPDATE = """() => new Promise((done) => {
  const before = window.shown;
  new MutationObserver((_, observer) => { if (window.shown > before) { observer.disconnect(); done(); } })
    .observe(document.getElementById("main"), { attributes: true, attributeFilter: ["data-ready"] });
  dispatchEvent(new Event("refresh"));
})"""
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


class Crowd:
    """Nodes that report, and ApplicationMasters that hold their containers."""

    def __init__(self, address: str) -> None:
        self._tracker = Stub(address, "ResourceTrackerService")
        self.client = Stub(address, "ApplicationClientProtocolService", user="ann")
        self._address = address
        self._response_ids: dict[NodeId, int] = {}
        self.held: dict[NodeId, list[ContainerId]] = {}
        self.applications: list[ApplicationId] = []

    async def close(self) -> None:
        """Hangs up."""
        await self._tracker.close()
        await self.client.close()

    async def register(self, nodes: int, node_mb: int) -> list[NodeId]:
        """So many nodes of that size."""
        node_ids = [NodeId(f"n{number:05d}", 1) for number in range(nodes)]
        await self._for_all(node_ids, lambda node_id: self._register(node_id, node_mb))
        return node_ids

    async def gather(self, nodes: int, containers: int) -> None:
        """Registers the nodes, and lets the applications have their containers."""
        node_ids = await self.register(nodes, NODE_MB)
        for _ in range(APPLICATIONS):
            self.applications.append(await self.submit())
        async with asyncio.TaskGroup() as group:
            for application_id in self.applications:
                group.create_task(self._hold(application_id, containers // APPLICATIONS, node_ids))
        await self._for_all(node_ids, self.beat)

    async def beat(self, node_id: NodeId, *ended: ContainerStatus) -> None:
        """One report: what runs, and what has ended."""
        running = tuple(
            ContainerStatus(container_id=one, state=ContainerState.RUNNING)
            for one in self.held.get(node_id, ())
        )
        status = NodeStatus(
            node_id=node_id,
            response_id=self._response_ids.get(node_id, 0),
            node_health_status=NodeHealthStatus(
                is_node_healthy=True, health_report="", last_health_report_time=0
            ),
            containers_statuses=(*running, *ended),
        )
        answer: Any = await self._tracker.call("nodeHeartbeat", NodeHeartbeatRequest(node_status=status))
        self._response_ids[node_id] = answer.response_id

    async def go_on(self) -> None:
        """Some nodes report, one after the other, until cancelled."""
        for node_id in cycle(list(self._response_ids)):
            await self.beat(node_id)
            await asyncio.sleep(1 / REPORTS_A_SECOND)

    async def _for_all(self, node_ids: list[NodeId], call: Any) -> None:
        left = iter(node_ids)

        async def some() -> None:
            for node_id in left:
                await call(node_id)

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))

    async def _register(self, node_id: NodeId, node_mb: int) -> None:
        request = RegisterNodeManagerRequest(
            node_id=node_id, http_port=1, resource=Resource(node_mb, node_mb // 1024), nm_version="3.4.1"
        )
        await self._tracker.call("registerNodeManager", request)

    async def submit(self) -> ApplicationId:
        """An application whose ApplicationMaster is made up here, too."""
        new: Any = await self.client.call("getNewApplication", GetNewApplicationRequest())
        context = ApplicationSubmissionContext(
            application_id=new.application_id,
            application_name=f"job {new.application_id.id}",
            unmanaged_am=True,
        )
        await self.client.call(
            "submitApplication", SubmitApplicationRequest(application_submission_context=context)
        )
        application_id: ApplicationId = new.application_id
        return application_id

    async def _hold(self, application_id: ApplicationId, count: int, node_ids: list[NodeId]) -> None:
        request = GetApplicationReportRequest(application_id=application_id)
        token = None
        while token is None:
            found: Any = await self.client.call("getApplicationReport", request)
            token = found.application_report.am_rm_token
        first = self.applications.index(application_id) * len(node_ids) // APPLICATIONS
        ask = ResourceRequest(
            priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=count
        )
        async with Stub(self._address, "ApplicationMasterProtocolService", token=token) as am:
            await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
            answer: Any = await am.call("allocate", AllocateRequest(ask=(ask,), response_id=0))
            got = 0
            for node_id in cycle((*node_ids[first:], *node_ids[:first])):
                await self.beat(node_id)
                answer = await am.call("allocate", AllocateRequest(response_id=answer.response_id))
                for container in answer.allocated_containers:
                    self.held.setdefault(container.node_id, []).append(container.id)
                got += len(answer.allocated_containers)
                if got >= count:
                    return


async def look(browser: Browser, url: str) -> dict[str, float]:
    """One page, opened anew, and some updates: on a busy machine a page looks again seldom by itself."""
    context = await browser.new_context(viewport={"width": 1400, "height": 900})
    page = await context.new_page()
    await page.add_init_script(WATCH)
    devtools = await context.new_cdp_session(page)
    await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time
    begun = time.perf_counter()
    await page.goto(url, wait_until="commit")
    await page.locator("#main[data-ready]").wait_for()
    complete_ms = (time.perf_counter() - begun) * 1000
    await asyncio.sleep(1)
    painted_ms = float(await page.evaluate(PAINTED))
    before, shown_before = await spent_ms(devtools), await page.evaluate("window.shown")
    await browser.start_tracing(page=page, categories=["toplevel"])
    for _ in range(UPDATES):
        await page.evaluate(UPDATE)
        await asyncio.sleep(0.5)  # what is drawn is laid out and painted
    longest_ms = max(tasks_ms(await browser.stop_tracing()), default=0.0)
    after, shown_after = await spent_ms(devtools), await page.evaluate("window.shown")
    await context.close()
    updates = shown_after - shown_before
    return {
        "first paint": painted_ms,
        "complete": complete_ms,
        "updates": updates,
        "script of an update": (after["ScriptDuration"] - before["ScriptDuration"]) / updates,
        "work of an update": (after["TaskDuration"] - before["TaskDuration"]) / updates,
        "longest task": longest_ms,
    }


def tasks_ms(trace: bytes) -> list[float]:
    """The processor time of each task of the pages' threads, by what browser.stop_tracing gave: what else
    runs on the machine does not count.
    """
    events = json.loads(trace)["traceEvents"]
    threads = {
        (one["pid"], one["tid"])
        for one in events
        if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"
    }
    return [
        one["tdur"] / 1000
        for one in events
        if one["name"].endswith("RunTask") and "tdur" in one and (one["pid"], one["tid"]) in threads
    ]


async def spent_ms(devtools: CDPSession) -> dict[str, float]:
    found = await devtools.send("Performance.getMetrics")
    return {one["name"]: one["value"] * 1000 for one in found["metrics"]}


async def measure(grpc: str, web: str, nodes: int, containers: int, times: int) -> dict[str, float]:
    """All pages, each opened so many times: medians."""
    crowd = Crowd(grpc)
    await crowd.gather(nodes, containers)
    reports = asyncio.ensure_future(crowd.go_on())
    names = {"app": str(crowd.applications[0]), "node": "n00000:1"}
    figures: dict[str, float] = {}
    async with async_playwright() as driver:
        chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = await driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path in PAGES.items():
            url = f"http://{web}/cluster{path.format(**names)}"
            found = [await look(browser, url) for _ in range(times)]
            for what in found[0]:
                figures[f"{name}: {what}"] = statistics.median(one[what] for one in found)
        await browser.close()
    reports.cancel()
    await crowd.close()
    return figures


def main() -> None:
    """Starts an RM, fills it, looks at it, ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--containers", type=int, default=CONTAINERS)
    parser.add_argument("--times", type=int, default=3, help="how often each page is opened")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        record = cluster.up(Options(nodes=0, port=0, web_port=0, definitions=DEFINITIONS))
        try:
            cluster.wait_until_ready()
            figures = asyncio.run(
                measure(
                    record.rm_address, record.web_address, options.nodes, options.containers, options.times
                )
            )
        finally:
            cluster.down()
    report("pages", figures, {f"{page}: {what}": unit for page in PAGES for what, unit in UNITS.items()})


if __name__ == "__main__":
    main()
