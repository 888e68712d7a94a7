"""The live task stream: 50,000 containers of one application on 500 nodes, in headless Chromium.

The ResourceManager is a process of its own; nodes and the ApplicationMaster are made up here, over gRPC.
While a page is open, some containers end each second and others begin. Measured are the longest task while
all containers arrive and what the updates after that cost, both in processor time, and how wheel and drag are
followed meanwhile.
Budgets: 100 ms of script, 60 pictures a second. `--alone` leaves the ResourceManager's part out: its answers
are made up, too.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Page, Route, async_playwright

from bench import pages
from bench._report import report
from bench.pages import Crowd
from bench.taskstream import WATCH as FRAMES
from bench.taskstream import place_of, watched
from tests.browser import ARGUMENTS, FILE
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.rm.web.pages.taskstream import traits
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.client import GetApplicationReportRequest
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

NODES, CONTAINERS, A_SECOND = 500, 50_000, 40
NODE_MB = 524_288
_CAPACITY = "yarn.scheduler.capacity."
QUEUES = {
    _CAPACITY + "root.queues": "default",
    _CAPACITY + "root.default.capacity": "100",
    # By default a node's report places one such container: 50,000 take as many reports and allocate calls.
    _CAPACITY + "per-node-heartbeat.maximum-offswitch-assignments": "10",
}
STEPS = 90
PAGES = {"application": "/app/{app}", "queue": "/scheduler?queue=root.default"}


class Master:
    """The ApplicationMaster of the one application, and the nodes on which it works."""

    def __init__(self, crowd: Crowd, am: Stub, node_ids: list[NodeId]) -> None:
        self._crowd = crowd
        self._am = am
        self._node_ids = node_ids
        self._response_id = 0
        self.running: list[tuple[NodeId, ContainerId]] = []

    async def take(self, wanted: int, first: int = 0) -> None:
        """So many containers more; nodes report in turn, from that one on."""
        ask = ResourceRequest(
            priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=wanted
        )
        asks: tuple[ResourceRequest, ...] = (ask,)
        got = 0
        for number in count(first):
            request = AllocateRequest(ask=asks, response_id=self._response_id)
            answer: Any = await self._am.call("allocate", request)
            asks, self._response_id = (), answer.response_id
            for container in answer.allocated_containers:
                self._crowd.held.setdefault(container.node_id, []).append(container.id)
                self.running.append((container.node_id, container.id))
            got += len(answer.allocated_containers)
            if got >= wanted:
                return
            await self._crowd.beat(self._node_ids[number % len(self._node_ids)])

    async def go_on(self) -> None:
        """Each second some containers end and as many begin, until cancelled."""
        for turn in count():
            begun = time.monotonic()
            for node_id, container_id in self.running[:A_SECOND]:
                self._crowd.held[node_id].remove(container_id)
                done = ContainerStatus(container_id=container_id, state=ContainerState.COMPLETE)
                await self._crowd.beat(node_id, done)
            del self.running[:A_SECOND]
            await self.take(A_SECOND, first=37 * turn)
            await asyncio.sleep(max(0.05, 1 - (time.monotonic() - begun)))


class MadeUp:
    """Answers of /ui/containers for one application; at each look some containers end and as many begin."""

    def __init__(self, application_id: ApplicationId, containers: int) -> None:
        self._app = str(application_id)
        self._rows: list[dict[str, Any]] = []
        self._changed_ms: dict[str, int] = {}
        begun_ms = int(time.time() * 1000) - 600_000
        for number in range(containers):
            self._begin(begun_ms + 10 * number)

    def _begin(self, now_ms: int) -> None:
        number = len(self._rows)
        row: dict[str, Any] = {
            "id": f"container{self._app[11:]}_01_{number:06}",
            "app": self._app,
            "http": "127.0.0.1:1",
        }
        row |= {"node": f"n{number % NODES:05}:1", "queue": "root.default", "user": "ann", "partition": ""}
        row |= {"memoryMB": 1024, "vcores": 1, "priority": 1, "isAM": number == 0, "state": "RUNNING"}
        row["kind"] = "alive"
        row |= {"locality": "OFF_SWITCH", "requested": "OFF_SWITCH", "started": now_ms, "finished": 0}
        row |= {"reserved": 0, "allocated": now_ms, "running": 0, "elapsed": 0}
        self._rows.append({**row, "exitStatus": None, "diagnostics": ""})
        self._changed_ms[row["id"]] = now_ms

    async def answer(self, route: Route) -> None:
        """As the ResourceManager answers."""
        asked = {
            name: int(values[0])
            for name, values in parse_qs(urlsplit(route.request.url).query).items()
            if values[0].isdigit()
        }
        now_ms, rows = int(time.time() * 1000), self._rows
        if "changes" in asked:
            for row in [row for row in rows if not row["finished"]][:A_SECOND]:
                row.update(finished=now_ms, state="COMPLETE", kind="done", exitStatus=0)
                self._changed_ms[row["id"]] = now_ms
                self._begin(now_ms)
            shown = [row for row in rows if self._changed_ms[row["id"]] >= asked["changes"]]
        elif "from" in asked:
            shown = rows[asked["from"] : asked["from"] + asked["limit"]]
        else:
            shown = rows[-asked.get("limit", len(rows)) :]
        head: dict[str, Any] = {"now": now_ms, "known": len(rows), "traits": traits(counts_vcores=True)}
        head["isCut"] = "limit" in asked and "from" not in asked
        living = sum(not row["finished"] for row in rows)
        await route.fulfill(json={"containers": {**head, "living": living, "container": shown}})


async def look(browser: Browser, url: str, containers: int, made_up: MadeUp | None) -> dict[str, float]:
    """One page from its address on."""
    context = await browser.new_context(viewport={"width": 1400, "height": 900})
    page = await context.new_page()
    await page.add_init_script(FRAMES + pages.WATCH)
    if made_up is not None:
        await page.route("**/ui/containers*", made_up.answer)
    devtools = await context.new_cdp_session(page)
    await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time
    await browser.start_tracing(page=page, categories=["toplevel"])
    begun = time.perf_counter()
    await page.goto(url, wait_until="commit")
    await page.locator(".stream .plot").wait_for()
    figures = {"shown after": (time.perf_counter() - begun) * 1000}
    await page.wait_for_function(
        "(least) => Number(document.querySelector('.stream').ariaLabel.match(/: (\\d+) con/)[1]) >= least",
        arg=containers,
    )
    await page.wait_for_timeout(1500)
    figures["all there after"] = (time.perf_counter() - begun) * 1000 - 1500
    figures["longest task until then"] = max(pages.tasks_ms(await browser.stop_tracing()))
    before, shown = await pages.spent_ms(devtools), await page.evaluate("window.shown")
    await browser.start_tracing(page=page, categories=["toplevel"])
    for _ in range(pages.UPDATES):
        await page.evaluate(pages.UPDATE)
        await asyncio.sleep(1)
    figures["longest task of updates"] = max(pages.tasks_ms(await browser.stop_tracing()))
    after, more = await pages.spent_ms(devtools), await page.evaluate("window.shown")
    updates = more - shown
    figures["updates"] = more - shown
    figures["script of an update"] = (after["ScriptDuration"] - before["ScriptDuration"]) / updates
    figures["work of an update"] = (after["TaskDuration"] - before["TaskDuration"]) / updates
    figures |= await follow(page)
    await context.close()
    return figures


async def follow(page: Page) -> dict[str, float]:
    """How the picture follows wheel and drag."""
    field = page.locator(".stream .plot")
    box = await place_of(field)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    async def drag() -> None:
        await page.mouse.move(x, y)
        await page.mouse.down()
        for step in range(STEPS):
            await page.mouse.move(
                x + 200 * (1 if (step // 30) % 2 else -1) * (step % 30) / 30, y + (step % 30)
            )
        await page.mouse.up()

    async def wheel() -> None:
        await field.focus()
        await page.mouse.move(x, y)
        for step in range(STEPS):
            await page.mouse.wheel(0, -40 if step < STEPS / 2 else 40)

    figures = {}
    for name, does in (("wheel", wheel), ("drag", drag)):
        took, rate = await watched(page, does)
        figures[f"{name}: median"] = statistics.median(took)
        figures[f"{name}: 95 of 100"] = statistics.quantiles(took, n=20)[18]
        figures[f"{name}: frames"] = rate
    return figures


async def measure(grpc: str, web: str, nodes: int, containers: int, alone: bool) -> dict[str, float]:
    """Fills the cluster, and looks at both pages."""
    crowd = Crowd(grpc)
    application_id = await crowd.submit()
    made_up = MadeUp(application_id, containers) if alone else None
    asked = GetApplicationReportRequest(application_id=application_id)
    token = None
    while token is None:
        found: Any = await crowd.client.call("getApplicationReport", asked)
        token = found.application_report.am_rm_token
    figures: dict[str, float] = {}
    async with Stub(grpc, "ApplicationMasterProtocolService", token=token) as am:
        await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
        goes_on = None if alone else asyncio.ensure_future((await fill(crowd, am, nodes, containers)).go_on())
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=FILE, args=ARGUMENTS)
            for name, path in PAGES.items():
                url = f"http://{web}/cluster{path.format(app=application_id)}"
                seen = await look(browser, url, containers, made_up)
                figures |= {f"{name}: {what}": value for what, value in seen.items()}
            await browser.close()
        if goes_on is not None:
            goes_on.cancel()
    await crowd.close()
    return figures


async def fill(crowd: Crowd, am: Stub, nodes: int, containers: int) -> Master:
    """Registers the nodes, and gives the application its containers."""
    node_ids = await crowd.register(nodes, NODE_MB)
    master = Master(crowd, am, node_ids)
    await master.take(containers)
    for node_id in node_ids:
        await crowd.beat(node_id)
    return master


def main() -> None:
    """Starts an RM, fills it, looks at it, ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--containers", type=int, default=CONTAINERS)
    parser.add_argument("--alone", action="store_true", help="make the answers up")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(RunDirectory(Path(directory) / "run"), stays_with_us=True)
        conf = Path(directory) / "conf"
        conf.mkdir()
        rows = ((name, value, False) for name, value in QUEUES.items())
        (conf / "capacity-scheduler.xml").write_text(write(rows))
        asked = Options(nodes=0, port=0, web_port=0, configuration=conf, definitions=pages.DEFINITIONS)
        record = cluster.up(asked)
        try:
            cluster.wait_until_ready()
            figures = asyncio.run(
                measure(
                    record.rm_address, record.web_address, options.nodes, options.containers, options.alone
                )
            )
        finally:
            cluster.down()
    report("livestream", figures, {name: "1/s" if name.endswith("frames") else "ms" for name in figures})


if __name__ == "__main__":
    main()
