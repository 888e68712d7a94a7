"""Lists and queues in a real browser, in one go: columns, order, files, keys, ten thousand nodes, queues that
are changed, contrast.
"""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.browser import Browser
from tests.pages import DRAWN, PHONE, SIZES, faults_of, go, set_back
from tests.rm.edge.test_browser import NAME, show, submit
from tests.rm.edge.test_http import Web, web
from tests.waiting import PATIENCE_S
from yarnbox.rm.web.pages.lists import NodesPage
from yarnbox.yarn.configuration.document import write

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page, Route

QUEUES = {
    "root.queues": "default,etl",
    "root.default.capacity": "40",
    "root.etl.capacity": "60",
    "root.etl.maximum-capacity": "80",
}
SITE = {
    "yarn__resourcemanager__scheduler__class": "capacity",
    "yarn__scheduler__configuration__store__class": "memory",
    "yarnbox__resourcemanager__history__interval-ms": "200",
}
MANY = 10_000


IN_SIGHT = """[...document.querySelectorAll('th')]
  .filter((one) => one.getBoundingClientRect().right <= innerWidth).map((one) => one.dataset.key)"""
LONG = {
    "name": "nightly-etl-of-orders-with-a-rather-long-name-that-does-not-end",
    "user": "analytics-service",
    "queue": "root.users.analytics-service",
}


async def see_what_matters(page: Page, caller: Web) -> None:
    """On a desk without scrolling, however long the names are."""

    async def answer(route: Route) -> None:
        found = await (await route.fetch()).json()
        for one in found["found"]["app"]:
            one |= LONG
        await route.fulfill(json=found)

    await page.route("**/ui/apps*", answer)
    await show(page, caller, "/apps")
    await page.get_by_text(LONG["name"]).first.wait_for()
    assert {"id", "user", "name", "queue", "state", "final", "progress"} <= set(await page.evaluate(IN_SIGHT))
    await page.unroute("**/ui/apps*")


async def choose_columns(page: Page, caller: Web) -> None:
    """The choice stands in the address and is remembered where the address says nothing."""
    await show(page, caller, "/apps")
    assert await page.locator("th", has_text="LaunchTime").count() == 0
    await page.locator("summary", has_text="Columns").click()
    await page.get_by_role("link", name="LaunchTime: show").click()
    await page.locator("th", has_text="LaunchTime").wait_for()
    await page.get_by_role("link", name="User to the left").click()
    await page.locator("th:first-child", has_text="User").wait_for()
    assert "columns=user%2Cid%2C" in page.url
    await show(page, caller, "/apps")
    await page.locator("th:first-child", has_text="User").wait_for()
    assert "columns=user%2Cid%2C" in page.url
    await page.locator("summary", has_text="Columns").click()
    await page.get_by_role("link", name="Reset columns").click()
    await page.locator("th:first-child", has_text="ID").wait_for()
    await show(page, caller, "/apps")
    await page.locator("th:first-child", has_text="ID").wait_for()
    assert "columns" not in page.url, "nothing is remembered"


async def sort_and_save(page: Page, caller: Web, ids: list[str]) -> None:
    """Order by click, kept by the header; the file has all that is meant, and no formulas."""
    await page.locator("th").get_by_role("link", name="StartTime").click()
    await page.locator("th[aria-sort=descending]", has_text="StartTime").wait_for()
    assert await page.evaluate("document.activeElement.textContent") == "StartTime"
    await page.locator(".facet", has_text="User").locator("select").select_option("ann")
    await page.wait_for_url("**user=ann**")
    await page.locator(".tools code", has_text="GET /ws/v1/cluster/apps?user=ann").wait_for()
    async with page.expect_download() as saved:
        await page.get_by_role("link", name="CSV", exact=True).click()
    text = (await (await saved.value).path()).read_text()
    assert text.startswith("ID,User,Name,")
    assert all(one in text for one in ids)
    assert NAME in text
    async with page.expect_download() as saved:
        await page.get_by_role("link", name="JSON", exact=True).click()
    assert [one["id"] for one in json.loads((await (await saved.value).path()).read_text())] == ids[::-1]


async def move_by_keys(page: Page, ids: list[str]) -> None:
    """Rows by arrows, the page of one by Enter, the keys by a question mark."""
    await page.locator("tbody tr").first.focus()
    await page.keyboard.press("ArrowDown")
    assert ids[0] in await page.evaluate("document.activeElement.textContent")
    await page.keyboard.press("?")
    await page.locator("dialog", has_text="rows of a table").wait_for()
    assert await page.evaluate("document.querySelector('dialog').scrollTop") == 0, "nothing is cut off"
    await page.keyboard.press("Escape")
    await page.locator("tbody tr").nth(1).focus()
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"**/app/{ids[0]}**")
    await page.locator(".lifeline", has_text="accepted").wait_for()
    await page.locator("nav [aria-current]", has_text="Applications").wait_for()


CUT = """[...document.querySelectorAll(".window :is(th, td)")]
  .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent)"""
GAP = """(() => {
  const [above, first] = document.querySelectorAll(".window tbody tr");
  return first.getBoundingClientRect().top - above.getBoundingClientRect().bottom;
})()"""


async def read_long_names(page: Page, rows: list[dict[str, Any]]) -> None:
    """Nothing is cut off, where a tooltip alone would have it: rows are as high as their texts, wherever one
    has scrolled to.
    """
    for one in rows:
        one["id"] = f"{one['host']}.rack-of-the-second-row.a-data-centre-with-a-long-name.example.com:8041"
    for size in ("desk", "phone"):
        width, height = SIZES[size]
        await page.set_viewport_size({"width": width, "height": height})
        await go(page, f"/nodes?sort=id&on={size}")
        for index in (0, MANY - 1, MANY // 2):
            await page.evaluate("(at) => document.querySelector('.window').scrollTo(0, at)", 80 * index)
            await page.locator(".window tr[data-index]").first.wait_for()
            await page.evaluate(DRAWN)
            assert await page.evaluate(CUT) == []
            assert abs(await page.evaluate(GAP)) <= 1
            tall = await page.evaluate("document.querySelector('.window').scrollHeight")
            assert tall > 30 * MANY, "the rows that are not drawn have their room"
        assert await page.locator("tbody tr").count() < 150
    assert await faults_of(page, "/nodes") == []
    await set_back(page)
    await go(page, "/nodes")


async def look_at_many_nodes(page: Page, caller: Web) -> None:
    """Of ten thousand rows those are there that one looks at."""
    one = (await caller.get("/ui/nodes"))["nodes"]["node"][0]
    rows = [{**one, "id": f"n{i}:1", "host": f"n{i}", "rack": f"/r{i % 20}"} for i in range(MANY)]

    async def answer(route: Any) -> None:
        asked = dict(parse_qsl(urlsplit(route.request.url).query))
        nodes = NodesPage(asked)
        for one in rows:
            nodes.take(one)
        await route.fulfill(json={"nodes": {"node": nodes.rows(), "block": nodes.blocks("")}})

    await page.route("**/ui/nodes*", answer)
    await show(page, caller, "/nodes")
    await page.locator("tr[aria-rowindex='2']").wait_for()
    assert await page.locator("tbody tr").count() < 150
    gap = await page.evaluate("document.querySelector('.window .space').offsetHeight")
    assert gap <= 1, "there is a gap above the first row"
    assert await page.locator(".square").count() < 3_000
    await page.locator("tr[aria-rowindex='2']").focus()
    await page.keyboard.press("End")
    await page.locator(f"tr[aria-rowindex='{MANY + 1}']").wait_for()
    await read_long_names(page, rows)
    await page.fill("#filter", "rack:/r7 containers<1 id:n27:1")
    await page.locator("caption", has_text="Nodes: 1").wait_for()
    await page.unroute("**/ui/nodes*")


HELD = """async () => {
  const { containersOf } = await import('/static/containers.js');
  const { container, isCut } = await containersOf('/ui/containers?app=a');
  return [container.map((one) => `${one.id} ${one.state} ${one.elapsed}`), isCut];
}"""


def container(number: int, state: str = "RUNNING", finished: int = 0) -> dict[str, Any]:
    return {"id": f"c{number}", "state": state, "started": number, "finished": finished}


async def hold_containers(page: Page, caller: Web) -> None:
    """The newest are shown until all have come, slice by slice; then what has changed is asked for, and all
    are read anew where something ended unseen.
    """
    rows = [container(number) for number in range(12_000)]
    living, asked = len(rows), []

    async def answer(route: Any) -> None:
        query = dict(parse_qsl(urlsplit(route.request.url).query))
        asked.append({name: value for name, value in query.items() if name != "app"})
        head = {"now": 30_000, "living": living, "known": len(rows), "isCut": "limit" in query}
        if "changes" in query:
            shown = [one for one in rows if one["state"] != "RUNNING"]
        elif "from" in query:
            head |= {"isCut": False, "now": 20_000 + int(query["from"])}
            shown = rows[int(query["from"]) : int(query["from"]) + int(query["limit"])]
        else:
            shown = rows[-int(query["limit"]) :]
        await route.fulfill(json={"containers": {**head, "container": shown}})

    await show(page, caller, "/cluster")
    await page.route("**/ui/containers*", answer)
    (first, is_cut) = await page.evaluate(HELD)
    assert (first[0], len(first), is_cut) == ("c10000 RUNNING 20000", 2_000, True)
    while len(first) < len(rows):
        (first, is_cut) = await page.evaluate(HELD)
    rows[1] = container(1, "COMPLETE", 7)
    rows += [container(12_000, "RESERVED"), container(12_001, "RESERVED")]
    living = 12_001
    (found, is_cut) = await page.evaluate(HELD)
    assert {"changes": "20000"} in asked, "when the first slice was read"
    assert (len(found), is_cut) == (12_002, False)
    assert (found[0], found[1]) == ("c0 RUNNING 30000", "c1 COMPLETE 6")
    del rows[12_000]
    living = 12_000
    (found, _) = await page.evaluate(HELD)
    assert [one.split()[0] for one in found[-2:]] == ["c11999", "c12001"], "a reservation is gone"
    living = 11_000
    del asked[:]
    await page.evaluate(HELD)
    assert asked[:2] == [{"changes": "30000"}, {"limit": "2000"}], "they are read anew"
    await page.unroute("**/ui/containers*")


LABELS = """async () => {
  const { default: uPlot } = await import("/static/vendor/uplot.js");
  const [{ plots: [plot] }, found] = [uPlot.sync("chart"), []];
  const [times] = plot.data;
  for (const span of [1500, 400, 60_000]) {
    plot.setScale("x", { min: times[0], max: times[0] + span });
    await new Promise(requestAnimationFrame);
    found.push(plot.axes[0]._values);
  }
  plot.setScale("x", { min: times[0], max: times.at(-1) });
  return found;
}"""


SPAN = """async () => {
  const { default: uPlot } = await import("/static/vendor/uplot.js");
  window.spanOf = ([{ scales }] = uPlot.sync("chart").plots) => scales.x.max - scales.x.min;
  return spanOf();
}"""


async def zoom_by_the_wheel(page: Page, plot: Locator) -> None:
    """The one that has the focus; a page is scrolled over the others."""
    before = await page.evaluate(SPAN)
    await plot.locator(".u-over").hover()
    await plot.focus()
    await page.mouse.wheel(0, -500)
    await page.wait_for_function("(most) => spanOf() < most", arg=before / 2)
    await page.keyboard.press("0")


async def use_chart(page: Page) -> None:
    """Values are read and a part is chosen by keys, a series is switched off, and both files can be had."""
    chart = page.locator("figure.chart").first
    plot = chart.locator(".plot")
    await plot.focus()
    await page.keyboard.press("ArrowRight")
    said = chart.locator("output", has_text=re.compile(r"\d\d:\d\d:\d\d"))
    await chart.locator("output .heard", has_text="root.default 0.0 %, root.etl 0.0 %").wait_for()
    first = await said.inner_text()
    while await said.inner_text() == first:  # two samples may be of one second, and the chart still grows
        await page.keyboard.press("ArrowRight")
    for told in await page.evaluate(LABELS):
        assert len(told) > 3
        assert len(set(told)) == len(told), "moments of an axis are told apart"
    await zoom_by_the_wheel(page, plot)
    await page.keyboard.press("+")
    series = chart.get_by_role("button", name="root.etl")
    await series.click()
    assert await series.get_attribute("aria-pressed") == "false"
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Used share of each queue as CSV").click()
    heads, *rows = (await (await saved.value).path()).read_text().splitlines()
    assert heads.startswith("time,root.")
    assert len(rows) > 1
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Used share of each queue as SVG").click()
    text = (await (await saved.value).path()).read_text()
    assert text.startswith("<svg ")
    assert "root.etl</text>" not in text, "it is switched off"
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Used share of each queue as PNG").click()
    assert (await (await saved.value).path()).read_bytes().startswith(b"\x89PNG")


async def change_queues(page: Page, caller: Web) -> None:
    """What is computed is shown with its numbers; what is wrong is refused and told, and nothing changes."""
    await show(page, caller, "/scheduler?queue=root.nobody")
    await page.get_by_role("alert").get_by_text("There is no queue root.nobody.").wait_for()
    assert await page.get_by_text("No samples yet").count() == 0
    await page.get_by_role("link", name="Show all queues").click()
    await page.get_by_text("Select a queue to see its details.").wait_for()
    await page.locator(".chart canvas").first.wait_for()
    await use_chart(page)
    await show(page, caller, "/scheduler?openQueues=Queue:%20root.etl")
    await page.get_by_text("etl absolute 60.0 % = root 100.0 %").wait_for()
    (drawn,) = await page.locator("figure.chart").all()
    await drawn.get_by_role("button", name="guaranteed").wait_for()
    await page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.locator("dialog")
    assert "Stop queue root.etl?" in await dialog.inner_text()
    await dialog.get_by_role("button", name="Stop", exact=True).click()
    await page.locator(".queues .trouble", has_text="STOPPED").wait_for()
    await page.get_by_role("button", name="Edit capacities").click()
    await dialog.get_by_role("button", name="Show the effect").click()
    await dialog.locator(".error", has_text="No value is other than before.").wait_for()
    await dialog.get_by_label("root.etl: Capacity", exact=True).fill("70")
    await dialog.get_by_role("button", name="Show the effect").click()
    await dialog.locator(".error", has_text="root").wait_for()
    assert await dialog.get_by_label("root.etl: Capacity", exact=True).input_value() == "70"
    await dialog.get_by_label("root.default: Capacity", exact=True).fill("30")
    desk = page.viewport_size
    assert desk is not None
    await page.set_viewport_size(PHONE["viewport"])
    await dialog.get_by_role("button", name="Show the effect").click()
    await dialog.locator("tr", has_text="share of the cluster").first.wait_for()
    assert await dialog.evaluate("(one) => one.scrollTop") == 0, "it begins with what is asked"
    await page.set_viewport_size(desk)
    row = dialog.locator("tr", has_text="root.etl").filter(has_text="configured capacity")
    assert (await row.locator("td").all_inner_texts())[2:4] == ["60%", "70%"]
    assert not re.search(r"\d [MG]B|<memory", await dialog.inner_text()), "one set of units"
    await dialog.get_by_role("button", name="Back").click()
    await dialog.get_by_role("button", name="Show the effect").click()
    assert await page.get_by_text("etl absolute 60.0 % = root 100.0 %").count() == 1, "nothing has changed"
    await dialog.get_by_role("button", name="Change the queues").click()
    await page.get_by_text("etl absolute 70.0 % = root 100.0 %").wait_for()


COVERED = """() => {
  const covered = [];
  const reached = document.querySelectorAll(":is(.skip, main a, main button, main dfn):not(:disabled)");
  for (const one of [...reached].reverse()) {
    one.focus();
    const { left, top } = one.getBoundingClientRect();
    if (!one.checkVisibility()) continue;
    const shown = document.elementFromPoint(Math.max(0, left) + 3, Math.max(0, top) + 3);
    if (shown?.closest("header")) covered.push(one.outerHTML);
  }
  return covered;
}"""


async def keep_the_focus_in_sight(page: Page, caller: Web) -> None:
    """Whoever goes up by the keyboard finds nothing behind the bar, and sees the link that skips it."""
    await page.set_viewport_size({"width": 1280, "height": 500})
    await show(page, caller, "/scheduler?queue=root.etl")
    await page.locator("dfn").first.wait_for()
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    assert await page.evaluate(COVERED) == []
    await set_back(page)


def luminance(colour: str) -> float:
    """Of `rgb(R, G, B)`, as WCAG defines it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


READ = """() => { const sample = document.body.appendChild(document.createElement('span'));
  const read = (name) => { sample.style.color = `var(--${name})`; return getComputedStyle(sample).color; };
  const names = ['ink', 'soft', 'paper', 'field', 'accent', 'used', 'over', 'bad'];
  const found = Object.fromEntries(names.map((name) => [name, read(name)]));
  sample.remove();
  return found; }"""


async def measure_contrast(page: Page, caller: Web) -> None:
    """Texts have at least 4.5 to 1 on each ground, light and dark; 7 to 1 for whoever asks for more."""
    await show(page, caller, "/cluster")
    for wanted, theme in product((4.5, 7), ("light", "dark")):
        await page.emulate_media(contrast="more" if wanted == 7 else "no-preference")
        await page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        colours = await page.evaluate(READ)
        for ground, ink in product(("paper", "field"), ("ink", "soft", "accent", "used", "over", "bad")):
            found = contrast(colours[ink], colours[ground])
            assert found >= wanted, f"{theme}: {ink} on {ground} has {found:.2f}"
    await page.emulate_media(contrast="no-preference")
    await measure_forced_colours(page)


DRAWN_WITH = """async () => {
  const { css } = await import('/static/dom.js');
  return ['field', 'line0', 'line1', 'line2', 'line3', 'line4', 'line5'].map((name) => css(`--${name}`)); }"""


async def measure_forced_colours(page: Page) -> None:
    """Charts keep their colours, and can be told from the ground, where the system chooses all others."""
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, theme in product(schemes, ("light", "dark")):
        await page.emulate_media(forced_colors="active", color_scheme=scheme)
        await page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        field, *series = await page.evaluate(DRAWN_WITH)
        assert len(set(series)) == 6
        assert all(contrast(one, field) >= 4.5 for one in series), (scheme, theme, field, series)


def test_lists_and_queues(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        write((f"yarn.scheduler.capacity.{name}", value, False) for name, value in QUEUES.items())
    )

    async def scene() -> None:
        async with web(tmp_path, **SITE) as caller, browser.page() as page:
            page.set_default_timeout(1000 * PATIENCE_S)
            ids = [await submit(caller) for _ in range(2)]
            await see_what_matters(page, caller)
            await choose_columns(page, caller)
            await sort_and_save(page, caller, ids)
            await move_by_keys(page, ids)
            await look_at_many_nodes(page, caller)
            await hold_containers(page, caller)
            await change_queues(page, caller)
            await keep_the_focus_in_sight(page, caller)
            await measure_contrast(page, caller)

    browser.play(scene)


@pytest.mark.parametrize(
    "one, other, ratio",
    [("rgb(0, 0, 0)", "rgb(255, 255, 255)", 21.0), ("rgb(119, 119, 119)", "rgb(255, 255, 255)", 4.48)],
)
def test_contrast_is_measured_as_it_is_defined(one: str, other: str, ratio: float) -> None:
    assert round(contrast(one, other), 2) == ratio
