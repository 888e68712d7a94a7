"""Regenerates the pictures in docs/images from one scenario: `make pictures`. Needs Chromium.

They show a recording, and a comparison under given seeds, so that the same sources give the same pictures.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from playwright.async_api import Page

from tests.browser import FILE, Browser
from tests.cluster.viewer.test_server import viewing
from tests.tree import ROOT
from yarnbox.sim import Change, Site, compare, read_load
from yarnbox.sim.recording.document import read, write
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario
from yarnbox.sim.whatif.metrics import DEFAULT_METRICS
from yarnbox.sim.whatif.reports.page import page_of

SCENARIO = """\
name: etl-and-adhoc
about: adhoc uses what etl leaves idle, until etl wants its guarantee back.
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarnbox.scenario.heartbeat-ms: 1000
  yarn.resourcemanager.scheduler.monitor.enable: true
  yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill: 5000
  yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval: 3000
  yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round: 0.3
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: etl,adhoc
  yarn.scheduler.capacity.root.etl.capacity: 60
  yarn.scheduler.capacity.root.etl.maximum-capacity: 80
  yarn.scheduler.capacity.root.adhoc.capacity: 40
  yarn.scheduler.capacity.root.adhoc.user-limit-factor: 3
nodes:
  - {name: "nm%d", count: 4, memory-mb: 4096}
steps:
  - submit: {app: ad-hoc-query, queue: root.adhoc, user: tom}
  - ask: {app: ad-hoc-query, requests: [{count: 14, memory-mb: 1024}]}
  - advance: 10s
  - submit: {app: nightly-load, queue: root.etl, user: mei}
  - ask: {app: nightly-load, requests: [{count: 12, memory-mb: 1024}]}
  - advance: 30s
  - submit: {app: report, queue: root.adhoc, user: ann}
  - ask: {app: report, requests: [{count: 3, memory-mb: 2048}]}
  - advance: 15s
  - finish: ad-hoc-query
  - advance: 20s
"""
WIDTH = 1280
PICTURES = {
    "cluster.png": ("?at=60000", 1150),
    "scheduler.png": ("/scheduler?at=60000", 900),
    "queue.png": ("/scheduler?queue=root.adhoc&at=60000", 1150),
    "application.png": ("/app/application_0_0001?at=60000", 1000),
    "node.png": ("/node/nm1:1234?at=70000", 900),
    "recording.png": ("/run?at=30000", 1000),
}
"""The page of each, and how much of it is shown, in pixels."""


async def take(page: Page, top: str, to: Path) -> None:
    for name, (path, height) in PICTURES.items():
        await page.set_viewport_size({"width": WIDTH, "height": height})
        await page.goto(f"{top}/cluster{path}")
        await page.wait_for_selector("main[data-ready] h1")
        await page.wait_for_function("document.fonts.status === 'loaded'")
        await page.screenshot(path=to / name)


WHAT_IF = ("what-if.png", 1200)


def report() -> str:
    """The example of docs/what-if.md: etl may use what others leave."""
    examples = ROOT / "examples"
    load = read_load(examples / "loads" / "three-tenants.jsonl")
    jobs = [job for job in load.jobs() if job.queue != "root.serving"][:24]
    factor = "yarn.scheduler.capacity.root.etl.user-limit-factor"
    change = Change(name="etl may borrow", definitions={factor: "2"})
    site = Site(nodes=load.nodes, duration_spread=0.1)
    found = compare(examples / "what-if" / "conf", [change], jobs, seeds=6, site=site)
    named = replace(found.study.variants[0], source="conf")
    return page_of(
        replace(found, study=replace(found.study, variants=(named, *found.study.variants[1:]))),
        DEFAULT_METRICS,
        [],
    )


async def regenerate(browser: Browser, to: Path) -> None:
    data = play_recorded(parse_scenario(SCENARIO), SCENARIO)[1]
    if data is None:
        raise RuntimeError("the scenario of the pictures cannot be played")
    async with viewing([read(write(data), "pictures")]) as caller, browser.page() as page:
        await take(page, caller.top, to)
        await page.goto("about:blank")  # the pages of the viewer forbid the style that a report brings along
        await page.set_viewport_size({"width": WIDTH, "height": WHAT_IF[1]})
        await page.set_content(report())
        await page.screenshot(path=to / WHAT_IF[0])


if __name__ == "__main__":
    if FILE is None:
        sys.exit("no browser: apt-get install chromium")
    chromium = Browser()
    try:
        chromium.play(lambda: regenerate(chromium, ROOT / "docs" / "images"))
    finally:
        chromium.close()
