"""The pages in a real browser: every page, an application that is killed, a node that is lost.

They need Chromium (Debian's package of that name), and say so where there is none.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser import Browser
from tests.pages import LATER, MANUAL, faults_of, go
from tests.rm.edge.test_http import Web, web
from tests.rm.edge.test_process import NODE
from yarnbox.am.placement import parse_constraint
from yarnbox.rm.web.pages.application import log_page
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.client import GetNewApplicationRequest
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest, ResourceSizing, SchedulingRequest
from yarnbox.yarn.resources.resource import Resource

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

PAGES = (
    "",
    "/nodes",
    "/apps",
    "/scheduler",
    "/nodelabels",
    "/events",
    "/errors-and-warnings",
    "/conf",
    "/cluster",
)
DIAGNOSTICS = "\n".join(f"line {number} of what the container said" for number in range(30))
NAME = "<img src=x onerror=alert(1)>"


async def show(page: Page, caller: Web, path: str) -> None:
    await page.goto(f"{caller.top}/cluster{path}")
    await page.wait_for_selector("main[data-ready] h1")


async def a_container_that_ended(caller: Web, application_id: str) -> str:
    """A container of the application, with the exit status 3; its id."""
    desk = caller.desk
    token = await desk.token(ApplicationId.parse(application_id))
    async with desk.master(token) as am:
        await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
        ask = ResourceRequest(priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=1)
        answer = await am.call("allocate", AllocateRequest(ask=(ask,), response_id=0))
        await desk.beat()
        answer = await am.call("allocate", AllocateRequest(response_id=answer.response_id))
        (container,) = answer.allocated_containers
        await desk.beat(ContainerStatus(container_id=container.id, state=ContainerState.RUNNING))
        ended = ContainerStatus(
            container_id=container.id, state=ContainerState.COMPLETE, exit_status=3, diagnostics=DIAGNOSTICS
        )
        await desk.beat(ended)
    return str(container.id)


async def submit(caller: Web) -> str:
    answer = await caller.desk.client.call("getNewApplication", GetNewApplicationRequest())
    body = {"application-id": str(answer.application_id), "application-name": NAME, "unmanaged-AM": True}
    await caller.send("POST", "/apps?user.name=ann", body, 202)
    return str(answer.application_id)


def test_everybody_can_use_every_page(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page() as page:
            application_id = await submit(caller)
            await a_container_that_ended(caller, application_id)
            refused: list[str] = []
            page.on("response", lambda one: refused.append(one.url) if one.status >= 400 else None)
            page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
            await show(page, caller, "")
            for path in (*PAGES, f"/node/{NODE}", f"/app/{application_id}"):
                await go(page, path)
                assert refused == [], path
                assert await page.locator("[role=alert]").count() == 0, path
                refused += await faults_of(page, path)
            await page.emulate_media(color_scheme="dark", forced_colors="none", contrast="no-preference")
            paper = await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert paper != "rgb(255, 255, 255)"
            await page.keyboard.press("g")
            await page.keyboard.press("n")
            await page.wait_for_url("**/cluster/nodes")
            await page.get_by_text(str(NODE)).first.wait_for()
            assert refused == []

    browser.play(scene)


async def kill_an_application(page: Page, caller: Web) -> None:
    """Only after a question."""
    application_id = await submit(caller)
    await show(page, caller, f"/app/{application_id}")
    await page.locator("h1", has_text=NAME).wait_for()
    await page.get_by_role("button", name="Kill Application").click()
    await page.get_by_role("button", name="Cancel").click()
    assert (await caller.get(f"/apps/{application_id}/state"))["state"] != "KILLED"
    await page.get_by_role("button", name="Kill Application").click()
    await page.get_by_role("button", name="Kill", exact=True).click()
    while (await caller.get(f"/apps/{application_id}/state"))["state"] != "KILLED":
        await asyncio.sleep(0.05)
    await page.locator(".status .state.KILLED").wait_for()
    await show(page, caller, "")
    await page.get_by_text("No applications are running or waiting.").wait_for()


async def look_for_what_is_not_there(page: Page, caller: Web) -> None:
    """It is told in words."""
    await show(page, caller, "/app/application_1_0001")
    await page.get_by_role("heading", name="Application not found").wait_for()
    await page.get_by_role("alert").get_by_text("It may belong to an earlier cluster.").wait_for()
    await show(page, caller, "/apps?q=nothing")
    await page.get_by_text("No applications match these filters.").wait_for()
    await show(page, caller, "/events?which=trouble")
    await page.get_by_role("navigation", name="Show").get_by_text("failures, kills and losses").wait_for()


async def group_the_heat_map(page: Page, caller: Web) -> None:
    """As the address says."""
    await show(page, caller, "/nodes")
    await page.locator(".heat h3", has_text="/default-rack").wait_for()
    await page.get_by_role("link", name="label", exact=True).click()
    await page.locator(".heat h3", has_text="<DEFAULT_PARTITION>").wait_for()
    assert page.url.endswith("?by=label")
    await page.reload()
    await page.locator(".heat h3", has_text="<DEFAULT_PARTITION>").wait_for()


async def look_at_the_only_queue(page: Page, caller: Web) -> None:
    """The FifoScheduler's, by its name, without shares and limits that it has not."""
    await show(page, caller, "/scheduler")
    await page.locator(".chart", has_text="default").first.wait_for()
    await page.get_by_text("Vertical lines: node added or lost.").wait_for()
    heads = await page.locator("[aria-label='Users'] th").all_inner_texts()
    assert not {"Fair Share", "Max Running Apps"} & set(heads)


async def lose_the_resourcemanager(page: Page, caller: Web) -> None:
    """It is told, and what was shown stays."""
    await show(page, caller, "/nodes")
    await page.route("**/ws/**", lambda route: route.abort())
    await page.locator("#lost").wait_for()
    await page.get_by_text(str(NODE)).first.wait_for()
    await page.unroute("**/ws/**")
    await page.locator("#lost").wait_for(state="hidden")
    await go(page, "/events")
    await page.route("**/ws/**", lambda route: route.abort())
    await page.evaluate(seen(False) + ";" + seen(True))  # the stream of events is asked for anew
    await page.locator("#lost").wait_for()
    await page.locator("td", has_text="AppAccepted").first.wait_for()
    await page.unroute("**/ws/**")
    await page.evaluate(seen(False) + ";" + seen(True))
    await page.locator("#lost").wait_for(state="hidden")


SLOW = "const now = performance.now.bind(performance); performance.now = () => now() + 3.6e6"


async def lose_a_slow_resourcemanager(page: Page, caller: Web) -> None:
    """Also where its last answer took an hour, and the page would not look again soon."""

    async def answer_late(route: Route) -> None:
        await page.evaluate(SLOW)
        await route.continue_()

    await page.route("**/ui/nodes*", answer_late, times=1)
    await show(page, caller, "/nodes")
    await page.route("**/ws/**", lambda route: route.abort())
    await page.evaluate(seen(False) + ";" + seen(True))
    await page.locator("#lost").wait_for()
    await page.unroute("**/ws/**")


async def fall_behind(page: Page, caller: Web) -> None:
    """A page that pauses after an answer of an hour says that it lacks what has happened meanwhile."""

    async def answer_late(route: Route) -> None:
        await page.evaluate(SLOW)
        await route.continue_()

    await page.route("**/ui/nodes*", answer_late, times=1)
    await show(page, caller, "/nodes")
    pill = page.locator("#pill")
    await pill.get_by_text("live").wait_for()
    await submit(caller)
    await pill.get_by_text("behind by").wait_for()


async def wait_for_a_hung_resourcemanager(page: Page, caller: Web) -> None:
    """One that takes connections and says nothing: it is told, with what to do, and asked again and again."""
    await show(page, caller, "/nodes")
    await page.evaluate(MANUAL)
    await page.route("**/ws/**", lambda _: None)
    await page.evaluate(LATER)
    await page.evaluate(seen(False) + ";" + seen(True))
    await page.evaluate(LATER)
    await page.locator("#lost", has_text="yarnbox restart-rm").wait_for()
    await page.locator("#pill", has_text="no answer").wait_for()
    await page.get_by_text(str(NODE)).first.wait_for()
    await page.unroute("**/ws/**")
    await page.evaluate("loseThePatience()")  # what was asked for meanwhile is never answered
    await page.locator("#lost").wait_for(state="hidden")
    await page.locator("#pill", has_text="live").wait_for()


def seen(is_seen: bool) -> str:
    """A script: from now on somebody sees the page, or nobody."""
    hidden = "false" if is_seen else "true"
    return (
        f"Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )


async def look_away(page: Page, caller: Web) -> None:
    """A page that nobody sees holds no connection, and catches up."""
    await show(page, caller, "/events?q=AppAccepted")
    pill = page.locator("#pill")
    await pill.get_by_text("live").wait_for()
    await page.evaluate(seen(False))
    await pill.get_by_text("paused in background").wait_for()
    application_id = await submit(caller)
    await page.evaluate(seen(True))
    await pill.get_by_text("live").wait_for()
    await page.get_by_role("cell", name=application_id, exact=True).wait_for()
    assert await page.get_by_role("cell", name="AppAccepted", exact=True).count() == 2


async def drain_a_node(page: Page, caller: Web) -> None:
    """Only after a question."""
    await show(page, caller, f"/node/{NODE}")
    await page.get_by_role("button", name="Decommission").click()
    await page.get_by_role("button", name="Cancel").click()
    assert (await caller.get(f"/nodes/{NODE}"))["node"]["state"] == "RUNNING"
    await page.get_by_role("button", name="Decommission").click()
    await page.locator("dialog").get_by_role("button", name="Decommission").click()
    await page.locator(".state.DECOMMISSIONING").wait_for()
    await page.get_by_role("button", name="Recommission").wait_for()


async def follow_what_is_shown(page: Page, caller: Web) -> None:
    """From an event to what it is about, from an empty list to the whole, from a wrong address to a list."""
    await show(page, caller, "/events?q=AppAccepted")
    await page.locator("td a[href^='/cluster/app/application_']").first.click()
    await page.locator("h1", has_text=NAME).wait_for()
    await show(page, caller, "/apps/KILLED?q=nothing")
    await page.get_by_role("link", name="Show all applications").click()
    await page.get_by_role("cell", name=NAME).first.wait_for()
    assert page.url.endswith("/apps/KILLED")
    await show(page, caller, "/app/xyz")
    await page.get_by_role("heading", name="Application not found").wait_for()
    await page.get_by_role("alert").get_by_text("Invalid ApplicationId prefix").wait_for()


async def count_applications_by_state(page: Page, caller: Web) -> None:
    """Figures lead to lists of as many, whatever the metrics call running; and a list of those that have not
    ended has no column for when they did.
    """
    accepted = (await caller.get("/apps?states=ACCEPTED"))["apps"]["app"]
    await show(page, caller, "")
    await page.locator(".figures", has_text="0 applications running").wait_for()
    heads = await page.locator("[aria-label='Applications'] th").all_inner_texts()
    assert any("StartTime" in one for one in heads)
    assert not any("FinishTime" in one for one in heads)
    await page.locator(".figures a", has_text="waiting").click()
    await page.wait_for_url("**/cluster/apps/ACCEPTED")
    await page.locator("tbody tr").nth(len(accepted) - 1).wait_for()
    types = page.locator(".facet", has_text="Type").locator("select")
    assert await types.evaluate("(one) => one.selectedOptions[0].text") == "all", "though they have no type"


async def look_with_a_wrong_clock(page: Page, caller: Web) -> None:
    """How long ago something was goes by the ResourceManager's clock; what is old says from when it is."""
    await page.add_init_script("const now = Date.now; Date.now = () => now() - 3_600_000;")
    await show(page, caller, "/apps")
    assert "ago" in await page.locator("td time").first.inner_text()
    await page.route("**/ws/**", lambda route: route.abort())
    await page.locator("#lost", has_text="What is shown is from").wait_for()
    await page.unroute("**/ws/**")


def test_one_cluster_in_one_go(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, browser.page() as page:
            await kill_an_application(page, caller)
            await look_for_what_is_not_there(page, caller)
            await group_the_heat_map(page, caller)
            await look_at_the_only_queue(page, caller)
            await lose_the_resourcemanager(page, caller)
            await lose_a_slow_resourcemanager(page, caller)
            await wait_for_a_hung_resourcemanager(page, caller)
            await look_away(page, caller)
            await drain_a_node(page, caller)
            await follow_what_is_shown(page, caller)
            await count_applications_by_state(page, caller)
            await fall_behind(page, caller)
            await look_with_a_wrong_clock(page, caller)

    browser.play(scene)


def test_what_waits_is_shown_with_its_constraint(browser: Browser, tmp_path: Path) -> None:
    queues = {"root.queues": "default", "root.default.capacity": "100"}
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        write((f"yarn.scheduler.capacity.{name}", value, False) for name, value in queues.items())
    )
    site = {
        "yarn__resourcemanager__scheduler__class": "capacity",
        "yarn__resourcemanager__placement_constraints__handler": "scheduler",
    }
    wanted = SchedulingRequest(
        priority=1,
        allocation_tags=("zk",),
        resource_sizing=ResourceSizing(num_allocations=3, resources=Resource(1024, 1)),
        placement_constraint=parse_constraint("NOTIN,NODE,zk"),
    )

    async def scene() -> None:
        async with web(tmp_path, **site) as caller, browser.page() as page:
            desk = caller.desk
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
                request = AllocateRequest(scheduling_requests=(wanted,), response_id=0)
                await am.call("allocate", request)
                await desk.beat()
                await desk.beat()
            await show(page, caller, f"/app/{application_id}")
            row = page.locator("tr", has_text="notin,node,zk")
            await row.wait_for()
            assert "zk" in await row.inner_text()
            await show(page, caller, "/nodes")
            await page.get_by_text("zk(1)").wait_for()
            held = (await caller.get("/ui/containers?queue=root"))["containers"]["container"]
            assert {one["queue"] for one in held} == {"root.default"}
            await show(page, caller, "/scheduler?queue=root.default")
            await page.get_by_role("heading", name="Containers of root.default over time").wait_for()
            await page.locator(".stream .swatch").first.wait_for()

    browser.play(scene)


def test_a_node_that_dies_is_seen_without_a_reload(browser: Browser, tmp_path: Path) -> None:
    async def scene() -> None:
        expiry = {"yarn__nm__liveness-monitor__expiry-interval-ms": "1000"}
        async with web(tmp_path, **expiry) as caller, browser.page() as page:
            await show(page, caller, "/nodes")
            await page.locator("td .state.LOST").wait_for()

    browser.play(scene)


async def unfold_the_diagnostics(page: Page) -> None:
    """A row is not higher for what is beyond the edge of the screen; the whole can be had by the keyboard."""
    row = page.locator("[aria-label='Containers'] tbody tr", has_text="line 0").first
    box = await row.bounding_box()
    assert box is not None
    assert box["height"] < 60
    await row.locator("summary").focus()
    await page.keyboard.press("Enter")
    await row.get_by_text("line 9 of what").wait_for()


async def read_the_events(page: Page, caller: Web) -> None:
    """When something was stands in its row; what happens meanwhile comes on top, and nothing comes twice."""
    await show(page, caller, "/events?q=AttemptRegistered")
    await page.get_by_role("cell", name="AttemptRegistered", exact=True).wait_for()
    await page.locator("td time", has_text=re.compile(r"\d\d:\d\d:\d\d$")).first.wait_for()
    await show(page, caller, "/events?q=type:AppAccepted")
    accepted = page.get_by_role("cell", name="AppAccepted", exact=True)
    await accepted.wait_for()
    application_id = await submit(caller)
    await page.locator("tbody tr:first-child", has_text=application_id).wait_for()
    assert await accepted.count() == 2
    await show(page, caller, "/events?q=nothing-of-that-name")
    await page.get_by_text("No events match these filters.").wait_for()


def test_a_page_opened_later_shows_what_has_been(browser: Browser, tmp_path: Path) -> None:
    fast = {"yarnbox__resourcemanager__history__interval-ms": "100"}

    async def scene() -> None:
        async with web(tmp_path, **fast) as caller:
            application_id = await submit(caller)
            container_id = await a_container_that_ended(caller, application_id)
            async with browser.page() as page:
                await show(page, caller, f"/app/{application_id}")
                await page.get_by_role("application").focus()
                await page.keyboard.press("ArrowRight")
                told = page.locator(".stream output", has_text=container_id)
                await told.get_by_text("exit status 3").wait_for()
                await unfold_the_diagnostics(page)
                files = [{"name": "stderr", "text": "stderr, 5 B"}]
                log = log_page(container_id, {"file": "stderr", "files": files, "text": "what it wrote"})
                tail = {"log": {"block": log}}
                await page.route("**/ui/log-tail*", lambda route: route.fulfill(json=tail))
                await page.get_by_label("Follow the log of a container").select_option(container_id)
                await page.get_by_role("log").get_by_text("what it wrote").wait_for()
                assert page.url.endswith(f"?log={container_id}")
                await page.unroute("**/ui/log-tail*")
                await page.locator(".error", has_text="the node does not answer").wait_for()
                await show(page, caller, f"/node/{NODE}?colour=state")
                await page.locator(".stream .swatch", has_text="failed or killed 1").wait_for()
                await show(page, caller, "/scheduler")
                await page.locator(".chart canvas").first.wait_for()
                await read_the_events(page, caller)

    browser.play(scene)


def test_actions_say_why_those_who_may_not_may_not(browser: Browser, tmp_path: Path) -> None:
    lists = {"yarn__acl__enable": "true", "yarn__admin__acl": "root"}

    async def scene() -> None:
        async with web(tmp_path, **lists) as caller, browser.page() as page:
            await show(page, caller, f"/node/{NODE}?user.name=eve")
            refused = page.get_by_role("button", name="Decommission: eve is not an administrator.")
            await refused.wait_for()
            assert await refused.is_disabled()
            await show(page, caller, f"/node/{NODE}?user.name=root")
            drain = page.get_by_role("button", name="Decommission", exact=True)
            await drain.wait_for()
            assert await drain.is_enabled()

    browser.play(scene)
