"""Every page of a recording, on a desk, there in the dark, too, and on a phone: nothing is wider than the
screen, and axe-core finds no violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import ARTIFACTS, Browser
from tests.cluster.viewer.test_browser import EVERY_PAGE, show
from tests.cluster.viewer.test_server import viewing
from tests.tree import ROOT
from yarnbox.sim.recording.document import Recording

if TYPE_CHECKING:
    from playwright.async_api import Page

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: run `make lint` once")
DEVICES: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 900}},
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
CHECK = "async () => (await axe.run(document)).violations.map((one) => `${one.id}: ${one.nodes[0].html}`)"


async def faults_of(page: Page, top: str, path: str) -> list[str]:
    """What axe-core and the width of the screen say against a page."""
    await show(page, top, path)
    await page.evaluate(AXE.read_text("utf-8"))
    found: list[str] = await page.evaluate(CHECK)
    if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("it is wider than the screen")
    return [f"{path}: {one}" for one in found]


async def faults_in_the_dark(page: Page, path: str) -> list[str]:
    """What axe-core says against a page that is shown, in other colours."""
    await page.emulate_media(color_scheme="dark")
    found: list[str] = await page.evaluate(CHECK)
    await page.emulate_media(color_scheme="light")
    return [f"{path}, in the dark: {one}" for one in found]


@needs_axe
@pytest.mark.parametrize("device", DEVICES)
def test_everybody_can_use_every_page(
    browser: Browser, device: str, recording: Recording, workload: Recording
) -> None:
    async def scene() -> None:
        async with viewing([workload, recording]) as caller, browser.page(**DEVICES[device]) as page:
            faults = []
            for path in (*EVERY_PAGE, "/run?run=b&at=8000", "/app/application_0_0002?run=b&at=9000"):
                found = await faults_of(page, caller.top, path)
                if device == "desk":
                    found += await faults_in_the_dark(page, path)
                if found:
                    ARTIFACTS.mkdir(exist_ok=True)
                    name = path.split("?")[0].strip("/").replace("/", "-") or "cluster"
                    await page.screenshot(path=ARTIFACTS / f"{device}-{name}.png", full_page=True)
                faults += found
            assert faults == []

    browser.play(scene)


def test_a_row_on_a_phone_shows_what_matters(browser: Browser, recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller, browser.page(**DEVICES["phone"]) as page:
            await show(page, caller.top, "/apps?at=5000")
            (row,) = await page.locator("[aria-rowcount] tbody tr").all()
            shown = [one for one in await row.locator("td").all() if await one.is_visible()]
            texts = [await one.inner_text() for one in shown]
            assert texts == ["application_0_0001", "a1", "RUNNING"]

    browser.play(scene)
