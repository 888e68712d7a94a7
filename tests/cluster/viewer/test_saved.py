"""What the pages of a run show, as files of `yarnbox view`."""

from __future__ import annotations

import csv
import io
import json

from defusedxml.ElementTree import fromstring

from tests.blocks import every
from tests.cluster.viewer.test_server import Caller, play, viewing
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.sim.recording.document import Recording


async def saved(caller: Caller, path: str, name: str) -> str:
    async with caller.session.get(caller.api + path) as answer:
        assert answer.status == 200, await answer.text()
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        return await answer.text()


def words(picture: str) -> list[str]:
    return [one.text or "" for one in fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_lists_at_a_moment(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller:
            for at, states in ((0, []), (5000, ["RUNNING"])):
                text = await saved(caller, f"/ui/apps?at={at}&limit=0&part=apps&save=csv", "apps.csv")
                assert [row["State"] for row in rows_of(text)] == states
            nodes = json.loads(await saved(caller, "/ui/nodes?at=0&part=nodes&save=json", "nodes.json"))
            assert [one["rack"] for one in nodes] == ["/default-rack", "/r2"]
            asked = "/ui/containers/list?app=application_0_0001&part=containers&save=csv"
            found = rows_of(await saved(caller, asked, "containers.csv"))
            assert {row["Container State"] for row in found} == {"COMPLETE"}
            why = (await caller.get("/ui/nodes?part=apps&save=csv", 400))["RemoteException"]["message"]
            assert why == "part has to be one of: nodes"

    play(scene)


def test_charts_of_a_run_and_of_two(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording, recording]) as caller:
            name = "Used-share-of-each-queue"
            path = "/ui/charts/queues?whole=1&at=5000&part=Used%20share%20of%20each%20queue&save="
            rows = rows_of(await saved(caller, f"{path}csv", f"{name}.csv"))
            assert [row["time"] for row in rows[:2]] == ["0:00:00", "0:00:01"]
            assert rows[5]["root.a"] == "37.5"
            shown = words(await saved(caller, f"{path}svg", f"{name}.svg"))
            assert {"0:00:06", "now", "100.0 %", "root.b"} <= set(shown)
            begin = EPOCH_MS + 3000
            part = words(await saved(caller, f"{path}svg&begin={begin}&end={begin + 2000}", f"{name}.svg"))
            assert "0:00:03" in part
            assert "0:00:02" not in part
            both = await saved(caller, "/ui/comparison?part=Containers&save=svg", "Containers.svg")
            assert words(both).count("0:00:00") == 1
            run = "/ui/recording/page?part=Used+share+of+each+queue&save=csv"
            assert rows_of(await saved(caller, run, f"{name}.csv"))[0]["root.a: guaranteed"] == "50"

    play(scene)


def test_containers_of_a_run(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording]) as caller:
            rows = rows_of(await saved(caller, "/ui/containers?origin=1000&save=csv", "containers.csv"))
            assert len(rows) == len(recording.containers)
            assert {row["User"] for row in rows} == {"mei", "tom"}
            path = "/ui/containers?queue=root.a&lanes=app&colour=app&save=svg"
            shown = words(await saved(caller, path, "containers.svg"))
            assert ("… 0001" in shown, shown[-1]) == (True, "a1: 4")
            assert "0:00:04" in shown
            assert "0:00:04" not in words(await saved(caller, f"{path}&at=3000", "containers.svg"))
            path += f"&begin={EPOCH_MS + 5000}&end={EPOCH_MS + 8000}"
            text = await saved(caller, path, "containers.svg")
            assert "0:00:04" not in words(text)
            assert text.count('height="14"') == 4
            path = "/ui/containers/table?colour=app&name=all&save=csv"
            rows = rows_of(await saved(caller, path, "all-stream.csv"))
            assert rows == [
                {"node": "n1:1234", "Containers": "2", "a1": "2", "b1": "0"},
                {"node": "n2:1234", "Containers": "3", "a1": "2", "b1": "1"},
            ]
            (table,) = (await caller.get("/ui/containers/table?queue=root.b&at=0"))["containers"]["block"]
            assert (table["grid"], table["none"]) == ([], "No containers yet.")

    play(scene)


def test_the_table_of_a_stream_is_below_it(recording: Recording) -> None:
    async def scene() -> None:
        async with viewing([recording, recording]) as caller:
            for path in (
                "/ui/recording/page?",
                "/ui/comparison?",
                "/ui/node/n2:1234?",
                "/ui/queues?queue=root.a&",
                "/ui/app/application_0_0001?",
            ):
                (answer,) = (await caller.get(f"{path}table=open")).values()
                parts = list(every(answer["block"]))
                places = [place for place, one in enumerate(parts) if "stream" in one]
                for place in places:
                    shown, source = parts[place], parts[place + 1]["source"]
                    start = shown["source"].replace("/containers?", "/containers/table?")
                    assert source.startswith(start)
                    (found,) = (await caller.get(source)).values()
                    assert found["block"][0]["name"].startswith(f"{shown['stream']}: containers by ")
                assert places
                (closed,) = (await caller.get(path)).values()
                assert len(list(every(closed["block"]))) == len(parts) - len(places)

    play(scene)
