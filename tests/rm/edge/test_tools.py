"""/conf, /logs, /logLevel, /stacks, /isActive and the scheduler's own log."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from defusedxml import ElementTree

from tests.rm.edge.test_http import BROWSER, Web, web
from tests.rm.edge.test_process import play
from yarnbox.rm.edge.http.server import ROOT
from yarnbox.yarn.http.servlets import within

JSON = {"Accept": "application/json"}


async def fetch(caller: Web, path: str, status: int = 200, method: str = "GET", **others: Any) -> str:
    async with caller.session.request(method, caller.top + path, **others) as answer:
        assert answer.status == status, await answer.text()
        return await answer.text()


def test_the_configuration_can_be_read_but_no_password(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, ssl__server__keystore__password="hidden") as caller:
            root = ElementTree.fromstring(await fetch(caller, "/conf"))
            values = {one.findtext("name"): one.findtext("value") for one in root.findall("property")}
            assert values["yarn.resourcemanager.scheduler.class"] == "fifo"
            assert values["yarn.nm.liveness-monitor.expiry-interval-ms"] == "600000"
            assert values["ssl.server.keystore.password"] == "<redacted>"
            async with caller.session.get(caller.top + "/conf", headers=JSON) as answer:
                listed = (await answer.json())["properties"]
            assert {"key", "value", "isFinal", "resource"} == set(listed[0])
            name = "yarn.resourcemanager.max-completed-applications"
            async with caller.session.get(f"{caller.top}/conf?name={name}", headers=JSON) as answer:
                assert await answer.json() == {
                    "property": {
                        "key": name,
                        "value": "1000",
                        "isFinal": False,
                        "resource": "yarn-default.xml",
                    }
                }
            assert await fetch(caller, "/conf?name=nothing", 404) == "Property nothing not found"

    play(scene)


def test_logs_can_be_read_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "logs" / "<b>").write_text("bold")

    async def scene() -> None:
        async with web(tmp_path) as caller:
            listing = await fetch(caller, "/logs")
            assert "href='rm.log'" in listing
            assert "<b>" not in listing
            assert "href='%3Cb%3E'" in listing
            assert "serving" in await fetch(caller, "/logs/rm.log")
            for path in ("link", "..%2fsecret", "%2e%2e/secret", "nothing", "a%00b", "x" * 5000):
                assert "hidden" not in await fetch(caller, f"/logs/{path}", 404)

    play(scene)
    assert within(tmp_path / "logs", "../secret") is None
    assert within(tmp_path / "logs", "/etc/passwd") is None


def test_what_the_process_is_at_can_be_seen(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            assert "MainThread" in await fetch(caller, "/stacks")
            assert await fetch(caller, "/isActive") == "I am Active!"

    play(scene)


def test_the_level_of_a_logger(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            lines = (await fetch(caller, "/logLevel?log=rm.test&level=DEBUG")).splitlines()
            marked = [line for line in lines if line.startswith("<!-- OUTPUT -->")]
            assert marked[-1] == "<!-- OUTPUT -->Effective Level: <b>DEBUG</b><br>"
            assert "Bad Level : <b>&lt;i&gt;</b>" in await fetch(caller, "/logLevel?log=rm.test&level=<i>")
            await fetch(caller, "/logLevel?log=rm.test&level=INFO", 400, headers=BROWSER)
            assert "DEBUG" in await fetch(caller, "/logLevel?log=rm.test", headers=BROWSER)

    try:
        play(scene)
    finally:
        logging.getLogger("rm.test").setLevel(logging.NOTSET)


def test_the_scheduler_s_log_of_a_short_time(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            path = ROOT + "/scheduler/logs"
            assert "Period must be" in await fetch(caller, path, 400, "POST", data={"time": "0"})
            assert "For input string" in await fetch(caller, path, 400, "POST", data={"time": "soon"})
            told = await fetch(caller, path, 200, "POST", data={"time": "600"})
            assert told == "Capacity scheduler logs are being created."
            assert "already dumping" in await fetch(caller, path, 503, "POST", data={"time": "600"})
            application_id = await caller.desk.submit()
            written = await fetch(caller, "/logs/yarn-scheduler-debug.log")
            assert str(application_id) in written

    play(scene)


def test_tools_are_for_administrators_where_access_is_controlled(tmp_path: Path) -> None:
    async def scene() -> None:
        settings = {"yarn__acl__enable": "true", "yarn__admin__acl": "root"}
        async with web(tmp_path, **settings) as caller:
            for path in ("/conf", "/logs/", "/stacks", "/logLevel"):
                await fetch(caller, f"{path}?user.name=ann", 403)
                await fetch(caller, f"{path}?user.name=root")
            await fetch(caller, ROOT + "/scheduler/logs", 403, "POST", data={"time": "1"})

    play(scene)
