"""Everybody can use every page of a recording, whatever it is looked at with."""

from __future__ import annotations

import pytest

from tests.browser import Browser
from tests.cluster.viewer.test_browser import EVERY_PAGE, show
from tests.cluster.viewer.test_server import viewing
from tests.pages import PHONE, faults_of, go
from yarnbox.sim.recording.document import Recording

PAGES = (*EVERY_PAGE, "/run?run=b&at=8000", "/app/application_0_0002?run=b&at=9000")
HALVES = (PAGES[::2], PAGES[1::2])
"""Two processes look at half of them each."""


@pytest.mark.parametrize("pages", HALVES, ids=("one half", "the other half"))
def test_everybody_can_use_every_page(
    browser: Browser, recording: Recording, workload: Recording, pages: tuple[str, ...]
) -> None:
    async def scene() -> None:
        async with viewing([workload, recording]) as caller, browser.page() as page:
            await show(page, caller.top, "")
            faults = []
            for path in pages:
                await go(page, path)
                assert await page.locator("main .error").count() == 0, path
                faults += await faults_of(page, path)
            assert faults == []

    browser.play(scene)


def test_a_row_on_a_phone_shows_what_matters(browser: Browser, recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller, browser.page(**PHONE) as page:
            await show(page, caller.top, "/apps?at=5000")
            (row,) = await page.locator("[aria-rowcount] tbody tr").all()
            shown = [one for one in await row.locator("td").all() if await one.is_visible()]
            texts = [await one.inner_text() for one in shown]
            assert texts == ["application_0_0001", "a1", "RUNNING"]
            assert not await page.evaluate("document.documentElement.scrollWidth > innerWidth")

    browser.play(scene)
