"""The pages in a real browser: every page, an application that is killed, a node that is lost.

They need Chromium (Debian's package of that name), and say so where there is none.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, async_playwright

from am.placement import parse_constraint
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE, play
from tests.tree import ROOT
from yarn.configuration.document import write
from yarn.records.client import GetNewApplicationRequest
from yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarn.records.request import ResourceSizing, SchedulingRequest
from yarn.resource import Resource

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARTIFACTS = ROOT / "test-artifacts"
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser: apt-get install chromium")
PAGES = ("", "/nodes", "/apps", "/scheduler", "/nodelabels", "/events", "/conf", "/cluster")
NAME = "<img src=x onerror=alert(1)>"


@asynccontextmanager
async def opened(caller: Web) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        try:
            page = await browser.new_page()
            page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
            page.on("dialog", lambda dialog: pytest.fail("text of a user was executed"))
            yield page
        finally:
            await browser.close()


async def show(page: Page, caller: Web, path: str) -> None:
    await page.goto(f"{caller.top}/cluster{path}")
    await page.wait_for_selector("main[data-ready] h1")
    ARTIFACTS.mkdir(exist_ok=True)
    await page.screenshot(
        path=ARTIFACTS / f"{path.split('?')[0].strip('/').replace('/', '-') or 'overview'}.png"
    )


async def submit(caller: Web) -> str:
    answer = await caller.desk.client.call("getNewApplication", GetNewApplicationRequest())
    body = {"application-id": str(answer.application_id), "application-name": NAME, "unmanaged-AM": True}
    await caller.send("POST", "/apps?user.name=ann", body, 202)
    return str(answer.application_id)


@needs_browser
def test_every_page_can_be_seen(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, opened(caller) as page:
            await submit(caller)
            for path in PAGES:
                await show(page, caller, path)
                assert await page.locator("[role=alert]").count() == 0, path
            await page.keyboard.press("g")
            await page.keyboard.press("n")
            await page.wait_for_url("**/cluster/nodes")
            await page.get_by_text(str(NODE)).first.wait_for()

    play(scene)


@needs_browser
def test_an_application_is_killed_only_after_a_question(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, opened(caller) as page:
            application_id = await submit(caller)
            await show(page, caller, f"/app/{application_id}")
            await page.locator("h1", has_text=NAME).wait_for()
            await page.get_by_role("button", name="Kill Application").click()
            await page.get_by_role("button", name="Cancel").click()
            assert (await caller.get(f"/apps/{application_id}/state"))["state"] != "KILLED"
            await page.get_by_role("button", name="Kill Application").click()
            await page.get_by_role("button", name="Kill", exact=True).click()
            while (await caller.get(f"/apps/{application_id}/state"))["state"] != "KILLED":
                await asyncio.sleep(0.05)
            await page.locator(".state.KILLED").wait_for()

    play(scene)


@needs_browser
def test_what_waits_is_shown_with_its_constraint(tmp_path: Path) -> None:
    queues = {"root.queues": "default", "root.default.capacity": "100"}
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        write((f"yarn.scheduler.capacity.{name}", value, False) for name, value in queues.items())
    )
    site = {
        "yarn__resourcemanager__scheduler__class": "capacity",
        "yarn__resourcemanager__placement_constraints__handler": "scheduler",
    }
    wanted = SchedulingRequest(
        priority=1,
        allocation_tags=("zk",),
        resource_sizing=ResourceSizing(num_allocations=3, resources=Resource(1024, 1)),
        placement_constraint=parse_constraint("NOTIN,NODE,zk"),
    )

    async def scene() -> None:
        async with web(tmp_path, **site) as caller, opened(caller) as page:
            desk = caller.desk
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
                request = AllocateRequest(scheduling_requests=(wanted,), response_id=0)
                await am.call("allocate", request)
                await desk.beat()
                await desk.beat()
            await show(page, caller, f"/app/{application_id}")
            row = page.locator("tr", has_text="notin,node,zk")
            await row.wait_for()
            assert "zk" in await row.inner_text()
            await show(page, caller, "/nodes")
            await page.get_by_text("zk(1)").wait_for()

    play(scene)


@needs_browser
def test_a_node_that_dies_is_seen_without_a_reload(tmp_path: Path) -> None:
    async def scene() -> None:
        expiry = {"yarn__nm__liveness-monitor__expiry-interval-ms": "2000"}
        async with web(tmp_path, **expiry) as caller, opened(caller) as page:
            await show(page, caller, "/nodes")
            await page.locator("td .state.LOST").wait_for(timeout=20_000)
            await page.screenshot(path=ARTIFACTS / "node-lost.png")

    play(scene)
