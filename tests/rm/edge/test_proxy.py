"""/proxy: where it leads while an AM lives, before and afterwards, and what is passed on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web as serving

from tests.browser import Browser
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import play
from yarnbox.rm.edge.http.isolation import SANDBOX
from yarnbox.rm.edge.http.proxy import is_local, target
from yarnbox.yarn.connection.address_book import AddressBook, write_address_book
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.master import FinishApplicationMasterRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.tokens import Token


async def shown(request: serving.Request) -> serving.Response:
    told = f"{request.method} {request.rel_url} {await request.text()} {request.headers.get('Cookie')}"
    status = 418 if request.path.endswith("/pot") else 200
    kept = {"X-Page": "am", "X-Secret": request.headers.get("Authorization", "none")}
    return serving.Response(text=told, status=status, headers=kept)


Page = Callable[[serving.Request], Awaitable[serving.Response]]


@asynccontextmanager
async def page_of_am(page: Page = shown) -> AsyncIterator[str]:
    app = serving.Application()
    app.router.add_route("*", "/{rest:.*}", page)
    runner = serving.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = serving.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def ask(caller: Web, method: str, path: str, **others: object) -> tuple[int, str, dict[str, str]]:
    async with caller.session.request(method, caller.top + path, allow_redirects=False, **others) as answer:  # type: ignore[arg-type]
        return answer.status, await answer.text(), dict(answer.headers)


async def start(caller: Web, url: str) -> ApplicationId:
    return (await begun(caller, url))[0]


async def begun(caller: Web, url: str) -> tuple[ApplicationId, Token]:
    application_id = await caller.desk.submit()
    token = await caller.desk.token(application_id)
    async with caller.desk.master(token) as am:
        await am.call(
            "registerApplicationMaster", RegisterApplicationMasterRequest(host="here", tracking_url=url)
        )
    return application_id, token


def test_the_page_of_an_am_is_passed_on(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, page_of_am() as address:
            top = f"/proxy/{await start(caller, f'{address}/base?from=am')}"
            status, body, headers = await ask(
                caller, "GET", f"{top}/a%20b/c?x=1&user.name=mei", headers={"Authorization": "secret"}
            )
            assert (status, headers["X-Page"], headers["X-Secret"]) == (200, "am", "none")
            assert body == "GET /base/a%20b/c?from=am&x=1&user.name=mei  proxy-user=mei"
            assert (await ask(caller, "GET", top))[1].startswith("GET /base?from=am")
            assert (await ask(caller, "GET", f"{top}/pot"))[0] == 418
            browser = {"User-Agent": "Mozilla/5.0"}
            assert (
                "PUT /base/t?from=am kettle"
                in (await ask(caller, "PUT", f"{top}/t", data="kettle", headers=browser))[1]
            )
            assert (await ask(caller, "POST", f"{top}/t", data="kettle"))[0] == 405

    play(scene)


def test_without_a_page_it_leads_to_the_rm_s(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            application_id = await caller.desk.submit()
            status, _, headers = await ask(caller, "GET", f"/proxy/{application_id}/x")
            assert (status, headers["Location"]) == (302, f"/cluster/app/{application_id}")
            unknown = "application_1_0001"
            status, body, _ = await ask(caller, "GET", f"/proxy/{unknown}/")
            assert (status, body) == (
                404,
                f"Application {unknown} could not be found in RM or history server",
            )
            status, body, _ = await ask(caller, "GET", "/proxy/<b>/x")
            assert (status, body) == (404, "%3Cb%3E appears to be formatted incorrectly.")
            assert (await ask(caller, "GET", "/proxy/"))[0] == 404
            gone = await start(caller, "127.0.0.1:1/x")
            assert (await ask(caller, "GET", f"/proxy/{gone}/"))[0] == 502
            assert (await ask(caller, "GET", f"/proxy/{await start(caller, 'file:///etc/passwd')}"))[0] == 502

    play(scene)


def test_a_finished_application_s_page_is_where_it_said(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            application_id, token = await begun(caller, "history:1/job")
            async with caller.desk.master(token) as am:
                request = FinishApplicationMasterRequest(
                    tracking_url="http://history:1/job?id=7",
                    final_application_status=FinalApplicationStatus.SUCCEEDED,
                )
                while not (await am.call("finishApplicationMaster", request)).is_unregistered:
                    await asyncio.sleep(0.01)
            status, _, headers = await ask(caller, "GET", f"/proxy/{application_id}/tasks?state=all")
            assert (status, headers["Location"]) == (302, "http://history:1/job/tasks?id=7&state=all")

    play(scene)


def test_a_request_that_comes_back_is_not_sent_again(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            application_id = await caller.desk.submit()
            failure = f"/cluster/failure/{application_id}"
            status, _, headers = await ask(caller, "GET", f"/proxy/redirect/{application_id}/x")
            assert (status, headers["Location"]) == (302, failure)
            status, page, _ = await ask(caller, "GET", failure)
            assert (status, "rel='icon'" in page) == (508, True)
            looping = await start(caller, f"{caller.desk.web}/proxy/{application_id}/")
            assert (await ask(caller, "GET", f"/proxy/{looping}/"))[0] == 508

    play(scene)


@pytest.mark.parametrize(
    "url, rest, query, address",
    [
        ("am:80", "", "", "http://am:80/"),
        ("http://am", "x/y", "", "http://am/x/y"),
        ("//am:1/p/", "x", "a=1", "http://am:1/p/x?a=1"),
        ("https://am/p?b=2", "", "a=1", "https://am/p?b=2&a=1"),
        ("http://nm1:1/p", "", "", "http://127.0.0.1:1/p"),
        ("http://am:no/", "", "", None),
        ("ftp://am/", "", "", None),
        ("http:///x", "", "", None),
    ],
)
def test_where_a_request_goes(tmp_path: Path, url: str, rest: str, query: str, address: str | None) -> None:
    write_address_book(tmp_path / "book", {"nm1": "127.0.0.1"})
    assert target(url, rest, query, AddressBook(tmp_path / "book")) == address


def test_this_host_s_addresses() -> None:
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert not is_local("192.0.2.1")
    assert not is_local(None)


async def greedy(request: serving.Request) -> serving.Response:
    headers = {
        "Set-Cookie": "a=1; Path=/",
        "Service-Worker-Allowed": "/",
        "Clear-Site-Data": '"*"',
        "Content-Security-Policy": "img-src 'self'",
    }
    text = "<!DOCTYPE html><title>am</title>" if request.path == "/" else '{"of": "am"}'
    return serving.Response(text=text, headers=headers, content_type="text/html")


@asynccontextmanager
async def greedy_am() -> AsyncIterator[str]:
    async with page_of_am(greedy) as address:
        yield address


def test_what_an_am_serves_is_sandboxed_and_sets_no_cookie(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, greedy_am() as address:
            _, _, headers = await ask(caller, "GET", f"/proxy/{await start(caller, address)}/")
            assert headers.keys().isdisjoint({"Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data"})
            async with caller.session.get(f"{caller.top}/proxy/{await start(caller, address)}/") as answer:
                assert answer.headers.getall("Content-Security-Policy") == ["img-src 'self'", SANDBOX]
        off = {"yarnbox__resourcemanager__proxy__isolation__enabled": "false"}
        async with web(tmp_path, **off) as caller, greedy_am() as address:
            _, _, headers = await ask(caller, "GET", f"/proxy/{await start(caller, address)}/")
            assert headers["Content-Security-Policy"] == "img-src 'self'"
            assert "Set-Cookie" not in headers

    play(scene)


FETCH = "url => fetch(url).then(answer => answer.text(), () => 'blocked')"
POST = """url => fetch(url, {method: "POST", headers: {"X-XSRF-Header": "x"}})
    .then(answer => answer.status, () => "blocked")"""


def test_an_application_s_host_name_serves_its_pages_alone(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, page_of_am() as address:
            one, other = await start(caller, address), await start(caller, address)
            port = caller.top.rpartition(":")[2]
            own = {"Host": f"{str(one).replace('_', '-')}.localhost:{port}"}
            status, body, headers = await ask(caller, "GET", f"/proxy/{one}/x", headers=own)
            assert (status, body[:6]) == (200, "GET /x")
            assert "Content-Security-Policy" not in headers
            for path in (f"/proxy/{other}/x", f"/proxy/{one}0/x", "/ws/v1/cluster/info", "/cluster"):
                status, _, headers = await ask(caller, "GET", path, headers=own)
                assert (status, headers["Location"]) == (302, f"http://localhost:{port}{path}")
            new = "/ws/v1/cluster/apps/new-application"
            assert (await ask(caller, "POST", new, headers=own))[0] == 404

    play(scene)


@pytest.mark.parametrize("host", ["127.0.0.1", "rm.example"])
def test_the_page_of_an_am_cannot_call_the_rm(browser: Browser, tmp_path: Path, host: str) -> None:
    """On this machine it has an origin of its own, at another name none: both are not the RM's."""

    async def scene() -> None:
        listed = {"yarnbox__http__allowed-hosts": "rm.example"}
        async with web(tmp_path, **listed) as caller, greedy_am() as address, browser.page() as page:
            application_id = await start(caller, address)
            top = f"http://{host}:{caller.top.rpartition(':')[2]}"
            await page.goto(f"{top}/proxy/{application_id}/")
            assert await page.title() == "am"
            is_local = host == "127.0.0.1"
            name = f"{str(application_id).replace('_', '-')}.localhost"
            assert (name in await page.evaluate("self.origin")) is is_local
            own = await page.evaluate(FETCH, f"/proxy/{application_id}/api")
            assert own == ('{"of": "am"}' if is_local else "blocked")
            for url in (f"{top}/ws/v1/cluster/info", "/ws/v1/cluster/info"):
                assert await page.evaluate(FETCH, url) == "blocked"
            new = "/ws/v1/cluster/apps/new-application"
            assert await page.evaluate(POST, f"{top}{new}") == "blocked"
            assert await page.evaluate(POST, new) == (404 if is_local else "blocked")

    browser.play(scene)
