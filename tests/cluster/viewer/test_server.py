"""`yarnbox view` over HTTP: who may ask, what is refused, and simulations from the page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from tests.blocks import of_kind
from tests.cluster.viewer.conftest import TEXT
from tests.waiting import PATIENCE_S
from yarnbox.cluster.viewer import library as library_module
from yarnbox.cluster.viewer.library import RecordingLibrary
from yarnbox.cluster.viewer.server import Viewer
from yarnbox.sim.recording.document import Recording
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.listening import bind

XSRF = {"X-XSRF-Header": "x"}


class Caller:
    """Somebody with a browser."""

    def __init__(self, session: aiohttp.ClientSession, top: str) -> None:
        self.session, self.top = session, top
        self.api = top + "/ws/v1/cluster"

    async def get(self, path: str, status: int = 200, **others: Any) -> Any:
        async with self.session.get(self.api + path, **others) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()

    async def simulate(self, status: int, headers: dict[str, str] | None = None, **asked: Any) -> Any:
        url = self.api + "/ui/simulations"
        async with self.session.post(url, json=asked, headers=XSRF if headers is None else headers) as answer:
            assert answer.status == status, await answer.text()
            return await answer.json()


@asynccontextmanager
async def viewing(
    recordings: list[Recording], directory: Path | None = None, report: str | None = None, demo: str = ""
) -> AsyncIterator[Caller]:
    listening = bind(Address("127.0.0.1", 0), "--port")
    viewer = Viewer(RecordingLibrary(recordings, directory, report, demo))
    await viewer.start(listening)
    try:
        async with aiohttp.ClientSession() as session:
            yield Caller(session, f"http://127.0.0.1:{listening.getsockname()[1]}")
    finally:
        await viewer.stop()


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def whole() -> None:
        await asyncio.wait_for(scene(), PATIENCE_S)

    asyncio.run(whole())


def test_a_recording_that_is_damaged_deep_inside(recording: Recording) -> None:
    damaged = Recording({**recording.data, "configuration": [["a name alone"]]})  # type: ignore[list-item]

    async def scene() -> None:
        async with viewing([damaged]) as caller:
            told = (await caller.get("/ui/conf", 500))["RemoteException"]["message"]
            assert "the recording is damaged: " in told
            await caller.get("/metrics")

    play(scene)


def test_pages_and_answers(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller:
            for path in ("/cluster", "/cluster/run", "/cluster/app/application_0_0001"):
                async with caller.session.get(caller.top + path) as answer:
                    assert 'data-source="recording"' in await answer.text()
                    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            bar = await caller.get("/ui/recording")
            assert bar["block"] == [], "there is nothing to choose"
            assert bar["run"] == "a"
            assert (await caller.get("/metrics?at=5000"))["clusterMetrics"]["allocatedMB"] == 3072
            page = await caller.get("/ui/recording/page?at=5000")
            assert page["page"]["block"][1]["paragraph"].startswith("One has all")
            few = (await caller.get("/ui/comparison"))["comparison"]["block"]
            assert "Two runs can be compared." in few[1]["paragraph"]
            await caller.get("/metrics?at=6000&run=z", 404)
            await caller.get("/metrics?at=-1", 400)
            await caller.get("/nothing", 404)

    play(scene)


def test_without_a_recording_there_is_the_simulation_alone() -> None:
    async def scene() -> None:
        async with viewing([]) as caller:
            bar = await caller.get("/ui/recording")
            assert (bar["block"], bar["instead"][0]["heading"]) == ([], "No run to show")
            await caller.get("/metrics", 404)
            page = (await caller.get("/ui/simulations"))["simulations"]["block"]
            assert len(of_kind(page, "form")) == 1
            assert of_kind(page, "choose") == [], "there are no files"

    play(scene)


def test_other_sites_are_kept_out(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller:
            async with caller.session.get(
                caller.api + "/metrics", headers={"Host": "evil.example:80"}
            ) as answer:
                assert answer.status == 403
                assert (await answer.text()).startswith("evil.example:80 is not a name of this host; ")
            await caller.get("/metrics", headers={"Host": "localhost:80"})
            refused = await caller.simulate(400, headers={}, text=TEXT)
            assert "X-XSRF-Header" in refused["RemoteException"]["message"]

    play(scene)


def test_a_scenario_is_played_with_the_scheduler_that_is_chosen(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller:
            made = await caller.simulate(200, text=TEXT, name="x.yaml", scheduler="fair", nodes="4")
            run = made["run"]
            assert made["to"] == f"/cluster/run?run={run}&at=0"
            bar = await caller.get(f"/ui/recording?run={run}")
            assert of_kind(bar["block"], "choose")[0] == [
                ["a", "a: two-queues (Capacity)"],
                [run, f"{run}: two-queues (Fair)"],
            ]
            for asked, shown in (("", ["a", run]), (f"{run},a", [run, "a"])):
                page = (await caller.get(f"/ui/comparison?runs={asked}"))["comparison"]["block"]
                streams = [one["source"] for one in page if "stream" in one]
                assert [parse_qs(urlsplit(one).query)["run"] for one in streams] == [[run] for run in shown]

    play(scene)


def test_what_is_no_simulation_is_not_begun(monkeypatch: Any) -> None:
    async def scene() -> None:
        async with viewing([]) as caller:
            for wrong in (
                {"text": 7},
                {"text": TEXT, "scheduler": "os.system"},
                {"text": "", "nodes": 10**6},
                {"text": "", "nodes": "0"},
                {"text": "", "nodes": True},
            ):
                await caller.simulate(400, **wrong)
            monkeypatch.setattr(library_module, "LARGEST_TEXT", 20)
            assert "larger than" in (await caller.simulate(422, text="#" * 21))["problems"][0]

    play(scene)


def test_one_at_a_time_and_none_too_long(monkeypatch: Any) -> None:
    async def scene() -> None:
        async with viewing([]) as caller:
            monkeypatch.setattr(library_module, "LONGEST_S", 0.05)
            first, second = await asyncio.gather(
                caller.simulate(422, text=TEXT, name="x"), caller.simulate(409, text=TEXT, name="x")
            )
            assert first["problems"] == ["x: took longer than 0.05 s"]
            assert "running already" in json.dumps(second)

    play(scene)


def test_files_of_the_directory_and_of_no_other(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "deep" / "x.yaml").write_text(TEXT)
    (inside / "notes.txt").write_text("no")
    (tmp_path / "secret.yaml").write_text("secret")
    (inside / "link.yaml").symlink_to(tmp_path / "secret.yaml")

    async def scene() -> None:
        async with viewing([], inside) as caller:
            page = (await caller.get("/ui/simulations?file=deep/x.yaml"))["simulations"]["block"]
            assert [value for value, _ in of_kind(page, "choose")[0]] == ["", "deep/x.yaml"]
            _, text, *_ = of_kind(page, "form")[0]
            assert text["value"] == TEXT
            for name in ("../secret.yaml", "link.yaml", "notes.txt", "/etc/passwd"):
                await caller.get(f"/ui/simulations?file={name}", 404)

    play(scene)


def test_a_report_of_what_if_is_shown_in_a_frame_that_may_do_nothing() -> None:
    async def scene() -> None:
        async with viewing([], report="<!DOCTYPE html><p>worse</p>") as caller:
            page = (await caller.get("/ui/comparison"))["comparison"]["block"]
            assert of_kind(page, "report") == ["What if"]
            async with caller.session.get(caller.api + "/ui/what-if") as answer:
                assert await answer.text() == "<!DOCTYPE html><p>worse</p>"
                assert answer.content_type == "text/html"
                assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
            async with caller.session.get(caller.top + "/cluster/compare") as page:
                assert "frame-src 'self'" in page.headers["Content-Security-Policy"]
        async with viewing([]) as caller:
            await caller.get("/ui/what-if", status=404)

    play(scene)
