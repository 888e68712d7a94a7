"""What somebody meets who has just begun, in a real browser: a cluster without nodes, a wide screen, no
mouse, and a ResourceManager that is started again.
"""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from tests.browser import Browser
from tests.pages import faults_of
from tests.rm.edge.test_browser import show, submit
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import running

if TYPE_CHECKING:
    from playwright.async_api import Page

WIDE = {"width": 1920, "height": 1080}
FOCUSED = "document.activeElement.innerText"


def test_a_cluster_without_nodes_says_what_to_do(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with (
            running(tmp_path) as desk,
            aiohttp.ClientSession() as session,
            browser.page() as page,
        ):
            caller = Web(session, desk)
            await show(page, caller, "")
            headline = page.locator(".headline", has_text="No nodes have registered.")
            assert "No applications are running." in await headline.inner_text()
            await page.locator("code", has_text="yarnbox add-node").wait_for()
            assert await page.locator(".chart, .heat").count() == 0, "there is nothing to draw"
            assert await faults_of(page, "") == []
            await submit(caller)
            await page.locator(".headline", has_text="Waiting: 1 application in ").wait_for()
            await show(page, caller, "/nodes")
            await page.locator("code", has_text="yarnbox add-node").wait_for()

    browser.play(scene)


EDGES = "[...document.querySelectorAll('.brand, h1, .scroll')].map((one) => one.getBoundingClientRect())"


def test_a_wide_screen_is_used(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with (
            web(tmp_path, yarnbox__resourcemanager__history__interval_ms="100") as caller,
            browser.page(viewport=WIDE) as page,
        ):
            await submit(caller)
            await show(page, caller, "")
            first, second = await page.locator(".chart").all()
            boxes = [await one.bounding_box() for one in (first, second)]
            tops = {box["y"] for box in boxes if box is not None}
            assert len(tops) == 1, "the charts of the cluster stand beside one another"
            await show(page, caller, "/apps")
            brand, heading, table = await page.evaluate(EDGES)
            assert brand["left"] == heading["left"] == table["left"]
            assert table["width"] > 1800

    browser.play(scene)


async def tab_to(page: Page, text: str) -> None:
    """By the keyboard alone."""
    for _ in range(100):
        await page.keyboard.press("Tab")
        if await page.evaluate(FOCUSED) == text:
            return
    raise AssertionError(f"Tab never came to {text}")


def test_pages_can_be_used_without_a_mouse(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page() as page:
            application_id = await submit(caller)
            await show(page, caller, "")
            await page.keyboard.press("Tab")
            assert await page.evaluate(FOCUSED) == "Skip to content"
            await page.keyboard.press("Enter")
            await tab_to(page, application_id)
            await page.keyboard.press("Enter")
            await page.wait_for_url(f"**/app/{application_id}")
            await page.locator("h1:focus").wait_for()
            await page.keyboard.press("Tab")
            assert await page.evaluate(FOCUSED) == "Kill Application"
            await page.keyboard.press("Enter")
            await page.locator("dialog[open]").wait_for()
            await page.keyboard.press("Escape")
            assert await page.evaluate(FOCUSED) == "Kill Application", "where it was"
            await page.keyboard.press("Enter")
            await page.route("**/ws/**", lambda route: route.abort())
            await tab_to(page, "Kill")
            await page.keyboard.press("Enter")
            told = page.locator("dialog[open]").get_by_role("alert")
            await told.get_by_text("The ResourceManager did not answer.").wait_for()
            await page.keyboard.press("Escape")
            await page.unroute("**/ws/**")
            await page.locator("#lost").wait_for(state="hidden")

    browser.play(scene)


WORDS_OF_MARKS = """async () => {
  const { drawMarks } = await import("/static/timeplot.js");
  const ctx = document.createElement("canvas").getContext("2d");
  const words = [];
  ctx.fillText = (text, x) => words.push([x, x + ctx.measureText(text).width]);
  const size = { left: 0, top: 0, width: 900 * devicePixelRatio, height: 99 * devicePixelRatio };
  const scales = { x: { min: 0, max: 900 } };
  const plot = { ctx, bbox: size, scales, valToPos: (time) => time * devicePixelRatio };
  const marks = [0, 123, 140, 300, 880].map((time) => ({ time, kind: "preemption requested", text: "" }));
  drawMarks(plot, { marks });
  return words;
}"""


def test_words_of_marks_do_not_run_into_one_another(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page() as page:
            await show(page, caller, "")
            words = await page.evaluate(WORDS_OF_MARKS)
            assert len(words) == 3, "of the last there would be a part alone"
            assert all(begin - end > 5 for (_, end), (begin, _) in pairwise(words))

    browser.play(scene)


UP = re.compile(r'text-anchor="end">([^<]*)<')
"""The words of the axis of values, in a saved picture."""


def test_counts_are_whole_numbers(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with (
            web(tmp_path, yarnbox__resourcemanager__history__interval_ms="100") as caller,
            browser.page() as page,
        ):
            await submit(caller)
            await show(page, caller, "")
            await page.locator(".chart canvas").first.wait_for()
            async with page.expect_download() as saved:
                await page.get_by_role("button", name="Containers and applications as SVG").click()
            assert UP.findall((await (await saved.value).path()).read_text()) == ["0", "1", "2", "3", "4"]

    browser.play(scene)


DIALOGS = """async () => {
  const { tell } = await import("/static/dialog.js");
  const dialog = document.getElementById("dialog");
  tell("First");
  dialog.close(); // the browser tells that later
  tell("Second");
  await new Promise((done) => setTimeout(done, 50));
  return [dialog.open, dialog.querySelector("h2").textContent];
}"""


def test_the_end_of_a_dialog_does_not_close_the_next_one(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page() as page:
            await show(page, caller, "")
            assert await page.evaluate(DIALOGS) == [True, "Second"]

    browser.play(scene)


BARS = """[...document.querySelectorAll(".bar")].map((one) => [
  getComputedStyle(one).backgroundColor, getComputedStyle(document.documentElement).backgroundColor])"""


def test_an_empty_bar_looks_empty_with_high_contrast(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page(contrast="more") as page:
            await submit(caller)
            await show(page, caller, "/apps")
            bars = await page.evaluate(BARS)
            assert bars
            assert all(bar == paper for bar, paper in bars)

    browser.play(scene)


STAYS = ("", "/nodes", "/apps", "/events", "/cluster")


def test_every_page_comes_back_with_a_resourcemanager_that_is_started_again(
    browser: Browser, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with AsyncExitStack() as stack:
            async with web(tmp_path) as caller:
                address = caller.desk.web
                application_id = await submit(caller)
                await caller.send("PUT", f"/apps/{application_id}/state?user.name=ann", {"state": "KILLED"})
                pages = {path: await stack.enter_async_context(browser.page()) for path in STAYS}
                for path, page in pages.items():
                    await show(page, caller, path)
                started = await pages["/cluster"].locator("dl div", has_text="Cluster ID").inner_text()
                await pages["/nodes"].locator("td", has_text="RUNNING").first.wait_for()
                await pages["/events"].locator("td", has_text="NodeStarted").first.wait_for()
            for page in pages.values():
                await page.locator("#lost", has_text="What is shown is from").wait_for()
                await page.locator("main.old").wait_for()
            async with web(tmp_path, yarn__resourcemanager__webapp__address=address):
                for page in pages.values():
                    await page.locator("#lost").wait_for(state="hidden")
                    await page.locator("main:not(.old)").wait_for()
                    await page.locator("#pill", has_text="live").wait_for()
                shown = pages["/cluster"].locator("dl div", has_text="Cluster ID")
                assert await shown.inner_text() != started, "it is another one"
                await pages["/nodes"].locator("td", has_text="RUNNING").first.wait_for()
                await pages["/apps"].locator("td", has_text=application_id).wait_for()
                log = pages["/events"].locator("td", has_text="NodeStarted")
                await log.first.wait_for()
                assert await log.count() == 1, "the log is that of the one that answers"
                said = "No applications are running or waiting. Submit one"
                await pages[""].locator("main", has_text=said).wait_for()

    browser.play(scene)
