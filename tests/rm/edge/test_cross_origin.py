"""What scripts of other origins may read."""

from __future__ import annotations

from pathlib import Path

from tests.rm.edge.test_http import web
from tests.rm.edge.test_process import play

ENABLED = {"yarn__resourcemanager__webapp__cross-origin__enabled": "true"}
ORIGIN = "Access-Control-Allow-Origin"
INFO = "/ws/v1/cluster/info"


def test_other_origins_are_let_in_only_where_that_is_wanted(tmp_path: Path) -> None:
    async def scene() -> None:
        asking = {"Origin": "http://x"}
        async with web(tmp_path) as caller, caller.session.get(caller.top + INFO, headers=asking) as answer:
            assert ORIGIN not in answer.headers

    play(scene)


def test_the_origins_that_are_listed_may_read(tmp_path: Path) -> None:
    listed = {
        **ENABLED,
        "hadoop__http__cross-origin__allowed-origins": "http://*.good.org,regex:https?://b[0-9]",
    }

    async def scene() -> None:
        async with web(tmp_path, **listed) as caller:
            for origin, is_allowed in (
                ("http://www.good.org", True),
                ("https://b7", True),
                ("http://bad.org", False),
                ("http://www.good.org http://bad.org", False),
                ("", False),
            ):
                async with caller.session.get(caller.top + INFO, headers={"Origin": origin}) as answer:
                    assert answer.status == 200
                    assert answer.headers.get(ORIGIN) == (origin if is_allowed else None)

    play(scene)


def test_a_browser_that_asks_beforehand_is_told_what_it_may(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path, **ENABLED) as caller:
            for method, is_allowed in (("GET", True), ("PUT", False)):
                asking = {"Origin": "http://x", "Access-Control-Request-Method": method}
                async with caller.session.options(caller.top + INFO, headers=asking) as answer:
                    assert answer.status == 200
                    assert (ORIGIN in answer.headers) == is_allowed
                    shown = answer.headers.get("Access-Control-Allow-Methods")
                    assert shown == ("GET,POST,HEAD" if is_allowed else None)

    play(scene)


def test_prometheus_is_served_unless_it_is_switched_off(tmp_path: Path) -> None:
    async def scene() -> None:
        async with web(tmp_path) as caller, caller.session.get(caller.top + "/prom") as answer:
            assert answer.status == 200
        off = {"hadoop__prometheus__endpoint__enabled": "false"}
        async with web(tmp_path, **off) as caller, caller.session.get(caller.top + "/prom") as answer:
            assert answer.status == 404

    play(scene)
