"""The RM over HTTP: notations, errors, filters, who may do what, and protection of browsers' users."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from defusedxml import ElementTree
from yarl import URL

from tests.rm.edge.test_process import NODE, Desk, play, running
from yarnbox.rm.edge.http.rest import bodies
from yarnbox.rm.edge.http.server import PROPERTY, ROOT
from yarnbox.rm.web.refusals import RestError
from yarnbox.rm.web.values import java_float
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.rpc import PortTakenError
from yarnbox.yarn.http import notation
from yarnbox.yarn.http.listening import bind

BROWSER = {"User-Agent": "Mozilla/5.0"}


class Web:
    """A caller of the REST API."""

    def __init__(self, session: aiohttp.ClientSession, desk: Desk) -> None:
        self.session = session
        self.desk = desk
        self.top = f"http://{desk.web}"

    async def get(self, path: str, status: int = 200, **others: Any) -> Any:
        async with self.session.get(self.top + ROOT + path, **others) as answer:
            assert answer.status == status, await answer.text()
            return _read(await answer.text())

    async def send(self, method: str, path: str, body: Any = None, status: int = 200, **others: Any) -> Any:
        async with self.session.request(method, self.top + ROOT + path, json=body, **others) as answer:
            assert answer.status == status, await answer.text()
            return _read(await answer.text())


def _read(text: str) -> Any:
    """JSON, or a text: those bear the type that was asked for, too."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@asynccontextmanager
async def web(tmp_path: Path, **settings: str) -> AsyncIterator[Web]:
    async with running(tmp_path, **settings) as desk, aiohttp.ClientSession() as session:
        await desk.register()
        await desk.beat()
        yield Web(session, desk)


def test_a_path_that_is_none_is_answered_by_the_servlet_container_not_by_the_services(tmp_path: Path) -> None:
    """Hadoop hands what Jersey does not find on to Jetty, and Jetty writes the page of the error."""
    bogus = ROOT + "/bog%26us"

    async def ask(caller: Web, accept: str | None, method: str = "GET") -> tuple[str, str]:
        headers = {} if accept is None else {"Accept": accept}
        async with caller.session.request(
            method, URL(caller.top + bogus, encoded=True), headers=headers, skip_auto_headers=["Accept"]
        ) as answer:
            assert answer.status == 404
            assert answer.headers["Cache-Control"] == "must-revalidate,no-cache,no-store"
            return answer.headers.get("Content-Type", ""), await answer.text()

    async def scene() -> None:
        async with web(tmp_path) as caller:
            kind, said = await ask(caller, "application/json")
            assert kind == "application/json;charset=utf-8"
            assert json.loads(said) == {
                "url": bogus,
                "status": "404",
                "message": "Not Found",
                "servlet": "org.apache.hadoop.http.WebServlet",
            }
            html = ("text/html;charset=iso-8859-1", "<tr><th>URI:</th><td>/ws/v1/cluster/bog%26us</td></tr>")
            for accept in (
                None,
                "*/*",
                "text/html",
                "application/xml, text/*;q=0.5",
                "application/json;q=0.1, */*",
            ):
                kind, said = await ask(caller, accept)
                assert kind == html[0]
                assert html[1] in said
                assert "<title>Error 404 Not Found</title>" in said
            kind, said = await ask(caller, "text/plain")
            assert kind == "text/plain;charset=iso-8859-1"
            assert said.splitlines()[:3] == ["HTTP ERROR 404 Not Found", f"URI: {bogus}", "STATUS: 404"]
            assert (await ask(caller, "application/xml"))[1] == ""
            assert (await ask(caller, "text/html", "PUT"))[1] == ""

    play(scene)


def test_unknown_things_are_told_apart_from_malformed_ones(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            unknown = await caller.get("/apps/application_1_0001", 404)
            assert unknown["RemoteException"] == {
                "exception": "NotFoundException",
                "message": "java.lang.Exception: app with id: application_1_0001 not found",
                "javaClassName": "org.apache.hadoop.yarn.webapp.NotFoundException",
            }
            malformed = (await caller.get("/apps/application_x_1", 400))["RemoteException"]
            assert malformed["exception"] == "BadRequestException"
            assert malformed["message"].endswith("Invalid ApplicationId: application_x_1")
            await caller.get("/nodes/nobody:1", 404)
            await caller.get("/nodes/nobody", 400)
            await caller.get(f"/nodes/nobody:{'9' * 5000}", 400)
            await caller.get("/nodes?states=nonsense", 400)
            await caller.get("/apps?states=nonsense", 400)
            await caller.get("/apps?limit=0", 400)
            await caller.get("/apps?deSelects=appTimeouts,", 400)
            await caller.send("PUT", "/info", status=405)
            await caller.get("/info", 406, headers={"Accept": "text/csv"})
            await caller.send("PUT", "/apps/application_1_0001/state", ["KILLED"], 400)

    play(scene)


def test_xml_says_the_same_as_json(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            shown = (await caller.get("/nodes"))["nodes"]["node"][0]
            text = await caller.get("/nodes", headers={"Accept": "application/xml"})
            root = ElementTree.fromstring(text)
            assert root.tag == "nodes"
            assert root.findtext("node/id") == shown["id"] == str(NODE)
            assert root.findtext("node/totalResource/memory") == "8192"
            kinds = {"Accept": "text/html,application/xml;q=0.9,*/*;q=0.8"}
            assert (await caller.get("/info/", headers=kinds)).startswith("<?xml")
            empty = await caller.get("/apps", headers={"Accept": "application/xml"})
            assert ElementTree.fromstring(empty).tag == "apps"

    play(scene)


def test_filters_must_all_hold(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            ids = [str(await caller.desk.submit()) for _ in range(60)]
            shown = (await caller.get("/apps"))["apps"]["app"]
            assert [app["id"] for app in shown] == ids
            assert len((await caller.get("/apps?limit=7"))["apps"]["app"]) == 7
            assert len((await caller.get("/apps?limit=30&user=ann"))["apps"]["app"]) == 30
            assert await caller.get("/apps?user=bob") == {"apps": {}}
            assert await caller.get("/apps?finishedTimeBegin=1") == {"apps": {}}
            assert await caller.get("/apps?states=finished,killed") == {"apps": {}}
            one = (await caller.get("/apps?limit=1&deSelects=timeouts"))["apps"]["app"][0]
            assert "timeouts" not in one

    play(scene)


def test_only_those_who_may_change_an_application_do(tmp_path: Path) -> None:
    async def scene() -> None:
        settings = {"yarn__acl__enable": "true", "yarn__admin__acl": "root"}
        async with web(tmp_path, **settings) as caller:
            application_id = await caller.desk.submit()
            path, body = f"/apps/{application_id}/state", {"state": "KILLED"}
            await caller.send("PUT", f"{path}?user.name=ann", {"state": "RUNNING"}, 400)
            await caller.get("/scheduler-conf?user.name=ann", 403)
            size = {"resource": {"memory": 1, "vCores": 1}}
            await caller.send("POST", f"/nodes/{NODE}/resource?user.name=ann", size, 403)
            await caller.send("PUT", f"{path}?user.name=ann", body)  # of an unmanaged one it is done at once
            while (await caller.get(path))["state"] != "KILLED":
                await asyncio.sleep(0.01)
            assert await caller.send("PUT", f"{path}?user.name=ann", body) == {"state": "KILLED"}

    play(scene)


def test_a_browser_must_send_the_header_to_change_anything(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            said = await caller.send("POST", "/apps/new-application", status=400, headers=BROWSER)
            assert said == "Missing Required Header for CSRF Vulnerability Protection"
            headers = {**BROWSER, "X-XSRF-Header": "1"}
            assert await caller.send("POST", "/apps/new-application", headers=headers)
            await caller.get("/info", headers=BROWSER)
            kind = {"Content-Type": "text/plain"}
            async with caller.session.post(caller.top + ROOT + "/apps", headers=kind, data=b"{}") as answer:
                assert answer.status == 415

    play(scene)


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=rf"{port} is already in use; yarn\.resourcemanager\.webapp"):
            bind(Address("127.0.0.1", port), PROPERTY)


def test_the_mapped_notation_has_strings_and_no_lists_of_one() -> None:
    assert json.loads(notation.mapped({"a": [{"b": 1}], "c": True, "d": [], "e": None, "f": 1.5})) == {
        "a": {"b": "1"},
        "c": "true",
        "f": "1.5",
    }
    assert notation.mapped({"nodeLabelInfo": []}) == "null"
    assert notation.mapped({"nodeLabelInfo": []}, empty="{}") == "{}"
    assert notation.mapped({"labelsToNodes": {}, "x": {"attributes": {}}}) == (
        '{"labelsToNodes":null,"x":{"attributes":null}}'
    )


def test_a_list_that_cannot_be_made_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            monkeypatch.setattr("yarnbox.rm.web.nodes.node", _spoiled)
            await caller.get("/nodes", 503)
            await caller.get("/info")

    play(scene)


def _spoiled(*arguments: Any) -> None:
    raise ZeroDivisionError


def test_what_users_write_cannot_leave_its_element() -> None:
    assert notation.element("name", "<b>&\x00\uffff") == "<name>&lt;b&gt;&amp;\ufffd\ufffd</name>"
    facets = notation.document("user", {"ann": 2, "<b/>": 1, "a b='c'": [3, 4]})
    root = ElementTree.fromstring(facets)
    assert [(one.tag, one.get("name"), one.text) for one in root] == [
        ("ann", None, "2"),
        ("entry", "<b/>", "1"),
        ("entry", "a b='c'", "3"),
        ("entry", "a b='c'", "4"),
    ]
    assert notation.natural({"x": float("nan")}) == '{"x":"NaN"}'


def test_floats_are_those_of_java() -> None:
    assert java_float(41.666666666666664) == 41.666668
    assert [java_float(value) for value in (0.1, 100.0, 1 / 3)] == [0.1, 100.0, 0.33333334]


def test_bodies_are_read_from_both_notations() -> None:
    xml = b"<app><application-id>a</application-id><tag>x</tag><tag>y</tag></app>"
    assert bodies.parse("application/xml", xml) == {"application-id": "a", "tag": ["x", "y"]}
    assert bodies.Body({"tag": "x"}).strings("tag") == ("x",)
    bomb = b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    half_a_character = b'{"a": ["\\ud800"]}'
    for kind, raw in (
        ("application/xml", bomb),
        ("application/json", b"{"),
        ("application/json", b"[1]"),
        ("application/json", half_a_character),
    ):
        with pytest.raises(RestError) as caught:
            bodies.parse(kind, raw)
        assert caught.value.status == 400
