"""Answers that scripts of other origins may read, where that is wanted.

With yarn.resourcemanager.webapp.cross-origin.enabled; which origins, methods and headers is said by Hadoop's
own properties. Changes stay safe: they need the custom header, and that needs leave. Hadoop:
CrossOriginFilter.
"""

from __future__ import annotations

from aiohttp import web

from yarnbox.rm.settings import WebSettings
from yarnbox.yarn.http.access import compile_pattern


class CrossOrigin:
    """The headers of one server's answers."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._origins = [compile_pattern(origin) for origin in settings.cross_origin_origins]

    async def add(self, request: web.Request, response: web.StreamResponse) -> None:
        """Lets the origin that asks read the answer; for several in one header, all must be allowed."""
        origins = request.headers.get("Origin", "").split()
        if not origins or not all(self._allows(origin) for origin in origins):
            return
        asked = request.headers.get("Access-Control-Request-Method")
        if asked is not None and asked not in self._settings.cross_origin_methods:
            return
        response.headers["Access-Control-Allow-Origin"] = " ".join(origins)
        response.headers["Access-Control-Allow-Credentials"] = "true"
        if asked is not None:
            response.headers["Access-Control-Allow-Methods"] = ",".join(self._settings.cross_origin_methods)
            response.headers["Access-Control-Allow-Headers"] = ",".join(self._settings.cross_origin_headers)
            response.headers["Access-Control-Max-Age"] = str(self._settings.cross_origin_age_secs)

    def _allows(self, origin: str) -> bool:
        return any(pattern.fullmatch(origin) for pattern in self._origins)
