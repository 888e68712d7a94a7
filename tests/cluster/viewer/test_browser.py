"""The pages of a recording in a real browser, in one go: slider, permalink, comparison, simulation."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

from tests.browser import Browser
from tests.cluster.viewer.conftest import recorded
from tests.cluster.viewer.test_server import viewing
from tests.pages import LATER, MANUAL, PHONE, faults_of, go, set_back
from tests.pictures import SCENARIO
from yarnbox.cluster.commands.demo import demos
from yarnbox.cluster.commands.demo import recorded as demo_recorded
from yarnbox.sim.recording.document import Recording, read

if TYPE_CHECKING:
    from playwright.async_api import Page

OF_RUNS = ("/run?at=5000", "/compare", "/simulation")
PAGES = (
    *OF_RUNS,
    "",
    "/node/n2:1234",
    "/app/application_0_0001?at=5000",
    "/scheduler?queue=root.a",
    "/events",
)
"""Those of runs alone are looked at in all ways, the others in tests of the ResourceManager."""


@asynccontextmanager
async def browsing(browser: Browser) -> AsyncIterator[Page]:
    """A page on whose console no error may stand."""
    async with browser.page() as page:
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on(
            "response",
            lambda one: complaints.append(one.url) if one.status >= HTTPStatus.BAD_REQUEST else None,
        )
        yield page
        assert complaints == []


async def show(page: Page, top: str, path: str) -> None:
    await page.goto(f"{top}/cluster{path}")
    await page.wait_for_selector("main[data-ready] h1")
    assert await page.locator("main .error").count() == 0, path


async def look_at_moments(page: Page, top: str) -> None:
    """The address holds the moment, whatever page one goes to; the beginning is where none is named."""
    await show(page, top, "/run")
    await page.locator("#moment", has_text="1 of 14").wait_for()
    await show(page, top, "/run?at=4000")
    await page.locator(".listing .now", has_text="heartbeat: {node: n1, times: 2}").wait_for()
    await page.keyboard.press("ArrowRight")
    await page.wait_for_url("**/run?at=5000")
    await page.locator(".listing .now", has_text="heartbeat: n2").wait_for()
    await page.get_by_role("link", name="Applications").click()
    await page.wait_for_url("**/apps?at=5000")
    await page.locator("td", has_text="RUNNING").wait_for()
    await page.get_by_role("button", name="To the end").click()
    await page.wait_for_url(re.compile(r"/apps\?at=1\d+$"))
    await page.locator("td", has_text="FINISHED").wait_for()
    await page.get_by_label("Speed").select_option("10")
    async with page.expect_event("framenavigated", lambda frame: frame.url.endswith("/apps?at=2000")):
        await page.get_by_role("button", name="Play").click()
    await page.keyboard.press("p")
    await page.get_by_role("button", name="Play").wait_for()


def test_a_recording_can_be_looked_at(browser: Browser, recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording, recording]) as caller, browsing(browser) as page:
            await show(page, caller.top, "/run")
            faults = []
            for path in PAGES:
                await go(page, path)
                faults += await faults_of(page, path) if path in OF_RUNS else []
            assert faults == []
            await set_back(page)
            await look_at_moments(page, caller.top)
            await show(page, caller.top, "/scheduler?queue=root.a&at=5000")
            # The scheduler of this run counts memory alone: no vcores are named.
            await page.get_by_text("1.0 GiB pending").first.wait_for()
            await look_at_the_stream(page, caller.top)
            await show(page, caller.top, "/events?at=30000")
            await page.get_by_role("link", name="a1 (application_0_0001)").first.wait_for()
            await show(page, caller.top, "/compare")
            await page.locator("caption", has_text="by queue").wait_for()
            await page.get_by_text("Both runs: two-queues").wait_for()
            await page.get_by_text("No figure of the two runs differs by 5 % or more; times below").wait_for()

    browser.play(scene)


# Whether a picture of containers that are made up is right, wherever one looks: no bar hides another, and
# where a container lives there is a bar. And whether none lies on another.
PICTURES = """async () => {
  const { Lanes } = await import("/static/streamlanes.js");
  let seed = 1;
  const chance = (most) => (seed = (seed * 48271) % 2147483647) % most;
  const containers = Array.from({ length: 1500 }, (_, i) => {
    const started = chance(100_000);
    const finished = i % 50 ? started + 1 + chance(i % 3 ? 20 : 9_000) : 0;
    return { id: i, node: `n${chance(30)}`, started, finished };
  });
  const lanes = new Lanes(containers, (one) => one.node, 110_000);
  const faults = [];
  for (let i = 0; i < 60; i += 1) {
    const begin = chance(90_000), top = chance(lanes.count);
    const time = { min: begin, max: begin + 10 + chance(50_000) };
    const rows = { min: top, max: top + 1 + chance(lanes.count) };
    const [width, height] = [40 + chance(400), 20 + chance(200)];
    const drawn = new Uint8Array(width * height);
    const tall = height / (rows.max - rows.min), scale = width / (time.max - time.min);
    lanes.bars(time, rows, width, height, (x, y, wide, high) => {
      if (x < 0 || wide < 1 || x + wide > width) faults.push(`outside: ${x} ${wide} of ${width}`);
      if (y < 0 || high < 1 || y + high > height) faults.push(`outside: ${y} ${high} of ${height}`);
      for (let row = y; row < y + high; row += 1)
        for (let place = x; place < x + wide; place += 1)
          if (drawn[row * width + place]++) faults.push(`twice at ${row}, ${place}`);
    });
    containers.forEach((_, one) => {
      const lane = lanes.lane[one] - rows.min;
      if (lanes.begin[one] >= time.max || lanes.end[one] <= time.min) return;
      if (lane < 0 || lane >= rows.max - rows.min) return;
      const row = Math.floor(lane * tall);
      const x = Math.max(0, Math.floor((lanes.begin[one] - time.min) * scale));
      const past = Math.min(width, Math.max(x + 1, Math.floor((lanes.end[one] - time.min) * scale)));
      // One is left free between two of them.
      for (let place = x; place < past; place += 1)
        if (!drawn[row * width + place] && !drawn[row * width + place - 1])
          faults.push(`nothing at ${row}, ${place}`);
    });
  }
  const latest = new Map();
  for (const i of lanes.order) {
    const before = latest.get(lanes.lane[i]);
    if (before !== undefined && lanes.end[before] > lanes.begin[i]) faults.push(`${before} under ${i}`);
    latest.set(lanes.lane[i], i);
  }
  if (latest.size !== lanes.count) faults.push(`${lanes.count} lanes, of which ${latest.size} are used`);
  const [one] = lanes.order, lane = lanes.lane[one];
  const begun = lanes.begin[one];
  if (lanes.on(lane, lane + 1, begun - 5, begun + 5)[0] !== one) faults.push("the first one is not found");
  if (lanes.on(lane, lane + 1, begun - 5, begun - 1).length) faults.push("it is found where it is not");
  return faults.slice(0, 5);
}"""


async def file_of(page: Page, name: str) -> str:
    """The text that a button saves."""
    async with page.expect_download() as saved:
        await page.get_by_role("button", name=name).click()
    return (await (await saved.value).path()).read_text()


async def pinch(page: Page, place: str) -> None:
    """Two fingers that go apart there."""
    await page.locator(place).first.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box = await page.locator(place).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = await page.context.new_cdp_session(page)

    async def touch(kind: str, *away: float) -> None:
        points = [{"x": x + one, "y": y, "id": number} for number, one in enumerate(away)]
        await fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    await touch("touchStart", -20, 20)
    for step in range(1, 6):
        await touch("touchMove", -20 - 10 * step, 20 + 10 * step)
    await touch("touchEnd")


async def look_at_the_stream(page: Page, top: str) -> None:
    """By keys from one container to the next, zoom, the picture as a file, and the page of an application."""
    await show(page, top, "/run?colour=state")
    stream = page.locator(".stream")
    await stream.get_by_role("application").focus()
    await page.keyboard.press("ArrowRight")
    await stream.locator("output", has_text=re.compile("container_0_0001_01_000001;.* n1:1234")).wait_for()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("+")
    await stream.locator("output", has_text="n2:1234").wait_for()
    text = await file_of(page, "two-queues containers as SVG")
    assert "lost with its node: 2" in text
    await page.keyboard.press("0")
    pictures = {
        "two-queues containers as SVG": ".stream .u-over",
        "Used share of each queue as SVG": ".u-over",
    }
    for name, place in pictures.items():
        before = await file_of(page, name)
        await pinch(page, place)
        assert await file_of(page, name) != before, place
    await stream.get_by_role("button", name="show all").click()
    await stream.get_by_label("Colour").select_option("locality")
    await stream.locator(".swatch", has_text="off switch").wait_for()
    await stream.get_by_text("As a table").click()
    await page.get_by_role("cell", name="n1:1234").wait_for()
    await stream.get_by_role("application").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile(r"/app/application_0_0001\?run=.*&at=\d+$"))
    await show(page, top, "/run?colour=role")
    await stream.locator(".swatch", has_text="other").wait_for()
    await stream.locator(".plot").hover(position={"x": 5, "y": 15})
    assert await stream.locator(".tip").count() == 0
    lanes = stream.locator(".u-over")
    await lanes.hover(position={"x": 5, "y": 7})
    await stream.locator(".tip", has_text="container_0_0001_01_000001").wait_for()
    await lanes.click(position={"x": 5, "y": 7})
    await page.wait_for_url("**/app/application_0_0001?**")
    assert await page.evaluate(PICTURES) == []


def test_a_queue_says_what_waits_and_where_limits_come_from(browser: Browser) -> None:
    async def scene() -> None:
        async with viewing([recorded(SCENARIO)]) as caller, browser.page() as page:
            await show(page, caller.top, "/scheduler?queue=root.adhoc&at=60000")
            how = "tom: user limit 10 GiB = min(max((0 + 1) GiB / 1 user, (9 + 1) GiB "
            assert how in await page.locator("main").inner_text()
            pending = page.get_by_role("region", name="Pending by reason").locator("tbody tr")
            assert (await pending.all_inner_texts())[0].split("\t")[1:] == [
                "root.adhoc",
                "3",
                "application_0_0003",
            ]

    browser.play(scene)


def test_the_report_of_what_if_is_on_the_page_compare(browser: Browser, recording: Recording) -> None:
    report = "<!DOCTYPE html><h1>Who waits longer</h1>"

    async def scene() -> None:
        async with viewing([recording], report=report) as caller, browsing(browser) as page:
            await show(page, caller.top, "/compare")
            await page.frame_locator("iframe.report").get_by_role("heading", name="Who waits").wait_for()

    browser.play(scene)


def test_a_run_that_is_not_there_is_said_to_be_none(browser: Browser, recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller, browser.page() as page:
            await show(page, caller.top, "/apps?run=zz&at=5000")
            await page.get_by_role("alert").get_by_text("there is no run zz").wait_for()
            await page.get_by_role("link", name="The first run").click()
            await page.locator("#moment", has_text="1 of 14").wait_for()

    browser.play(scene)


def test_a_long_name_fits_a_phone(browser: Browser) -> None:
    name = "nightlyloadofthewarehousebesideeveryreportofthemonth"
    runs = [recorded(SCENARIO.replace("etl-and-adhoc", f"{name}-{number}")) for number in range(2)]

    async def scene() -> None:
        async with viewing(runs) as caller, browser.page(viewport=PHONE["viewport"]) as page:
            for path in ("/run", "/compare"):
                await show(page, caller.top, path)
                assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path

    browser.play(scene)


def test_a_viewer_that_hangs_is_noticed(browser: Browser, recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller, browser.page() as page:
            await show(page, caller.top, "/apps?at=5000")
            await page.evaluate(MANUAL)
            await page.route("**/ws/**", lambda _: None)
            await page.keyboard.press("ArrowRight")
            await page.evaluate(LATER)
            await page.locator("#lost", has_text="start it again").wait_for()
            assert "ResourceManager" not in await page.locator("#lost").inner_text()
            await page.locator("td", has_text="RUNNING").first.wait_for()
            await page.unroute("**/ws/**")
            await page.evaluate("loseThePatience()")
            await page.locator("#lost").wait_for(state="hidden")

    browser.play(scene)


def test_every_link_of_a_workload_leads_somewhere(browser: Browser, workload: Recording) -> None:
    async def scene() -> None:
        async with viewing([workload, workload]) as caller, browsing(browser) as page:
            await show(page, caller.top, "")
            for link in await page.locator("main a").all():
                address = await link.get_attribute("href")
                async with caller.session.get(f"{caller.top}{address}") as answer:
                    assert answer.status == HTTPStatus.OK, address

    browser.play(scene)


def test_a_demo_explains_itself_and_can_be_changed(browser: Browser, recording: Recording) -> None:
    from playwright.async_api import expect

    path = demos()["delay"]

    async def scene() -> None:
        found = [read(text, path.name) for text in demo_recorded(path)]
        async with viewing(found, directory=path.parent, demo=path.name) as caller, browsing(browser) as page:
            await show(page, caller.top, "/run?at=13000")
            counts = page.get_by_label("Skipped opportunities at this moment")
            await counts.get_by_text("query 3").wait_for()
            table, stage = page.get_by_role("region", name="Applications at this"), page.locator(".stage")
            above, below = await table.bounding_box(), await stage.bounding_box()
            assert above is not None
            assert below is not None
            assert below["y"] - above["y"] - above["height"] > 10, "they do not touch"
            word = page.locator("dfn button", has_text="skipped opportunities").first
            assert "How many scheduling" in (await word.get_attribute("title") or "")
            await word.focus()
            await page.keyboard.press("Enter")
            meaning = page.locator("#means", has_text="How many scheduling opportunities")
            await meaning.wait_for()
            at, beside = await word.bounding_box(), await meaning.bounding_box()
            assert at is not None
            assert beside is not None
            assert abs(beside["y"] - at["y"] - at["height"]) < 10, "it stands below its word"
            await page.keyboard.press("Escape")
            await page.locator("#means").wait_for(state="hidden")
            await page.get_by_role("link", name="Open delay.yaml").click()
            await page.wait_for_url("**/simulation?file=delay.yaml**")
            text = page.get_by_label("Scenario")
            await expect(text).to_have_value(re.compile("name: delay"))
            changed = (await text.input_value()).replace("threshold.node: 0.5", "threshold.node: -1")
            await text.fill(re.sub(r"\n  - expect: .*", "", changed))
            await page.get_by_role("button", name="Run", exact=True).click()
            await page.wait_for_url("**/run?run=s1**")
            await page.locator("h2", has_text="What to watch").wait_for()
        for other in (found[0], recording):
            async with viewing([found[0], other]) as caller, browsing(browser) as page:
                await show(page, caller.top, "/run")
                await page.locator("h2", has_text="What to watch").wait_for()
                is_same = other is found[0]
                assert await page.get_by_role("link", name="compare both").count() == is_same

    browser.play(scene)


def test_what_is_wrong_with_a_scenario_is_told(browser: Browser, recording: Recording) -> None:
    wrong = "name: bad\nsteps: [{sleep: 1}]\n"

    async def scene() -> None:
        async with viewing([recording]) as caller, browser.page() as page:
            await show(page, caller.top, "/simulation")
            text = page.get_by_label("Scenario")
            await text.fill(wrong)
            await page.get_by_role("button", name="Run", exact=True).click()
            await page.locator(".form .error", has_text="scenario:2: unknown verb 'sleep'").wait_for()
            await go(page, "/apps")
            await go(page, "/simulation")
            assert await text.input_value() == wrong, "what was written stays"
            uploaded = SCENARIO.replace("etl-and-adhoc", "mine")
            await page.locator("input[type=file]").set_input_files(
                {"name": "mine.yaml", "mimeType": "text/plain", "buffer": uploaded.encode()}
            )
            await page.wait_for_function(
                "(text) => document.querySelector('textarea').value === text", arg=uploaded
            )
            async with page.expect_request("**/ui/simulations*") as asked:
                await page.get_by_role("button", name="Run", exact=True).click()
            assert json.loads((await asked.value).post_data or "")["name"] == "mine.yaml"
            await page.wait_for_url("**/run?run=s1**")
            await page.locator("h1", has_text="mine").wait_for()

    browser.play(scene)
