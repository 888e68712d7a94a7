"""What pages show, as files of a ResourceManager."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

from defusedxml.ElementTree import fromstring

from tests.rig import ask
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_past import until
from tests.rm.edge.test_process import NODE, play
from tests.rm.edge.test_queue_users import private
from yarnbox.rm.edge.http.server import ROOT
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest


async def saved(caller: Web, path: str, kind: str, name: str) -> str:
    """A file, of which the head is asked for as well."""
    for method in ("HEAD", "GET"):
        async with caller.session.request(method, caller.top + ROOT + path) as answer:
            assert answer.status == 200, await answer.text()
            assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
            assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            text = await answer.text()
            assert bool(text) == (method == "GET")
    return text


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_file_has_all_applications_that_match(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            ids = [str(await caller.desk.submit()) for _ in range(25)]
            assert len((await caller.get("/ui/apps"))["found"]["app"]) == 20
            path = "/ui/apps?from=20&columns=id,state&part=apps&save="
            found = rows_of(await saved(caller, f"{path}csv", "text/csv", "apps.csv"))
            assert [row["ID"] for row in found] == ids[::-1]
            assert list(found[0]) == ["ID", "State"]
            path = f"/ui/apps?sort=id&q=id:{ids[3]}&part=apps&save=json"
            (only,) = json.loads(await saved(caller, path, "application/json", "apps.json"))
            assert only["id"] == ids[3]
            path = "/ui/events?part=events&from=5&columns=type&save=csv"
            events = rows_of(await saved(caller, path, "text/csv", "events.csv"))
            assert [row["Type"] for row in events][-1] == "NodeStarted"

    play(scene)


def test_nodes_and_containers_are_files_too(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            (node,) = rows_of(await saved(caller, "/ui/nodes?part=nodes&save=csv", "text/csv", "nodes.csv"))
            assert node["Node Address"] == str(NODE)
            path = f"/ui/containers/list?node={NODE}&save=csv&part=containers"
            assert rows_of(await saved(caller, path, "text/csv", "containers.csv")) == []
            why = await caller.get(f"/ui/containers?node={NODE}&save=svg", 400)
            assert why["RemoteException"]["message"] == "there are no containers yet"
            users = "/ui/queues?queue=root&part=users&save=json"
            assert json.loads(await saved(caller, users, "application/json", "users.json")) == []

    play(scene)


def test_containers_over_time(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            desk = caller.desk
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as master:
                await master.call("registerApplicationMaster", RegisterApplicationMasterRequest(host=""))
                await master.call("allocate", AllocateRequest(ask=(ask(count=3),), response_id=0))
                await desk.beat()
                path = f"/ui/containers?app={application_id}&name=app+1&save="
                rows = rows_of(await saved(caller, f"{path}csv", "text/csv", "app-1-containers.csv"))
                assert [row["Node"] for row in rows] == [str(NODE)] * 3
                path += "svg&lanes=queue&colour=locality&first=0&last=2"
                text = await saved(caller, path, "image/svg+xml", "app-1-containers.svg")
                shown = [one.text for one in fromstring(text)]
                assert (shown[0], shown[-1]) == ("app 1", "off switch: 3")
                assert "default" in shown
                table = (await caller.get(f"/ui/containers/table?app={application_id}&name=app"))[
                    "containers"
                ]
                (grid,) = table["block"]
                assert grid["grid"] == [{"id": str(NODE), "count": 3, "of0": 3}]
                page = (await caller.get(f"/ui/app/{application_id}?table=open"))["app"]["block"]
                sources = [one["source"] for one in page if "included" in one]
                assert sources[0].startswith(f"/ui/containers/table?app={application_id}&")

    play(scene)


def test_charts_are_pictures_and_values(tmp_path: Path) -> None:
    fast = {"yarnbox__resourcemanager__history__interval-ms": "100"}

    async def scene() -> None:
        async with web(tmp_path, **fast) as caller:
            history = "/ui/history/queues"
            await until(lambda: caller.get(history), lambda answer: len(answer["history"]["times"]) > 3)
            name = "Used-share-of-each-queue"
            path = "/ui/charts/queues?part=Used+share+of+each+queue&save="
            first, *_ = rows_of(await saved(caller, f"{path}csv", "text/csv", f"{name}.csv"))
            assert re.fullmatch(r"\d\d:\d\d:\d\d(\.\d{3})?", first["time"])
            assert first["default"] == "0"
            picture = fromstring(await saved(caller, f"{path}svg", "image/svg+xml", f"{name}.svg"))
            assert picture[0].text == "Used share of each queue"
            assert [one.text for one in picture][-1] == "default"
            path += "svg&without=default&begin=0"
            picture = fromstring(await saved(caller, path, "image/svg+xml", f"{name}.svg"))
            assert "default" not in [one.text for one in picture]

    play(scene)


def test_a_file_has_what_its_reader_may_see(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **private(tmp_path)) as caller:
            application_id = await caller.desk.submit()
            for path in (f"/ui/containers?app={application_id}", f"/ui/app/{application_id}?", "/ui/conf?"):
                await caller.get(f"{path}&save=csv&user.name=bob", 403)
            for reader, ids in (("bob", []), ("ann", [str(application_id)])):
                path = f"/ui/apps?save=csv&columns=id&user.name={reader}"
                assert [
                    row["ID"] for row in rows_of(await saved(caller, path, "text/csv", "apps.csv"))
                ] == ids

    play(scene)


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:

            async def refused(path: str, status: int = 400) -> str:
                answer: Any = await caller.get(path, status)
                return str(answer["RemoteException"]["message"])

            assert await refused("/ui/nodes?save=csv&part=apps") == "part has to be one of: nodes"
            assert await refused("/ui/nodes?save=xls") == "save has to be csv, json, svg, not xls"
            assert await refused("/ui/waiting?save=csv") == "there is nothing here that can be saved"
            await refused("/ui/node/nobody:1?save=csv", 404)
            assert "clusterMetrics" in await caller.get("/metrics?save=csv"), "no page shows it"

    play(scene)
