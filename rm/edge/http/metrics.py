"""The metrics for monitoring systems: /jmx with Hadoop's beans, /prom and /metrics for Prometheus.

Answers for JMXJsonServlet and PrometheusServlet.
"""

from __future__ import annotations

import fnmatch
import re
import socket
from collections.abc import Iterable, Iterator
from typing import Any

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from rm.core import Core
from rm.edge.http import notation
from rm.edge.http.server import WebServer
from rm.web.beans import Bean, beans, is_counter

_BEFORE_CAPITAL = re.compile(r"(?<=[^A-Z_])(?=[A-Z])|(?<!^)(?<!_)(?=[A-Z][a-z])")
_OTHERS = re.compile(r"[^a-z0-9_]+")


def metric_name(record: str, attribute: str) -> str:
    """The name in Prometheus: `queue_metrics_allocated_v_cores`."""
    joined = record[:1].upper() + record[1:] + attribute[:1].upper() + attribute[1:]
    if not attribute[:1].isalpha() or attribute[:1].islower():
        joined = f"{record}_{attribute}"
    return _OTHERS.sub("_", _BEFORE_CAPITAL.sub("_", joined).lower())


class _Beans(Collector):
    """The beans of one moment, as Prometheus' library wants them."""

    def __init__(self, found: Iterable[Bean]) -> None:
        self._found = list(found)

    def collect(self) -> Iterator[Metric]:
        """One family for each attribute."""
        families: dict[str, Metric] = {}
        for bean in self._found:
            record = str(bean["modelerType"]).split(",")[0]
            tags = {
                name.removeprefix("tag.").lower(): str(value)
                for name, value in bean.items()
                if name.startswith("tag.")
            }
            for attribute, value in bean.items():
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                name = metric_name(record, attribute)
                kind = CounterMetricFamily if is_counter(attribute) else GaugeMetricFamily
                family = families.setdefault(name, kind(name, f"{attribute} of {record}"))
                family.add_sample(name, tags, float(value))
        yield from families.values()


class Metrics:
    """The metrics of one RM."""

    def __init__(self, core: Core, server: WebServer) -> None:
        self._core = core
        self._server = server
        self._host = socket.gethostname()
        server.add("GET", "/jmx", self._jmx)
        server.add("GET", "/prom", self._prometheus)
        server.add("GET", "/metrics", self._prometheus)

    async def _beans(self) -> list[Bean]:
        found = await self._server.turn(lambda: list(beans(self._core.context)))
        return [{**bean, "tag.Hostname": self._host} if "tag.Context" in bean else bean for bean in found]

    async def _jmx(self, request: web.Request) -> web.StreamResponse:
        found, status = self._chosen(request, await self._beans())
        headers = {"Access-Control-Allow-Origin": "*"}
        body: dict[str, Any] = {"beans": found}
        if status != 200:
            body = {"result": "ERROR", **body}
        return web.Response(
            status=status,
            text=notation.natural(body),
            content_type=notation.JSON,
            charset="utf-8",
            headers=headers,
        )

    def _chosen(self, request: web.Request, found: list[Bean]) -> tuple[list[Bean], int]:
        wanted, pattern = request.query.get("get"), request.query.get("qry")
        if wanted is not None:
            name, _, attribute = wanted.partition("::")
            chosen = [bean for bean in found if bean["name"] == name]
            if not attribute or not any(attribute in bean for bean in chosen):
                return [], 404
            return [{key: bean[key] for key in ("name", "modelerType", attribute)} for bean in chosen], 200
        if pattern is None:
            return found, 200
        if ":" not in pattern:
            return [], 400
        return [bean for bean in found if _matches(str(bean["name"]), pattern)], 200

    async def _prometheus(self, request: web.Request) -> web.StreamResponse:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Beans(await self._beans()))
        body = generate_latest(registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def _matches(name: str, pattern: str) -> bool:
    """An object name against a pattern: keys in any order; `,*` at its end admits others."""
    domain, _, keys = name.partition(":")
    wanted_domain, _, wanted = pattern.partition(":")
    if not fnmatch.fnmatchcase(domain, wanted_domain):
        return False
    parts = wanted.split(",")
    is_open = parts[-1] == "*"
    pairs = dict(part.partition("=")[::2] for part in keys.split(","))
    asked = dict(part.partition("=")[::2] for part in (parts[:-1] if is_open else parts))
    if not is_open and len(pairs) != len(asked):
        return False
    return all(key in pairs and fnmatch.fnmatchcase(pairs[key], value) for key, value in asked.items())
