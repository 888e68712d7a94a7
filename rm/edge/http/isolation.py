"""Pages of ApplicationMasters kept apart from the ResourceManager's own, which are served at the same port.

In a browser on this machine each application has an origin of its own: what is asked for at 127.0.0.1 is sent
on to `application-<timestamp>-<number>.localhost`, a name that browsers resolve to this machine, and at that
name nothing is served but the application's pages. Elsewhere such a page is sandboxed: its scripts run, but
are of no origin. Either way they cannot call the ResourceManager. Hadoop does neither.
"""

from __future__ import annotations

import ipaddress
import re
from http import HTTPStatus

from aiohttp import web

from yarnbox.yarn.ids import ApplicationId

SANDBOX = (
    "sandbox allow-scripts allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox"
    " allow-downloads allow-top-navigation-by-user-activation"
)
_NAME = re.compile(r"application-([0-9]+)-([0-9]+)\.localhost")
_RESOLVE_LOCALHOST = re.compile(r"Chrome/|Firefox/")
"""Browsers that look no name below localhost up anywhere."""


def name_of(application_id: ApplicationId) -> str:
    """The host name of an application's pages."""
    return str(application_id).replace("_", "-") + ".localhost"


def is_isolated(request: web.Request, application_id: ApplicationId) -> bool:
    """Whether the request came to the application's own host name."""
    return _host(request)[0] == name_of(application_id)


def own_address(request: web.Request, application_id: ApplicationId) -> str | None:
    """The address to which a browser on this machine is redirected; None for other clients."""
    host, port = _host(request)
    if request.method != "GET" or request.headers.get("Sec-Fetch-Dest") != "document":
        return None
    if not _is_loopback(host) or not _RESOLVE_LOCALHOST.search(request.headers.get("User-Agent", "")):
        return None
    return f"{request.scheme}://{name_of(application_id)}{port}{request.raw_path}"


def outside(request: web.Request) -> web.Response | None:
    """The answer to a request that came to an application's host name and is not for its pages."""
    host, port = _host(request)
    found = _NAME.fullmatch(host)
    if found is None:
        return None
    name = f"application_{found[1]}_{found[2]}"
    if re.match(rf"/proxy/(redirect/)?{name}(/|$)", request.path):
        return None
    if request.method != "GET":
        return web.Response(status=HTTPStatus.NOT_FOUND, text=f"{host} serves pages of {name} alone\n")
    return web.Response(
        status=HTTPStatus.FOUND, headers={"Location": f"{request.scheme}://localhost{port}{request.raw_path}"}
    )


def _host(request: web.Request) -> tuple[str, str]:
    """The name, and the port with its colon."""
    name, colon, port = request.headers.get("Host", "").rpartition(":")
    if not colon or not port.isdigit():
        return f"{name}{colon}{port}".lower(), ""
    return name.lower(), f":{port}"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
