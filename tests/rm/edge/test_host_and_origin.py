"""Whom the RM's web server refuses before it looks at what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web as serving

from tests.browser import Browser
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import play
from yarnbox.yarn.records.client import GetNewApplicationRequest

INFO = "/ws/v1/cluster/info"
APPS = "/ws/v1/cluster/apps"


@pytest.mark.parametrize("path", [INFO, "/cluster", "/jmx", "/prom", "/conf", "/proxy/application_1_0001/"])
def test_every_path_is_closed_to_another_name(tmp_path: Path, path: str) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller:
            headers = {"Host": "evil.example"}
            async with caller.session.get(caller.top + path, headers=headers) as answer:
                assert answer.status == 403
                assert (await answer.text()).startswith("evil.example is not a name of this host; ")

    play(scene)


def test_the_names_that_are_configured_are_answered(tmp_path: Path) -> None:
    listed = {"yarnbox__http__allowed-hosts": "*.lab.example"}

    async def scene() -> None:
        async with web(tmp_path, **listed) as caller:
            for host, status in (("rm.lab.example:80", 200), ("localhost:1", 200), ("lab.example", 403)):
                async with caller.session.get(caller.top + INFO, headers={"Host": host}) as answer:
                    assert answer.status == status

    play(scene)


def test_another_origin_may_change_nothing_even_where_it_may_read(tmp_path: Path) -> None:
    listed = {
        "yarn__resourcemanager__webapp__cross-origin__enabled": "true",
        "hadoop__http__cross-origin__allowed-origins": "http://good.org",
    }

    async def scene() -> None:
        async with web(tmp_path, **listed) as caller:
            for origin, status in (("http://evil.example", 403), ("http://good.org", 200)):
                url = caller.top + APPS + "/new-application"
                async with caller.session.post(url, headers={"Origin": origin}) as answer:
                    assert answer.status == status

    play(scene)


SUBMIT = """async ([url, body]) => {
    const headers = {"Content-Type": "application/json", "X-XSRF-Header": "x"}
    try { return (await fetch(url, {method: "POST", headers, body})).status } catch { return "blocked" }
}"""
FORM = """([url, body]) => {
    const form = Object.assign(document.createElement("form"), {method: "POST", action: url})
    form.enctype = "text/plain"
    form.append(Object.assign(document.createElement("input"), {name: body.slice(0, -1), value: "}"}))
    document.body.append(form)
    form.submit()
}"""


async def body_of(caller: Web) -> tuple[str, str]:
    new = await caller.desk.client.call("getNewApplication", GetNewApplicationRequest())
    application_id = str(new.application_id)
    return application_id, f'{{"application-id": "{application_id}", "unmanaged-AM": true}}'


async def is_known(caller: Web, application_id: str) -> bool:
    async with caller.session.get(f"{caller.top}{APPS}/{application_id}") as answer:
        return answer.status == 200


def test_a_page_of_another_site_submits_nothing(browser: Browser, tmp_path: Path) -> None:
    """A site whose name points here: to the RM's own port (one origin for the browser), or to another."""

    async def page_of_evil(_request: serving.Request) -> serving.Response:
        return serving.Response(text="<!DOCTYPE html><title>evil</title>", content_type="text/html")

    async def scene() -> None:
        site = serving.Application()
        site.router.add_get("/", page_of_evil)
        runner = serving.AppRunner(site, access_log=None)
        await runner.setup()
        try:
            await serving.TCPSite(runner, "127.0.0.1", 0).start()
            site_port = runner.addresses[0][1]
            async with web(tmp_path) as caller:
                async with browser.page() as page:
                    rm_port = caller.top.rpartition(":")[2]
                    rebound = await page.goto(f"http://evil.example:{rm_port}/cluster")
                    assert rebound is not None
                    assert rebound.status == 403
                    application_id, body = await body_of(caller)
                    same_origin = f"http://evil.example:{rm_port}{APPS}"
                    assert await page.evaluate(SUBMIT, [same_origin, body]) == 403
                    await page.goto(f"http://evil.example:{site_port}/")
                    assert await page.evaluate(SUBMIT, [caller.top + APPS, body]) == "blocked"
                    async with page.expect_response("**/apps") as sent:
                        await page.evaluate(FORM, [caller.top + APPS, body])
                    assert (await sent.value).status == 403
                    assert not await is_known(caller, application_id)
                async with browser.page() as page:
                    own = await page.goto(f"{caller.top}/cluster")
                    assert own is not None
                    assert own.status == 200
                    assert await page.evaluate(SUBMIT, [caller.top + APPS, body]) == 202
                    assert await is_known(caller, application_id)
        finally:
            await runner.cleanup()

    browser.play(scene)
