"""What is answered where nothing is: the error page of Jetty 9.4, to which Hadoop leaves such paths.

GenericExceptionHandler hands Jersey's NotFoundException on, the filter forwards what Jersey does not find,
and the last servlet of the chain knows no such file. Hadoop: HttpServer2, WebServlet; Jetty: ErrorHandler.
"""

from __future__ import annotations

import json
from html import escape

from aiohttp import web

from yarnbox.yarn.http.notation import accepted

_SERVLET = "org.apache.hadoop.http.WebServlet"
"""Jetty adds a number to it that is another one in each process."""
_HAS_PAGE = ("GET", "POST", "HEAD")
_MESSAGE = "Not Found"


def not_found(request: web.Request) -> web.Response:
    """404, in the first notation of those that are accepted which Jetty knows; without a body if in none."""
    headers = {"Cache-Control": "must-revalidate,no-cache,no-store"}
    kinds = accepted(request.headers.get("Accept")) or ["text/html"]
    known = next((kind for kind in kinds if kind in _WRITTEN), None) if request.method in _HAS_PAGE else None
    if known is None:
        return web.Response(status=404, headers=headers)
    kind, charset, write = _WRITTEN[known]
    headers["Content-Type"] = f"{kind};charset={charset}"
    body = write(request.raw_path.partition("?")[0])
    return web.Response(status=404, headers=headers, body=body.encode(charset, "replace"))


def _facts(path: str) -> list[tuple[str, str]]:
    return [("URI", path), ("STATUS", "404"), ("MESSAGE", _MESSAGE), ("SERVLET", _SERVLET)]


def _as_html(path: str) -> str:
    rows = "\n".join(f"<tr><th>{name}:</th><td>{escape(value)}</td></tr>" for name, value in _facts(path))
    head = '<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>'
    return (
        f"<html>\n<head>\n{head}\n<title>Error 404 {_MESSAGE}</title>\n</head>\n"
        f"<body><h2>HTTP ERROR 404 {_MESSAGE}</h2>\n<table>\n{rows}\n</table>\n\n</body>\n</html>\n"
    )


def _as_text(path: str) -> str:
    lines = "".join(f"{name}: {value}\n" for name, value in _facts(path))
    return f"HTTP ERROR 404 {_MESSAGE}\n{lines}"


def _as_json(path: str) -> str:
    return json.dumps({"url": path, "status": "404", "message": _MESSAGE, "servlet": _SERVLET}, indent=0)


_HTML = ("text/html", "iso-8859-1", _as_html)
_WRITTEN = {
    "text/html": _HTML,
    "text/*": _HTML,
    "*/*": _HTML,
    "text/json": ("text/json", "utf-8", _as_json),
    "application/json": ("application/json", "utf-8", _as_json),
    "text/plain": ("text/plain", "iso-8859-1", _as_text),
}
