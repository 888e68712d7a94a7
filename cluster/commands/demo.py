"""`yarnbox demo`: lists the demos that come with the package; plays one and shows the recording.

A demo is a scenario with a guide: a paragraph of what to watch, and one thing to change. It is played when it
is asked for, so that it shows what this yarnbox does, and can be changed and played again on the page
Simulation. One that is to be compared is played a second time with another scheduler.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import textwrap
import webbrowser
from collections.abc import Mapping
from pathlib import Path

from yarnbox.cluster.commands.examples import directory
from yarnbox.cluster.directory import ClusterError
from yarnbox.sim.recording.document import Recording, read, write
from yarnbox.sim.reports.files import replacing
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import Scenario, read_scenario
from yarnbox.sim.scenario.reading.guide import Guide
from yarnbox.sim.scenario.reading.schedulers import with_scheduler
from yarnbox.yarn.text.words import did_you_mean

_WIDTH = 100


def demos() -> dict[str, Path]:
    """The demos by name."""
    return {path.stem: path for path in sorted((directory() / "demos").glob("*.yaml"))}


def run(options: argparse.Namespace) -> int:
    found = demos()
    if options.name is None:
        if options.out is not None:
            raise ClusterError("--out needs the name of a demo; `yarnbox demo` lists them", status=2)
        print(_list(found))
        return 0
    if options.name not in found:
        hint = did_you_mean(options.name, found)
        raise ClusterError(f"there is no demo {options.name}{hint}; `yarnbox demo` lists them", status=2)
    path = found[options.name]
    out = None if options.out is None else Path(options.out)
    scenario, guide = _read(path)
    if out is not None:
        _check(places(out, guide))
    recordings = recorded(path)
    print(_text(scenario, guide))
    if out is not None:
        return _write(recordings, places(out, guide))
    from yarnbox.cluster.viewer.command import serve  # and with it the HTTP server
    from yarnbox.cluster.viewer.library import RecordingLibrary

    library = RecordingLibrary([_reread(one, path) for one in recordings], path.parent, demo=path.name)
    shown = nobody if options.no_browser or not has_browser(os.environ) else webbrowser.open
    return asyncio.run(serve(library, options.port, shown))


def recorded(path: Path) -> list[str]:
    """The recording of a demo, and that under the scheduler that it is compared with, if there is one."""
    scenario, guide = _read(path)
    played = [scenario, *([with_scheduler(scenario, guide.against)] if guide.against else [])]
    text = path.read_text(encoding="utf-8")
    found = []
    for one in played:
        outcome, data = play_recorded(one, text)
        if data is None or not outcome.is_ok:
            reasons = "; ".join(map(str, outcome.failures))
            raise ClusterError(f"the demo {scenario.name} failed: {reasons}")
        found.append(write(data))
    return found


def has_browser(environment: Mapping[str, str]) -> bool:
    """Whether there is a screen to open a browser on: never one in the terminal, over which we print."""
    named = ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    return sys.platform == "darwin" or any(environment.get(name) for name in named)


def places(out: Path, guide: Guide) -> list[Path]:
    """Where the recordings are written: out.json, and out-fifo.json beside it."""
    beside = [out.with_name(f"{out.stem}-{guide.against}{out.suffix}")] if guide.against else []
    return [out, *beside]


def _read(path: Path) -> tuple[Scenario, Guide]:
    scenario = read_scenario(path)
    assert scenario.guide is not None, path
    return scenario, scenario.guide


def _reread(text: str, path: Path) -> Recording:
    return read(text, path.name)


def _check(targets: list[Path]) -> None:
    """What cannot be written is told before anything is played."""
    for target in targets:
        try:
            target.open("a", encoding="utf-8").close()
        except OSError as error:
            raise ClusterError(f"--out {target}: cannot be written: {error.strerror or error}") from None


def _write(recordings: list[str], targets: list[Path]) -> int:
    for text, target in zip(recordings, targets, strict=True):
        with replacing(target) as file:
            file.write(text)
    print(f"\nThe recording is written. Show it with: yarnbox view {' '.join(map(str, targets))}")
    return 0


def nobody(address: str) -> object:
    """Opens nothing."""
    return None


def _list(found: dict[str, Path]) -> str:
    width = max(map(len, found))
    rows = (
        f"{name:{width}}  {read_scenario(path).about.partition('. ')[0].rstrip('.')}"
        for name, path in found.items()
    )
    return "\n".join([*rows, "", "`yarnbox demo NAME` plays one and opens the browser on it"])


def _text(scenario: Scenario, guide: Guide) -> str:
    parts = (scenario.about, f"Watch: {guide.watch}", f"Change: {guide.change}")
    return "\n\n".join(textwrap.fill(one, _WIDTH, break_on_hyphens=False) for one in parts)
