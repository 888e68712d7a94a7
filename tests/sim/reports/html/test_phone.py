"""A report on a phone: nothing is cut off, words can be read, and axe-core has nothing against it."""

from __future__ import annotations

from tests.browser import Browser
from tests.pages import AXE, CHECK, PHONE
from yarnbox.sim.reports.html.charts import Bars, Series, bar_chart, time_chart
from yarnbox.sim.reports.html.page import Column, page, section, table

COLUMNS = [Column("verdict", is_number=False), *(Column(f"figure number {number}") for number in range(8))]
CELLS_OUT_OF_SIGHT = """[...document.querySelectorAll("td")].filter((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  return !width || left < 0 || right > innerWidth;
}).length"""
PX_OF_WORDS = """[...document.querySelectorAll("svg text")].map((one) => {
  const { width } = one.ownerSVGElement.getBoundingClientRect();
  return (parseFloat(getComputedStyle(one).fontSize) * width) / one.ownerSVGElement.viewBox.baseVal.width;
})"""


def test_a_report_can_be_read_on_a_phone(browser: Browser) -> None:
    rows = [["worse", *(f"{row}{column}.50 GB h" for column in range(8))] for row in range(3)]
    chart = time_chart("used", [Series("root.etl", [(0, 100), (60_000, 300), (600_000, 50)])])
    bars = bar_chart("waits", ["root.etl", "root.adhoc"], [Bars("mean", [1000.0, 61_000.0])])
    about = f"yarn.scheduler.capacity.{'root.' * 12}capacity=2"
    text = page("What if", section(about, chart, bars, table(COLUMNS, rows)))

    async def scene() -> None:
        async with browser.page(**PHONE) as shown:
            await shown.set_content(text)
            assert await shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert await shown.evaluate(CELLS_OUT_OF_SIGHT) == 0
            assert min(await shown.evaluate(PX_OF_WORDS)) > 8
            if AXE.is_file():
                await shown.evaluate(AXE.read_text("utf-8"))
                assert await shown.evaluate(CHECK, [{}, ""]) == []

    browser.play(scene)
