"""Every page of a recording finds what it asks for, and everybody can use it, however it is looked at."""

from __future__ import annotations

import pytest

from tests.browser import Browser
from tests.cluster.viewer.test_browser import browsing, show
from tests.cluster.viewer.test_server import viewing
from tests.pages import PHONE, faults_of, go
from yarnbox.sim.recording.document import Recording

AS_LIVE = ("/errors-and-warnings", "/nodelabels", "/cluster", "/conf")
"""Those that look as a living cluster's do: tests/rm/edge/test_browser.py looks at them."""
PAGES = (
    "/run",
    "/scheduler",
    "/app/application_0_0001?at=20000",
    "/nodes",
    "/simulation",
    "/app/application_0_0002?run=b&at=9000",
    "",
    "/scheduler?queue=root.default",
    "/node/node0:1234",
    "/app/application_0_0002?at=20000",
    "/apps",
    "/events",
    "/compare",
    "/run?run=b&at=8000",
)
TOO_WIDE = "document.documentElement.scrollWidth > 390"
"""The pages of a phone grow with what they show."""
HALVES = (PAGES[::2], (*PAGES[1::2], *AS_LIVE))
"""Two processes look at half of them each."""


@pytest.mark.parametrize("pages", HALVES, ids=("one half", "the other half"))
def test_everybody_can_use_every_page(
    browser: Browser, recording: Recording, workload: Recording, pages: tuple[str, ...]
) -> None:
    async def scene() -> None:
        async with viewing([workload, recording]) as caller, browsing(browser) as page:
            await show(page, caller.top, "")
            faults = []
            for path in pages:
                await go(page, path)
                assert await page.locator("main .error").count() == 0, path
                faults += await faults_of(page, path) if path not in AS_LIVE else []
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
            assert not await page.evaluate(TOO_WIDE)

    browser.play(scene)


def test_long_names_fit_on_a_phone(browser: Browser, recording: Recording) -> None:
    named = Recording({**recording.data, "name": f"three-tenants, /{'a/long/path/' * 9}conf"})

    async def scene() -> None:
        async with viewing([named, recording]) as caller, browser.page(**PHONE) as page:
            await show(page, caller.top, "/compare")
            assert not await page.evaluate(TOO_WIDE)

    browser.play(scene)
