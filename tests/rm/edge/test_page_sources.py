"""The JavaScript and CSS of the pages keep the style of the tree, as far as tools can say.

The tools come from npm (`make lint` installs them); where they are missing the tests that need them say so.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

import pytest

from tests.pages import AXE
from tests.tree import ROOT

UI = ROOT / "rm" / "edge" / "http" / "ui"
COLUMNS = 110
TOOLS = ROOT / "node_modules" / ".bin"
needs_tools = pytest.mark.skipif(not TOOLS.is_dir(), reason="no tools of npm: run `make lint` once")


def run(*command: str) -> str:
    """What a tool says when it refuses; nothing when it is content."""
    done = subprocess.run(
        [str(TOOLS / command[0]), *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr if done.returncode else ""


def long_lines(lines: Sequence[str]) -> list[int]:
    return [number for number, line in enumerate(lines, 1) if len(line) > COLUMNS]


def test_no_line_is_too_long() -> None:
    ours = [path for path in sorted(UI.iterdir()) if path.suffix in (".js", ".css", ".html")]
    faults = [
        f"{path.name}:{number}"
        for path in ours
        for number in long_lines(path.read_text("utf-8").splitlines())
    ]
    assert not faults
    assert long_lines(["x" * COLUMNS, "x" * (COLUMNS + 1)]) == [2]


@needs_tools
def test_format_and_lint() -> None:
    assert run("biome", "check", "--error-on-warnings") == ""


@needs_tools
def test_types() -> None:
    assert run("tsc") == ""


@needs_tools
def test_pages_are_checked_by_axe_core() -> None:
    assert AXE.is_file()


VENDORED = {
    "preact.js": "preact/dist/preact.mjs",
    "preact.LICENSE": "preact/LICENSE",
    "htm.js": "htm/dist/htm.module.js",
    "htm.LICENSE": "htm/LICENSE",
    "uplot.js": "uplot/dist/uPlot.esm.js",
    "uplot.css": "uplot/dist/uPlot.min.css",
    "uplot.LICENSE": "uplot/LICENSE",
    "tinyqueue.js": "tinyqueue/index.js",
    "tinyqueue.LICENSE": "tinyqueue/LICENSE",
    "virtual-core.LICENSE": "@tanstack/virtual-core/LICENSE",
}
VIRTUAL = ("index", "ios-gesture", "lazy-measurements", "scroll-classifier", "utils")
VENDORED |= {f"virtual-core/{name}.js": f"@tanstack/virtual-core/dist/esm/{name}.js" for name in VIRTUAL}


@needs_tools
def test_libraries_are_as_their_makers_published_them() -> None:
    vendor = UI / "vendor"
    found = {str(path.relative_to(vendor)) for path in vendor.rglob("*.*") if path.suffix != ".ts"}
    assert found == set(VENDORED)
    for name, source in VENDORED.items():
        assert (vendor / name).read_bytes() == (ROOT / "node_modules" / source).read_bytes(), name
