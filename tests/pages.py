"""How a page is looked at: at three sizes, in the light, in the dark, and in forced colours, which the
system chooses. Nothing is wider than the screen, and axe-core finds no violation.

A page is opened once for all of that, and the next one as its links do, without loading the scripts again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.browser import ARTIFACTS
from tests.tree import ROOT

if TYPE_CHECKING:
    from playwright.async_api import Page

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
"""`make lint` installs it. Where it is missing, sizes alone are checked; test_page_sources says so."""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}
SIZES = {"desk": (1280, 900), "tablet": (820, 1180), "phone": (390, 844)}


class Look(NamedTuple):
    """One way to look, and what axe-core is asked then: which rules, and about which elements. Where it is
    asked nothing, the width alone counts.
    """

    size: str
    media: dict[str, Any]
    rules: dict[str, Any] | None = None
    elements: str = ""


LIGHT: dict[str, Any] = {"color_scheme": "light", "contrast": "no-preference", "forced_colors": "none"}
DARK = LIGHT | {"color_scheme": "dark"}
FORCED = {"forced_colors": "active"}
COLOURS = ["color-contrast", "link-in-text-block"]
ABOUT_COLOURS = {"runOnly": COLOURS}
ALL_OTHERS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
OWN_COLOURS = ".key, .square"
"""Texts that keep their colours where the system chooses all others: style.css says so."""
LOOKS = (
    Look("desk", LIGHT, {}),
    Look("tablet", LIGHT),
    Look("phone", LIGHT, ALL_OTHERS),
    Look("desk", DARK, ABOUT_COLOURS),
    Look("desk", LIGHT | FORCED, ABOUT_COLOURS, OWN_COLOURS),
    Look("desk", DARK | FORCED, ABOUT_COLOURS, OWN_COLOURS),
)
CHECK = """async ([options, elements]) => {
  const asked = elements ? [...document.querySelectorAll(elements)] : [document.documentElement];
  if (!asked.length) return [];
  const found = await axe.run(asked, { resultTypes: ["violations"], preload: false, ...options });
  return found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`);
}"""
GO = "(to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }"
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

MANUAL = """(() => {
  const waiting = [];
  AbortSignal.timeout = () => {
    const one = new AbortController();
    waiting.push(one);
    return one.signal;
  };
  window.loseThePatience = () => { for (const one of waiting.splice(0)) one.abort(); };
})()"""
"""Requests wait until the test says that they have waited for long enough."""
LATER = "{ const now = performance.now.bind(performance); performance.now = () => now() + 20_000; }"


async def go(page: Page, path: str) -> None:
    """Shows another page, as a link to it does."""
    await page.evaluate(GO, f"/cluster{path}")
    await page.locator(f"main[data-ready='/cluster{path}'] h1").wait_for(state="attached")


async def set_back(page: Page) -> None:
    """A desk in the light again."""
    width, height = SIZES["desk"]
    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(**LIGHT)


async def faults_of(page: Page, path: str) -> list[str]:
    """What axe-core and the width of the screen say against the page that is shown; pictures are kept of
    what is at fault.
    """
    if AXE.is_file() and not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text("utf-8"))
    faults = []
    for size, media, rules, elements in LOOKS:
        width, height = SIZES[size]
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(**media)
        await page.evaluate(DRAWN)
        found: list[str] = []
        if rules is not None and AXE.is_file():
            found = await page.evaluate(CHECK, [rules, elements])
        if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append("it is wider than the screen")
        how = "-".join([size, *(value for value in media.values() if value not in LIGHT.values())])
        if found:
            ARTIFACTS.mkdir(exist_ok=True)
            name = path.split("?")[0].strip("/").replace("/", "-") or "cluster"
            await page.screenshot(path=ARTIFACTS / f"{name}-{how}.png", full_page=True)
        faults += [f"{path}, {how}: {one}" for one in found]
    return faults
