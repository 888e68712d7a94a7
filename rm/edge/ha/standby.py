"""The pages of a standby: what it says of itself, and the way to the active RM. Hadoop: RMWebAppFilter."""

from __future__ import annotations

import html
import random
import re
import socket
from collections.abc import Callable

from aiohttp import web
from yarl import URL

from yarnbox.rm.web.values import Answer
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http import notation
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import HttpServer, new_application
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tls import Tls, scheme

_INFO = "/ws/v1/cluster/info"
_ABOUT = "/cluster/cluster"
_OWN = ("/conf", "/stacks", "/logLevel", "/logs", "/jmx", "/prom")
"""What an RM shows of its own process: nobody is sent to another one's."""
_REFRESH = "next.refresh.interval"
_LARGEST_BODY = 64 * 1024
_FIRST_WAIT_S = 5
_LONGEST_WAIT_S = 300


class StandbyPages:
    """The HTTP server of a standby."""

    def __init__(
        self,
        access: HttpAccess,
        info: Callable[[], Answer],
        active: Callable[[], str | None],
        own: Address,
        tls: Tls | None = None,
    ) -> None:
        """`active` returns the address of the active RM's pages, if there is one."""
        self._tls = tls
        self._info = info
        self._active = active
        self._own = own
        authentication = Authentication(tls) if tls is not None else None
        app = new_application(access, largest_body=_LARGEST_BODY, authentication=authentication)
        app.router.add_route("*", "/{rest:.*}", self._answer)
        self._server = HttpServer(app)

    async def start(self, listening: socket.socket) -> None:
        """Serves from now on."""
        await self._server.start(listening, self._tls)

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.rstrip("/") if request.path != "/" else "/"
        if path == "/isActive":
            return web.Response(status=405, text="I am not Active!", headers={"Connection": "close"})
        if path == _INFO:
            return self._shown(request)
        if path == _ABOUT:
            return self._about()
        if path in _OWN:
            return web.Response(status=503, text="This is standby RM: it does not serve this.\n")
        active = self._active()
        return self._to_active(request, active) if active is not None else self._to_self(request)

    def _shown(self, request: web.Request) -> web.Response:
        if notation.preferred(request.headers.get("Accept")) == notation.XML:
            text = notation.document("clusterInfo", self._info())
            return web.Response(text=text, content_type=notation.XML, charset="utf-8")
        text = notation.natural({"clusterInfo": self._info()})
        return web.Response(text=text, content_type=notation.JSON, charset="utf-8")

    def _about(self) -> web.Response:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>"
            for name, value in self._info().items()
        )
        active = self._active()
        where = (
            f'<p>Active: <a href="{scheme(self._tls)}://{active}/cluster">{active}</a></p>' if active else ""
        )
        page = (
            "<!DOCTYPE html><title>Standby</title><link rel='icon' href='data:,'>"
            f"<h1>This RM is a standby</h1>{where}<table>{rows}</table>"
        )
        return web.Response(text=page, content_type="text/html", charset="utf-8")

    def _to_active(self, request: web.Request, active: str) -> web.Response:
        path = str(URL(request.path_qs))  # what a header cannot hold is quoted
        text = f"This is standby RM. The redirect url is: {html.escape(path)}\n"
        return web.Response(
            status=307, text=text, headers={"Location": f"{scheme(self._tls)}://{active}{path}"}
        )

    def _to_self(self, request: web.Request) -> web.Response:
        """A page without an active RM: the browser asks again, after a longer pause each time."""
        given = request.query.get(_REFRESH, "0")
        tries = int(given) if re.fullmatch("[0-9]{1,2}", given) else None
        state = f"HA Zookeeper Connection State: {self._info()['haZooKeeperConnectionState']}\n"
        wait_s = int(_FIRST_WAIT_S * 2 ** (tries or 0) * random.uniform(0.5, 1.5))
        if tries is None or wait_s > _LONGEST_WAIT_S:
            return web.Response(text=f"There is no active RM right now.\n{state}")
        here = f"{scheme(self._tls)}://{self._own}{request.path_qs}"
        again = URL(here, encoded=True).update_query({_REFRESH: tries + 1})
        text = f"Can not find any active RM. Will retry in next {wait_s} seconds.\n{state}"
        return web.Response(status=307, text=text, headers={"Refresh": f"{wait_s};url={again}"})
