"""The pages of a recording in a real browser, in one go: slider, permalink, comparison, simulation."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import pytest
from playwright.async_api import Page, async_playwright

from sim.recording.document import Recording
from tests.cluster.viewer.test_server import play, viewing

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser: apt-get install chromium")
PAGES = ("/node/n2:1234", "/app/application_0_0001", "/scheduler?queue=root.a", "/events")
EVERY_PAGE = (
    "",
    "/run",
    "/nodes",
    "/node/node0:1234",
    "/apps",
    "/app/application_0_0001",
    "/app/application_0_0002?at=20000",
    "/scheduler",
    "/scheduler?queue=root.default",
    "/nodelabels",
    "/events",
    "/errors-and-warnings",
    "/conf",
    "/cluster",
    "/compare",
    "/simulation",
)


@asynccontextmanager
async def browsing() -> AsyncIterator[Page]:
    """A page on whose console no error may stand."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = await browser.new_page()
        page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on(
            "response",
            lambda one: complaints.append(one.url) if one.status >= HTTPStatus.BAD_REQUEST else None,
        )
        yield page
        await browser.close()
        assert complaints == []


async def show(page: Page, top: str, path: str) -> None:
    await page.goto(f"{top}/cluster{path}")
    await page.wait_for_selector("main[data-ready] h1")
    assert await page.locator("main .error").count() == 0, path


async def look_at_moments(page: Page, top: str) -> None:
    """The address holds the moment, whatever page one goes to; the end is where no moment is named."""
    await show(page, top, "/run?at=4000")
    await page.locator(".listing .now", has_text="heartbeat: {node: n1, times: 2}").wait_for()
    await page.keyboard.press("ArrowRight")
    await page.wait_for_url("**/run?at=5000")
    await page.locator(".listing .now", has_text="heartbeat: n2").wait_for()
    await page.get_by_role("link", name="Applications").click()
    await page.wait_for_url("**/apps?at=5000")
    await page.locator("td", has_text="RUNNING").wait_for()
    await page.get_by_role("button", name="To the end").click()
    await page.wait_for_url("**/apps")
    await page.locator("td", has_text="FINISHED").wait_for()
    await page.get_by_label("Speed").select_option("10")
    await page.get_by_role("button", name="Play").click()
    await page.wait_for_url("**/apps?at=2000")
    await page.keyboard.press("p")
    await page.get_by_role("button", name="Play").wait_for()


@needs_browser
def test_a_recording_can_be_looked_at(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording, recording]) as caller, browsing() as page:
            for path in PAGES:
                await show(page, caller.top, path)
            await look_at_moments(page, caller.top)
            await show(page, caller.top, "/compare")
            await page.locator("caption", has_text="by queue").wait_for()

    play(scene)


@needs_browser
def test_every_page_of_a_workload_finds_what_it_asks_for(workload: Recording) -> None:
    async def scene() -> None:
        async with viewing([workload, workload]) as caller, browsing() as page:
            for path in EVERY_PAGE:
                await show(page, caller.top, path)
            await show(page, caller.top, "/cluster")
            for link in await page.locator("main a").all():
                address = await link.get_attribute("href")
                async with caller.session.get(f"{caller.top}{address}") as answer:
                    assert answer.status == HTTPStatus.OK, address

    play(scene)


@needs_browser
def test_what_is_wrong_with_a_scenario_is_told(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
            page = await browser.new_page()
            page.on("pageerror", lambda error: pytest.fail(f"a script failed: {error}"))
            await show(page, caller.top, "/simulation")
            await page.locator("#scenario").fill("name: bad\nsteps: [{sleep: 1}]\n")
            await page.get_by_role("button", name="Run", exact=True).click()
            await page.locator("#problems", has_text="scenario:2: unknown verb 'sleep'").wait_for()
            await browser.close()

    play(scene)
