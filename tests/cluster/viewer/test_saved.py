"""What the pages of a run show, as files of `yarnbox view`."""

from __future__ import annotations

import csv
import io
import json

from tests.cluster.viewer.test_server import Caller, play, viewing
from yarnbox.sim.recording.document import Recording


async def saved(caller: Caller, path: str, name: str) -> str:
    async with caller.session.get(caller.api + path) as answer:
        assert answer.status == 200, await answer.text()
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        return await answer.text()


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
            path = "/ui/containers?app=application_0_0001&part=containers&save=csv"
            found = rows_of(await saved(caller, path, "containers.csv"))
            assert {row["Container State"] for row in found} == {"COMPLETE"}
            why = (await caller.get("/ui/nodes?part=apps&save=csv", 400))["RemoteException"]["message"]
            assert why == "part has to be one of: nodes"

    play(scene)
