"""How the task stream follows the hand: 50,000 containers on 1,000 nodes in headless Chromium.

A recording whose containers are made up is shown by the viewer's own server on the page Run; the mouse drags
it, the wheel zooms it. What counts is the script's time for each picture that is drawn, beside the 16.7 ms
that 60 pictures a second allow: by the clock, and on average in processor time, as all work of the page;
pictures a second are what the machine gave.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
from typing import Any

from playwright.async_api import FloatRect, Locator, Page, async_playwright

from bench._report import report
from bench.pages import spent_ms
from tests.browser import FILE
from yarnbox.cluster.viewer.library import RecordingLibrary
from yarnbox.cluster.viewer.server import Viewer
from yarnbox.sim.recording import containers
from yarnbox.sim.recording.document import Recording, read, write
from yarnbox.sim.recording.shape import Moments, RecordingData
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.listening import bind

CONTAINERS, NODES, APPS = 50_000, 1_000, 400
LANES_OF_A_NODE = 8
STEPS = 120
SCENARIO = """\
name: many-containers
conf: {yarn.resourcemanager.scheduler.class: fifo}
nodes: [{name: n1, memory-mb: 4096}]
steps:
  - submit: {app: a1, user: mei}
  - heartbeat: {node: n1, times: 3}
"""
# uPlot draws in a microtask, which is measured where it runs.
WATCH = """
  window.drawn = []; window.frames = 0; window.isWatched = true;
  const later = window.queueMicrotask.bind(window);
  window.queueMicrotask = (draw) => later(() => {
    const begun = performance.now(); draw(); window.drawn.push(performance.now() - begun);
  });
  const ask = window.requestAnimationFrame.bind(window);
  const count = () => { window.frames += 1; ask(count); };
  ask(count);
"""
COUNTED = "(all) => document.querySelector('.stream').ariaLabel.includes(`: ${all} containers`)"


def many(count: int) -> Recording:
    """A recording with so many containers on the lanes of the nodes, in the order of their beginnings."""
    text = play_recorded(parse_scenario(SCENARIO), SCENARIO)[1]
    assert text is not None
    data = read(write(text), "bench").data
    names = ["", "NODE_LOCAL", "RACK_LOCAL", "OFF_SWITCH", "mei", "root.default"]
    nodes, apps = len(names), len(names) + NODES
    names += [f"n{number}:1234" for number in range(NODES)]
    names += [f"application_0_{number:04}" for number in range(1, APPS + 1)]
    chance = random.Random(1)
    rows: list[list[Any]] = []
    lanes = NODES * LANES_OF_A_NODE
    free = [chance.randrange(60_000) for _ in range(lanes)]
    for number in range(count):
        lane, app = number % lanes, chance.randrange(APPS)
        begun = free[lane] + chance.randrange(2_000)
        free[lane] = ended = begun + chance.randrange(5_000, 300_000)
        status = chance.choices((0, -102, 1), (95, 3, 2))[0]
        values = {
            "id": f"container_0_{app + 1:04}_01_{number:06}",
            "app": apps + app,
            "node": nodes + lane // LANES_OF_A_NODE,
            "queue": 5,
            "user": 4,
            "partition": 0,
            "memoryMB": 1024,
            "vcores": 1,
            "priority": chance.randrange(5),
            "isAM": int(number < APPS),
            "reserved": None,
            "started": begun,
            "running": begun + 10,
            "finished": ended,
            "exitStatus": status,
            "diagnostics": 0,
            "locality": chance.choices((1, 2, 3), (80, 15, 5))[0],
            "requested": 1,
        }
        rows.append([values[field] for field in containers.FIELDS])
    documents = dict(data["documents"])
    like = documents["/apps/application_0_0001"]
    documents.update({f"/apps/{name}": like for name in names[apps:]})
    end = max(free)
    at = [*data["moments"]["at"]]
    at[-1] = max(end, at[-1])
    moments: Moments = {**data["moments"], "at": at}
    rows.sort(key=lambda row: row[containers.FIELDS.index("started")])
    whole: RecordingData = {
        **data,
        "names": names,
        "containers": rows,
        "documents": documents,
        "moments": moments,
        "end": end,
    }
    return Recording(whole)


async def place_of(field: Locator) -> FloatRect:
    """Where it stays when it gets the focus: as a whole in sight."""
    await field.evaluate("(one) => one.scrollIntoView({ block: 'center' })")
    box = await field.bounding_box()
    assert box is not None
    return box


async def watched(page: Page, does: Any) -> tuple[list[float], float]:
    """The milliseconds of each draw while that is done, and the frames in a second."""
    await page.evaluate("() => { window.drawn = []; window.frames = 0; window.began = performance.now(); }")
    await does()
    await page.wait_for_timeout(100)
    found = await page.evaluate("[window.drawn, (1000 * window.frames) / (performance.now() - window.began)]")
    return found[0], found[1]


async def appears(page: Page, field: Locator, count: int) -> dict[str, float]:
    """When containers are seen, and when all are."""
    await field.wait_for()
    shown = await page.evaluate("performance.now()")
    await page.wait_for_function(COUNTED, arg=count)
    return {"shown after": shown, "all there after": await page.evaluate("performance.now()")}


async def measure(top: str, count: int) -> dict[str, float]:
    """The figures of one page."""
    figures: dict[str, float] = {}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=FILE, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 1400, "height": 900})
        devtools = await page.context.new_cdp_session(page)
        await devtools.send("Performance.enable", {"timeDomain": "threadTicks"})  # processor time
        await page.add_init_script(WATCH)
        field = page.locator(".stream .plot")
        await page.goto(f"{top}/cluster/run")
        figures |= await appears(page, field, count)
        box = await place_of(field)
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        async def drag() -> None:
            await page.mouse.move(*middle)
            await page.mouse.down()
            for step in range(STEPS):
                away = 200 * (1 if (step // 30) % 2 else -1)
                await page.mouse.move(middle[0] + away * (step % 30) / 30, middle[1] + (step % 30))
            await page.mouse.up()

        async def wheel() -> None:
            await field.focus()
            await page.mouse.move(*middle)
            for step in range(STEPS):
                await page.mouse.wheel(0, -40 if step < STEPS / 2 else 40)

        async def in_depth() -> None:
            await field.focus()
            for _ in range(4):
                await page.keyboard.press("]")
            await drag()

        async def hover() -> None:
            for step in range(STEPS):
                await page.mouse.move(box["x"] + 160 + 5 * step, middle[1])

        for name, does in (
            ("wheel", wheel),
            ("drag", drag),
            ("drag, 16 times taller", in_depth),
            ("hover", hover),
        ):
            before = await spent_ms(devtools)
            took, rate = await watched(page, does)
            after = await spent_ms(devtools)
            for what, metric in (("script", "ScriptDuration"), ("work", "TaskDuration")):
                figures[f"{name}: {what} of a picture"] = (after[metric] - before[metric]) / len(took)
            figures[f"{name}: median"] = statistics.median(took)
            figures[f"{name}: 95 of 100"] = statistics.quantiles(took, n=20)[18]
            figures[f"{name}: longest"] = max(took)
            figures[f"{name}: pictures"] = len(took)
            figures[f"{name}: frames"] = rate
        await page.screenshot(path="bench-results/taskstream.png")
        await browser.close()
    return figures


async def run(count: int) -> dict[str, float]:
    """Shows the recording and measures."""
    listening = bind(Address("127.0.0.1", 0), "--port")
    viewer = Viewer(RecordingLibrary([many(count)], None, None))
    await viewer.start(listening)
    try:
        return await measure(f"http://127.0.0.1:{listening.getsockname()[1]}", count)
    finally:
        await viewer.stop()


def main() -> None:
    """Measures and reports."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--containers", type=int, default=CONTAINERS)
    options = parser.parse_args()
    figures = asyncio.run(run(options.containers))
    units = {name: "1/s" if name.endswith("frames") else "ms" for name in figures}
    units.update({name: "" for name in figures if name.endswith("pictures")})
    report("taskstream", figures, units)


if __name__ == "__main__":
    main()
