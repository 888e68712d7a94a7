"""A real browser for tests of pages: one Chromium for all tests of a process (fixture `browser`).

Where there is none, the tests that want it are skipped, and say so. Debian's chromium-headless-shell is
preferred to its chromium: it is the same without a desktop, and takes less of the machine.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from tests.tree import ROOT
from tests.waiting import PATIENCE_S

if TYPE_CHECKING:  # half a second of processor time, which is for those who open a page
    from playwright import async_api as playwright

ARTIFACTS = ROOT / "test-artifacts"
"""Where screenshots go."""

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FILE = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(FILE is None, reason="no browser: apt-get install chromium-headless-shell")
"""Tests with the fixture `browser` have this mark by themselves."""

FOREIGN_HOSTS = ("evil.example", "rm.example")
"""Names that lead to this machine in the browser alone."""

ARGUMENTS = (
    "--no-sandbox",
    "--host-resolver-rules=" + ", ".join(f"MAP {name} 127.0.0.1" for name in FOREIGN_HOSTS),
)


async def keep_picture(page: playwright.Page) -> None:
    """What the page of a test that fails shows, under the name of the test."""
    from playwright.async_api import Error

    ARTIFACTS.mkdir(exist_ok=True)
    test = os.environ.get("PYTEST_CURRENT_TEST", "a test").partition(" (")[0].rpartition("::")[2]
    with suppress(Error):  # the failure is told, not that there is no picture of it
        name = re.sub(r"[^\w.-]+", "-", test)[:100]
        await page.screenshot(path=ARTIFACTS / f"failed-{name}.png", full_page=True)


class Browser:
    """Chromium, started by the first scene that opens a page. Scenes of one browser share its event loop, and
    nothing else: each page has cookies, storage and a cache of its own.
    """

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._chromium: playwright.Browser | None = None

    def play(self, scene: Callable[[], Awaitable[None]]) -> None:
        """Plays a scene to its end."""

        async def limited() -> None:
            await asyncio.wait_for(scene(), PATIENCE_S)

        self._runner.run(limited())

    @asynccontextmanager
    async def page(self, **device: Any) -> AsyncIterator[playwright.Page]:
        """A new page of a device that playwright's new_context describes. No script of it may fail, and none
        may open a dialog of the browser's: that would be text of a user that was executed.
        """
        context = await (await self._started()).new_context(**device)
        context.set_default_timeout(1000 * PATIENCE_S)
        faults: list[str] = []

        async def refuse(dialog: playwright.Dialog) -> None:
            faults.append(f"a dialog: {dialog.message}")
            await dialog.dismiss()

        try:
            page = await context.new_page()
            page.on("pageerror", lambda error: faults.append(f"a script failed: {error}"))
            page.on("dialog", refuse)
            yield page
            assert faults == []
        except Exception:
            await keep_picture(page)
            raise
        finally:
            await context.close()

    def close(self) -> None:
        """Ends it."""
        self._runner.run(self._stack.aclose())
        self._runner.close()

    async def _started(self) -> playwright.Browser:
        if self._chromium is None:
            from playwright.async_api import async_playwright

            driver = await self._stack.enter_async_context(async_playwright())
            self._chromium = await driver.chromium.launch(
                executable_path=FILE, timeout=1000 * PATIENCE_S, args=ARGUMENTS
            )
            self._stack.push_async_callback(self._chromium.close)
        return self._chromium
