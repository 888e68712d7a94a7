"""What a change of queues would come to, before it is made: over REST, and for the form of a page."""

from __future__ import annotations

from pathlib import Path

from tests.blocks import named
from tests.rm.edge.test_http import web
from tests.rm.edge.test_process import play
from yarnbox.yarn.configuration.document import write

SETTINGS = {
    "yarn__resourcemanager__scheduler__class": "capacity",
    "yarn__scheduler__configuration__store__class": "memory",
}
QUEUES = {"root.queues": "a,b", "root.a.capacity": "60", "root.b.capacity": "40"}
HALVES = {"root.a capacity": "50", "root.a maximum-capacity": "", "root.b capacity": " 50 "}


def test_an_effect_is_told_and_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        write((f"yarn.scheduler.capacity.{name}", value, False) for name, value in QUEUES.items())
    )

    async def scene() -> None:
        async with web(tmp_path, **SETTINGS) as caller:
            asked = (await caller.send("POST", "/ui/queue-capacities", HALVES))["next"]
            changed = {one["queue-name"]: one["params"]["entry"] for one in asked["body"]["update-queue"]}
            assert changed == {
                "root.a": [{"key": "capacity", "value": "50"}],
                "root.b": [{"key": "capacity", "value": "50"}],
            }, "what is as before is not sent"
            effect = (await caller.send("POST", "/ui/queue-effect", asked["body"]))["effect"]
            rows = named(asked["parts"], "Effect")["table"]
            assert [row[:2] for row in rows] == [
                [one["queue"], one["quantity"]] for one in effect["difference"]
            ]
            assert {row[0] for row in rows} == {"root.a", "root.b"}
            wrong = await caller.send("POST", "/ui/queue-capacities", {"root.a capacity": "70"}, 400)
            assert "root" in str(wrong)
            present = await caller.get("/scheduler-conf")
            assert {"name": "yarn.scheduler.capacity.root.a.capacity", "value": "60"} in present["property"]

    play(scene)
